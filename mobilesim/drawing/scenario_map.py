"""The map of a scenario: cells, stations, backbone, the paths of some hosts, and a legend."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import floor, log10
from typing import Final, NamedTuple

from mobilesim.drawing.canvas import BORDER, INK, PAPER, REACHED, WIRE, Attribute, Canvas, Frame
from mobilesim.drawing.cells import CLIPPED, backbone_links, draw_links, draw_regions, draw_stations, path_distance
from mobilesim.drawing.host_paths import HostPath, draw_ends, draw_paths, host_paths, in_pixels
from mobilesim.drawing.layout import CellLayout, cell_layout
from mobilesim.errors import counted
from mobilesim.scenario.values.units import LENGTH, TIME
from mobilesim.world.replication import World

_WIDEST, _HIGHEST = 760.0, 600.0
_EDGE: Final = 20.0
_LINE: Final = 22.0
_SIGN: Final = 28.0
_LETTER: Final = 6.6
"""The mean width of a letter, in pixels."""
_GAP: Final = 18.0
_SHARE: Final = 4.5
"""The scale bar takes at most 1 / 4.5 of the width of the plane."""


class _Entry(NamedTuple):
    text: str
    draw: Callable[[Canvas, float, float], None]

    @property
    def width(self) -> float:
        return _SIGN + _LETTER * len(self.text)


def picture(world: World, hosts: int, until: int) -> str:
    """Return an SVG map with the paths of the first `hosts` hosts up to the time `until`."""
    plane = cell_layout(world.scenario.cells)
    paths = host_paths(world, plane.stations, hosts, until)
    scale = min(_WIDEST / plane.width, _HIGHEST / plane.height)
    across, up = scale * plane.width, scale * plane.height
    width = max(across, 640.0)
    frame = Frame(scale, _EDGE + (width - across) / 2, _EDGE + up)
    caption = _caption(world, paths, until)
    links = backbone_links(plane, world.topology)
    lines = _legend(plane, paths, until, width, wired=bool(links))
    canvas = Canvas(width + 2 * _EDGE, up + 2 * _EDGE + (1 + len(lines)) * _LINE, caption)
    canvas.element("rect", width="100%", height="100%", fill=PAPER)
    draw_regions(canvas, frame, plane)
    draw_links(canvas, frame, plane, links)
    aside = path_distance(frame, plane)
    drawn = [in_pixels(frame, path, len(paths), aside) for path in paths]
    draw_paths(canvas, drawn, "none" if plane.polygons is None else CLIPPED)
    draw_stations(canvas, frame, plane)
    for path in drawn:
        draw_ends(canvas, path)
    canvas.text(caption, x=_EDGE, y=_EDGE + up + _LINE, fill=INK)
    if plane.polygons is not None:
        _draw_scale_bar(canvas, frame, plane, (_EDGE + width, _EDGE + up + _LINE))
    _draw_legend(canvas, (_EDGE, _EDGE + up + 2 * _LINE), lines)
    return canvas.document()


def _caption(world: World, paths: Sequence[HostPath], until: int) -> str:
    scenario, cells = world.scenario, f"{world.scenario.name}: {counted(world.stations, 'cell')}"
    hosts = f"{len(paths)} of {counted(scenario.hosts, 'host')}"
    return f"{cells}, {hosts}, {scenario.mobility.model}, {TIME.write(until)}" if paths else cells


def _legend(
    plane: CellLayout, paths: Sequence[HostPath], until: int, width: float, *, wired: bool
) -> list[list[_Entry]]:
    """Return the lines of the legend, each with its entries."""
    lines: list[list[_Entry]] = [[]]
    x = 0.0
    for entry in _entries(plane, paths, until, wired=wired):
        if lines[-1] and x + entry.width > width:
            lines.append([])
            x = 0.0
        lines[-1].append(entry)
        x += entry.width + _GAP
    return lines


def _draw_legend(canvas: Canvas, at: tuple[float, float], lines: Sequence[Sequence[_Entry]]) -> None:
    left, y = at
    for entries in lines:
        x = left
        for entry in entries:
            entry.draw(canvas, x, y - 4.5)
            canvas.text(entry.text, x=x + _SIGN, y=y, fill=INK, font_size=12)
            x += entry.width + _GAP
        y += _LINE


def _draw_scale_bar(canvas: Canvas, frame: Frame, plane: CellLayout, at: tuple[float, float]) -> None:
    most = plane.width / _SHARE
    ten = 10.0 ** floor(log10(most))
    metres = next(ten * step for step in (5, 2, 1) if ten * step <= most)
    x, y = at
    long = frame.scale * metres
    canvas.element("path", d=f"M{x - long:.1f} {y - 8:.1f}v8h{long:.1f}v-8", fill="none", stroke=INK, stroke_width=1.5)
    canvas.text(LENGTH.write(metres), x=x - long / 2, y=y - 5, fill=INK, font_size=12, text_anchor="middle")


def _entries(plane: CellLayout, paths: Sequence[HostPath], until: int, *, wired: bool) -> Iterator[_Entry]:
    if paths:
        yield _Entry("start", partial(_circle, r=7, fill=INK))
    if any(path.start != path.end for path in paths):
        yield _Entry(f"after {TIME.write(until)}", _end)
    if any(path.crossings for path in paths):
        yield _Entry("changes its cell", partial(_circle, r=2.5, fill=PAPER, stroke=INK, stroke_width=2))
    if any(path.disconnected for path in paths):
        dots = partial(_line, since=1, stroke=INK, stroke_width=2, stroke_dasharray="0.1 5", stroke_linecap="round")
        yield _Entry("disconnected", dots)
    if plane.radius is not None:
        reach = partial(_circle, r=8, fill=REACHED, stroke=BORDER, stroke_dasharray="2 3")
        yield _Entry(f"within {LENGTH.write(plane.radius)}", reach)
    if wired:
        yield _Entry("backbone", partial(_line, since=0, stroke=WIRE, stroke_width=1.5, stroke_dasharray="6 4"))


def _circle(canvas: Canvas, x: float, y: float, **look: Attribute) -> None:
    canvas.element("circle", cx=x + 12, cy=y, **look)


def _end(canvas: Canvas, x: float, y: float) -> None:
    canvas.element("rect", x=x + 7, y=y - 5, width=10, height=10, fill=PAPER, stroke=INK, stroke_width=2.5)


def _line(canvas: Canvas, x: float, y: float, *, since: int, **look: Attribute) -> None:
    canvas.element("path", d=f"M{x + since:.1f} {y:.1f}h{22 - since}", **look)

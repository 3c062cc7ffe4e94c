"""Draws the paths of hosts: where they start and end, change cells, and are disconnected."""

from collections.abc import Sequence
from dataclasses import replace
from math import cos, dist, pi, sin
from typing import Final

from mobilesim.drawing.canvas import PAPER, Canvas, Frame, path_data
from mobilesim.drawing.host_paths import HostPath, Line
from mobilesim.geometry.voronoi import Site

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#a3478c", "#8a6d00", "#3f9fdf", "#7a3b00", "#444444")
"""After Okabe and Ito: distinguishable with colour vision deficiencies."""

_MOST_STEPS: Final = 7000
"""The maximum number of line segments of all paths together; longer paths are drawn more coarsely."""
_RING: Final = 7.0


def draw_paths(canvas: Canvas, pixel_paths: Sequence[HostPath], clip: str) -> None:
    grain = 1.0
    while sum(_steps(path, grain) for path in pixel_paths) > _MOST_STEPS:
        grain *= 2
    with canvas.group(clip_path=clip, fill="none", stroke_width=2, stroke_linejoin="round", stroke_linecap="round"):
        for path in pixel_paths:
            _draw(canvas, path, grain)


def in_pixels(frame: Frame, path: HostPath, path_count: int, shift: float) -> HostPath:
    """Return the path in pixels. Parallel paths between stations are shifted by `shift`, so that all are visible."""
    turn = 2 * pi * path.host / max(path_count, 1)
    aside = (shift * cos(turn), shift * sin(turn)) if path.by_station and path_count > 1 else (0.0, 0.0)

    def at(point: Site) -> Site:
        x, y = frame.at(point)
        return x + aside[0], y + aside[1]

    return replace(
        path,
        connected=[[at(point) for point in line] for line in path.connected],
        disconnected=[[at(point) for point in line] for line in path.disconnected],
        crossings=[at(point) for point in path.crossings],
        start=at(path.start),
        end=at(path.end),
    )


def _colour(path: HostPath) -> str:
    return COLOURS[path.host % len(COLOURS)]


def _draw(canvas: Canvas, path: HostPath, grain: float) -> None:
    colour = _colour(path)
    if connected := path_data(_simplified(line, grain) for line in path.connected):
        canvas.element("path", d=connected, stroke=colour, stroke_opacity=0.8)
    if disconnected := path_data(_simplified(line, grain) for line in path.disconnected):
        canvas.element("path", d=disconnected, stroke=colour, stroke_dasharray="0.1 5")
    if crossings := path_data([crossing] for crossing in _without_overlaps(path.crossings, grain)):
        name = f"rings-{path.host}"
        with canvas.group("defs"):
            canvas.element("path", id=name, d=crossings)
        canvas.element("use", href=f"#{name}", stroke=colour, stroke_width=_RING)
        canvas.element("use", href=f"#{name}", stroke=PAPER, stroke_width=_RING - 4)


def draw_ends(canvas: Canvas, path: HostPath) -> None:
    (x, y), (end_x, end_y), colour = path.start, path.end, _colour(path)
    if (x, y) != (end_x, end_y):
        corner = {"x": end_x - 5, "y": end_y - 5, "width": 10, "height": 10}
        canvas.element("rect", **corner, fill=PAPER, stroke=colour, stroke_width=2.5)
    canvas.element("circle", cx=x, cy=y, r=8, fill=colour, stroke=PAPER, stroke_width=1.5)
    canvas.text(str(path.host), x=x, y=y + 3.5, fill=PAPER, font_size=10, font_weight="bold", text_anchor="middle")


def _steps(path: HostPath, grain: float) -> int:
    lines = (*path.connected, *path.disconnected)
    return sum(len(_simplified(line, grain)) for line in lines) + len(_without_overlaps(path.crossings, grain))


def _without_overlaps(crossings: Line, grain: float) -> Line:
    """Keep the first of the crossings that would cover each other."""
    wide = _RING * grain
    kept = dict[tuple[int, int], Site]()
    for x, y in crossings:
        kept.setdefault((round(x / wide), round(y / wide)), (x, y))
    return list(kept.values())


def _simplified(line: Line, grain: float) -> Line:
    """Drop steps of fewer pixels than the grain."""
    if len(line) <= 2:
        return line
    kept = [line[0]]
    for point in line[1:-1]:
        if dist(point, kept[-1]) >= grain:
            kept.append(point)
    return [*kept, line[-1]]

"""The map of a scenario: cells, stations, backbone, the paths of some hosts, and a legend."""

from collections.abc import Sequence
from typing import Final

from mobilesim.drawing.canvas import INK, PAPER, Canvas, Frame
from mobilesim.drawing.cells import CLIPPED, backbone_links, draw_links, draw_regions, draw_stations, path_distance
from mobilesim.drawing.host_paths import HostPath, host_paths
from mobilesim.drawing.layout import cell_layout
from mobilesim.drawing.legend import draw_legend, draw_scale_bar, legend
from mobilesim.drawing.path_marks import draw_ends, draw_paths, in_pixels
from mobilesim.errors import counted
from mobilesim.scenario.values.units import TIME
from mobilesim.world.replication import World

_WIDEST, _HIGHEST = 760.0, 600.0
_NARROWEST: Final = 640.0
_EDGE: Final = 20.0
_LINE: Final = 22.0


def picture(world: World, hosts: int, until: int) -> str:
    """Return an SVG with the paths of the first hosts until the time `until`."""
    plane = cell_layout(world.scenario.cells)
    paths = host_paths(world, plane.stations, hosts, until)
    scale = min(_WIDEST / plane.width, _HIGHEST / plane.height)
    across, up = scale * plane.width, scale * plane.height
    width = max(across, _NARROWEST)
    frame = Frame(scale, _EDGE + (width - across) / 2, _EDGE + up)
    caption = _caption(world, paths, until)
    links = backbone_links(plane, world.topology)
    lines = legend(plane, paths, until, width, wired=bool(links))
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
        draw_scale_bar(canvas, frame, plane, (_EDGE + width, _EDGE + up + _LINE))
    draw_legend(canvas, (_EDGE, _EDGE + up + 2 * _LINE), lines, _LINE)
    return canvas.document()


def _caption(world: World, paths: Sequence[HostPath], until: int) -> str:
    scenario, cells = world.scenario, f"{world.scenario.name}: {counted(world.stations, 'cell')}"
    hosts = f"{len(paths)} of {counted(scenario.hosts, 'host')}"
    return f"{cells}, {hosts}, {scenario.mobility.model}, {TIME.write(until)}" if paths else cells

"""A scenario's cells, stations and backbone, the ways of some of its hosts on top of them, and what that means."""

from collections.abc import Sequence
from typing import Final

from mobilesim.drawing.canvas import INK, PAPER, Canvas, Frame
from mobilesim.drawing.cells import CLIPPED, beside, draw_links, draw_regions, draw_stations, wires
from mobilesim.drawing.host_paths import Way, ways
from mobilesim.drawing.layout import plan
from mobilesim.drawing.legend import draw_legend, draw_ruler, legend
from mobilesim.drawing.path_marks import draw_ends, draw_routes, routes
from mobilesim.scenario.values.units import TIME
from mobilesim.world.replication import World

_WIDEST, _HIGHEST = 760.0, 600.0
_NARROWEST: Final = 640.0
_EDGE: Final = 20.0
_LINE: Final = 22.0


def picture(world: World, hosts: int, until: int) -> str:
    """With the ways of the first so many hosts, for so long."""
    ground = plan(world.scenario.cells)
    found = ways(world, ground.stations, hosts, until)
    scale = min(_WIDEST / ground.width, _HIGHEST / ground.height)
    across, up = scale * ground.width, scale * ground.height
    width = max(across, _NARROWEST)
    frame = Frame(scale, _EDGE + (width - across) / 2, _EDGE + up)
    caption = _caption(world, found, until)
    links = wires(ground, world.topology)
    lines = legend(ground, found, until, width, wired=bool(links))
    canvas = Canvas(width + 2 * _EDGE, up + 2 * _EDGE + (1 + len(lines)) * _LINE, caption)
    canvas.element("rect", width="100%", height="100%", fill=PAPER)
    draw_regions(canvas, frame, ground)
    draw_links(canvas, frame, ground, links)
    drawn = routes(frame, found, beside(frame, ground))
    draw_routes(canvas, drawn, "none" if ground.polygons is None else CLIPPED)
    draw_stations(canvas, frame, ground)
    for route in drawn:
        draw_ends(canvas, route)
    canvas.text(caption, x=_EDGE, y=_EDGE + up + _LINE, fill=INK)
    if ground.polygons is not None:
        draw_ruler(canvas, frame, ground, (_EDGE + width, _EDGE + up + _LINE))
    draw_legend(canvas, (_EDGE, _EDGE + up + 2 * _LINE), lines, _LINE)
    return canvas.document()


def _caption(world: World, found: Sequence[Way], until: int) -> str:
    scenario = world.scenario
    cells = f"{scenario.name}: {_counted(world.stations, 'cell')}"
    if not found:
        return cells
    return (
        f"{cells}, {len(found)} of {_counted(scenario.hosts, 'host')}, {scenario.mobility.model}, {TIME.write(until)}"
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

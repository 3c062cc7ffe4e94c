"""The ways of hosts on a picture: where they start and end, change cells, and are disconnected."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import Final

from mobilesim.drawing.canvas import PAPER, Canvas, Frame, path
from mobilesim.drawing.host_paths import Line, Way
from mobilesim.geometry.voronoi import Site

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#a3478c", "#8a6d00", "#3f9fdf", "#7a3b00", "#444444")
"""After Okabe and Ito: told apart by those who see fewer colours, too."""

_MOST_STEPS: Final = 7000
"""Of all ways together; rather than have more they are drawn more coarsely."""
_RING: Final = 7.0


@dataclass(frozen=True, slots=True)
class Route:
    """A way in pixels, and how it looks."""

    colour: str
    number: str
    walked: list[Line]
    away: list[Line]
    crossings: Line
    start: Site
    end: Site


def routes(frame: Frame, found: Sequence[Way], beside: float) -> list[Route]:
    """`beside`: how far from the line between stations a way along it is, in pixels, so that several can be seen."""
    return [_route(frame, way, len(found), beside) for way in found]


def draw_routes(canvas: Canvas, routes: Sequence[Route], clip: str) -> None:
    grain = 1.0
    while sum(_steps(route, grain) for route in routes) > _MOST_STEPS:
        grain *= 2
    with canvas.group(clip_path=clip, fill="none", stroke_width=2, stroke_linejoin="round", stroke_linecap="round"):
        for route in routes:
            _draw(canvas, route, grain)


def _route(frame: Frame, way: Way, among: int, beside: float) -> Route:
    turn = 2 * pi * way.host / max(among, 1)
    aside = (beside * cos(turn), beside * sin(turn)) if way.by_station and among > 1 else (0.0, 0.0)

    def at(place: Site) -> Site:
        x, y = frame.at(place)
        return x + aside[0], y + aside[1]

    return Route(
        colour=COLOURS[way.host % len(COLOURS)],
        number=str(way.host),
        walked=[[at(place) for place in line] for line in way.walked],
        away=[[at(place) for place in line] for line in way.away],
        crossings=[at(place) for place in way.crossings],
        start=at(way.start),
        end=at(way.end),
    )


def _draw(canvas: Canvas, route: Route, grain: float) -> None:
    if walked := path(_coarse(line, grain) for line in route.walked):
        canvas.element("path", d=walked, stroke=route.colour, stroke_opacity=0.8)
    if away := path(_coarse(line, grain) for line in route.away):
        canvas.element("path", d=away, stroke=route.colour, stroke_dasharray="0.1 5")
    if crossings := path([crossing] for crossing in _apart(route.crossings, grain)):
        name = f"rings-{route.number}"
        with canvas.group("defs"):
            canvas.element("path", id=name, d=crossings)
        canvas.element("use", href=f"#{name}", stroke=route.colour, stroke_width=_RING)
        canvas.element("use", href=f"#{name}", stroke=PAPER, stroke_width=_RING - 4)


def draw_ends(canvas: Canvas, route: Route) -> None:
    (x, y), (end_x, end_y) = route.start, route.end
    if (x, y) != (end_x, end_y):
        corner = {"x": end_x - 5, "y": end_y - 5, "width": 10, "height": 10}
        canvas.element("rect", **corner, fill=PAPER, stroke=route.colour, stroke_width=2.5)
    canvas.element("circle", cx=x, cy=y, r=8, fill=route.colour, stroke=PAPER, stroke_width=1.5)
    canvas.text(route.number, x=x, y=y + 3.5, fill=PAPER, font_size=10, font_weight="bold", text_anchor="middle")


def _steps(route: Route, grain: float) -> int:
    lines = (*route.walked, *route.away)
    return sum(len(_coarse(line, grain)) for line in lines) + len(_apart(route.crossings, grain))


def _apart(crossings: Line, grain: float) -> Line:
    """Of those that would cover each other, the first."""
    wide = _RING * grain
    kept = dict[tuple[int, int], Site]()
    for x, y in crossings:
        kept.setdefault((round(x / wide), round(y / wide)), (x, y))
    return list(kept.values())


def _coarse(line: Line, grain: float) -> Line:
    """Without steps of fewer pixels than the grain."""
    return list(_kept(line, grain)) if len(line) > 2 else line


def _kept(line: Line, grain: float) -> Iterator[Site]:
    yield line[0]
    last = line[0]
    for place in line[1:-1]:
        if hypot(place[0] - last[0], place[1] - last[1]) >= grain:
            yield place
            last = place
    yield line[-1]

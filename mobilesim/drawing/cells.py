"""The ground of a picture: regions, what stations reach, what touches, links between stations, and the stations."""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Final

from mobilesim.drawing.canvas import BORDER, INK, PAPER, REACHED, WIRE, Canvas, Frame, path
from mobilesim.drawing.layout import Plan
from mobilesim.geometry.voronoi import Site
from mobilesim.world.backbone.topology import Topology

CLIPPED: Final = "url(#ground)"

_MOST_BORDERS: Final = 2500
"""Cells; the borders of more would make a large file, all grey."""
_MOST_LINKS: Final = 1000
_MOST_MESHED: Final = 5
_ROOM_FOR_NUMBER: Final = 30.0
_ASIDE: Final = 7.0
"""How far from a station what it is called begins."""
_LETTER, _HIGH = 5.6, 12.0
"""As large as one is on average, at this size."""
_NODE: Final = 24.0
"""How wide a cell is that is no region."""
_OUTLINE: Final[dict[str, str | float]] = {
    "fill": PAPER,
    "stroke": PAPER,
    "stroke_width": 2,
    "stroke_linejoin": "round",
}
"""Of numbers, and below them: not every viewer knows how to paint an outline first."""


def draw_regions(canvas: Canvas, frame: Frame, ground: Plan) -> None:
    if ground.polygons is None:
        return
    left, top = frame.at((0, ground.height))
    box = {"x": left, "y": top, "width": frame.scale * ground.width, "height": frame.scale * ground.height}
    with canvas.group("clipPath", id="ground"):
        canvas.element("rect", **box)
    if ground.radius is None:
        canvas.element("rect", **box, fill=REACHED)
    else:
        _discs(canvas, frame, ground.stations, frame.scale * ground.radius)
    if len(ground.polygons) <= _MOST_BORDERS:
        canvas.element("path", d=_borders(frame, ground.polygons), fill="none", stroke=BORDER)
    canvas.element("rect", **box, fill="none", stroke=BORDER)


def _discs(canvas: Canvas, frame: Frame, stations: Sequence[Site], radius: float) -> None:
    """What is reached in one colour, however many reach it, and then where each station's reach ends."""
    with canvas.group(clip_path=CLIPPED):
        for look in ({"fill": REACHED}, {"fill": "none", "stroke": BORDER, "stroke_dasharray": "2 3"}):
            with canvas.group(**look):
                for station in stations:
                    x, y = frame.at(station)
                    canvas.element("circle", cx=x, cy=y, r=radius)


def _borders(frame: Frame, polygons: Sequence[Sequence[Site]]) -> str:
    """Each once, though two cells have it."""
    edges = dict[tuple[Site, Site], None]()
    for polygon in polygons:
        corners = [frame.rounded(corner) for corner in polygon]
        for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
            edges[min(one, other), max(one, other)] = None
    return path(edge for edge in edges if edge[0] != edge[1])


def wires(ground: Plan, topology: Topology) -> list[tuple[int, int]]:
    """Those of the backbone, but where they would hide all."""
    meshed, count = topology.pairs is None, len(ground.stations)
    many = (meshed and count > _MOST_MESHED) or (topology.pairs is not None and len(topology.pairs) > _MOST_LINKS)
    return [] if many else list(topology.links)


def draw_links(canvas: Canvas, frame: Frame, ground: Plan, links: Sequence[tuple[int, int]]) -> None:
    """What touches without a border, and the backbone."""
    _lines(canvas, frame, ground.stations, ground.touching, stroke=BORDER, stroke_width=1.5)
    _lines(canvas, frame, ground.stations, links, stroke=WIRE, stroke_dasharray="6 4", stroke_opacity=0.7)


def _lines(
    canvas: Canvas, frame: Frame, stations: Sequence[Site], pairs: Iterable[tuple[int, int]], **look: str | float
) -> None:
    if drawn := path([frame.at(stations[one]), frame.at(stations[other])] for one, other in pairs):
        canvas.element("path", d=drawn, fill="none", **look)


def beside(frame: Frame, ground: Plan) -> float:
    """How far from a station ways that lead to it are to be drawn, to leave it visible."""
    return min(_NODE * (0.4 if ground.polygons else 0.7), _room(frame, ground) / 6)


def _room(frame: Frame, ground: Plan) -> float:
    """How wide cells are on average, in pixels."""
    return frame.scale * sqrt(ground.width * ground.height / len(ground.stations))


def draw_stations(canvas: Canvas, frame: Frame, ground: Plan) -> None:
    places = [frame.at(station) for station in ground.stations]
    numbered = _room(frame, ground) > _ROOM_FOR_NUMBER
    if ground.polygons is None:
        _draw_nodes(canvas, places)
    else:
        width = 5 if numbered else 3
        canvas.element(
            "path", d=path([place] for place in places), stroke=INK, stroke_width=width, stroke_linecap="round"
        )
    if numbered:
        east, _ = frame.at((ground.width, 0))
        _draw_labels(canvas, places, _labels(places, ground.names, east), aside=ground.polygons is not None)


def _draw_nodes(canvas: Canvas, places: Sequence[Site]) -> None:
    dots = path([place] for place in places)
    for colour, width in ((BORDER, _NODE + 3), (REACHED, _NODE)):
        canvas.element("path", d=dots, stroke=colour, stroke_width=width, stroke_linecap="round")


def _labels(places: Sequence[Site], names: Sequence[str], east: float) -> list[str]:
    """Numbers, with names where these leave all other numbers and names to be read."""
    labels = [str(cell) for cell in range(len(places))]
    for cell, name in enumerate(names):
        x, y = places[cell]
        label = f"{cell} {name}"
        end = x + _ASIDE + _LETTER * len(label)
        others = ((*place, labels[other]) for other, place in enumerate(places) if other != cell)
        free = not any(
            abs(at_y - y) < _HIGH and x < at_x + _ASIDE + _LETTER * len(said) and at_x < end
            for at_x, at_y, said in others
        )
        if name and name != str(cell) and free and end < east:
            labels[cell] = label
    return labels


def _draw_labels(canvas: Canvas, places: Sequence[Site], labels: Sequence[str], *, aside: bool) -> None:
    right, up, anchor = (_ASIDE, _ASIDE, "start") if aside else (0, -3.5, "middle")
    for look in (_OUTLINE, {"fill": INK}):
        with canvas.group(font_size=10, text_anchor=anchor, **look):
            for label, (x, y) in zip(labels, places, strict=True):
                canvas.text(label, x=x + right, y=y - up)

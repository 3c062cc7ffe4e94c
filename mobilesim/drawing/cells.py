"""Draws the cells: regions, the ranges of stations, neighbours, backbone links, and the stations."""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Final

from mobilesim.drawing.canvas import BORDER, INK, PAPER, REACHED, WIRE, Attribute, Canvas, Frame, path_data
from mobilesim.drawing.layout import CellLayout
from mobilesim.geometry.voronoi import Site
from mobilesim.world.backbone.topology import Topology

CLIPPED: Final = "url(#ground)"

_MOST_BORDERS: Final = 2500
"""With more cells, no borders are drawn: the file would be large, and the map grey."""
_MOST_LINKS: Final = 1000
_MOST_COMPLETE: Final = 5
_LABEL_DISTANCE: Final = 7.0
"""The distance from a station to its label."""
_LETTER, _HIGH = 5.6, 12.0
"""The mean width and the height of a letter, in pixels."""
_NODE: Final = 24.0
"""The diameter of a cell on a map without regions, in pixels."""
_BAND: Final = 8.0
"""The width of the band between neighbours without a common border, in pixels."""
_OUTLINE: Final[dict[str, Attribute]] = {"fill": PAPER, "stroke": PAPER, "stroke_width": 2, "stroke_linejoin": "round"}
"""The look of the outline below texts. It is a separate element, because some viewers do not support `paint-order`."""


def draw_regions(canvas: Canvas, frame: Frame, plane: CellLayout) -> None:
    if plane.polygons is None:
        return
    left, top = frame.at((0, plane.height))
    box = {"x": left, "y": top, "width": frame.scale * plane.width, "height": frame.scale * plane.height}
    with canvas.group("clipPath", id="ground"):
        canvas.element("rect", **box)
    if plane.radius is None:
        canvas.element("rect", **box, fill=REACHED)
    else:
        _discs(canvas, frame, plane.stations, frame.scale * plane.radius)
    if len(plane.polygons) <= _MOST_BORDERS:
        canvas.element("path", d=_borders(frame, plane.polygons), fill="none", stroke=BORDER)
    canvas.element("rect", **box, fill="none", stroke=BORDER)


def _discs(canvas: Canvas, frame: Frame, stations: Sequence[Site], radius: float) -> None:
    """Fill the area in range of any station, then outline the range of each station."""
    with canvas.group(clip_path=CLIPPED):
        for look in ({"fill": REACHED}, {"fill": "none", "stroke": BORDER, "stroke_dasharray": "2 3"}):
            with canvas.group(**look):
                for station in stations:
                    x, y = frame.at(station)
                    canvas.element("circle", cx=x, cy=y, r=radius)


def _borders(frame: Frame, polygons: Sequence[Sequence[Site]]) -> str:
    """Return the path data of all borders. A border between two cells is drawn once."""
    edges = dict[tuple[Site, Site], None]()
    for polygon in polygons:
        corners = [frame.rounded(corner) for corner in polygon]
        for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
            edges[min(one, other), max(one, other)] = None
    return path_data(edge for edge in edges if edge[0] != edge[1])


def backbone_links(plane: CellLayout, topology: Topology) -> list[tuple[int, int]]:
    """Return the links of the backbone; [] if there are so many that they would hide the rest of the map."""
    meshed, count = topology.pairs is None, len(plane.stations)
    many = (meshed and count > _MOST_COMPLETE) or (topology.pairs is not None and len(topology.pairs) > _MOST_LINKS)
    return [] if many else list(topology.links)


def draw_links(canvas: Canvas, frame: Frame, plane: CellLayout, links: Sequence[tuple[int, int]]) -> None:
    """Draw bands between neighbours that have no common border on the map, and the links of the backbone on them."""
    for stroke, width in ((BORDER, _BAND + 2), (REACHED, _BAND)):
        _lines(canvas, frame, plane.stations, plane.touching, stroke=stroke, stroke_width=width)
    _lines(canvas, frame, plane.stations, links, stroke=WIRE, stroke_width=1.5, stroke_dasharray="6 4")


def _lines(
    canvas: Canvas, frame: Frame, stations: Sequence[Site], pairs: Iterable[tuple[int, int]], **look: Attribute
) -> None:
    if drawn := path_data([frame.at(stations[one]), frame.at(stations[other])] for one, other in pairs):
        canvas.element("path", d=drawn, fill="none", **look)


def path_distance(frame: Frame, plane: CellLayout) -> float:
    """Return how far beside stations paths are drawn, so that stations stay visible."""
    return min(_NODE * (0.4 if plane.polygons else 0.7), _room(frame, plane) / 6)


def _room(frame: Frame, plane: CellLayout) -> float:
    """Return the mean width of a cell in pixels."""
    return frame.scale * sqrt(plane.width * plane.height / len(plane.stations))


def draw_stations(canvas: Canvas, frame: Frame, plane: CellLayout) -> None:
    points = [frame.at(station) for station in plane.stations]
    numbered = _room(frame, plane) > 30.0
    looks = [(BORDER, _NODE + 3), (REACHED, _NODE)] if plane.polygons is None else [(INK, 5 if numbered else 3)]
    dots = path_data([point] for point in points)
    for colour, width in looks:
        canvas.element("path", d=dots, stroke=colour, stroke_width=width, stroke_linecap="round")
    if numbered:
        east, _ = frame.at((plane.width, 0))
        _draw_labels(canvas, points, _labels(points, plane.names, east), aside=plane.polygons is not None)


def _labels(points: Sequence[Site], names: Sequence[str], east: float) -> list[str]:
    """Return the label of each cell: its number, and its name if the name does not cover other labels."""
    labels = [str(cell) for cell in range(len(points))]
    for cell, name in enumerate(names):
        x, y = points[cell]
        label = f"{cell} {name}"
        end = x + _LABEL_DISTANCE + _LETTER * len(label)
        others = ((*point, labels[other]) for other, point in enumerate(points) if other != cell)
        free = not any(
            abs(at_y - y) < _HIGH and x < at_x + _LABEL_DISTANCE + _LETTER * len(text) and at_x < end
            for at_x, at_y, text in others
        )
        if name and name != str(cell) and free and end < east:
            labels[cell] = label
    return labels


def _draw_labels(canvas: Canvas, points: Sequence[Site], labels: Sequence[str], *, aside: bool) -> None:
    right, up, anchor = (_LABEL_DISTANCE, _LABEL_DISTANCE, "start") if aside else (0, -3.5, "middle")
    for look in (_OUTLINE, {"fill": INK}):
        with canvas.group(font_size=10, text_anchor=anchor, **look):
            for label, (x, y) in zip(labels, points, strict=True):
                canvas.text(label, x=x + right, y=y - up)

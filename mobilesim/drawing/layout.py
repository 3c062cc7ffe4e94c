"""The positions of cells on a map: their coordinates or, without coordinates, a computed layout."""

from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.geometry.voronoi import Polygon, Site
from mobilesim.scenario.sections.cells import Cells
from mobilesim.world.cells import neighbours, plane_cells
from mobilesim.world.site_files import read_sites

_TOO_MANY: Final = 500
"""With this number of cells, cells are drawn on a circle: the layout of networkx would be slow, and needs scipy."""


@dataclass(frozen=True, slots=True)
class CellLayout:
    stations: list[Site]
    width: float
    height: float
    polygons: list[Polygon] | None
    """The regions; None if cells are not regions of a plane."""
    radius: float | None
    touching: list[tuple[int, int]]
    """The pairs of neighbours that have no common border on the map."""
    names: tuple[str, ...] = ()
    """The names of stations; () if stations have no names."""


def cell_layout(cells: Cells) -> CellLayout:
    if cells.shape == "graph":
        return _graph(cells)
    found = plane_cells(cells)
    return CellLayout(list(found.sites), found.width, found.height, found.polygons(), found.radius, [], found.names)


def _graph(cells: Cells) -> CellLayout:
    around = neighbours(cells)
    pairs = [(cell, other) for cell, others in enumerate(around) for other in others if cell < other]
    points = _from_file(cells.file) or _computed(len(around), pairs)
    west, south = min(x for x, _ in points), min(y for _, y in points)
    across, up = max(x for x, _ in points) - west, max(y for _, y in points) - south
    room = max(across, up, 1.0) / 20
    moved = [(x - west + room, y - south + room) for x, y in points]
    return CellLayout(moved, across + 2 * room, up + 2 * room, None, None, pairs)


def _from_file(file: Path | None) -> list[Site] | None:
    """Return the positions of all nodes in a file; None if a node has no position."""
    if file is None:
        return None
    try:
        sites_file = read_sites(file)
    except UserError:
        return None
    if not sites_file.in_degrees:
        return [place.position for place in sites_file.places]
    points = [GeoPoint(*place.position) for place in sites_file.places]
    plane = TangentPlane(points[0])
    return [plane.project(point) for point in points]


def _computed(count: int, pairs: list[tuple[int, int]]) -> list[Site]:
    if count >= _TOO_MANY:
        return [(cos(2 * pi * cell / count), sin(2 * pi * cell / count)) for cell in range(count)]
    import networkx as nx  # the import takes 90 ms

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(pairs)
    found = nx.spring_layout(graph, seed=1, iterations=200)
    points = [(float(found[cell][0]), float(found[cell][1])) for cell in range(count)]
    xs, ys = zip(*points, strict=True)
    return points if max(xs) - min(xs) >= max(ys) - min(ys) else [(y, x) for x, y in points]

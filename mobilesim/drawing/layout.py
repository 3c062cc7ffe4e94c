"""Where the cells of a scenario are on a picture: at their places, or, where they have none, somewhere sensible."""

from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.geometry.voronoi import Polygon, Site
from mobilesim.scenario.model import Cells
from mobilesim.world.cells import neighbours
from mobilesim.world.plane_cells import plane_cells
from mobilesim.world.site_files import read_sites

_SPRINGY: Final = 500
"""More cells than so many take networkx long, and scipy."""
_SEED: Final = 1


@dataclass(frozen=True, slots=True)
class Plan:
    stations: list[Site]
    width: float
    height: float
    polygons: list[Polygon] | None
    """None where cells are no regions of a plane."""
    radius: float | None
    touching: list[tuple[int, int]]
    """Pairs of cells that have no border to be seen."""
    names: tuple[str, ...] = ()
    """Of stations, where they have some."""


def plan(cells: Cells) -> Plan:
    if cells.shape == "graph":
        return _graph(cells)
    found = plane_cells(cells)
    return Plan(list(found.sites), found.width, found.height, found.polygons(), found.radius, [], found.names)


def _graph(cells: Cells) -> Plan:
    around = neighbours(cells)
    pairs = [(cell, other) for cell, others in enumerate(around) for other in others if cell < other]
    places = _given(cells.file) or _spread(len(around), pairs)
    west, south = min(x for x, _ in places), min(y for _, y in places)
    across, up = max(x for x, _ in places) - west, max(y for _, y in places) - south
    room = max(across, up, 1.0) / 20
    moved = [(x - west + room, y - south + room) for x, y in places]
    return Plan(moved, across + 2 * room, up + 2 * room, None, None, pairs)


def _given(file: Path | None) -> list[Site] | None:
    """The places of nodes that all say where they are."""
    if file is None:
        return None
    try:
        found = read_sites(file)
    except UserError:
        return None
    if not found.in_degrees:
        return [(station.first, station.second) for station in found.stations]
    points = [GeoPoint(station.first, station.second) for station in found.stations]
    plane = TangentPlane(points[0])
    return [plane.project(point) for point in points]


def _spread(count: int, pairs: list[tuple[int, int]]) -> list[Site]:
    if count > _SPRINGY - 1:
        return [(cos(2 * pi * cell / count), sin(2 * pi * cell / count)) for cell in range(count)]
    import networkx as nx  # 90 ms, for graphs alone

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(pairs)
    found = nx.spring_layout(graph, seed=_SEED, iterations=200)
    places = [(float(found[cell][0]), float(found[cell][1])) for cell in range(count)]
    xs, ys = zip(*places, strict=True)
    return places if max(xs) - min(xs) >= max(ys) - min(ys) else [(y, x) for x, y in places]

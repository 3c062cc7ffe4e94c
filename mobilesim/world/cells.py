"""The cells of a scenario, their neighbours, and their regions on a plane. Station i serves cell i."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.geometry.graphml import Place, read_graph, unreachable_node
from mobilesim.geometry.voronoi import Neighbours, Site, regions
from mobilesim.scenario.sections.cells import MOST_CELLS, Cells
from mobilesim.scenario.values.fields import digest
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.site_files import KEY, read_sites

# A hexagonal cell has two neighbours in its row, two in the row below and two in the row above. Odd rows are shifted by
# half a cell to the east.
_HEX_EVEN: Final = ((0, -1), (0, 1), (-1, -1), (-1, 0), (1, -1), (1, 0))
_HEX_ODD: Final = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, 1))
_GRID: Final = ((-1, 0), (0, -1), (0, 1), (1, 0))
_ROW_DISTANCE: Final = sqrt(3) / 2
"""The distance between rows of hexagons, as a multiple of the spacing."""
_SINGLE_CELL: Final = 500.0
"""The width of the cell of a single station, in metres."""
_SAME: Final = 1e-3
"""Stations closer than a millimetre are at the same point."""


def neighbours(cells: Cells) -> Neighbours:
    """Return for each cell the cells that a host can enter from this cell."""
    return _graph(cells) if cells.shape == "graph" else plane_cells(cells).neighbours


def _graph(cells: Cells) -> Neighbours:
    pairs = list(cells.edges or ()) if cells.file is None else _pairs(cells.file)
    count = 1 + max((max(pair) for pair in pairs), default=0)
    adjacent: list[set[int]] = [set() for _ in range(count)]
    for one, other in pairs:
        adjacent[one].add(other)
        adjacent[other].add(one)
    return [tuple(sorted(cells_around)) for cells_around in adjacent]


def _pairs(file: Path) -> list[tuple[int, int]]:
    """Return the edges in a file, after the checks that the section `cells` makes for edges in a scenario."""
    graph = read_graph(file, "cells.file")
    if graph.size > MOST_CELLS:
        raise UserError(f"cells.file: {file} has {graph.size} nodes; the maximum is {MOST_CELLS} cells")
    if (missed := unreachable_node(graph)) is not None:
        raise UserError(f"cells.file: {file}: no path leads from cell 0 to cell {missed}")
    return graph.pairs


def plane_cells(cells: Cells) -> PlaneCells:
    """Return the cells with their coordinates. Raise a UserError if the cells have no coordinates."""
    if cells.shape == "graph":
        raise UserError("cells.shape: a graph has no coordinates; write 'grid', 'hex', or 'sites' with cells.file")
    if cells.file is not None:
        return replace(_sites_of_file(cells.file, cells.margin), radius=cells.radius)
    rows, columns, spacing = cells.rows, cells.columns, cells.spacing
    shifted = cells.shape == "hex"
    row_distance = _ROW_DISTANCE if shifted else 1.0
    places = [(row, column) for row in range(rows) for column in range(columns)]
    sites = tuple(
        ((column + 0.5 + (row % 2) * shifted * 0.5) * spacing, (row * row_distance + 0.5) * spacing)
        for row, column in places
    )
    rim = tuple(row * columns + column for row, column in places if row in {0, rows - 1} or column in {0, columns - 1})
    width = (columns + (shifted and rows > 1) * 0.5) * spacing
    height = ((rows - 1) * row_distance + 1) * spacing
    return PlaneCells(sites, _grid_neighbours(cells), width, height, rim, cells.radius)


def _grid_neighbours(cells: Cells) -> Neighbours:
    """Return the neighbours in a grid of squares or hexagons. Rows are numbered from south to north."""
    rows, columns = cells.rows, cells.columns

    def around(row: int, column: int) -> tuple[int, ...]:
        steps = _GRID if cells.shape == "grid" else _HEX_ODD if row % 2 else _HEX_EVEN
        positions = ((row + down, column + right) for down, right in steps)
        return tuple(sorted(r * columns + c for r, c in positions if 0 <= r < rows and 0 <= c < columns))

    return [around(row, column) for row in range(rows) for column in range(columns)]


# Sites from a file


def _sites_of_file(file: Path, margin: float | None) -> PlaneCells:
    """Return the cells of the sites in a file. They are cached by the content of the file and the margin."""
    try:
        return _site_cells(file, digest(file), margin)
    except OSError as error:
        raise UserError(f"{KEY}: cannot read {file}: {error.strerror}") from error


@lru_cache(maxsize=8)
def _site_cells(file: Path, _content: str, margin: float | None) -> PlaneCells:
    in_degrees, stations = read_sites(file)
    if len(stations) > MOST_CELLS:
        raise UserError(f"{KEY}: {file} has {len(stations)} stations; the maximum is {MOST_CELLS}")
    points: list[Site] = [station.position for station in stations]
    reference = _middle(points) if in_degrees else None
    if reference is not None:
        plane = TangentPlane(reference)
        points = [plane.project(GeoPoint(*point)) for point in points]
    _check_distinct(file, stations, points)
    west, south = min(x for x, _ in points), min(y for _, y in points)
    across, up = max(x for x, _ in points) - west, max(y for _, y in points) - south
    border = _spacing(len(points), across, up) / 2 if margin is None else margin
    sites = tuple((x - west + border, y - south + border) for x, y in points)
    width, height = across + 2 * border, up + 2 * border
    names, corner = tuple(station.name for station in stations), (west - border, south - border)
    cells = regions(sites, width, height)
    return PlaneCells(sites, cells.neighbours, width, height, cells.rim, None, corner, reference, names)


def _middle(points: Sequence[Site]) -> GeoPoint:
    """Return the mean of latitudes and longitudes. Sites on both sides of the date line are allowed."""
    first = points[0][1]
    east = fmean((longitude - first + 180) % 360 - 180 for _, longitude in points)
    return GeoPoint(fmean(latitude for latitude, _ in points), (first + east + 180) % 360 - 180)


def _spacing(count: int, across: float, up: float) -> float:
    """Return the width of `count` square cells with the same area as the plane. The margin is half a cell."""
    if count == 1:
        return _SINGLE_CELL
    both = across + up
    return (both + sqrt(both * both + 4 * (count - 1) * across * up)) / (2 * (count - 1))


def _check_distinct(file: Path, stations: Sequence[Place], points: Sequence[Site]) -> None:
    order = sorted(range(len(points)), key=points.__getitem__)
    for rank, one in enumerate(order):
        for other in order[rank + 1 :]:
            if points[other][0] - points[one][0] >= _SAME:
                break
            if abs(points[other][1] - points[one][1]) < _SAME:
                early, late = sorted((one, other))
                message = f"this station is at the site of {stations[early].where}; move it, or leave one of them out"
                raise UserError(f"{KEY}: {file}: {stations[late].where}: {message}")

"""The cells of a scenario, their neighbours, and their regions on a plane. Station i serves cell i."""

from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry.graphml import read_graph, unreachable_node
from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.sections.cells import MOST_CELLS, Cells
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.sites import site_cells

# A hexagonal cell has two neighbours in its row, two in the row below and two in the row above. Odd rows are shifted.
_HEX_EVEN: Final = ((0, -1), (0, 1), (-1, -1), (-1, 0), (1, -1), (1, 0))
_HEX_ODD: Final = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, 1))
_GRID: Final = ((-1, 0), (0, -1), (0, 1), (1, 0))
_ROW_DISTANCE: Final = sqrt(3) / 2
"""The distance between rows of hexagons, as a multiple of the spacing."""


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
    """Return the edges in a file after the checks that edges in a scenario pass."""
    graph = read_graph(file, "cells.file")
    if graph.size > MOST_CELLS:
        raise UserError(f"cells.file: {file} has {graph.size} nodes; the most is {MOST_CELLS} cells")
    if (missed := unreachable_node(graph)) is not None:
        raise UserError(f"cells.file: {file}: no path leads from cell 0 to cell {missed}")
    return graph.pairs


def plane_cells(cells: Cells) -> PlaneCells:
    """Return the cells with their coordinates. Raise a UserError if the cells have no coordinates."""
    if cells.shape == "graph":
        raise UserError("cells.shape: a graph has no coordinates; write 'grid', 'hex', or 'sites' with a file of them")
    if cells.file is not None:
        return replace(site_cells(cells.file, cells.margin), radius=cells.radius)
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

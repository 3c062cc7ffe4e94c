"""The cells of a scenario, their neighbours, and their regions on a plane. Cell i belongs to station i."""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry.graphml import reachable_from_first, read_graph
from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.sections.cells import MOST_CELLS, Cells
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.sites import site_cells

# A cell of a hexagonal grid has two neighbours in its row, and two each in the rows below and above, half a cell off.
_HEX_EVEN: Final = ((0, -1), (0, 1), (-1, -1), (-1, 0), (1, -1), (1, 0))
_HEX_ODD: Final = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, 1))
_GRID: Final = ((-1, 0), (0, -1), (0, 1), (1, 0))
_ROWS_APART: Final = sqrt(3) / 2
"""The distance between rows of hexagons, in spacings."""


def neighbours(cells: Cells) -> Neighbours:
    """Return for each cell the cells that a host can enter from it."""
    return _graph(cells) if cells.shape == "graph" else plane_cells(cells).neighbours


def _graph(cells: Cells) -> Neighbours:
    pairs = list(cells.edges or ()) if cells.file is None else _pairs(cells.file)
    count = 1 + max((max(pair) for pair in pairs), default=0)
    touching: list[set[int]] = [set() for _ in range(count)]
    for one, other in pairs:
        touching[one].add(other)
        touching[other].add(one)
    return [tuple(sorted(around)) for around in touching]


def _pairs(file: Path) -> list[tuple[int, int]]:
    """Read edges from a file, with the same checks as for edges in a scenario."""
    graph = read_graph(file, "cells.file")
    if graph.size > MOST_CELLS:
        raise UserError(f"cells.file: {file} has {graph.size} nodes; the most is {MOST_CELLS} cells")
    reached = reachable_from_first(graph)
    if len(reached) < graph.size:
        missed = next(cell for cell in range(graph.size) if cell not in reached)
        raise UserError(f"cells.file: {file}: no path leads from cell 0 to cell {missed}")
    return graph.pairs


def plane_cells(cells: Cells) -> PlaneCells:
    """Return the cells with their coordinates; a UserError if they have none."""
    if cells.shape == "graph":
        raise UserError("cells.shape: a graph has no coordinates; write 'grid', 'hex', or 'sites' with a file of them")
    if cells.file is not None:
        return replace(site_cells(cells.file, cells.margin), radius=cells.radius)
    rows, columns, spacing = cells.rows, cells.columns, cells.spacing
    shifted = cells.shape == "hex"
    apart = _ROWS_APART if shifted else 1.0
    sites = tuple(
        ((column + 0.5 + (row % 2) * shifted * 0.5) * spacing, (row * apart + 0.5) * spacing)
        for row in range(rows)
        for column in range(columns)
    )
    width = (columns + (shifted and rows > 1) * 0.5) * spacing
    height = ((rows - 1) * apart + 1) * spacing
    return PlaneCells(sites, _grid_neighbours(cells), width, height, tuple(_rim(rows, columns)), cells.radius)


def _rim(rows: int, columns: int) -> Iterator[int]:
    for row in range(rows):
        inner = 0 < row < rows - 1
        yield from (row * columns + column for column in range(columns) if not (inner and 0 < column < columns - 1))


def _grid_neighbours(cells: Cells) -> Neighbours:
    """Return the neighbours in a grid of squares or hexagons. Rows are numbered from south to north."""
    rows, columns = cells.rows, cells.columns

    def around(row: int, column: int) -> tuple[int, ...]:
        steps = _GRID if cells.shape == "grid" else _HEX_ODD if row % 2 else _HEX_EVEN
        positions = ((row + down, column + right) for down, right in steps)
        return tuple(sorted(r * columns + c for r, c in positions if 0 <= r < rows and 0 <= c < columns))

    return [around(row, column) for row in range(rows) for column in range(columns)]

"""The cells and their neighbours. Cell i belongs to station i."""

from pathlib import Path

from mobilesim.errors import UserError
from mobilesim.geometry.graphml import reachable_from_first, read_graph
from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.model import Cells
from mobilesim.scenario.sections.cells import MOST_CELLS
from mobilesim.world.plane_cells import plane_cells


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

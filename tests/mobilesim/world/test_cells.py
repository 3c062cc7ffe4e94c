"""Adjacency of cells in grids, in hexagons, in graphs given as edges, and in graphs from files."""

from pathlib import Path
from typing import Final

import networkx as nx
import pytest

from mobilesim.errors import UserError
from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.cells import Cells
from mobilesim.world.cells import neighbours
from mobilesim.world.replication import build_world


def grid(shape: str, rows: int, columns: int) -> Neighbours:
    return neighbours(Cells.model_validate({"shape": shape, "rows": rows, "columns": columns}))


def write_graph(graph: "nx.Graph[str]", path: Path) -> Path:
    nx.write_graphml(graph, path)
    return path


def from_file(path: Path) -> Neighbours:
    return neighbours(Cells(shape="graph", file=path))


def test_a_cell_of_a_grid_touches_its_four_neighbours() -> None:
    #  0 1 2
    #  3 4 5
    #  6 7 8
    assert grid("grid", 3, 3) == [
        (1, 3),
        (0, 2, 4),
        (1, 5),
        (0, 4, 6),
        (1, 3, 5, 7),
        (2, 4, 8),
        (3, 7),
        (4, 6, 8),
        (5, 7),
    ]


def test_a_hexagon_touches_six_others_in_shifted_rows() -> None:
    #   0   1   2
    #     3   4   5
    #   6   7   8
    assert grid("hex", 3, 3) == [
        (1, 3),
        (0, 2, 3, 4),
        (1, 4, 5),
        (0, 1, 4, 6, 7),
        (1, 2, 3, 5, 7, 8),
        (2, 4, 8),
        (3, 7),
        (3, 4, 6, 8),
        (4, 5, 7),
    ]


SIZES: Final = ((1, 1), (1, 2), (2, 1), (1, 7), (4, 5), (5, 4), (10, 10))


@pytest.mark.parametrize("shape", ("grid", "hex"))
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_adjacency_of_cells_is_symmetric_irreflexive_and_connected(shape: str, size: tuple[int, int]) -> None:
    around = grid(shape, *size)
    assert len(around) == size[0] * size[1]
    for cell, others in enumerate(around):
        assert cell not in others
        assert len(set(others)) == len(others) <= (4 if shape == "grid" else 6)
        assert all(cell in around[other] for other in others)
    graph: nx.Graph[int] = nx.Graph((cell, other) for cell, others in enumerate(around) for other in others)
    graph.add_nodes_from(range(len(around)))
    assert nx.is_connected(graph)


def test_most_hexagons_of_a_large_field_touch_six_others() -> None:
    inner = [len(around) for around in grid("hex", 10, 10)]
    assert inner.count(6) == 8 * 8


def test_edges_of_a_graph_of_cells_are_used_unchanged() -> None:
    cells = Cells(shape="graph", edges=((0, 1), (2, 1), (1, 2), (3, 0)))
    assert neighbours(cells) == [(1, 3), (0, 2), (1,), (0,)]


def test_cells_of_a_graph_file_are_numbered_in_file_order(tmp_path: Path) -> None:
    graph = nx.Graph([("harbour", "market"), ("market", "station"), ("station", "harbour"), ("station", "park")])
    assert from_file(write_graph(graph, tmp_path / "town.graphml")) == [(1, 2), (0, 2), (0, 1, 3), (2,)]


def test_directions_loops_and_parallel_edges_of_a_file_do_not_matter(tmp_path: Path) -> None:
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph([("a", "b"), ("b", "a"), ("a", "b"), ("b", "b"), ("c", "b")])
    assert from_file(write_graph(graph, tmp_path / "loops.graphml")) == [(1,), (0, 2), (1,)]


def test_a_file_that_is_not_graphml_causes_one_error_line(tmp_path: Path) -> None:
    path = tmp_path / "cells.graphml"
    path.write_text("<graphml><graph>", encoding="utf-8")
    with pytest.raises(UserError, match=rf"^cells\.file: {path} is not GraphML: [^\n]+$"):
        from_file(path)


def test_a_file_removed_after_validation_is_reported(tmp_path: Path) -> None:
    path = write_graph(nx.path_graph(3), tmp_path / "cells.graphml")
    cells = Cells(shape="graph", file=path)
    path.unlink()
    with pytest.raises(UserError, match=rf"^cells\.file: cannot read {path}: No such file or directory$"):
        neighbours(cells)


@pytest.mark.parametrize(
    ("graph", "fault"),
    (
        (nx.Graph(), " has no nodes"),
        (nx.Graph([("a", "b"), ("c", "d")]), ": no path leads from cell 0 to cell 2"),
        (nx.disjoint_union(nx.path_graph(3), nx.empty_graph(1)), ": no path leads from cell 0 to cell 3"),
    ),
)
def test_a_disconnected_graph_of_cells_is_refused(graph: "nx.Graph[str]", fault: str, tmp_path: Path) -> None:
    path = write_graph(graph, tmp_path / "cells.graphml")
    with pytest.raises(UserError) as refused:
        from_file(path)
    assert str(refused.value) == f"cells.file: {path}{fault}"


def test_one_cell_is_accepted_only_for_static_hosts(tmp_path: Path) -> None:
    path = write_graph(nx.empty_graph(1), tmp_path / "cell.graphml")
    cells = {"shape": "graph", "file": path}
    assert build_world(Scenario.model_validate({"cells": cells, "mobility": {"model": "static"}}), 0).stations == 1
    with pytest.raises(
        UserError, match=r"^cells\.file: hosts cannot leave a single cell; write more cells, 'mobility: "
    ):
        build_world(Scenario.model_validate({"cells": cells}), 0)

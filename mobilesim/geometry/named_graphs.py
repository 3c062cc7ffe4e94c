"""Communication networks by name, or from GraphML files. The nodes are processes, which are numbered from 0."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from mobilesim.clocks.allocations import MOST_PROCESSES, most_links
from mobilesim.errors import UserError, counted, suggestion
from mobilesim.geometry import graph_shapes
from mobilesim.geometry.graph_shapes import Pairs
from mobilesim.geometry.graphml import read_graphml

Shape: TypeAlias = Callable[[int, int], Pairs]


class Graph(NamedTuple):
    title: str
    adjacency: list[set[int]]

    @property
    def links(self) -> int:
        return sum(map(len, self.adjacency))


def graph(name: str, size: int, branching: int) -> Graph:
    """Return the graph with this name, size and branching, or the graph of the file with this name."""
    if name in KINDS:
        made = _named(name, size, branching)
    elif Path(name).suffix or Path(name).exists():
        made = _from_file(name)
    else:
        raise UserError(f"--graph {name}: there is no such graph or file{suggestion(name, KINDS, 'or a GraphML file')}")
    return _limited(made, f"--graph {name}")


def _named(name: str, size: int, branching: int) -> Graph:
    if size < 2:
        raise UserError(f"--n {size}: a network has at least 2 processes")
    if branching < 1:
        raise UserError(f"--branching {branching}: expected at least 1")
    if size > MOST_PROCESSES:
        raise UserError(f"--n {size}: expected at most {MOST_PROCESSES:,}")
    adjacency: list[set[int]] = [set() for _ in range(size)]
    for one, other in KINDS[name](size, branching):
        adjacency[one].add(other)
    return Graph(name, adjacency)


def _limited(made: Graph, where: str) -> Graph:
    size = len(made.adjacency)
    if size > MOST_PROCESSES:
        raise UserError(f"{where}: expected at most {MOST_PROCESSES:,} processes, not {size:,}")
    if made.links > most_links(size):
        message = f"{counted(size, 'process')} may have at most {counted(most_links(size), 'link')}, not {made.links:,}"
        raise UserError(f"{where}: {message}")
    return made


def _ring(size: int, _: int) -> Pairs:
    return ((p, (p + 1) % size) for p in range(size))


def _complete(size: int, _: int) -> Pairs:
    return permutations(range(size), 2)


def _both(shape: Shape) -> Shape:
    return lambda size, branching: (pair for a, b in shape(size, branching) for pair in ((a, b), (b, a)))


KINDS: Final[dict[str, Shape]] = {
    "star": _both(graph_shapes.star),
    "ring": _ring,
    "bidirectional-ring": _both(graph_shapes.ring),
    "hierarchical-triangle": _both(graph_shapes.triangle),
    "complete": _complete,
    "tree": _both(graph_shapes.tree),
}

BRANCHED: Final = ("hierarchical-triangle", "tree")
"""The graphs that depend on `branching`."""


def _from_file(name: str) -> Graph:
    """Read a file. An undirected edge becomes two links; loops and parallel edges are dropped."""
    read = read_graphml(name, "--graph")
    numbers = {node: number for number, node in enumerate(read.nodes)}
    adjacency = [{numbers[other] for other in read.to_directed().successors(node)} - {numbers[node]} for node in read]
    return Graph(Path(name).name, adjacency)

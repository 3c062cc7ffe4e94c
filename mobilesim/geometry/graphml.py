"""GraphML files, as the Internet Topology Zoo and others write them: nodes in the order of the file are numbered 0, 1,
..., loops are dropped, and parallel edges are one.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mobilesim.errors import UserError, shown
from mobilesim.files.input_files import opened
from mobilesim.geometry.coordinates import DEGREES, Pair, coordinate, lacking, named
from mobilesim.geometry.earth import GeoPoint

if TYPE_CHECKING:
    import networkx as nx


class Graph(NamedTuple):
    size: int
    pairs: list[tuple[int, int]]


def reachable_from_first(graph: Graph) -> set[int]:
    import networkx as nx

    linked: nx.Graph[int] = nx.Graph(graph.pairs)
    linked.add_nodes_from(range(graph.size))
    return set(nx.node_connected_component(linked, 0))


def read_graphml(path: Path | str, key: str) -> "nx.Graph[Any]":
    """A graph with nodes, directed if the file says so; `key` is who asked for it."""
    import networkx as nx  # 90 ms, for those who bring a file

    try:
        with opened(Path(path), key) as stream:
            graph = nx.read_graphml(stream)
    except UserError:
        raise
    except OSError as error:
        raise UserError(f"{key}: cannot read {path}: {error.strerror}") from error
    except Exception as error:
        raise UserError(f"{key}: {path} is not GraphML: {' '.join(str(error).split())}") from error
    if not graph:
        raise UserError(f"{key}: {path} has no nodes")
    return graph


def read_graph(path: Path | str, key: str) -> Graph:
    return to_graph(read_graphml(path, key))


def to_graph(graph: "nx.Graph[Any]") -> Graph:
    numbers = _numbers(graph)
    pairs = {(min(a, b), max(a, b)) for a, b in ((numbers[u], numbers[v]) for u, v in graph.edges()) if a != b}
    return Graph(len(numbers), sorted(pairs))


def labels(graph: "nx.Graph[Any]") -> list[str]:
    """Of the nodes; where one has none, its id."""
    return [" ".join(str(said.get("label", node)).split()) for node, said in graph.nodes(data=True)]


class NodePosition(NamedTuple):
    where: str
    """In its file."""
    place: tuple[float, float] | None
    lacks: str = ""
    """What would say where it is."""
    name: str = ""


class NodePositions(NamedTuple):
    in_degrees: bool
    """North and east; else metres to the east and to the north."""
    nodes: list[NodePosition]


def node_positions(graph: "nx.Graph[Any]", file: str, pairs: Sequence[Pair]) -> NodePositions | None:
    """Where all nodes are, by the first of the pairs that any says; None if they say nothing of it."""
    nodes = [(str(node), dict(said)) for node, said in graph.nodes(data=True)]
    names = named((name for _, said in nodes for name in said), pairs)
    if names is None:
        return None
    return NodePositions(tuple(names) == DEGREES, [_spot(node, said, names, file) for node, said in nodes])


def _spot(node: str, said: Mapping[str, Any], names: Mapping[str, str], file: str) -> NodePosition:
    label = next((str(value) for name, value in said.items() if name.casefold() == "label"), None)
    name = " ".join((label or "").split())
    where = f"node {shown(node)}" if label is None else f"node {shown(node)} ({name})"
    if lacks := lacking(said, names.values()):
        return NodePosition(where, None, lacks)

    def complain(message: str) -> UserError:
        return UserError(f"{file}: {where}: {message}")

    first, second = (coordinate(want, said[name], complain) for want, name in names.items())
    return NodePosition(where, (first, second), name=name)


def geo_points(graph: "nx.Graph[Any]", file: str) -> list[GeoPoint | None]:
    """Where nodes are on Earth; None for one that says nothing of it, or half of it."""
    found = node_positions(graph, file, (DEGREES,))
    if found is None:
        return [None] * len(graph)
    return [None if node.place is None else GeoPoint(*node.place) for node in found.nodes]


def speeds(graph: "nx.Graph[Any]", file: str) -> dict[tuple[int, int], int]:
    """LinkSpeedRaw, in bit/s, of the pairs that have it; of parallel edges, that of the fastest."""
    numbers, found = _numbers(graph), dict[tuple[int, int], int]()
    for one, other, said in graph.edges(data=True):
        where = f"{file}: the edge from '{one}' to '{other}'"
        speed = _number(said, "LinkSpeedRaw", where) or 0
        if speed < 0 or 0 < speed < 1:
            raise UserError(f"{where}: {speed:g} bit/s are no speed")
        pair = (min(numbers[one], numbers[other]), max(numbers[one], numbers[other]))
        found[pair] = max(found.get(pair, 0), int(speed))
    return {pair: speed for pair, speed in found.items() if speed}


def _numbers(graph: "nx.Graph[Any]") -> dict[Any, int]:
    return {node: number for number, node in enumerate(graph.nodes)}


def _number(said: Mapping[str, Any], name: str, where: str) -> float | None:
    raw = said.get(name, "")
    if raw == "":
        return None
    try:
        number = float(raw)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise UserError(f"{where}: {name} is '{raw}', and no number")
    return number

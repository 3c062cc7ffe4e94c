"""GraphML files, for example of the Internet Topology Zoo.

Nodes are numbered in the order of the file. Loops are dropped, and parallel edges are merged.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mobilesim.errors import UserError, shown
from mobilesim.files.input_files import opened
from mobilesim.geometry.coordinates import DEGREES, Pair, find_names, finite, parse_coordinate
from mobilesim.geometry.earth import GeoPoint

if TYPE_CHECKING:
    import networkx as nx


class Graph(NamedTuple):
    size: int
    pairs: list[tuple[int, int]]


def unreachable_node(graph: Graph) -> int | None:
    """Return the first node that cannot be reached from node 0; None if all nodes can be reached."""
    import networkx as nx

    linked: nx.Graph[object] = nx.Graph(graph.pairs)
    linked.add_nodes_from(range(graph.size))
    reached = nx.node_connected_component(linked, 0)
    return next((node for node in range(graph.size) if node not in reached), None)


def read_graphml(path: Path | str, key: str) -> "nx.Graph[Any]":
    """Return a graph with at least one node. Error messages begin with `key`, the key of the file in a scenario."""
    import networkx as nx  # the import takes 90 ms

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
    """Return the label of each node, or its id if it has no label."""
    return [" ".join(str(attributes.get("label", node)).split()) for node, attributes in graph.nodes(data=True)]


class Place(NamedTuple):
    where: str
    """The node or the line in the file, for messages."""
    position: tuple[float, float]
    name: str = ""
    lacks: str = ""
    """The name of a missing coordinate; the position is then not used. '' if no coordinate is missing."""


class Places(NamedTuple):
    in_degrees: bool
    """True: positions are latitude and longitude; false: metres to the east and to the north."""
    places: list[Place]


def places(graph: "nx.Graph[Any]", file: str, pairs: Sequence[Pair]) -> Places | None:
    """Return the places of all nodes, by the first of the attributes `pairs` in the file; None if it has no pair."""
    nodes = [(str(node), dict(attributes)) for node, attributes in graph.nodes(data=True)]
    names = find_names((name for _, attributes in nodes for name in attributes), pairs)
    if names is None:
        return None
    return Places(tuple(names) == DEGREES, [_place(*node, names, file) for node in nodes])


def _place(node: str, attributes: Mapping[str, Any], names: Mapping[str, str], file: str) -> Place:
    label = next((str(value) for name, value in attributes.items() if name.casefold() == "label"), None)
    name = " ".join((label or "").split())
    where = f"node {shown(node)}" if label is None else f"node {shown(node)} ({name})"
    if lacks := [column for column in names.values() if attributes.get(column, "") == ""]:
        return Place(where, (0.0, 0.0), name, lacks[0])

    def complain(message: str) -> UserError:
        return UserError(f"{file}: {where}: {message}")

    first, second = (parse_coordinate(want, attributes[name], complain) for want, name in names.items())
    return Place(where, (first, second), name)


def geo_points(graph: "nx.Graph[Any]", file: str) -> list[GeoPoint | None]:
    """Return the geographic coordinates of each node; None for a node without a latitude or a longitude."""
    found = places(graph, file, (DEGREES,))
    if found is None:
        return [None] * len(graph)
    return [None if place.lacks else GeoPoint(*place.position) for place in found.places]


def speeds(graph: "nx.Graph[Any]", file: str) -> dict[tuple[int, int], int]:
    """Return the attribute LinkSpeedRaw, in bit/s, of the links that have it; of parallel edges, the largest."""
    numbers, found = _numbers(graph), dict[tuple[int, int], int]()
    for one, other, attributes in graph.edges(data=True):
        where = f"{file}: the edge from '{one}' to '{other}'"
        raw = attributes.get("LinkSpeedRaw", "")
        speed = 0.0 if raw == "" else finite(raw)
        if speed is None:
            raise UserError(f"{where}: LinkSpeedRaw is '{raw}', which is not a number")
        if speed < 0 or 0 < speed < 1:
            raise UserError(f"{where}: {speed:g} bit/s is not a bandwidth")
        pair = (min(numbers[one], numbers[other]), max(numbers[one], numbers[other]))
        found[pair] = max(found.get(pair, 0), int(speed))
    return {pair: speed for pair, speed in found.items() if speed}


def _numbers(graph: "nx.Graph[Any]") -> dict[Any, int]:
    return {node: number for number, node in enumerate(graph.nodes)}

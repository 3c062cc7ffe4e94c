"""GraphML files: nodes in the order of the file are numbered 0, 1, ..., parallel edges and loops are dropped."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mobilesim.errors import UserError

if TYPE_CHECKING:
    import networkx as nx


class Graph(NamedTuple):
    size: int
    pairs: list[tuple[int, int]]


def reached_from_first(graph: Graph) -> set[int]:
    import networkx as nx

    linked: nx.Graph[int] = nx.Graph(graph.pairs)
    linked.add_nodes_from(range(graph.size))
    return set(nx.node_connected_component(linked, 0))


def read_graphml(path: Path | str, key: str) -> "nx.Graph[Any]":
    """A graph with nodes, directed if the file says so; `key` is who asked for it."""
    import networkx as nx  # 90 ms, for those who bring a file

    try:
        graph = nx.read_graphml(path)
    except OSError as error:
        raise UserError(f"{key}: cannot read {path}: {error.strerror}") from error
    except Exception as error:
        raise UserError(f"{key}: {path} is not GraphML: {' '.join(str(error).split())}") from error
    if not graph:
        raise UserError(f"{key}: {path} has no nodes")
    return graph


def read_graph(path: Path | str, key: str) -> Graph:
    graph = read_graphml(path, key)
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    pairs = {(min(a, b), max(a, b)) for a, b in ((numbers[u], numbers[v]) for u, v in graph.edges()) if a != b}
    return Graph(len(numbers), sorted(pairs))

"""The wired backbone: its links, and the way of a packet from one station to another."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mobilesim.errors import UserError
from mobilesim.scenario.distributions import Constant, Distribution
from mobilesim.scenario.model import Backbone, LinkOverride
from mobilesim.world.graphs import reached_from_first, read_graph

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class Wire:
    """One direction of one link."""

    latency: int
    bandwidth: int
    jitter: Distribution


@dataclass(frozen=True, slots=True)
class Topology:
    """`routes[source][target]`: the stations on the shortest way, without the source. None where all are linked."""

    stations: int
    standard: Wire
    wires: dict[tuple[int, int], Wire]
    routes: list[list[tuple[int, ...]]] | None

    def wire(self, source: int, target: int) -> Wire:
        return self.wires.get((source, target), self.standard)


def lay(backbone: Backbone, stations: int) -> Topology:
    standard = Wire(backbone.latency, backbone.bandwidth, backbone.jitter)
    pairs = None if backbone.topology == "mesh" else _pairs(backbone, stations)
    wires: dict[tuple[int, int], Wire] = {}
    for override in backbone.links:
        _check(override, stations, pairs)
        one, other = override.between
        wires[one, other] = wires[other, one] = _overridden(standard, override)
    routes = None if pairs is None else _routes(stations, pairs, wires, standard)
    return Topology(stations, standard, wires, routes)


def _overridden(standard: Wire, override: LinkOverride) -> Wire:
    return Wire(
        standard.latency if override.latency is None else override.latency,
        standard.bandwidth if override.bandwidth is None else override.bandwidth,
        standard.jitter if override.jitter is None else override.jitter,
    )


def _check(override: LinkOverride, stations: int, pairs: set[tuple[int, int]] | None) -> None:
    one, other = sorted(override.between)
    if one == other or other >= stations or (pairs is not None and (one, other) not in pairs):
        raise UserError(f"backbone.links: there is no link between stations {one} and {other}")


def _pairs(backbone: Backbone, stations: int) -> set[tuple[int, int]]:
    if backbone.topology == "graphml":
        graph = read_graph(backbone.file or "", "backbone.file")
        if graph.size != stations:
            raise UserError(
                f"backbone.file: {backbone.file} has {graph.size} nodes for {stations} cells; every cell has a station"
            )
        if len(reached_from_first(graph)) < graph.size:
            raise UserError(f"backbone.file: {backbone.file}: not every station can be reached from every other one")
        return set(graph.pairs)
    if backbone.topology == "star":
        return {(0, leaf) for leaf in range(1, stations)}
    return _ring(stations) if backbone.topology == "ring" else _tree(stations, backbone.branching)


def _ring(stations: int) -> set[tuple[int, int]]:
    around = ((station, (station + 1) % stations) for station in range(stations))
    return {(min(pair), max(pair)) for pair in around if pair[0] != pair[1]}


def _tree(stations: int, branching: int) -> set[tuple[int, int]]:
    return {((child - 1) // branching, child) for child in range(1, stations)}


def _routes(
    stations: int, pairs: set[tuple[int, int]], wires: dict[tuple[int, int], Wire], standard: Wire
) -> list[list[tuple[int, ...]]]:
    import networkx as nx  # 90 ms, for backbones that are no mesh

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(stations))
    for one, other in sorted(pairs):
        graph.add_edge(one, other, delay=_mean_delay(wires.get((one, other), standard)))
    return [_from(graph, source, stations) for source in range(stations)]


def _mean_delay(wire: Wire) -> float:
    """What shortest means: latency and mean jitter; a hop costs something even where both are nothing."""
    jitter = wire.jitter.value if isinstance(wire.jitter, Constant) else wire.jitter.mean
    return wire.latency + min(jitter, 1e18) + 1


def _from(graph: "nx.Graph[int]", source: int, stations: int) -> list[tuple[int, ...]]:
    import networkx as nx

    paths = nx.single_source_dijkstra_path(graph, source, weight="delay")
    return [tuple(paths[target][1:]) for target in range(stations)]

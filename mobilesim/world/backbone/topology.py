"""The wired backbone: its links, the routes of packets between stations, and other routes after failures of links.

Every station knows of a failure or a repair at once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import dist, exp
from random import Random
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry import graphml
from mobilesim.geometry.earth import GeoPoint
from mobilesim.geometry.graph_shapes import SHAPES, Pair
from mobilesim.geometry.voronoi import Site
from mobilesim.scenario.sections.backbone import NOT_ON_PLANE, Backbone, drawn_fault
from mobilesim.scenario.values.distributions import Distribution
from mobilesim.world.backbone.shortest_paths import Adjacency, Route, Routes, shortest_route
from mobilesim.world.random_streams import Streams

Distance = Callable[[int, int], float]
"""Returns the distance between two stations in metres."""

GetSites = Callable[[], Sequence[Site] | None]
"""Returns the coordinates of stations; None if stations have no coordinates. Called only if coordinates are used."""

_PER_METRE: Final = 5
"""The propagation time in nanoseconds per metre: signals in fibre and copper travel at about 2e8 m/s."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One direction of one link."""

    latency: int
    bandwidth: int
    jitter: Distribution

    @property
    def mean_delay(self) -> float:
        """The delay that routes minimise: latency and mean jitter, and 1 ns for every hop."""
        return self.latency + min(self.jitter.mean, 1e18) + 1


@dataclass(frozen=True, slots=True)
class Topology:
    """Links and routes. `pairs`: the stations with a link. In a complete graph, `routes` and `pairs` are None."""

    stations: int
    standard: Wire
    wires: dict[Pair, Wire]
    routes: Routes | None
    pairs: tuple[Pair, ...] | None
    distance: Distance | None

    def wire(self, source: int, target: int) -> Wire:
        wire = self.wires.get((source, target), self.standard)
        if self.distance is None:
            return wire
        return replace(wire, latency=wire.latency + round(self.distance(source, target) * _PER_METRE))

    @property
    def links(self) -> Iterable[Pair]:
        return combinations(range(self.stations), 2) if self.pairs is None else self.pairs


def build_backbone(backbone: Backbone, stations: int, streams: Streams, sites: GetSites = lambda: None) -> Topology:
    pairs: tuple[Pair, ...] | None
    if backbone.topology == "graphml":
        pairs, distance, speeds = _from_file(backbone, stations, sites)
    else:
        pairs, distance = _pairs(backbone, stations, streams, sites), _plane_distance(backbone, sites)
        speeds = {}
    standard = Wire(backbone.latency, backbone.bandwidth, backbone.jitter)
    wires: dict[Pair, Wire] = {}
    for (one, other), speed in speeds.items():
        wires[one, other] = wires[other, one] = replace(standard, bandwidth=speed)
    for override in backbone.links:
        one, other = _existing_link(override.between, stations, pairs, "backbone.links")
        values = {key: value for key, value in override if key != "between" and value is not None}
        wires[one, other] = wires[other, one] = replace(wires.get((one, other), standard), **values)
    if backbone.failures is not None:
        for outage in backbone.failures.schedule:
            _existing_link(outage.between, stations, pairs, "backbone.failures.schedule")
    bare = Topology(stations, standard, wires, None, pairs, distance)
    return bare if pairs is None else replace(bare, routes=Routes(adjacency(bare)))


def adjacency(topology: Topology) -> Adjacency:
    links: list[list[tuple[int, float]]] = [[] for _ in range(topology.stations)]
    for one, other in topology.links:
        delay = topology.wire(one, other).mean_delay
        links[one].append((other, delay))
        links[other].append((one, delay))
    return links


def _existing_link(between: Pair, stations: int, pairs: tuple[Pair, ...] | None, where: str) -> Pair:
    one, other = sorted(between)
    if one == other or other >= stations or (pairs is not None and (one, other) not in pairs):
        raise UserError(f"{where}: there is no link between stations {one} and {other}")
    return one, other


def _pairs(backbone: Backbone, stations: int, streams: Streams, sites: GetSites) -> tuple[Pair, ...] | None:
    """Return the pairs of linked stations; None for a complete graph. Random graphs differ between replications."""
    if fault := drawn_fault(backbone.topology, stations, backbone.attachments):
        raise UserError(f"backbone.{fault.below[0]}: {fault.message}")
    match backbone.topology:
        case "mesh":
            return None
        case "barabasi-albert":
            drawn = barabasi_albert(stations, backbone.attachments, streams.stream("backbone"))
        case "waxman":
            stream = streams.stream("backbone")
            positions = sites() or [(stream.random(), stream.random()) for _ in range(stations)]
            drawn = waxman(positions, backbone.alpha, backbone.beta, stream)
        case shape:
            drawn = set(SHAPES[shape](stations, backbone.branching))
    return tuple(sorted(drawn))


def _plane_distance(backbone: Backbone, sites: GetSites) -> Distance | None:
    if backbone.propagation != "distance":
        return None
    if (positions := sites()) is None:
        raise UserError(f"backbone.propagation: {NOT_ON_PLANE}")
    return lambda one, other: dist(positions[one], positions[other])


def _from_file(
    backbone: Backbone, stations: int, sites: GetSites
) -> tuple[tuple[Pair, ...], Distance | None, dict[Pair, int]]:
    """Return the pairs of linked stations, the function for their distance, and the bandwidths of links."""
    file = f"backbone.file: {backbone.file}"
    read = graphml.read_graphml(backbone.file or "", "backbone.file")
    graph = graphml.to_graph(read)
    if graph.size != stations:
        raise UserError(f"{file} has {graph.size} nodes for {stations} cells; every cell has a station")
    if (missed := graphml.unreachable_node(graph)) is not None:
        names = graphml.labels(read)
        message = f"no path leads from node 0 ('{names[0]}') to node {missed} ('{names[missed]}')"
        raise UserError(f"{file}: {message}")
    distance = None
    if backbone.propagation == "distance":
        distance = _earth_distance(graphml.geo_points(read, file)) or _plane_distance(backbone, sites)
    return tuple(graph.pairs), distance, graphml.speeds(read, file) if backbone.speeds == "file" else {}


def _earth_distance(points: Sequence[GeoPoint | None]) -> Distance | None:
    """Return the distance on the earth, 0 to a station without coordinates; None if no station has coordinates."""

    def distance(one: int, other: int) -> float:
        start, end = points[one], points[other]
        return 0.0 if start is None or end is None else start.distance(end)

    return distance if any(points) else None


class Rerouting:
    """Finds routes over working links. A packet takes its usual route if all links of this route work."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.down: set[Pair] = set()
        self._adjacency: Adjacency | None = None
        self._cache: dict[Pair, Route | None] = {}
        """The routes found since the last repair. A failure makes no route shorter, so it need not clear this cache."""

    def fail(self, pair: Pair) -> None:
        self.down.add(pair)

    def repair(self, pair: Pair) -> None:
        self.down.discard(pair)
        self._cache.clear()

    def works(self, here: int, route: Route) -> bool:
        if self.down:
            for station in route:
                if ((here, station) if here < station else (station, here)) in self.down:
                    return False
                here = station
        return True

    def route(self, here: int, target: int) -> Route | None:
        """Return the shortest working route; None if no route works now."""
        routes = self.topology.routes
        usual = (target,) if routes is None else routes[here][target]
        if self.works(here, usual):
            return usual
        ends = (here, target)
        if ends in self._cache:
            route = self._cache[ends]
            if route is None or self.works(here, route):
                return route
        route = (routes is None and self._around_one_link(here, target)) or self._around_several(here, target)
        self._cache[ends] = route
        return route

    def _around_one_link(self, here: int, target: int) -> Route | None:
        """Return the shortest working route of two hops in a complete graph; None if there is none."""
        wire, others = self.topology.wire, set(range(self.topology.stations)) - {here, target}
        delays = {
            via: wire(here, via).mean_delay + wire(via, target).mean_delay
            for via in sorted(others)
            if self.works(here, (via, target))
        }
        return (min(delays, key=delays.__getitem__), target) if delays else None

    def _around_several(self, here: int, target: int) -> Route | None:
        if self._adjacency is None:
            self._adjacency = adjacency(self.topology)
        routes = self.topology.routes
        distances = None if routes is None else routes[target].distances
        return shortest_route(self._adjacency, here, target, self.down, distances)


def barabasi_albert(stations: int, attachments: int, random: Random) -> set[Pair]:
    """Return the links of a random graph by Barabási and Albert (1999).

    The graph begins with `attachments` + 1 stations in a star, and then grows by one station at a time. Each new
    station gets links to `attachments` others. A station is drawn with a probability proportional to the number of its
    links.
    """
    pairs = {(0, leaf) for leaf in range(1, attachments + 1)}
    ends = [end for pair in sorted(pairs) for end in pair]
    for new in range(attachments + 1, stations):
        chosen = set[int]()
        while len(chosen) < attachments:
            chosen.add(ends[int(random.random() * len(ends))])
        for station in sorted(chosen):
            pairs.add((station, new))
            ends += station, new
    return pairs


def waxman(sites: Sequence[Site], alpha: float, beta: float, random: Random) -> set[Pair]:
    """Return the links of a random graph by Waxman (1988): long links are less probable than short links.

    The shortest links between the components of the graph are added, so that the graph is connected.
    """
    lengths = {(one, other): dist(sites[one], sites[other]) for one, other in combinations(range(len(sites)), 2)}
    reach = alpha * max(lengths.values(), default=0.0) or 1.0
    drawn = {pair for pair, length in lengths.items() if random.random() < beta * exp(-length / reach)}
    return drawn | _connecting(lengths, drawn, len(sites))


def _connecting(lengths: dict[Pair, float], drawn: set[Pair], stations: int) -> set[Pair]:
    """Return links that connect the components of a graph, with the least total length (Kruskal's algorithm)."""
    component, added = list(range(stations)), set[Pair]()
    for pair in [*drawn, *sorted(lengths, key=lambda pair: (lengths[pair], pair))]:
        kept, joined = (component[station] for station in pair)
        if kept != joined:
            component = [kept if label == joined else label for label in component]
            added.add(pair)
    return added

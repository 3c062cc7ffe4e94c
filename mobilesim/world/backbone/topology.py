"""The wired backbone: its links, and the way of a packet from one station to another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import dist
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry import earth, graphml
from mobilesim.geometry.graph_shapes import SHAPES, Pair
from mobilesim.scenario.sections import graph_checks
from mobilesim.scenario.sections.backbone import NOT_ON_PLANE, Backbone, LinkOverride
from mobilesim.scenario.values.distributions import Distribution
from mobilesim.world.backbone import random_topologies
from mobilesim.world.backbone.random_topologies import Site
from mobilesim.world.backbone.shortest_paths import Around, Ways
from mobilesim.world.random_streams import Streams

Apart = Callable[[int, int], float]
"""How many metres there are between two stations."""

Sites = Callable[[], Sequence[Site] | None]
"""Where stations are, if it is known; asked for only where it matters."""

_PER_METRE: Final = 5
"""Nanoseconds: signals in fibre and copper make about 2e8 m/s."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One direction of one link."""

    latency: int
    bandwidth: int
    jitter: Distribution

    @property
    def mean_delay(self) -> float:
        """What shortest means: latency and mean jitter; a hop costs something even where both are nothing."""
        return self.latency + min(self.jitter.mean, 1e18) + 1


@dataclass(frozen=True, slots=True)
class Topology:
    """`routes[source][target]`: the stations on the shortest way, without the source. None where all are linked.

    `pairs` are those that have a link, likewise.
    """

    stations: int
    standard: Wire
    wires: dict[Pair, Wire]
    routes: Ways | None
    pairs: tuple[Pair, ...] | None
    apart: Apart | None

    def wire(self, source: int, target: int) -> Wire:
        wire = self.wires.get((source, target), self.standard)
        if self.apart is None:
            return wire
        return replace(wire, latency=wire.latency + round(self.apart(source, target) * _PER_METRE))

    @property
    def links(self) -> Iterable[Pair]:
        return combinations(range(self.stations), 2) if self.pairs is None else self.pairs


@dataclass(frozen=True, slots=True)
class _Plan:
    """What there is, before anything is known of what links are like."""

    pairs: tuple[Pair, ...] | None
    apart: Apart | None = None
    speeds: Iterable[tuple[Pair, int]] = ()


def build_backbone(backbone: Backbone, stations: int, streams: Streams, sites: Sites = lambda: None) -> Topology:
    plan = _plan(backbone, stations, streams, sites)
    standard = Wire(backbone.latency, backbone.bandwidth, backbone.jitter)
    wires: dict[Pair, Wire] = {}
    for (one, other), speed in plan.speeds:
        wires[one, other] = wires[other, one] = replace(standard, bandwidth=speed)
    for override in backbone.links:
        one, other = _joined(override.between, stations, plan.pairs, "backbone.links")
        wires[one, other] = wires[other, one] = _overridden(wires.get((one, other), standard), override)
    if backbone.failures is not None:
        for outage in backbone.failures.schedule:
            _joined(outage.between, stations, plan.pairs, "backbone.failures.schedule")
    bare = Topology(stations, standard, wires, None, plan.pairs, plan.apart)
    return bare if plan.pairs is None else replace(bare, routes=Ways(around(bare)))


def around(laid: Topology) -> Around:
    """Where links lead from each station, and how long they take."""
    found: list[list[tuple[int, float]]] = [[] for _ in range(laid.stations)]
    for one, other in laid.links:
        delay = laid.wire(one, other).mean_delay
        found[one].append((other, delay))
        found[other].append((one, delay))
    return found


def _overridden(wire: Wire, override: LinkOverride) -> Wire:
    said = {key: getattr(override, key) for key in ("latency", "bandwidth", "jitter")}
    return replace(wire, **{key: value for key, value in said.items() if value is not None})


def _joined(between: Pair, stations: int, pairs: tuple[Pair, ...] | None, where: str) -> Pair:
    one, other = sorted(between)
    if one == other or other >= stations or (pairs is not None and (one, other) not in pairs):
        raise UserError(f"{where}: there is no link between stations {one} and {other}")
    return one, other


def _plan(backbone: Backbone, stations: int, streams: Streams, sites: Sites) -> _Plan:
    if backbone.topology == "graphml":
        return _filed(backbone, stations, sites)
    return _Plan(_pairs(backbone, stations, streams, sites), _on_plane(backbone, sites))


def _pairs(backbone: Backbone, stations: int, streams: Streams, sites: Sites) -> tuple[Pair, ...] | None:
    """Those that are drawn are drawn anew in each replication."""
    if fault := graph_checks.drawn_fault(backbone.topology, stations, backbone.attachments):
        raise UserError(f"backbone.{fault.below[0]}: {fault.message}")
    match backbone.topology:
        case "mesh":
            return None
        case "barabasi-albert":
            drawn = random_topologies.attached(stations, backbone.attachments, streams.stream("backbone"))
        case "waxman":
            stream = streams.stream("backbone")
            spots = sites() or random_topologies.scattered(stations, stream)
            drawn = random_topologies.near(spots, backbone.alpha, backbone.beta, stream)
        case shape:
            drawn = set(SHAPES[shape](stations, backbone.branching))
    return tuple(sorted(drawn))


def _on_plane(backbone: Backbone, sites: Sites) -> Apart | None:
    if backbone.propagation != "distance":
        return None
    spots = sites()
    if spots is None:
        raise UserError(f"backbone.propagation: {NOT_ON_PLANE}")
    return lambda one, other: dist(spots[one], spots[other])


def _filed(backbone: Backbone, stations: int, sites: Sites) -> _Plan:
    file = f"backbone.file: {backbone.file}"
    read = graphml.read_graphml(backbone.file or "", "backbone.file")
    graph = graphml.numbered(read)
    if graph.size != stations:
        raise UserError(f"{file} has {graph.size} nodes for {stations} cells; every cell has a station")
    reached = graphml.reached_from_first(graph)
    if len(reached) < graph.size:
        missed = next(node for node in range(graph.size) if node not in reached)
        names = graphml.labels(read)
        said = f"no way leads from node 0 ('{names[0]}') to node {missed} ('{names[missed]}')"
        raise UserError(f"{file}: {said}")
    apart = None
    if backbone.propagation == "distance":
        apart = _on_earth(graphml.places(read, file)) or _on_plane(backbone, sites)
    speeds = graphml.speeds(read, file) if backbone.speeds == "file" else {}
    return _Plan(tuple(graph.pairs), apart, speeds.items())


def _on_earth(places: Sequence[earth.GeoPoint | None]) -> Apart | None:
    """None if nobody knows where any station is; if one of two is not known, nothing is between them."""
    if not any(places):
        return None

    def apart(one: int, other: int) -> float:
        here, there = places[one], places[other]
        return 0.0 if here is None or there is None else here.distance(there)

    return apart

"""The wired links of the backbone, and the work of the stations at their ends.

The sending station and the receiving station work on every wired packet, for `fixed + per_integer x header integers`.
If hosts order messages, stations do not read ordering headers, and the work is `fixed`. A station processes one packet
at a time, in the order of arrival. A packet may cross several links. Each link is busy for the packet's transmission
time, and adds latency and jitter. So packets may overtake one another, unless channels are FIFO. A packet from a
station to itself crosses no link, and requires the same work.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from mobilesim.recording.link_counters import LinkCounter, Links
from mobilesim.scenario.values.distributions import Constant, Distribution
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.wireless import BYTE
from mobilesim.world.random_streams import Sampler, sampler
from mobilesim.world.replication import World
from protocols.machine import Packet

Arrival = tuple[int, Packet, int]
"""A station, a packet, and the time at which the packet arrived at the station."""


@dataclass(slots=True)
class Link:
    """One direction of one link. `free`: when the link is free. `latest`: the arrival of the last packet, if FIFO."""

    latency: int
    bandwidth: int
    jitter: Sampler | None
    counter: LinkCounter
    free: int = 0
    latest: int = 0


class WiredLinks:
    def __init__(
        self, engine: Engine, world: World, jitter: Random, *, reads_headers: bool, counted: bool = True
    ) -> None:
        """`reads_headers`: whether stations read ordering headers. `counted`: whether to count bytes and busy time."""
        scenario, topology = world.scenario, world.topology
        self.engine = engine
        self.world, self.topology = world, topology
        processing = scenario.processing
        self.fixed = processing.fixed if processing.model == "fixed" else 0
        self.per_integer = processing.per_integer if processing.model == "fixed" and reads_headers else 0
        self.sizes, self.integer, self.framing = scenario.sizes, scenario.sizes.integer, scenario.sizes.header
        self.fifo = scenario.backbone.fifo
        self.random = jitter
        self.counted = counted
        self.busy = [0] * topology.stations
        self.worked = [0] * topology.stations
        self.links: dict[tuple[int, int], Link] = {}
        self.samplers: dict[Distribution, Sampler | None] = {Constant(0): None}
        self.processed: Callable[[Arrival], None]

    def start(self, plan: Callable[[int, Callable[[Any], None], object], None]) -> None:
        """Schedule the failures of links, in the subclass for links that fail."""

    @property
    def scenario_events(self) -> tuple[Callable[[Any], None], ...]:
        """Return the functions of events that do not happen after the scenario's end."""
        return ()

    @property
    def carried(self) -> Links:
        return {ends: link.counter for ends, link in self.links.items() if link.counter.packets}

    def send(self, source: int, target: int, packet: Packet) -> int:
        """Send a packet; return the time at which the sending station has processed it."""
        engine = self.engine
        header = packet.header
        done = self._work(source, header)
        if source == target:
            engine.call_at(done, self._receive, (target, packet, header))
        elif self.topology.routes is None:
            # Packets enter this link in the order in which the station processes them, so no event is needed at `done`.
            came = self._cross((source, target), packet, header, done)
            engine.call_at(came, self._receive, (target, packet, header))
        else:
            engine.call_at(done, self._hop, (self.topology.routes[source][target], 0, source, packet))
        return done

    def _work(self, station: int, header: int) -> int:
        """Queue a packet's work at a station; return the time at which the work is done."""
        work = self.fixed + self.per_integer * header
        done = self.busy[station] = max(self.engine.time, self.busy[station]) + work
        self.worked[station] += work
        return done

    def _cross(self, ends: tuple[int, int], packet: Packet, header: int, ready: int) -> int:
        """Queue a packet for a link; return the time at which the packet arrives at the end of the link."""
        link = self.links.get(ends) or self._new_link(ends)
        payload, ordering, control = packet.payload, self.integer * header, self.integer * packet.control
        size = self.framing + payload + ordering + control
        length = -(size * BYTE // -link.bandwidth)
        start, free = ready, link.free
        if self.counted:
            link.counter.count(packet.purpose, payload, ordering, control, self.framing, size, length)
            if free > ready:
                link.counter.queued(free, ready)
        if free > ready:
            start = free
        link.free = start + length
        came = link.free + link.latency
        if link.jitter is not None:
            came += link.jitter()
            if self.fifo:  # a channel has one route, so FIFO links make it FIFO
                link.latest = came = max(came, link.latest)
        return came

    def failed(self, ends: tuple[int, int], since: int, until: int) -> int:
        return 0

    def _new_link(self, ends: tuple[int, int]) -> Link:
        wire = self.topology.wire(*ends)
        if wire.jitter not in self.samplers:
            self.samplers[wire.jitter] = sampler(wire.jitter, self.random)
        jitter = self.samplers[wire.jitter]
        link = self.links[ends] = Link(wire.latency, wire.bandwidth, jitter, LinkCounter())
        return link

    def _hop(self, leg: tuple[tuple[int, ...], int, int, Packet]) -> None:
        """Send a packet from a station of its route to the next one. Stations between source and target do no work."""
        route, index, source, packet = leg
        here = route[index - 1] if index else source
        came = self._cross((here, route[index]), packet, packet.header, self.engine.time)
        if index + 1 < len(route):
            self.engine.call_at(came, self._hop, (route, index + 1, source, packet))
        else:
            self.engine.call_at(came, self._receive, (route[-1], packet, packet.header))

    def _receive(self, arrival: tuple[int, Packet, int]) -> None:
        """Queue a packet at its target station, which processes it after earlier packets."""
        station, packet, header = arrival
        now = self.engine.time
        done = self._work(station, header)
        if done == now:
            self.processed((station, packet, now))
        else:
            self.engine.call_at(done, self.processed, (station, packet, now))

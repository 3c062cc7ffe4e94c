"""The backbone, and the stations as servers at its ends.

Every wired packet costs a station work when it is sent and when it is read, `fixed + per_integer x header integers`; a
station does one thing at a time, in the order of arrival. Stations that only relay read no ordering headers. Between
two stations a packet crosses links: each is busy for its length, and adds latency and jitter, so that packets may
overtake one another unless the channel is FIFO. A packet to the station itself crosses no link and costs the same work.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from mobilesim.recording.link_counters import Ledger, Links, Tally
from mobilesim.scenario.model import Processing, Scenario
from mobilesim.scenario.values.distributions import Constant, Distribution
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.wireless import BYTE
from mobilesim.world.backbone.topology import Topology
from mobilesim.world.random_streams import Sampler, sampler
from protocols.machine import Packet

Read = Callable[[int, Packet, int], None]
"""Takes station, packet, and the moment at which the packet came to the station."""


class Link:
    """One direction of one link."""

    __slots__ = ("bandwidth", "free", "jitter", "latency", "latest", "tally")

    def __init__(self, latency: int, bandwidth: int, jitter: Sampler | None, tally: Tally | None) -> None:
        self.latency = latency
        self.bandwidth = bandwidth
        self.jitter = jitter
        self.tally = tally
        self.free = self.latest = 0


class Wires:
    __slots__ = (
        "busy",
        "engine",
        "fifo",
        "fixed",
        "framing",
        "integer",
        "ledger",
        "links",
        "per_integer",
        "random",
        "read",
        "samplers",
        "topology",
        "worked",
    )

    def __init__(
        self,
        engine: Engine,
        topology: Topology,
        scenario: Scenario,
        jitter: Random,
        ledger: Ledger | None,
        *,
        reads_headers: bool,
    ) -> None:
        self.engine = engine
        self.topology = topology
        self.fixed, self.per_integer = _costs(scenario.processing, reads_headers=reads_headers)
        self.integer = scenario.sizes.integer
        self.framing = scenario.sizes.header
        self.fifo = scenario.backbone.fifo
        self.random = jitter
        self.ledger = ledger
        self.busy = [0] * topology.stations
        self.worked = [0] * topology.stations
        self.links: dict[tuple[int, int], Link] = {}
        self.samplers: dict[Distribution, Sampler | None] = {Constant(0): None}
        self.read: Read

    def start(self, intend: Callable[[int, Callable[[Any], None], object], None]) -> None:
        """These do nothing by themselves."""

    @property
    def intentions(self) -> tuple[Callable[[Any], None], ...]:
        """What does not happen any more once the scenario is over."""
        return ()

    @property
    def tallies(self) -> Links:
        """By the ends of the links that have carried something."""
        return {ends: link.tally for ends, link in self.links.items() if link.tally is not None and link.tally.packets}

    def send(self, source: int, target: int, packet: Packet) -> int:
        """Put a packet on its way; when its station is done with it."""
        engine = self.engine
        header = packet.header
        done = self._work(source, header)
        if source == target:
            engine.call_at(done, self._come, (target, packet, header))
        elif self.topology.routes is None:
            # One link, and packets enter it in the order of the server's work: no event is needed when that is done.
            came = self._cross((source, target), packet, header, done)
            engine.call_at(came, self._come, (target, packet, header))
        else:
            engine.call_at(done, self._hop, (self.topology.routes[source][target], 0, source, packet))
        return done

    def _work(self, station: int, header: int) -> int:
        """Queue for the station's server; when it is done."""
        work = self.fixed + self.per_integer * header
        now, busy = self.engine.time, self.busy[station]
        done = (max(now, busy)) + work
        self.busy[station] = done
        self.worked[station] += work
        return done

    def _cross(self, ends: tuple[int, int], packet: Packet, header: int, ready: int) -> int:
        """Queue for a link and cross it; when the packet is at its other end."""
        link = self.links.get(ends) or self._lay(ends)
        payload, ordering, control = packet.payload, self.integer * header, self.integer * packet.control
        size = self.framing + payload + ordering + control
        length = -(size * BYTE // -link.bandwidth)
        start = link.free
        start = max(start, ready)
        link.free = start + length
        if link.tally is not None:
            link.tally.count(packet.purpose, payload, ordering, control, self.framing, size, length)
            if start > ready:
                link.tally.queued(start, ready)
        came = start + length + link.latency
        return came if link.jitter is None else self._jittered(link, came)

    def failed(self, ends: tuple[int, int], since: int, until: int) -> int:
        """How long a link was down."""
        return 0

    def _jittered(self, link: Link, came: int) -> int:
        """Where every link keeps the order of its packets, every channel does: it takes one route."""
        assert link.jitter is not None
        came += link.jitter()
        if self.fifo:
            link.latest = came = max(came, link.latest)
        return came

    def _lay(self, ends: tuple[int, int]) -> Link:
        wire = self.topology.wire(*ends)
        if wire.jitter not in self.samplers:
            self.samplers[wire.jitter] = sampler(wire.jitter, self.random)
        tally = None if self.ledger is None else Tally()
        link = self.links[ends] = Link(wire.latency, wire.bandwidth, self.samplers[wire.jitter], tally)
        return link

    def _hop(self, leg: tuple[tuple[int, ...], int, int, Packet]) -> None:
        """A packet is at a station of its route and goes on to the next one, without work for the stations between."""
        route, place, source, packet = leg
        here = route[place - 1] if place else source
        came = self._cross((here, route[place]), packet, packet.header, self.engine.time)
        if place + 1 < len(route):
            self.engine.call_at(came, self._hop, (route, place + 1, source, packet))
        else:
            self.engine.call_at(came, self._come, (route[-1], packet, packet.header))

    def _come(self, arrival: tuple[int, Packet, int]) -> None:
        """A packet is at its station, which reads it when it has done what came before."""
        station, packet, header = arrival
        now = self.engine.time
        done = self._work(station, header)
        if done == now:
            self.read(station, packet, now)
        else:
            self.engine.call_at(done, self._read, (station, packet, now))

    def _read(self, arrival: tuple[int, Packet, int]) -> None:
        self.read(*arrival)


def _costs(processing: Processing, *, reads_headers: bool) -> tuple[int, int]:
    """What a packet costs, and an integer of its header. Where work is measured, none is reckoned."""
    if processing.model == "measured":
        return 0, 0
    return processing.fixed, processing.per_integer if reads_headers else 0

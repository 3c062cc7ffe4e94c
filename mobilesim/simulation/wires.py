"""The backbone, and the stations as servers at its ends.

Every wired packet costs a station work when it is sent and when it is read, `fixed + per_integer x header integers`; a station
does one thing at a time, in the order of arrival. Stations that only relay read no ordering headers. Between two stations a packet crosses links: each is busy for its length, and
adds latency and jitter, so that packets may overtake one another unless the channel is FIFO. A packet to the station itself
crosses no link and costs the same work.
"""

from collections.abc import Callable
from random import Random

from mobilesim.ledger import Ledger, Links
from mobilesim.scenario.distributions import Constant
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.air import transmission
from mobilesim.simulation.engine import Engine
from mobilesim.streams import Sampler, sampler
from mobilesim.world.backbone import Topology
from protocols.machine import Packet

Read = Callable[[int, Packet, int], None]
"""Takes station, packet, and the moment at which the packet came to the station."""


class Link:
    """One direction of one link."""

    __slots__ = ("bandwidth", "free", "jitter", "latency", "latest")

    def __init__(self, latency: int, bandwidth: int, jitter: Sampler | None) -> None:
        self.latency = latency
        self.bandwidth = bandwidth
        self.jitter = jitter
        self.free = self.latest = 0


class Wires:
    __slots__ = (
        "busy",
        "engine",
        "fifo",
        "fixed",
        "header",
        "integer",
        "ledger",
        "links",
        "per_integer",
        "random",
        "read",
        "tallies",
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
        self.fixed = scenario.processing.fixed
        self.per_integer = scenario.processing.per_integer if reads_headers else 0
        self.integer = scenario.sizes.integer
        self.header = scenario.sizes.header
        self.fifo = scenario.backbone.fifo
        self.random = jitter
        self.ledger = ledger
        self.busy = [0] * topology.stations
        self.worked = [0] * topology.stations
        self.links: dict[tuple[int, int], Link] = {}
        self.tallies: Links = {}
        self.read: Read

    def send(self, source: int, target: int, packet: Packet) -> int:
        """Put a packet on its way; when its station is done with it."""
        engine = self.engine
        header = packet.header
        done = self._work(source, header)
        if source == target:
            engine.call_at(done, self._come, (target, packet, header))
            return done
        size = self.header + packet.payload + self.integer * (header + packet.control)
        if self.topology.routes is None:
            # One link, and packets enter it in the order of the server's work: no event is needed when that is done.
            came = self._cross((source, target), packet, size, done)
            engine.call_at(came, self._come, (target, packet, header))
        else:
            engine.call_at(done, self._hop, (self.topology.routes[source][target], 0, source, packet, size))
        return done

    def _work(self, station: int, header: int) -> int:
        work = self.fixed + self.per_integer * header
        now, busy = self.engine.time, self.busy[station]
        done = (busy if busy > now else now) + work
        self.busy[station] = done
        self.worked[station] += work
        return done

    def _cross(self, ends: tuple[int, int], packet: Packet, size: int, ready: int) -> int:
        """Queue for a link and cross it; when the packet is at its other end."""
        link = self.links.get(ends) or self._lay(ends)
        start = link.free if link.free > ready else ready
        length = transmission(size, link.bandwidth)
        link.free = start + length
        if self.ledger is not None:
            self.ledger.sent(self.tallies, ends, packet, (ready, start, length))
        came = start + length + link.latency
        return came if link.jitter is None else self._jittered(link, came)

    def _jittered(self, link: Link, came: int) -> int:
        """Where every link keeps the order of its packets, every channel does: it takes one route."""
        assert link.jitter is not None
        came += link.jitter()
        if self.fifo:
            link.latest = came = max(came, link.latest)
        return came

    def _lay(self, ends: tuple[int, int]) -> Link:
        wire = self.topology.wire(*ends)
        jitter = None if wire.jitter == Constant(0) else sampler(wire.jitter, self.random)
        link = self.links[ends] = Link(wire.latency, wire.bandwidth, jitter)
        return link

    def _hop(self, leg: tuple[tuple[int, ...], int, int, Packet, int]) -> None:
        """A packet is at a station of its route and goes on to the next one, without work for the stations between."""
        route, place, source, packet, size = leg
        here = route[place - 1] if place else source
        came = self._cross((here, route[place]), packet, size, self.engine.time)
        if place + 1 < len(route):
            self.engine.call_at(came, self._hop, (route, place + 1, source, packet, size))
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

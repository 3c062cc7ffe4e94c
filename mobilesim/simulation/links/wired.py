"""The wired links of the backbone, and the work of the stations at their ends.

The sending station and the receiving station work on every wired packet, for `fixed + per_integer x integers`: those of
the ordering header and all others. If hosts order messages, stations relay stamps and do not read them, neither in a
header nor in the state of a host. A station processes one packet at a time, in the order of arrival. A packet may cross
several links. Each link is busy for the packet's transmission time, and adds latency and jitter. So packets may
overtake one another, unless channels are FIFO. A packet from a station to itself crosses no link, and requires the same
work.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import Any

from mobilesim.protocols.packets import Packet
from mobilesim.recording.link_counters import LinkCounter, Links, LinksSnapshot
from mobilesim.scenario.values.distributions import Constant, Distribution
from mobilesim.simulation.engine import Engine, Event
from mobilesim.simulation.links.wireless import byte_time
from mobilesim.world.random_streams import Sampler, sampler
from mobilesim.world.replication import World


class PacketReceiver(ABC):
    """Passes packets to the machines of stations."""

    @abstractmethod
    def packet_processed(self, station: int, packet: Packet, came: int) -> None:
        """Pass a packet to a station that has done its work on the packet. `came`: when the packet arrived there."""


class Link(LinkCounter):
    """One direction of one link, and the counter of its traffic. `free`: when the link is free. `latest`: the arrival
    of the last packet, if FIFO.
    """

    __slots__ = ("bandwidth", "byte_time", "divisor", "free", "jitter", "latency", "latest", "source", "target")

    def __init__(self, source: int, target: int, latency: int, bandwidth: int, jitter: Sampler | None) -> None:
        super().__init__()
        self.source, self.target = source, target
        self.latency, self.bandwidth, self.jitter = latency, bandwidth, jitter
        self.byte_time, self.divisor = byte_time(bandwidth)
        self.free = self.latest = 0


class Processor:
    """The processor of a station. `free`: when it is free again. `worked`: the total time of its work."""

    __slots__ = ("free", "worked")

    def __init__(self) -> None:
        self.free = self.worked = 0


class PacketArrival(Event):
    """The arrival of a packet at its target station, and then the end of the station's work on it. `came`: when the
    packet arrived, or -1. `integers`: what the station reads.
    """

    __slots__ = ("came", "integers", "links", "packet", "station")

    def __init__(self, links: "WiredLinks", station: int, packet: Packet, integers: int) -> None:
        self.links, self.station, self.packet, self.integers, self.came = links, station, packet, integers, -1

    def happen(self) -> None:
        if self.came < 0:
            self.links.receive(self)
        else:
            self.links.receiver.packet_processed(self.station, self.packet, self.came)


class Hop(Event):
    """The start of a packet's next link. `index`: the number of links of the route that the packet has crossed."""

    __slots__ = ("index", "integers", "links", "packet", "route", "source")

    def __init__(self, links: "WiredLinks", route: tuple[int, ...], source: int, packet: Packet, integers: int) -> None:
        self.links, self.route, self.index, self.source = links, route, 0, source
        self.packet, self.integers = packet, integers

    def happen(self) -> None:
        """Send the packet to the next station of its route. Stations between source and target do no work."""
        links, route, index, packet = self.links, self.route, self.index, self.packet
        here = route[index - 1] if index else self.source
        came = links.cross(here, route[index], packet, packet.header, packet.control, links.engine.time)
        self.index = index + 1
        last = self.index == len(route)
        links.engine.push(came, PacketArrival(links, route[-1], packet, self.integers) if last else self)


class WiredLinks:
    def __init__(
        self, engine: Engine, world: World, jitter: Random, *, reads_headers: bool, counted: bool = True
    ) -> None:
        """`reads_headers`: whether stations read stamps. `counted`: whether to count bytes and busy time."""
        scenario, topology = world.scenario, world.topology
        self.engine = engine
        self.world, self.topology = world, topology
        processing = scenario.processing
        self.fixed = processing.fixed if processing.model == "fixed" else 0
        self.per_integer = processing.per_integer if processing.model == "fixed" else 0
        self.reads_headers = reads_headers
        self.sizes, self.integer, self.framing = scenario.sizes, scenario.sizes.integer, scenario.sizes.header
        self.fifo = scenario.backbone.fifo
        self.random = jitter
        self.counted = counted
        self.processors = [Processor() for _ in range(topology.stations)]
        self.stations, self.routes = topology.stations, topology.routes
        self.used: list[Link] = []
        self.by_source: list[list[Link | None]] = [[] for _ in range(topology.stations)]
        """By source and target, the used links. The list of a source without a used link is empty."""
        self.jitter: Distribution = Constant(0)
        self.sampler: Sampler | None = None
        """The jitter of the last new link, and its sampler; None for no jitter."""
        self.receiver: PacketReceiver
        self.snapshots: list[LinksSnapshot] = []

    def start(self, plan: Callable[[int, Callable[[Any], None], object], None]) -> None:
        """Schedule the failures of links, in the subclass for links that fail."""

    @property
    def worked(self) -> list[int]:
        return [processor.worked for processor in self.processors]

    @property
    def carried(self) -> Links:
        return {(link.source, link.target): link for link in self.used if link.packets}

    def snapshot(self) -> Links:
        """Return the present counters of the used links."""
        snapshot = LinksSnapshot(self.carried, self._in_transit())
        self.snapshots.append(snapshot)
        return snapshot.links

    def _in_transit(self) -> list[object]:
        """Return the packets that may still be taken back."""
        return []

    def send(self, source: int, target: int, packet: Packet) -> int:
        """Send a packet; return the time at which the source station has processed it."""
        header, control = packet.header, packet.control
        integers = self._read(packet, header, control)
        done = self._work(source, integers)
        if source == target:
            self.engine.push(done, PacketArrival(self, target, packet, integers))
        elif self.routes is None:
            # Packets enter this link in the order in which the station processes them, so no event is needed at `done`.
            came = self.cross(source, target, packet, header, control, done)
            self.engine.push(came, PacketArrival(self, target, packet, integers))
        else:
            self.engine.push(done, Hop(self, self.routes[source][target], source, packet, integers))
        return done

    def _read(self, packet: Packet, header: int, control: int) -> int:
        """Return how many integers of a packet a station reads."""
        return control + header if self.reads_headers else control - packet.stored_stamps

    def _work(self, station: int, integers: int) -> int:
        """Queue a packet's work at a station; return the time at which the work is done."""
        work, processor = self.fixed + self.per_integer * integers, self.processors[station]
        done = processor.free = max(self.engine.time, processor.free) + work
        processor.worked += work
        return done

    def cross(  # noqa: PLR0917 - called for every packet, and keywords are slow
        self, source: int, target: int, packet: Packet, header: int, control: int, ready: int
    ) -> int:
        """Queue a packet for a link; return the time at which the packet arrives at the end of the link. `header` and
        `control`: those of the packet.
        """
        link = self.link(source, target)
        payload, ordering, control = packet.payload, self.integer * header, self.integer * control
        size = self.framing + payload + ordering + control
        length = -(size * link.byte_time // -link.divisor)
        start, free = ready, link.free
        if self.counted:
            link.count(packet.purpose, payload, ordering, control, self.framing, size, length)
            if free > ready:
                link.queued(free, ready)
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

    def link(self, source: int, target: int) -> Link:
        links = self.by_source[source]
        link = links[target] if links else None
        return self._new_link(source, target) if link is None else link

    def _new_link(self, source: int, target: int) -> Link:
        wire = self.topology.wire(source, target)
        if wire.jitter is not self.jitter:
            self.jitter = wire.jitter
            self.sampler = None if wire.jitter == Constant(0) else sampler(wire.jitter, self.random)
        link = Link(source, target, wire.latency, wire.bandwidth, self.sampler)
        self.used.append(link)
        if not self.by_source[source]:
            self.by_source[source] = [None] * self.stations
        self.by_source[source][target] = link
        return link

    def receive(self, arrival: PacketArrival) -> None:
        """Queue a packet at its target station, which processes it after earlier packets."""
        now = arrival.came = self.engine.time
        done = self._work(arrival.station, arrival.integers)
        if done == now:
            self.receiver.packet_processed(arrival.station, arrival.packet, now)
        else:
            self.engine.push(done, arrival)

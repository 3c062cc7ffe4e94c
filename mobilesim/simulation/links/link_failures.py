"""Wired links that fail and are repaired: packets are delayed but not lost.

A link fails in both directions. Each packet on the link or in its queue is rerouted: the station at the start of the
link sends the packet over working links. Without a working route, the packet waits at this station for a repair. If
the transmission of the packet had begun, the packet counts as sent and lost on the failed link. If not, the packet is
not counted on this link. If channels are FIFO, a packet waits at its target station for the earlier packets from the
same station.

No link fails after the scenario's end. A link that is down at the scenario's end is repaired as scheduled.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from mobilesim.geometry.graph_shapes import Pair
from mobilesim.protocols.packets import Packet
from mobilesim.recording.link_counters import LinkCounter
from mobilesim.scenario.sections.backbone import Outage
from mobilesim.scenario.values.distributions import Distribution
from mobilesim.simulation.links.wired import Link, PacketArrival, WiredLinks
from mobilesim.simulation.links.wireless import transmission
from mobilesim.simulation.simulation import ENDLESS
from mobilesim.world.backbone.shortest_paths import Route
from mobilesim.world.backbone.topology import Rerouting
from mobilesim.world.random_streams import sampler

Plan = Callable[[int, Callable[[Any], None], object], None]
"""Schedules a call unless its time is after the scenario's end. Arguments: the time, a function and its argument."""

Occasion = tuple[Pair, int]
"""A link that fails, and the number of its earlier failures."""


@dataclass(slots=True, eq=False)
class Flight:
    """A packet in transit, at station `here` or on the link from this station.

    `number`: the packet's number on its channel. `route`: the rest of its route. `crossings`: how often a link was
    entered, or a crossing was cancelled. A crossing is valid while this number does not change.
    """

    packet: Packet
    source: int
    target: int
    number: int
    here: int
    route: Route = ()
    crossings: int = 0


@dataclass(slots=True)
class Channel:
    """The packets from one station to another. `due`: the number of the next packet to process. `early`: later packets
    that have arrived, by number.
    """

    sent: int = 0
    due: int = 0
    early: dict[int, Packet] = field(default_factory=dict)


class FailingLinks(WiredLinks):
    def start(self, plan: Plan) -> None:
        failures = self.world.scenario.backbone.failures
        assert failures is not None
        self.plan, self.failures = plan, failures
        self.rerouting = Rerouting(self.topology)
        self.channels = defaultdict[Pair, Channel](Channel)
        self.on_link = defaultdict[Pair, dict[Flight, tuple[int, int]]](dict)
        """By link, each packet on the link or in its queue, with the end of its transmission and its arrival time."""
        self.down_until: dict[Pair, int] = {}
        self.down = defaultdict[Pair, list[tuple[int, int]]](list)
        """By link, the start and the end of each of its failures."""
        self.repairs: list[tuple[int, Pair]] = []
        self.waiting: list[Flight] = []
        self.next_retry = ENDLESS
        """The time of the next scheduled attempt to send the waiting packets."""
        for outage in self.failures.schedule:
            plan(outage.at, self._outage, outage)
        if self.failures.interval is not None:
            for pair in self.topology.links:
                self._schedule_failure((pair, 0), 0)

    # Failures

    def _draw(self, what: str, of: Distribution, occasion: Occasion) -> int:
        (one, other), number = occasion
        return sampler(of, self.world.streams.stream(f"{what} {one} {other}", number))()

    def _schedule_failure(self, occasion: Occasion, since: int) -> None:
        assert self.failures.interval is not None
        self.plan(since + self._draw("failures", self.failures.interval, occasion), self._failure, occasion)

    def _failure(self, occasion: Occasion) -> None:
        pair, number = occasion
        repaired = self.engine.time + self._draw("repairs", self.failures.repair, occasion)
        self._fail(pair, repaired)
        self._schedule_failure((pair, number + 1), repaired)

    def _outage(self, outage: Outage) -> None:
        one, other = sorted(outage.between)
        self._fail((one, other), self.engine.time + outage.duration)

    def _fail(self, pair: Pair, until: int) -> None:
        now = self.engine.time
        self._apply_repairs(now)
        since = max(now, self.down_until.get(pair, 0))
        if until <= since:
            return
        self.down[pair].append((since, until))
        self.down_until[pair] = until
        heappush(self.repairs, (until, pair))
        self.rerouting.fail(pair)
        for ends in (pair, pair[::-1]):
            self._reroute(ends, now)

    def _apply_repairs(self, now: int) -> None:
        """Apply the repairs up to `now`. The engine has an event for a repair only if a packet waits for the repair."""
        repairs = self.repairs
        while repairs and repairs[0][0] <= now:
            until, pair = heappop(repairs)
            if self.down_until[pair] == until:
                del self.down_until[pair]
                self.rerouting.repair(pair)

    def _reroute(self, ends: Pair, now: int) -> None:
        if (packets := self.on_link.pop(ends, None)) is None:
            return
        link = self.link(*ends)
        link.free = link.latest = 0
        late = [flight for flight, (_, comes) in packets.items() if comes > now]
        for flight in late:
            flight.crossings += 1
            counters = [snapshot.counter_of((flight, flight.crossings - 1), ends) for snapshot in self.snapshots]
            for counter in (link, *(each for each in counters if each is not None)):
                self._take_back(link, counter, flight.packet, packets[flight][0], now)
        link.starts = None
        for flight in late:
            self._forward(flight)

    def _in_transit(self) -> list[object]:
        return [(flight, flight.crossings) for packets in self.on_link.values() for flight in packets]

    def _take_back(self, link: Link, counter: LinkCounter, packet: Packet, end: int, now: int) -> None:
        """Correct a counter of a link for a cancelled crossing. A transmission that had not begun is not counted."""
        size = self.framing + packet.payload + self.integer * (packet.header + packet.control)
        length = transmission(size, link.bandwidth)
        if end - length < now:
            rest = max(0, end - now)
            counter.busy -= rest
            counter.lost().add(packet, self.sizes, length - rest)
        else:
            counter.add(packet, self.sizes, length, -1)

    def failed(self, ends: Pair, since: int, until: int) -> int:
        one, other = sorted(ends)
        return sum(max(0, min(end, until) - max(begin, since)) for begin, end in self.down[one, other])

    # Packets

    def send(self, source: int, target: int, packet: Packet) -> int:
        integers = self._read(packet, packet.header, packet.control)
        done = self._work(source, integers)
        if source == target:
            self.engine.push(done, PacketArrival(self, target, packet, integers))
        else:
            channel = self.channels[source, target]
            flight = Flight(packet, source, target, channel.sent, source)
            channel.sent += 1
            self.engine.call_at(done, self._forward, flight)
        return done

    def _forward(self, flight: Flight) -> None:
        """Send a packet onto the next link of its route. If its route has failed, take another route, or else wait."""
        engine, here, packet = self.engine, flight.here, flight.packet
        now = engine.time
        if self.repairs:
            self._apply_repairs(now)
        if not flight.route or not self.rerouting.works(here, flight.route):
            flight.route = self.rerouting.route(here, flight.target) or ()
        if not flight.route:
            self._wait_for_repair(flight)
            return
        ends = (here, flight.route[0])
        comes = self.cross(*ends, packet, packet.header, packet.control, now)
        self.on_link[ends][flight] = (self.link(*ends).free, comes)
        flight.crossings += 1
        engine.call_at(comes, self._end_crossing, (flight, flight.crossings))

    def _end_crossing(self, crossing: tuple[Flight, int]) -> None:
        flight, number = crossing
        if number != flight.crossings:
            return  # this crossing was cancelled
        here = flight.route[0]
        self.on_link[flight.here, here].pop(flight, None)
        flight.here, flight.route = here, flight.route[1:]
        if flight.route:
            self._forward(flight)
            return
        channel = self.channels[flight.source, flight.target]
        channel.early[flight.number] = flight.packet
        due = channel.due if self.fifo else flight.number
        while (packet := channel.early.pop(due, None)) is not None:
            channel.due = due = due + 1
            integers = self._read(packet, packet.header, packet.control)
            self.receive(PacketArrival(self, flight.target, packet, integers))

    def _wait_for_repair(self, flight: Flight) -> None:
        self.waiting.append(flight)
        repair = self.repairs[0][0]
        if repair < self.next_retry:
            self.next_retry = repair
            self.engine.call_at(repair, self._retry, None)

    def _retry(self, _: None) -> None:
        self.next_retry = ENDLESS
        waiting, self.waiting = self.waiting, []
        for flight in waiting:
            self._forward(flight)

"""Wires that fail and are repaired: packets are delayed, and never lost.

A link fails in both directions. What is on it, or waits for it, goes on from where it was put on: around over the links
that are left, or, when there is no way at all, as soon as there is one. What had begun to cross is sent and lost, and
sent again; what had only waited counts where it crosses at last. Where channels are FIFO, a packet that comes before an
earlier one of its channel waits for that at its station.

Nothing fails any more once the scenario is over; what is down then comes back when it would have anyway.
"""

from collections import defaultdict
from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from typing import Any, Final

from mobilesim.geometry.graph_shapes import Pair
from mobilesim.recording.link_counters import Ledger
from mobilesim.scenario.sections.backbone import Failures, Outage
from mobilesim.scenario.values.distributions import Distribution
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.wired import Link, Wires
from mobilesim.simulation.links.wireless import transmission
from mobilesim.simulation.simulation import ENDLESS
from mobilesim.world.backbone.rerouting import Rerouting
from mobilesim.world.backbone.shortest_paths import Route
from mobilesim.world.random_streams import Streams, sampler
from mobilesim.world.replication import World
from protocols.machine import Packet

Intend = Callable[[int, Callable[[Any], None], object], None]
"""Takes moment, function and argument of what does not happen any more after the scenario's end."""

Time = tuple[Pair, int]
"""The link that fails, and how often it has before."""

_NOWHERE: Final[Route] = ()


class Flight:
    """A packet on its way."""

    __slots__ = ("crossings", "here", "number", "packet", "source", "target", "way")

    def __init__(self, packet: Packet, source: int, target: int, number: int) -> None:
        self.packet = packet
        self.source = self.here = source
        self.target = target
        self.number = number
        """Of those on its channel."""
        self.way = _NOWHERE
        """From here."""
        self.crossings = 0
        """Begun or given up."""


class Channel:
    """From one station to another, in the order in which the first sends."""

    __slots__ = ("due", "early", "sent")

    def __init__(self) -> None:
        self.sent = self.due = 0
        self.early: dict[int, Flight] = {}


class FailingWires(Wires):
    __slots__ = (
        "aboard",
        "channels",
        "down",
        "down_until",
        "failures",
        "intend",
        "repairs",
        "rerouting",
        "streams",
        "waiting",
        "wakes",
    )

    def __init__(
        self, engine: Engine, world: World, jitter: Random, ledger: Ledger | None, *, reads_headers: bool
    ) -> None:
        super().__init__(engine, world.topology, world.scenario, jitter, ledger, reads_headers=reads_headers)
        failures = world.scenario.backbone.failures
        assert failures is not None
        self.failures: Failures = failures
        self.streams: Streams = world.streams
        self.rerouting = Rerouting(world.topology)
        self.channels = defaultdict[Pair, Channel](Channel)
        self.aboard = defaultdict[Pair, dict[Flight, tuple[int, int]]](dict)
        """By the ends of a link: what is on it or waits for it, when its last bit is out, and when it comes."""
        self.down_until: dict[Pair, int] = {}
        self.down = defaultdict[Pair, list[tuple[int, int]]](list)
        """From when to when."""
        self.repairs: list[tuple[int, Pair]] = []
        self.waiting: list[Flight] = []
        self.wakes = ENDLESS
        """When those who wait try again."""
        self.intend: Intend

    # Failures

    def start(self, intend: Intend) -> None:
        self.intend = intend
        for outage in self.failures.schedule:
            intend(outage.at, self._outage, outage)
        if self.failures.interval is not None:
            for pair in self.topology.links:
                self._work_on((pair, 0), 0)

    @property
    def intentions(self) -> tuple[Callable[[Any], None], ...]:
        return self._outage, self._failure

    def _drawn(self, what: str, of: Distribution, time: Time) -> int:
        (one, other), number = time
        return sampler(of, self.streams.stream(f"{what} {one} {other}", number))()

    def _work_on(self, time: Time, since: int) -> None:
        assert self.failures.interval is not None
        self.intend(since + self._drawn("failures", self.failures.interval, time), self._failure, time)

    def _failure(self, time: Time) -> None:
        pair, number = time
        repaired = self.engine.time + self._drawn("repairs", self.failures.repair, time)
        self._fail(pair, repaired)
        self._work_on((pair, number + 1), repaired)

    def _outage(self, outage: Outage) -> None:
        one, other = sorted(outage.between)
        self._fail((one, other), self.engine.time + outage.duration)

    def _fail(self, pair: Pair, until: int) -> None:
        now = self.engine.time
        self._mend(now)
        since = max(now, self.down_until.get(pair, 0))
        if until <= since:
            return
        self.down[pair].append((since, until))
        self.down_until[pair] = until
        heappush(self.repairs, (until, pair))
        self.rerouting.fail(pair)
        for ends in (pair, pair[::-1]):
            self._clear(ends, now)

    def _mend(self, now: int) -> None:
        """Repairs are no events: where nobody waits for one, it is enough to know of it afterwards."""
        repairs = self.repairs
        while repairs and repairs[0][0] <= now:
            until, pair = heappop(repairs)
            if self.down_until[pair] == until:
                del self.down_until[pair]
                self.rerouting.repair(pair)

    def _clear(self, ends: Pair, now: int) -> None:
        """What is on a link that fails goes on from where it was put on, in the same order."""
        aboard = self.aboard.pop(ends, None)
        if aboard is None:
            return
        link = self.links[ends]
        link.free = link.latest = 0
        late = [flight for flight, (_, comes) in aboard.items() if comes > now]
        for flight in late:
            flight.crossings += 1
            self._uncount(link, flight.packet, aboard[flight][0], now)
        if link.tally is not None:
            link.tally.emptied()
        for flight in late:
            self._go_on(flight)

    def _uncount(self, link: Link, packet: Packet, end: int, now: int) -> None:
        """Of the time and bytes of a packet, those that it does not take after all."""
        if link.tally is None:
            return
        payload, ordering, control = packet.payload, self.integer * packet.header, self.integer * packet.control
        size = self.framing + payload + ordering + control
        length = transmission(size, link.bandwidth)
        counted = (packet.purpose, payload, ordering, control, self.framing, size)
        if end - length < now:
            rest = max(0, end - now)
            link.tally.cut(rest)
            link.tally.lost().count(*counted, length - rest)
        else:
            link.tally.recall(*counted, length)

    def failed(self, ends: Pair, since: int, until: int) -> int:
        one, other = sorted(ends)
        return sum(max(0, min(end, until) - max(begin, since)) for begin, end in self.down[one, other])

    # Packets

    def send(self, source: int, target: int, packet: Packet) -> int:
        done = self._work(source, packet.header)
        if source == target:
            self.engine.call_at(done, self._come, (target, packet, packet.header))
        else:
            channel = self.channels[source, target]
            flight = Flight(packet, source, target, channel.sent)
            channel.sent += 1
            self.engine.call_at(done, self._go_on, flight)
        return done

    def _go_on(self, flight: Flight) -> None:
        """Onto the next link of its way, as long as that holds; else of another, or none."""
        engine, here, packet = self.engine, flight.here, flight.packet
        now = engine.time
        if self.repairs:
            self._mend(now)
        if not flight.way or not self.rerouting.works(here, flight.way):
            flight.way = self.rerouting.route(here, flight.target) or _NOWHERE
        if not flight.way:
            self._wait(flight)
            return
        ends = (here, flight.way[0])
        comes = self._cross(ends, packet, packet.header, now)
        self.aboard[ends][flight] = (self.links[ends].free, comes)
        flight.crossings += 1
        engine.call_at(comes, self._reach, (flight, flight.crossings))

    def _reach(self, crossing: tuple[Flight, int]) -> None:
        flight, number = crossing
        if number != flight.crossings:
            return  # it was sent again
        here = flight.way[0]
        self.aboard[flight.here, here].pop(flight, None)
        flight.here, flight.way = here, flight.way[1:]
        if flight.way:
            self._go_on(flight)
        elif self.fifo:
            self._in_turn(flight)
        else:
            self._arrive(flight)

    def _in_turn(self, flight: Flight) -> None:
        channel = self.channels[flight.source, flight.target]
        channel.early[flight.number] = flight
        while channel.due in channel.early:
            channel.due += 1
            self._arrive(channel.early.pop(channel.due - 1))

    def _arrive(self, flight: Flight) -> None:
        self._come((flight.target, flight.packet, flight.packet.header))

    def _wait(self, flight: Flight) -> None:
        """For the next repair, whether that will help or not."""
        self.waiting.append(flight)
        repair = self.repairs[0][0]
        if repair < self.wakes:
            self.wakes = repair
            self.engine.call_at(repair, self._try_again, None)

    def _try_again(self, _: None) -> None:
        self.wakes = ENDLESS
        waiting, self.waiting = self.waiting, []
        for flight in waiting:
            self._go_on(flight)

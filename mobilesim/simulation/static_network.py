"""The static network: hosts that stay where they are, with a link from each to every other one. What papers on static
systems simulate, in the driver's own terms: a host of it is a mobile host that never moves.

Of its machine only the mailbox is at work: there is no cell to register in and no frame to number. A packet has one
destination, and costs one call in the engine. Delays of messages are drawn when they are sent, from a stream for every
source, in the order of their destinations, so that all orderings meet the same ones; those of words from another.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.delay_parts import (
    ACCEPTED,
    ARRIVED,
    ARRIVED_AWAY,
    DELIVERABLE_AWAY,
    DOWNLINK_STARTED,
    FIRST,
    HANDED,
    HANDED_AWAY,
    HEADER,
    HEARD,
    HEARD_AWAY,
    LANDED,
    PASSED,
    RETRANSMISSIONS,
    SENT,
    STAMPED,
    UNITS,
    UPLINK_STARTED,
)
from mobilesim.recording.link_counters import Links, Tally
from mobilesim.recording.message_timeline import Trip
from mobilesim.recording.recorder import Watch
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.simulation import final_tables_static
from mobilesim.simulation.links.wireless import transmission
from mobilesim.simulation.measurement_window import Window
from mobilesim.simulation.overload import Span, Workplace, wired
from mobilesim.simulation.simulation import Rows, Simulation
from mobilesim.world.backbone.topology import build_backbone
from mobilesim.world.random_streams import Streams, sampler
from mobilesim.world.replication import World
from protocols.machine import Copy, Message, Purpose, System
from protocols.mailbox.mailbox import MailboxOwner

_DATA: Final = Purpose.DATA
_WORD: Final = Purpose.ORDERING

_STARTS: Final = (UPLINK_STARTED, ACCEPTED, STAMPED, SENT)
_COMES: Final = (LANDED, FIRST, ARRIVED, HANDED, DOWNLINK_STARTED, HEARD)
_AWAY: Final = (ARRIVED_AWAY, HANDED_AWAY, HEARD_AWAY, DELIVERABLE_AWAY)

Flight = tuple[int, Copy, int]
"""A destination, what comes to it, and when its link took it up."""


def meadow(scenario: Scenario, replication: int) -> World:
    """Somewhere to be: one cell that nobody leaves, and whose station has nothing to do."""
    streams = Streams(scenario.seed, replication)
    return World(scenario, streams, [()], build_backbone(Backbone(), 1, streams), (0,) * scenario.hosts)


class Mesh(Simulation):
    """To those who drive it, a simulation like any other."""

    def __init__(
        self, world: World, system: System, oracle: Oracle | None, watch: Watch | None, window: Window
    ) -> None:
        super().__init__(world, oracle, watch)
        scenario = world.scenario
        assert scenario.links is not None
        self.window = window
        self.mailboxes = [host.mailbox for host in cast("Sequence[MailboxOwner]", system.hosts)]
        self.fifo = scenario.links.service == "fifo"
        self.bandwidth = scenario.links.bandwidth
        self.integer, self.framing = scenario.sizes.integer, scenario.sizes.header
        self.free: list[dict[int, int]] = [{} for _ in system.hosts]
        self.tallies: Links = {}
        self.measured_tallies = self.tallies
        self.measured_hosts: tuple[list[int], list[int]] | None = None
        """How many messages each host had sent and got when the window closed."""
        delay, streams = scenario.links.delay, world.streams
        self.delays = [sampler(delay, streams.stream("link", host)) for host in range(scenario.hosts)]
        self.word_delays = [sampler(delay, streams.stream("words", host)) for host in range(scenario.hosts)]
        self.drawn: dict[int, dict[int, int]] = {}
        """Of messages that may not leave yet."""
        self.mark = self.window.opens or self.window.closes
        self._start_talking()

    @property
    def progress(self) -> float:
        return max(super().progress, min(1.0, self.delivered_copies / self.window.closes))

    @property
    def measured(self) -> tuple[int, int]:
        return self.window.measured(self.sent, self.delivered_copies)

    def submit(self, host: int, message: Message) -> None:
        draw, mailbox = self.delays[host], self.mailboxes[host]
        delays = {target: draw() for target in message.destinations}
        if not mailbox.sends_control:
            for copy in mailbox.send(message):
                self._send(host, copy, delays)
            return
        self.drawn[message.id] = delays
        before = mailbox.size
        self._say(host, mailbox.send(message))
        if self.watch is not None and mailbox.size > before:
            self.watch.journeys.held(message, self.engine.time)

    def _say(self, host: int, said: Sequence[Copy]) -> None:
        draw, drawn = self.word_delays[host], self.drawn
        for copy in said:
            if copy.is_control:
                self._send(host, copy, {target: draw() for target in copy.targets})
                continue
            if self.watch is not None:
                self.watch.journeys.let_go(copy.message, self.engine.time)
            self._send(host, copy, drawn[copy.message.id])
        for number in {copy.message.id for copy in said if not copy.is_control}:
            del drawn[number]
        if after := self.mailboxes[host].timer():
            self.engine.call_at(self.engine.time + after, self._wake, host)

    def _send(self, source: int, copy: Copy, delays: dict[int, int]) -> None:
        now, call_at, arrive, free = self.engine.time, self.engine.call_at, self._arrive, self.free[source]
        size = self.framing + copy.message.size + self.integer * copy.stamp.integers
        length = 0 if self.bandwidth is None else transmission(size, self.bandwidth)
        for target in copy.targets:
            busy = delays[target] + length
            start = max(now, free.get(target, 0)) if self.fifo else now
            free[target] = start + busy
            if self.watch is not None:
                self._count((source, target), copy, size, start, busy)
            call_at(start + busy, arrive, (target, copy, start))

    def _count(self, ends: tuple[int, int], copy: Copy, size: int, start: int, busy: int) -> None:
        tally = self.tallies.get(ends)
        if tally is None:
            tally = self.tallies[ends] = Tally()
        purpose = _WORD if copy.is_control else _DATA
        ordering = self.integer * copy.stamp.integers
        tally.count(purpose, copy.message.size, ordering, 0, self.framing, size, busy)
        if start > self.engine.time:
            tally.queued(start, self.engine.time)

    def _arrive(self, flight: Flight) -> None:
        host, copy, start = flight
        if self.watch is not None and not copy.is_control:
            _arrived(copy, host, start, self.engine.time)
        mailbox = self.mailboxes[host]
        for released in mailbox.arrive(copy):
            self.delivered(released.message, host)
        if mailbox.sends_control:
            self._say(host, mailbox.pending_control())

    def _wake(self, host: int) -> None:
        self._say(host, self.mailboxes[host].pending_control(late=True))

    def delivered(self, message: Message, host: int) -> None:
        super().delivered(message, host)
        if self.delivered_copies == self.mark:
            self._reached()

    def _reached(self) -> None:
        """The window opens, or closes: then nobody sends any more, and what is under way arrives unmeasured."""
        if not self.window.opened:
            self.window.begin(self.engine.time, self.sent, self.delivered_copies)
            self.mark = self.window.closes
            self._measure_afresh()
        else:
            self.window.end(self.sent, self.delivered_copies)
            self.end = self.engine.time
            self.engine.forget(*self.intentions)
            self.tallies = {}
            if self.watch is not None:
                self.measured_hosts = [*self.watch.submitted], [*self.watch.delivered]

    def _measure_afresh(self) -> None:
        self.tallies = self.measured_tallies = {}
        if self.watch is not None:
            hosts = len(self.mailboxes)
            self.watch.submitted[:], self.watch.delivered[:] = [0] * hosts, [0] * hosts

    def workplaces(self, watch: Watch, during: Span) -> Iterable[Workplace]:
        """Links that carry one packet at a time."""
        if not self.fifo:
            return ()
        measured = during.until - max(during.since, self.window.since)
        return wired(self.measured_tallies, "host", "make links.delay shorter", lambda _: measured)

    def census(self, watch: Watch) -> Mapping[str, Rows]:
        return {
            "links": final_tables_static.links(self),
            "stations": [],
            "hosts": final_tables_static.hosts(self, watch),
        }


def _arrived(copy: Copy, host: int, start: int, now: int) -> None:
    """All of a message's way that there is: it queued for its link until `start`, and has crossed it."""
    trip: Trip = cast("Any", copy.message).trip
    header, units = copy.stamp.integers, copy.stamp.units
    trip.header, trip.units = max(trip.header, header), max(trip.units, units)
    journey = trip.journeys[host]
    for moment in _STARTS:
        journey[moment] = start
    for moment in _COMES:
        journey[moment] = now
    for away in _AWAY:
        journey[away] = 0
    journey[PASSED] = journey[RETRANSMISSIONS] = 0
    journey[HEADER], journey[UNITS] = header, units

"""Simulation of a static network: hosts do not move, and a link leads from each host to every other host.

Hosts do not register, and their frames are not numbered. So only the mailbox of a host's machine is used. A packet has
one destination and is one event in the engine. The delays of a message are drawn at its submission, from a random
stream of its source, in the order of its destinations. So all orderings have the same delays. The delays of control
messages are drawn from another stream.

On a bus, hosts share one link. A packet is transmitted once for all of its destinations, after the packets that were
sent before it. A message has one delay, for each of its packets.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.machine import System
from mobilesim.protocols.mailbox import Mailbox
from mobilesim.protocols.packets import DATA, ORDERING, Copy, Message
from mobilesim.recording.link_counters import ALL_HOSTS, Columns, LinkCounter, Links, LinksSnapshot, columns
from mobilesim.recording.null_recorder import Recorder
from mobilesim.recording.recorder import RunRecorder
from mobilesim.simulation import final_tables
from mobilesim.simulation.counters import Counters
from mobilesim.simulation.engine import Event
from mobilesim.simulation.links.wireless import transmission
from mobilesim.simulation.measurement_window import Window
from mobilesim.simulation.overload import Server, Span, bus_servers, link_servers
from mobilesim.simulation.simulation import Simulation
from mobilesim.world.random_streams import sampler
from mobilesim.world.replication import World


class CopyArrival(Event):
    """The arrival of a copy that entered its link at `start`."""

    __slots__ = ("copy", "network", "start", "target")

    def __init__(self, network: "StaticSimulation", target: int, copy: Copy, start: int) -> None:
        self.network, self.target, self.copy, self.start = network, target, copy, start

    def happen(self) -> None:
        self.network.arrive(self.target, self.copy, self.start)


class StaticSimulation(Simulation):
    def __init__(
        self, world: World, system: System, oracle: Oracle | None, recorder: Recorder, window: Window | None = None
    ) -> None:
        super().__init__(world, oracle, recorder, window)
        scenario = world.scenario
        assert scenario.links is not None
        self.mailboxes: list[Mailbox] = [host.mailbox for host in cast("Sequence[Any]", system.hosts)]
        self.fifo = scenario.links.service == "fifo"
        self.bus = scenario.links.service == "bus"
        self.bus_free = 0
        """The time at which the bus has transmitted all packets."""
        self.bandwidth = scenario.links.bandwidth
        self.integer, self.framing = scenario.sizes.integer, scenario.sizes.header
        self.free: list[dict[int, int]] = [{} for _ in range(scenario.hosts)]
        self.links: Links = defaultdict(LinkCounter)
        self.received: Links = defaultdict(LinkCounter)
        """On a bus, what each host has received."""
        self.link_delay = delay = scenario.links.delay
        streams = world.streams
        self.delays = [sampler(delay, streams.stream("link", host)) for host in range(scenario.hosts)]
        self.control_delays = [sampler(delay, streams.stream("words", host)) for host in range(scenario.hosts)]
        self.drawn: dict[int, dict[int, int]] = {}
        """By message, the delays of the copies that have not been sent to their destinations."""

    def submit(self, host: int, message: Message) -> None:
        mailbox = self.mailboxes[host]
        delays = self._delays(self.delays[host], message.destinations)
        if not mailbox.sends_control:
            for copy in mailbox.send(message):
                self._send(host, copy, delays)
            if mailbox.process.releases_at_send:
                self._deliver_sent(host)
            return
        self.drawn[message.id] = delays
        before = mailbox.size
        copies = mailbox.send(message)
        if mailbox.size > before or mailbox.relays:
            self.recorder.timeline.held(message, self.engine.time)
        self._send_all(host, copies)

    def _delays(self, draw: Callable[[], int], targets: Sequence[int]) -> dict[int, int]:
        """Draw the delays of a message by destination."""
        if self.bus:
            return dict.fromkeys(targets, draw())
        return {target: draw() for target in targets}

    def _send_all(self, host: int, copies: Sequence[Copy]) -> None:
        draw, drawn = self.control_delays[host], self.drawn
        for copy in copies:
            if copy.is_control:
                self._send(host, copy, self._delays(draw, copy.targets))
                continue
            self.recorder.timeline.departed(copy.message, host, copy.targets, self.engine.time)
            delays = drawn[copy.message.id]
            self._send(host, copy, delays)
            for target in copy.targets:
                del delays[target]
            if not delays:
                del drawn[copy.message.id]
        if after := self.mailboxes[host].timer():
            self.engine.call_at(self.engine.time + after, self._wake, host)
        if self.mailboxes[host].process.releases_at_send:
            self._deliver_sent(host)

    def _deliver_sent(self, host: int) -> None:
        """Deliver the messages that sends of the host release."""
        mailbox = self.mailboxes[host]
        released = list(mailbox.released_by_send())
        for copy in released:
            self.delivered(copy.message, host)
        if released and mailbox.sends_control:
            self._send_all(host, mailbox.pending_control())

    def _send(self, source: int, copy: Copy, delays: dict[int, int]) -> None:
        engine, now, free = self.engine, self.engine.time, self.free[source]
        purpose, ordering = ORDERING if copy.is_control else DATA, self.integer * copy.stamp.integers
        size = self.framing + copy.message.size + ordering
        length = 0 if self.bandwidth is None else transmission(size, self.bandwidth)
        if self.bus:
            busy = delays[copy.targets[0]] + length
            start = max(now, self.bus_free)
            self.bus_free = start + busy
            if self.recorder.records:
                counter = self.links[source, ALL_HOSTS]
                counter.count(purpose, copy.message.size, ordering, 0, self.framing, size, busy)
                if start > now:
                    counter.queued(start, now)
            for target in copy.targets:
                if self.recorder.records:
                    heard = self.received[ALL_HOSTS, target]
                    heard.count(purpose, copy.message.size, ordering, 0, self.framing, size, busy)
                engine.push(start + busy, CopyArrival(self, target, copy, start))
            return
        for target in copy.targets:
            busy = delays[target] + length
            start = max(now, free.get(target, 0)) if self.fifo else now
            free[target] = start + busy
            if self.recorder.records:
                counter = self.links[source, target]
                counter.count(purpose, copy.message.size, ordering, 0, self.framing, size, busy)
                if start > now:
                    counter.queued(start, now)
            engine.push(start + busy, CopyArrival(self, target, copy, start))

    def arrive(self, host: int, copy: Copy, start: int) -> None:
        self.recorder.crossed(copy, host, start, self.engine.time)
        mailbox = self.mailboxes[host]
        for released in mailbox.arrive(copy):
            self.delivered(released.message, host)
        self.recorder.timeline.processed()
        if mailbox.sends_control:
            self._send_all(host, mailbox.pending_control())

    def _wake(self, host: int) -> None:
        self._send_all(host, self.mailboxes[host].pending_control(late=True))

    def servers(self, recorder: RunRecorder, during: Span) -> Iterable[Server]:
        """Return the links or the bus as servers; links without FIFO order have no queues."""
        measured = during.until - during.since
        if self.bus:
            return bus_servers(self.window_counters.links["bus"], measured)
        if not self.fifo:
            return ()
        return link_servers(self.window_counters.links["wired"], "host", "reduce links.delay", lambda _: measured)

    def counters(self, *, settled: bool) -> Counters:
        kinds = {"bus": self.links, "received": self.received} if self.bus else {"wired": self.links}
        if settled:
            kinds = {kind: LinksSnapshot(links, ()).links for kind, links in kinds.items()}
        return Counters(self.engine.time, kinds, {}, (), (), ())

    def restart_queue_peaks(self) -> None:
        for counter in self.links.values():
            counter.restart_queue_peak(self.engine.time)

    def final_links(self) -> Mapping[str, Columns]:
        return {kind: columns(links) for kind, links in self.window_counters.links.items() if kind != "received"}

    def final_tables(self, recorder: RunRecorder) -> Mapping[str, Columns]:
        return {
            "stations": final_tables.stations(self.window_counters, recorder),
            "hosts": final_tables.static_hosts(self.window_counters, recorder),
        }

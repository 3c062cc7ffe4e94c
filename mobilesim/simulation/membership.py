"""Simulation of a static network in which hosts join and leave.

The membership service (`mobilesim.protocols.membership`) is a node outside the network, with a link to each host. Its
packets have the delays of `links.delay`, without a transmission time, and are counted for the host at the other end.
The delays of packets about hosts that join or leave are drawn from streams of their own, and packets to one host keep
their order. So all protocols have the same views at the same times, and as the destinations of a message are drawn
from the view of its source, the same messages. Only the times of `Finished` and `Removed` depend on the protocol. If an
ordering flushes its views, the times of views depend on it, too. A host then joins when it has its first view, and is a
member for as long as under other protocols.

A host that leaves stops at once. Copies that wait at it, and copies that reach its place later, are given up: they
count as `left`. A copy that reaches a host before the service's welcome counts as in transit until the welcome.
"""

from collections.abc import Mapping

import numpy as np

from mobilesim.oracle.members import MemberOracle
from mobilesim.protocols.flush import ViewChange, addressed
from mobilesim.protocols.machine import System
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import Join, NewView, Notice, Removed, Request, Welcome
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.packets import Copy, Message
from mobilesim.protocols.view import first_view
from mobilesim.recording.link_counters import Columns
from mobilesim.recording.null_recorder import Recorder
from mobilesim.recording.recorder import RunRecorder
from mobilesim.simulation import final_tables
from mobilesim.simulation.counters import Counters
from mobilesim.simulation.engine import Event
from mobilesim.simulation.measurement_window import Window
from mobilesim.simulation.simulation import NextMessage
from mobilesim.simulation.static_network import StaticSimulation
from mobilesim.world.random_streams import Sampler, sampler
from mobilesim.world.replication import World
from mobilesim.world.traffic.messages import MemberTrafficSource, TrafficSource
from mobilesim.world.traffic.replies import Answer


class NoticeArrival(Event):
    """The arrival of a packet of the membership service at a host."""

    __slots__ = ("host", "network", "notice")

    def __init__(self, network: "MembershipSimulation", host: int, notice: Notice) -> None:
        self.network, self.host, self.notice = network, host, notice

    def happen(self) -> None:
        self.network.notify(self.host, self.notice)


class MembershipSimulation(StaticSimulation):
    def __init__(
        self,
        world: World,
        ordering: Ordering,
        oracle: MemberOracle | None,
        recorder: Recorder,
        window: Window | None = None,
        *,
        change: ViewChange,
    ) -> None:
        super().__init__(world, System([], []), oracle, recorder, window)
        self.ordering = ordering
        self.members_oracle = oracle
        first = world.scenario.hosts
        service, self.kind = change
        self.service = service(first)
        self.members: dict[int, Member] = {}
        self.early: dict[int, list[tuple[Copy, int]]] = {}
        """By registered host without a view: the copies that have arrived, and when they entered their links."""
        self.joined: dict[int, int] = {}
        self.left: dict[int, int] = {}
        self._views: list[Sampler] = []
        self._removals: list[Sampler] = []
        self._service_free: list[int] = []
        """By host: when its last packet from the service about a host that joined or left arrives."""
        self.view_packets = [0] * len(world.stays)
        """By host, the packets between the host and the service; `view_integers`: their integers."""
        self.view_integers = [0] * len(world.stays)
        self._measured_views: tuple[list[int], list[int]] = ([], [])
        """What was counted in the measurement window of a finished run."""
        for host in range(first):
            self._add_host(0)
            self.members[host] = self.kind(host, ordering, first_view(first))
            self._record_join(host)

    def _add_host(self, joined: int) -> None:
        """Add the links of the next host to the service and, if it is not there from the start, to the hosts."""
        host, delay, streams = len(self._views), self.link_delay, self.world.streams
        if host == len(self.free):
            self.free.append({})
            self.delays.append(sampler(delay, streams.stream("link", host)))
        self._views.append(sampler(delay, streams.stream("views", host)))
        self._removals.append(sampler(delay, streams.stream("removals", host)))
        self._service_free.append(joined)

    @property
    def host_count(self) -> int:
        return self.service.issued

    def host_traffic(self) -> dict[int, TrafficSource]:
        return {host: self._traffic_of(member) for host, member in self.members.items()}

    def _traffic_of(self, member: Member) -> TrafficSource:
        return MemberTrafficSource(self.world.scenario.workload, self.world.streams, member.index, member.view)

    def start(self) -> None:
        super().start()
        first = self.world.scenario.hosts
        for host, stay in enumerate(self.world.stays):
            if host >= first:
                self._schedule(stay.registered, self._register, host)
            elif stay.left is not None:
                self._schedule(stay.left, self._leave, host)

    # Joins and leaves

    def _register(self, host: int) -> None:
        """Let the service receive a host's request to join."""
        self._add_host(self.world.stays[host].joined)
        self.early[host] = []
        self._count_view(host, Join())
        self._serve(Join())

    def _record_join(self, host: int) -> None:
        self.joined[host] = self.engine.time
        if self.members_oracle is not None:
            self.members_oracle.joined(host)

    def _welcome(self, host: int, welcome: Welcome | NewView) -> None:
        member = self.members[host] = self.kind(host, self.ordering, welcome.view)
        self._record_join(host)
        for copy, start in self.early.pop(host):
            self.arrive(host, copy, start)
        traffic, now = self._traffic_of(member), self.engine.time
        self._schedule_message(NextMessage(self, host, traffic), now + traffic.first())
        stay = self.world.stays[host]
        if stay.left is not None:
            # With a flush, a host may join later than planned. It is a member for the planned time.
            self._schedule(now + stay.left - stay.joined, self._leave, host)

    def _leave(self, host: int) -> None:
        """Let a host leave, and give up the copies that wait at it."""
        member, stay, now = self.members.pop(host), self.world.stays[host], self.engine.time
        assert stay.left is not None
        assert stay.reported is not None
        self.left[host] = now
        if self.members_oracle is not None:
            self.members_oracle.left(host)
        for copy in member.waiting:
            self._give_up(copy.message, host)
        for message in member.held:
            self._readdress(message, addressed(message, ()))
        self.free[host] = {}
        request = member.leave()
        self._count_view(host, request)
        self.engine.call_at(now + stay.reported - stay.left, self._serve, request)

    def _give_up(self, message: Message, host: int) -> None:
        self.left_copies += 1
        self.recorder.timeline.dropped(message, host, self.engine.time)
        if self.oracle is not None:
            self.oracle.dropped(message.id, message.source, host)

    # Packets of the membership service

    def _serve(self, request: Request) -> None:
        """Let the service answer a request that has reached it."""
        now, free = self.engine.time, self._service_free
        for host, notice in self.service.process(request):
            self._count_view(host, notice)
            if isinstance(notice, Welcome):
                arrival = free[host]
            elif isinstance(notice, Removed):
                arrival = max(free[host], now + self._removals[host]())
            else:
                arrival = free[host] = max(free[host], now + self._views[host]())
            self.engine.push(arrival, NoticeArrival(self, host, notice))

    def notify(self, host: int, notice: Notice) -> None:
        """Let a packet of the service arrive at a host, unless the host has left."""
        if host in self.early:
            assert isinstance(notice, Welcome | NewView)
            self._welcome(host, notice)
        elif (member := self.members.get(host)) is not None:
            self._deliver(member, member.notice(notice))

    def _deliver(self, member: Member, released: list[Copy]) -> None:
        """Deliver the copies that a member has released, and send what it has for others and for the service."""
        for copy in released:
            self.delivered(copy.message, member.index)
        for before, message, copies in member.take_sends():
            self._send_late(member, before, message, copies)
        now, host = self.engine.time, member.index
        for request in member.take_news():
            self._count_view(host, request)
            self.engine.call_at(now + self._removals[host](), self._serve, request)

    def _count_view(self, host: int, packet: Notice | Request) -> None:
        self.view_packets[host] += 1
        self.view_integers[host] += packet.integers

    # Messages

    def send_next(self, event: NextMessage) -> None:
        """Send the next message of a host if it is a member and knows others, and schedule the event again."""
        host, source = event.host, event.source
        if host not in self.members:
            return
        destinations, group, size = source.address()
        if destinations:
            self._begin(host, destinations, group, size)
        if self.sent < self.limit:
            self._schedule_message(event, self.engine.time + source.pause())

    def _answer(self, answer: Answer) -> None:
        """Send an answer if its host is a member, to those of its destinations that are members in the host's view."""
        member = self.members.get(answer.host)
        if member is not None and (to := tuple([each for each in answer.to if each in member.view.members])):
            super()._answer(answer._replace(to=to))

    def submit(self, host: int, message: Message) -> None:
        member = self.members[host]
        copies = member.send(message)
        if copies:
            self._send_now(member, message, copies)
        else:
            self.recorder.timeline.held(message, self.engine.time)

    def _send_now(self, member: Member, message: Message, copies: list[Copy]) -> None:
        host = member.index
        delays = self._delays(self.delays[host], message.destinations)
        for copy in copies:
            self._send(host, copy, delays)
        if member.mailbox.process.releases_at_send:
            self._deliver(member, member.released_by_send())

    def _send_late(self, member: Member, before: Message, message: Message, copies: list[Copy]) -> None:
        """Send the copies of a message that has waited for a view."""
        self._readdress(before, message)
        self.recorder.timeline.departed(message, member.index, message.destinations, self.engine.time)
        self._send_now(member, message, copies)

    def _readdress(self, before: Message, after: Message) -> None:
        """Change the destinations of a message that has waited. It has none if it is never sent."""
        if self.oracle is not None:
            self.oracle.readdressed(before.id, before.source, before.destinations, after.destinations)
        self.recorder.timeline.readdressed(after)

    def arrive(self, host: int, copy: Copy, start: int) -> None:
        if host in self.early:
            self.early[host].append((copy, start))
            return
        self.recorder.crossed(copy, host, start, self.engine.time)
        member = self.members.get(host)
        if member is None:
            self._give_up(copy.message, host)
        else:
            self._deliver(member, member.arrive(copy))
        self.recorder.timeline.processed()

    # The end of the run

    def counters(self, *, settled: bool) -> Counters:
        self._measured_views = self.view_packets.copy(), self.view_integers.copy()
        return super().counters(settled=settled)

    def restart_queue_peaks(self) -> None:
        super().restart_queue_peaks()
        hosts = len(self.view_packets)
        self.view_packets, self.view_integers = [0] * hosts, [0] * hosts

    def final_tables(self, recorder: RunRecorder) -> Mapping[str, Columns]:
        tables, count = super().final_tables(recorder), self.host_count
        packets, integers = [np.array(counts[:count]) for counts in self._measured_views]
        hosts = {name: column[:count] for name, column in tables["hosts"].items()}
        views = {"view_packets": packets, "view_bytes": self.framing * packets + self.integer * integers}
        times = {"joined": self.joined, "left": self.left}
        times_by_host = {name: final_tables.by_number(by_host, count) for name, by_host in times.items()}
        return {**tables, "hosts": {**hosts, **views, **times_by_host}}

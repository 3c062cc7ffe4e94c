"""k processes per station. A host belongs to one process of its cell. Hand-offs flush messages to keep causal order.

Alagar and Venkatesan: Causally Ordered Message Delivery in Mobile Systems (1994), sections 5 and 6 (algorithms 2 and 3,
with `rst`; algorithm 2 is k = 1). Logical station p is number p mod k at station p div k.

Theory. Logical stations order messages among themselves. Wireless channels are FIFO, so the messages of a host are also
ordered while the host stays. When a host moves from p to q, q notifies all logical stations (`Notify`). Each of them
sends `Last` to p, and from then on sends messages for the host to q. These packets are stamped like messages: a `Last`
is delivered after all messages from its sender to the host at p. When all `Last` packets have arrived, no message for
the host is in transit to p, and p informs q (`Over`). Until then, q holds the messages for the host that p has not
forwarded. Forwarded messages arrive after the host's state, and q transmits them at once.

Invariant. Every message for visit v of a host (its stay number v in a cell) is released at v's logical station before
that station sends `Over`. Released messages are transmitted, or forwarded as a `ForwardedPacket`, in the order of
their release.

Deviations from the paper, and why
- `handoff_begin` is sent to the host's previous station. Section 5.2 of the paper names the new station.
- `Notify` is one broadcast with one stamp. Separate unicasts with different stamps could violate causal order.
- A deliverable message may be for a host whose hand-off is not complete. Then the process counts the message as
  delivered, and the station holds the message until `Over`. If the process did not count it, `Over` could not be
  delivered.
- A packet contains, for each destination host, the number of its visit. If the record of this visit is LEAVING or was
  deleted, the station forwards the message. While the hand-off into this visit is not complete, the station holds the
  message. A `ForwardedPacket` is not held if the state has arrived: in ENABLED, the message is transmitted; in
  CROSSING, it is added to the host's `Sender`, which moves to the next station.
- All processes send `Last`, including those of the two stations of the hand-off. A process sends `Last` to the station
  of visit v when it has been notified of all visits up to v + 1.
- If the host leaves before `Over` for visit v arrives, the station of v sends the state (`Enable`) to the next station
  only after `Over`. The state must contain all messages that were forwarded to visit v.
- A message for a host of the sender's own process is delivered at once, since a process does not send to itself.
- A message between two processes of one station crosses no wired link: the station processes it directly after the
  current step. If it has to wait for a delivery, it is released before wired messages that wait for the same delivery.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import ClassVar

from mobilesim.protocols.handoff.flush_handoff import (
    FLUSH_TABLE,
    Enable,
    ForwardedPacket,
    Last,
    Locations,
    LogicalVisit,
    Notify,
    Over,
    StampedHandoffPacket,
    VisitAddress,
    VisitPacket,
)
from mobilesim.protocols.handoff.visits import (
    SERVING,
    Actions,
    Do,
    HandoffBegin,
    HandoffEvent,
    HandoffStation,
    HandoffTable,
    VisitState,
)
from mobilesim.protocols.handoff.wireless_hop import Data, MobileHost
from mobilesim.protocols.machine import Milestone, Phase, ProtocolError, StationOutbox, System
from mobilesim.protocols.mailbox import Inbox
from mobilesim.protocols.ordering import Addressed, Ordering, OrderingFactory, Process, check_destinations
from mobilesim.protocols.packets import UNSTAMPED, Copy, Packet, Stamp

Stamped = VisitPacket | StampedHandoffPacket


class LogicalStation(HandoffStation[LogicalVisit]):
    __slots__ = ("hosts", "inboxes", "k", "loads", "local", "locations", "processes", "woken")
    table: ClassVar[HandoffTable] = FLUSH_TABLE

    def __init__(self, index: int, k: int, processes: int, homes: tuple[VisitAddress, ...], ordering: Ordering) -> None:
        super().__init__(index)
        self.hosts = len(homes)
        self.k = k
        self.processes = processes
        own = range(index * k, index * k + k)
        self.inboxes: list[Inbox[Stamped]] = [Inbox(ordering.process(number)) for number in own]
        self.locations = [Locations(homes) for _ in own]
        self.loads = [0 for _ in own]
        self.local: deque[Stamped] = deque()
        """Packets between processes of this station. The queue is empty after every input."""
        self.woken: deque[Iterable[Stamped]] = deque()
        """The packets that sends of the station's processes release. The queue is empty after every input."""

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is HandoffBegin:
            self.begin(packet, out)
            self._leave(self._record(packet.host, packet.visit - 1), out)
            self._arrive_local(out)
        elif isinstance(packet, (VisitPacket, StampedHandoffPacket)):
            self._arrive(self._inbox(packet).arrive(packet), out)
        else:
            raise ProtocolError(f"station {self.index} received {packet}")

    def only_buffers(self, packet: Packet) -> bool:
        return (
            isinstance(packet, (VisitPacket, StampedHandoffPacket))
            and self._inbox(packet).process.missing(packet.stamp) is not None
        )

    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        super().receive_frame(host, frame, out)
        if self.local or self.woken:
            self._arrive_local(out)

    def _arrive(self, packets: Iterable[Stamped], out: StationOutbox) -> None:
        """Deliver packets to the station's processes, each followed by the packets that its delivery sends here or
        releases here.
        """
        for packet in packets:
            self._deliver(packet, out)
            if self.local or self.woken:
                self._arrive_local(out)

    def _arrive_local(self, out: StationOutbox) -> None:
        """Deliver the local and the woken packets, each followed by those that its delivery causes."""
        stack: list[Iterator[Stamped]] = []
        while self.woken or self.local or stack:
            if self.woken:
                stack.append(iter(self.woken.popleft()))
            elif self.local:
                packet = self.local.popleft()
                if type(packet) is VisitPacket:
                    out.telemetry.kept(packet.copies)
                stack.append(iter(self._inbox(packet).arrive(packet, inner=True)))
            if (released := next(stack[-1], None)) is None:
                stack.pop()
            else:
                self._deliver(released, out)

    def _inbox(self, packet: Stamped) -> Inbox[Stamped]:
        return self.inboxes[packet.to % self.k]

    def _stamp(self, process: int, target: int, group: int = -1) -> Stamp:
        return self._stamps(process, (target,), group)[0][1]

    def _stamps(self, process: int, targets: tuple[int, ...], group: int) -> Sequence[Addressed]:
        inbox = self.inboxes[process % self.k]
        stamps = inbox.process.send(targets, group)
        if inbox.process.releases_at_send:
            self.woken.append(inbox.released_by_send())
        return stamps

    def _send(self, packet: Stamped, out: StationOutbox) -> None:
        station = packet.to // self.k
        if station == self.index:
            self.local.append(packet)
        else:
            out.send(station, packet)

    def _deliver(self, packet: Stamped, out: StationOutbox) -> None:
        if type(packet) is Notify:
            self._note_visit(packet.to, packet.host, packet.visit, packet.logical, out)
        elif type(packet) is Last:
            self._count_last(packet.host, packet.visit - 1, out)
        elif isinstance(packet, VisitPacket):
            for target, number in zip(packet.copy.targets, packet.visits, strict=True):
                self._pass_down(target, number, packet, out)
        elif type(packet) is Enable:
            self._enable(packet, out)
        elif type(packet) is Over:
            self._over(self._record(packet.host, packet.visit), out)

    # Messages

    def originate(self, visit: LogicalVisit, frame: Data, out: StationOutbox) -> None:
        message, find = frame.copies[0].message, self.locations[visit.process % self.k].find
        check_destinations(message, self.hosts)
        places: dict[int, tuple[list[int], list[int]]] = {}
        for host in message.destinations:
            number, process = find(host)
            hosts, numbers = places.setdefault(process, ([], []))
            hosts.append(host)
            numbers.append(number)
        own = places.pop(visit.process, None)
        if places:
            for processes, stamp in self._stamps(visit.process, tuple(places), message.group):
                for process in processes:
                    hosts, numbers = places[process]
                    self._send(VisitPacket(Copy(message, tuple(hosts), stamp), tuple(numbers), process), out)
        if own:
            packet = VisitPacket(Copy(message, tuple(own[0]), UNSTAMPED), tuple(own[1]), visit.process)
            out.telemetry.kept(packet.copies)
            self._deliver(packet, out)

    def _pass_down(self, host: int, number: int, packet: VisitPacket, out: StationOutbox) -> None:
        visit = self.find_visit(host, number)
        forwarded = type(packet) is ForwardedPacket
        bare = Copy(packet.copy.message, (host,), UNSTAMPED)
        if visit is None:
            self._forward(host, self.locations[packet.to % self.k].find(host), packet, out)
        elif visit.state is SERVING or (forwarded and visit.state is VisitState.ENABLED):
            self.send_down(visit, bare, out)
        elif visit.state is VisitState.LEAVING:
            self._forward(host, (number + 1, visit.successor), packet, out)
        elif forwarded and visit.state is VisitState.CROSSING:
            visit.sender.enqueue((bare,), 0)
        else:
            visit.held.append(bare)
            self.waiting += 1

    def _forward(self, host: int, address: VisitAddress, packet: VisitPacket, out: StationOutbox) -> None:
        number, process = address
        message = packet.copy.message
        out.telemetry.reached(Milestone(host, number, Phase.FORWARDED))
        stamp = UNSTAMPED if process == packet.to else self._stamp(packet.to, process, message.group)
        forwarded = ForwardedPacket(Copy(message, (host,), stamp), (number,), process)
        if process == packet.to:
            self._pass_down(host, number, forwarded, out)
        else:
            self._send(forwarded, out)

    def release(self, visit: LogicalVisit, out: StationOutbox) -> None:
        held, visit.held = visit.held, []
        self.waiting -= len(held)
        for copy in held:
            if visit.state is SERVING:
                self.send_down(visit, copy, out)
            else:
                visit.sender.enqueue((copy,), 0)

    # The hand-off

    def new_visit(self, host: int, number: int) -> LogicalVisit:
        """Return a new record. The visit is assigned to the logical station of this cell that has the fewest visits."""
        local = self.loads.index(min(self.loads))
        self.loads[local] += 1
        return LogicalVisit(host, number, self.index * self.k + local)

    def actions(self) -> Actions[LogicalVisit]:
        return super().actions() | {Do.NOTIFY: self.notify, Do.CONCLUDE: self.conclude}

    def request(self, visit: LogicalVisit, out: StationOutbox) -> None:
        out.send(visit.trail[-1], HandoffBegin(visit.host, visit.number, visit.trail, self.index, visit.process))

    def notify(self, visit: LogicalVisit, out: StationOutbox) -> None:
        host, number, process = visit.host, visit.number, visit.process
        others = tuple(other for other in range(self.processes) if other != process)
        for processes, stamp in self._stamps(process, others, -1):
            for other in processes:
                self._send(Notify(host, number, stamp, other, process), out)
        self._note_visit(process, host, number, process, out)

    def _note_visit(self, process: int, host: int, number: int, logical: int, out: StationOutbox) -> None:
        """Store a host's new visit in the locations of `process`; send `Last` to the visits that have ended."""
        for ended, old in self.locations[process % self.k].learn(host, number, logical):
            if old == process:
                self._count_last(host, ended, out)
            else:
                self._send(Last(host, ended + 1, self._stamp(process, old), old), out)

    def _count_last(self, host: int, number: int, out: StationOutbox) -> None:
        visit = self._record(host, number)
        visit.lasts += 1
        if visit.lasts == self.processes:
            out.telemetry.reached(Milestone(host, number + 1, Phase.FLUSH_ACK))
            self._leave(visit, out)

    def hand_over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        successor, stamp = visit.successor, self._stamp(visit.process, visit.successor)
        self._send(Enable(visit.host, visit.number + 1, stamp, successor, visit.sender, visit.receiver), out)
        self.loads[visit.process % self.k] -= 1
        visit.forget()

    def _enable(self, packet: Enable, out: StationOutbox) -> None:
        visit = self._record(packet.host, packet.visit)
        visit.sender, visit.receiver = packet.sender, packet.receiver
        visit.sender.acknowledge(visit.last_received)
        visit.passed = visit.state is VisitState.PASSING
        again = 0 if visit.passed else len(visit.sender.unacknowledged)
        milestone = Milestone(visit.host, visit.number, Phase.ENABLED, False, len(visit.queue), again)
        out.telemetry.reached(milestone)
        self.step(visit, HandoffEvent.STATE, out)
        if visit.flushed:
            self._over(visit, out)

    def _over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        visit.flushed = True
        if visit.state not in {VisitState.ENABLED, VisitState.CROSSING}:
            return
        phase = Phase.PASSED if visit.passed else Phase.COMPLETE
        out.telemetry.reached(Milestone(visit.host, visit.number, phase, buffered=len(visit.held)))
        self.step(visit, HandoffEvent.OVER, out)
        self._leave(visit, out)

    def _leave(self, visit: LogicalVisit, out: StationOutbox) -> None:
        if visit.state is VisitState.LEAVING and visit.lasts == self.processes:
            self.step(visit, HandoffEvent.FLUSHED, out)

    def conclude(self, visit: LogicalVisit, out: StationOutbox) -> None:
        """Inform the successor that no message for this visit is in transit."""
        stamp = self._stamp(visit.process, visit.successor)
        self._send(Over(visit.host, visit.number + 1, stamp, visit.successor), out)

    def start(self, host: int, process: int) -> None:
        visit = self.visit_record(host, 0)
        assert visit.process == process
        self.transition(visit, HandoffEvent.START)

    def _record(self, host: int, number: int) -> LogicalVisit:
        if (visit := self.find_visit(host, number)) is None:
            raise ProtocolError(f"station {self.index} has no record of visit {number} of host {host}")
        return visit

    def _process(self, process: int) -> Process:
        return self.inboxes[process % self.k].process

    @property
    def pending(self) -> int:
        pending = self.waiting
        for inbox in self.inboxes:
            pending += inbox.size
        return pending

    @property
    def integers(self) -> int:
        return sum([inbox.process.integers for inbox in self.inboxes])


def build(stations: int, homes: tuple[int, ...], ordering: OrderingFactory, k: int = 2) -> System:
    processes = k * stations
    addresses = initial_addresses(stations, homes, k)
    common = ordering(processes)
    machines = [LogicalStation(index, k, processes, addresses, common) for index in range(stations)]
    for host, (_, process) in enumerate(addresses):
        machines[process // k].start(host, process)
    return System(machines, [MobileHost(host, home) for host, home in enumerate(homes)])


def initial_addresses(stations: int, homes: tuple[int, ...], k: int) -> tuple[VisitAddress, ...]:
    """Assign the hosts of each cell to its logical stations in turn, as `LogicalStation.new_visit` would do."""
    ranks = [count() for _ in range(stations)]
    return tuple((0, home * k + next(ranks[home]) % k) for home in homes)

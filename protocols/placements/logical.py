"""k processes per station; a host belongs to one of those of its cell, and a flush keeps its order when it moves.

Alagar and Venkatesan: Causally Ordered Message Delivery in Mobile Systems (1994), sections 5 and 6 (algorithms 2 and 3,
with `rst`; algorithm 2 is k = 1). Logical station p is number p mod k at station p div k.

Theory. Logical stations order among themselves; as wireless channels are FIFO, that orders what hosts get while they
stay. When a host moves from p to q, q tells all (`Notify`); each of them answers p (`Last`) and sends to q from then
on. These are stamped like messages, so a `Last` comes after all that its sender ever sent to the host at p. With all of
them, p has nothing of the host's under way and says so (`Over`); until then q holds what comes to it for the host.

Invariant. Every message for visit v of a host is released at v's logical station before that sends `Over`; what is
released there is transmitted, or goes on as `ForwardedPacket`, in that order.

Deviations from the print, and why
- `handoff_begin` goes to the station that the host comes from (section 5.2 names the one that it goes to).
- `Notify` is one broadcast under one stamp: so many unicasts, stamped one after another, break causal order.
- What may be delivered, but is for a host whose hand-off is not over, is delivered to the *process* and held for the
  host. Left waiting with the process it would block the very `Over` that it waits for.
- Newest visit wins: a message names the visit that it is for. A visit that is `LEAVING` sends it on; one that is not
  yet over holds it.
- `Last` comes from all, from both stations of the hand-off too; whoever knows of visits v and v + 1 sends it to v's.
- The state (`Enable`) follows a host that has moved on only when the hand-off before is over: what is old for v must be
  in it.
- A message for a host of the sender's own process is delivered at once: a process does not send to itself.
- What one process of a station has for another is on no wire: the station turns to it as soon as it is done with what
  it is doing. Should it have to wait for its order, it goes before what came by wire.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from protocols.handoff.flush_handoff import (
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
from protocols.handoff.visits import SERVING, Event, HandoffBegin, HandoffStation, State
from protocols.handoff.wireless_hop import Data, MobileHost
from protocols.machine import (
    UNSTAMPED,
    Copy,
    Message,
    Milestone,
    Packet,
    Phase,
    ProtocolError,
    Stamp,
    StationOutbox,
    System,
)
from protocols.mailbox.inbox import Inbox
from protocols.ordering import Ordering, OrderingFactory, Process

Stamped = VisitPacket | StampedHandoffPacket
STAMPED: Final = (VisitPacket, StampedHandoffPacket)


class LogicalStation(HandoffStation[LogicalVisit]):
    __slots__ = ("inboxes", "k", "loads", "local", "locations", "processes")
    table = FLUSH_TABLE

    def __init__(self, index: int, k: int, processes: int, homes: tuple[VisitAddress, ...], ordering: Ordering) -> None:
        super().__init__(index)
        self.k = k
        self.processes = processes
        own = range(index * k, index * k + k)
        self.inboxes: list[Inbox[Stamped]] = [Inbox(ordering.process(number)) for number in own]
        self.locations = [Locations(homes) for _ in own]
        self.loads = [0 for _ in own]
        self.local: deque[Stamped] = deque()
        """From one process of this station to another; empty between inputs."""

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is HandoffBegin:
            self.begin(packet, out)
            self._leave(self._record(packet.host, packet.visit - 1), out)
            self._turn(out)
        elif isinstance(packet, STAMPED):
            self._arrive(self._inbox(packet).arrive(packet), out)
        else:
            raise ProtocolError(f"station {self.index} received {packet}")

    def only_buffers(self, packet: Packet) -> bool:
        return isinstance(packet, STAMPED) and self._inbox(packet).process.missing(packet.stamp) is not None

    def hear(self, host: int, frame: Packet, out: StationOutbox) -> None:
        super().hear(host, frame, out)
        self._turn(out)

    def _turn(self, out: StationOutbox) -> None:
        """To what its processes have for one another."""
        if self.local:
            self._arrive((), out)

    def _arrive(self, packets: Iterable[Stamped], out: StationOutbox) -> None:
        """At its processes. Whatever comes of one packet, among them too, comes before the next."""
        under_way = [iter(packets)]
        while under_way:
            packet = next(under_way[-1], None)
            if packet is None:
                under_way.pop()
            else:
                self._deliver(packet, out)
            if self.local:
                packet = self.local.popleft()
                if type(packet) is VisitPacket:
                    out.telemetry.kept(packet.copies)
                under_way.append(iter(self._inbox(packet).arrive(packet, inner=True)))

    def _inbox(self, packet: Stamped) -> Inbox[Stamped]:
        return self.inboxes[packet.to % self.k]

    def _stamp(self, process: int, target: int, group: int = -1) -> Stamp:
        ((_, stamp),) = self._process(process).send((target,), group)
        return stamp

    def _send(self, packet: Stamped, out: StationOutbox) -> None:
        station = packet.to // self.k
        if station == self.index:
            self.local.append(packet)
        else:
            out.send(station, packet)

    def _deliver(self, packet: Stamped, out: StationOutbox) -> None:
        """Its process has it."""
        if isinstance(packet, VisitPacket):
            for target, number in zip(packet.copy.targets, packet.visits, strict=True):
                self._pass(target, number, packet, out)
        elif type(packet) is Notify:
            self._learn(packet.to, packet.host, packet.visit, packet.logical, out)
        elif type(packet) is Last:
            self._count(packet.host, packet.visit - 1, out)
        elif type(packet) is Enable:
            self._enable(packet, out)
        elif type(packet) is Over:
            self._over(self._record(packet.host, packet.visit), out)

    # Messages

    def originate(self, visit: LogicalVisit, frame: Data, out: StationOutbox) -> None:
        message, find = frame.copies[0].message, self.locations[visit.process % self.k].find
        places: dict[int, tuple[list[int], list[int]]] = {}
        for host in message.destinations:
            number, process = find(host)
            hosts, numbers = places.setdefault(process, ([], []))
            hosts.append(host)
            numbers.append(number)
        own = places.pop(visit.process, None)
        if places:
            for processes, stamp in self._process(visit.process).send(tuple(places), message.group):
                for process in processes:
                    hosts, numbers = places[process]
                    self._send(VisitPacket(Copy(message, tuple(hosts), stamp), tuple(numbers), process), out)
        if own:
            self._keep(message, own, visit.process, out)

    def _keep(self, message: Message, places: tuple[list[int], list[int]], process: int, out: StationOutbox) -> None:
        hosts, numbers = places
        letter = VisitPacket(Copy(message, tuple(hosts), UNSTAMPED), tuple(numbers), process)
        out.telemetry.kept(letter.copies)
        self._deliver(letter, out)

    def _pass(self, host: int, number: int, letter: VisitPacket, out: StationOutbox) -> None:
        """Down to the host, or wherever it goes next."""
        visit = self.known(host, number)
        old = type(letter) is ForwardedPacket
        bare = Copy(letter.copy.message, (host,), UNSTAMPED)
        if visit is None:
            self._forward(host, self.locations[letter.to % self.k].find(host), letter, out)
        elif visit.state is SERVING or (old and visit.state is State.ENABLED):
            self.send_down(visit, bare, out)
        elif visit.state is State.LEAVING:
            self._forward(host, (number + 1, visit.successor), letter, out)
        elif old and visit.state is State.CROSSING:
            visit.sender.enter((bare,), 0)
        else:
            visit.held.append(bare)
            self.waiting += 1

    def _forward(self, host: int, place: VisitAddress, letter: VisitPacket, out: StationOutbox) -> None:
        number, process = place
        message = letter.copy.message
        out.telemetry.reached(Milestone(host, number, Phase.FORWARDED))
        if process == letter.to:
            self._pass(host, number, ForwardedPacket(Copy(message, (host,), UNSTAMPED), (number,), process), out)
            return
        stamp = self._stamp(letter.to, process, message.group)
        self._send(ForwardedPacket(Copy(message, (host,), stamp), (number,), process), out)

    def release(self, visit: LogicalVisit, out: StationOutbox) -> None:
        held, visit.held = visit.held, []
        self.waiting -= len(held)
        for copy in held:
            if visit.state is SERVING:
                self.send_down(visit, copy, out)
            else:
                visit.sender.enter((copy,), 0)

    # The hand-off

    def opened(self, host: int, number: int) -> LogicalVisit:
        """At the least loaded logical station of the cell."""
        local = self.loads.index(min(self.loads))
        self.loads[local] += 1
        return LogicalVisit(host, number, self.index * self.k + local)

    def ask(self, visit: LogicalVisit, out: StationOutbox) -> None:
        out.send(visit.trail[-1], HandoffBegin(visit.host, visit.number, visit.trail, self.index, visit.process))

    def notify(self, visit: LogicalVisit, out: StationOutbox) -> None:
        host, number, process = visit.host, visit.number, visit.process
        others = tuple(other for other in range(self.processes) if other != process)
        for processes, stamp in self._process(process).send(others, -1):
            for other in processes:
                self._send(Notify(host, number, stamp, other, process), out)
        self._learn(process, host, number, process, out)

    def _learn(self, process: int, host: int, number: int, place: int, out: StationOutbox) -> None:
        """What `process` hears of a host that has moved; whom it will not send to any more hears that."""
        for ended, old in self.locations[process % self.k].learn(host, number, place):
            if old == process:
                self._count(host, ended, out)
            else:
                self._send(Last(host, ended + 1, self._stamp(process, old), old), out)

    def _count(self, host: int, number: int, out: StationOutbox) -> None:
        visit = self._record(host, number)
        visit.lasts += 1
        if visit.lasts == self.processes:
            out.telemetry.reached(Milestone(host, number + 1, Phase.FLUSH_ACK))
            self._leave(visit, out)

    def hand_over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        place, stamp = visit.successor, self._stamp(visit.process, visit.successor)
        self._send(Enable(visit.host, visit.number + 1, stamp, place, visit.sender, visit.receiver), out)
        self.loads[visit.process % self.k] -= 1
        visit.forget()

    def _enable(self, packet: Enable, out: StationOutbox) -> None:
        visit = self._record(packet.host, packet.visit)
        visit.sender, visit.receiver = packet.sender, packet.receiver
        visit.sender.acknowledge(visit.heard)
        visit.passed = visit.state is State.PASSING
        again = 0 if visit.passed else len(visit.sender.unacknowledged)
        waited = len(visit.queue)
        out.telemetry.reached(Milestone(packet.host, packet.visit, Phase.ENABLED, buffered=waited, retransmitted=again))
        self.step(visit, Event.STATE, out)
        if visit.flushed:
            self._over(visit, out)

    def _over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        visit.flushed = True
        if visit.state not in {State.ENABLED, State.CROSSING}:
            return
        phase = Phase.PASSED if visit.passed else Phase.COMPLETE
        out.telemetry.reached(Milestone(visit.host, visit.number, phase, buffered=len(visit.held)))
        self.step(visit, Event.OVER, out)
        self._leave(visit, out)

    def _leave(self, visit: LogicalVisit, out: StationOutbox) -> None:
        if visit.state is State.LEAVING and visit.lasts == self.processes:
            self.step(visit, Event.FLUSHED, out)

    def conclude(self, visit: LogicalVisit, out: StationOutbox) -> None:
        stamp = self._stamp(visit.process, visit.successor)
        self._send(Over(visit.host, visit.number + 1, stamp, visit.successor), out)

    def start(self, host: int, process: int) -> None:
        visit = self.visit(host, 0)
        assert visit.process == process
        self.settle(visit)

    def _record(self, host: int, number: int) -> LogicalVisit:
        visit = self.known(host, number)
        if visit is None:
            raise ProtocolError(f"station {self.index} has no record of visit {number} of host {host}")
        return visit

    def _process(self, process: int) -> Process:
        return self.inboxes[process % self.k].process

    @property
    def pending(self) -> int:
        return self.waiting + sum([inbox.size for inbox in self.inboxes])

    @property
    def integers(self) -> int:
        return sum([inbox.process.integers for inbox in self.inboxes])


def build(stations: int, homes: tuple[int, ...], ordering: OrderingFactory, k: int = 2) -> System:
    processes = k * stations
    places = allocated(stations, homes, k)
    common = ordering(processes)
    machines = [LogicalStation(index, k, processes, places, common) for index in range(stations)]
    for host, (_, process) in enumerate(places):
        machines[process // k].start(host, process)
    return System(machines, [MobileHost(host, home) for host, home in enumerate(homes)])


def allocated(stations: int, homes: tuple[int, ...], k: int) -> tuple[VisitAddress, ...]:
    """Host by host to the least loaded, as they will be later on."""
    loads = [[0] * k for _ in range(stations)]
    places = []
    for home in homes:
        local = loads[home].index(min(loads[home]))
        loads[home][local] += 1
        places.append((0, home * k + local))
    return tuple(places)

"""A copy of every message at every station; what has been delivered to a host migrates with it.

Acharya and Badrinath: Delivering Multicast Messages in Networks with Mobile Hosts (1993), as Prakash, Raynal and
Singhal (An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments, section 9) build on it, with any
ordering among hosts and stations in the place of their causal barriers. With `unordered` it is the former's.

Theory. The station where a message starts (`origin`) numbers it and sends it to all stations. h_RECD, one integer per
origin, says up to which number a host has had what is for it. A station sends a message down when it is the host's next
of its origin and the ordering has nothing against it; on the host's acknowledgement h_RECD and the ordering's state go
on, and the origin is told. When it has heard of all destinations it has the copies deleted.

Invariant. h_RECD, the host's process and the frames that it has not acknowledged are in exactly one place, and go
together: no message is delivered to the process before the host has it, or has said that it wants none.

Deviations from the print, and why
- Advanced on delivery alone, h_RECD never passes a message that is not for the host. It also passes copies that are
  here for others, and deleted ones; and is looked at again with every copy, deletion, acknowledgement and arrival.
- A deleted copy leaves a mark, as a copy may come after its deletion; marks without a gap are one number.
- "Delivered at least x" is not what a constraint on message x means, as numbers begin with zero. A host's process goes
  with it and counts for itself, so any ordering of hosts may ride; one that is `OriginOrdering` counts as the flood
  does.
- The state does not wait for acknowledgements, which may be lost for good. A registration says what the host has heard;
  what it has not is taken back, and its numbers are used again. So frames carry the registration, and a host hears none
  of another one.
- A message that is dropped, as its host wants nothing stored while it is off, counts as delivered: to the ordering, in
  h_RECD, and to the origin, which could not have it deleted otherwise.
- An acknowledgement names the message and its hosts. `acknowledge: cell` sends one for all of a cell (section 9.3).

What waits for earlier messages of its origin, or for the acknowledgement of one that the ordering has before it, waits
without need: inhibition.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Final

from protocols.handoff.visits import TABLE, Event, HandoffBegin, HandoffStation, State, Transition, Visit
from protocols.handoff.wireless_hop import Data
from protocols.machine import Copy, Message, Milestone, Packet, Phase, ProtocolError, StationOutbox, System
from protocols.ordering import Key, OrderingFactory, OriginOrdering, OriginProcess, Process
from protocols.placements.flood_packets import (
    Acknowledge,
    Delete,
    EpochFrame,
    Flooded,
    FloodHost,
    Migration,
    OriginStore,
    with_registration,
)

FLOOD_TABLE: Final[Mapping[tuple[State, Event], Transition]] = {
    **TABLE,
    (State.AWAITING, Event.STATE): Transition(State.SERVING, ("roll_back", "release", "accept")),
    (State.PASSING, Event.STATE): Transition(State.LEFT, ("confirm", "accept", "hand_over")),
    (State.SERVING, Event.BEGIN): Transition(State.LEFT, ("withdraw", "hand_over")),
}


class FloodVisit(Visit):
    __slots__ = ("blocked", "busy", "process", "received", "starving")

    def __init__(self, host: int, number: int) -> None:
        super().__init__(host, number)
        self.process: Process
        self.received: list[int]
        """h_RECD. Like the process, set only while the host's state is here."""
        self.busy: set[int] = set()
        """Origins whose next message is on its way down or waits for something."""
        self.blocked: dict[Key, list[int]] = {}
        """The origins whose next message waits for the ordering."""
        self.starving: dict[int, int] = {}
        """By origin: the number of a message that has to come, or to be deleted, first."""

    def forget(self) -> None:
        super().forget()
        del self.process, self.received, self.busy, self.blocked, self.starving


Queue = list[tuple[int, Copy]]
_NUMBER: Final = itemgetter(0)


class FloodStation(HandoffStation[FloodVisit]):
    __slots__ = (
        "addressed",
        "batched",
        "copies",
        "due",
        "process",
        "sent",
        "starved",
        "stores",
        "tombstones",
        "unsent",
    )
    table = FLOOD_TABLE

    def __init__(self, index: int, stations: int, process: Process, *, batched: bool) -> None:
        super().__init__(index)
        self.process = process
        self.batched = batched
        self.sent = 0
        self.due: dict[int, set[int]] = {}
        """The hosts that have not acknowledged a message of this station."""
        self.stores = [OriginStore() for _ in range(stations)]
        self.copies = self.tombstones = 0
        self.addressed: dict[int, dict[int, Queue]] = {}
        """By host and origin: what lies here for a host, be it in the cell or not, and may not have reached it."""
        self.starved: dict[tuple[int, int], list[int]] = {}
        self.unsent: dict[tuple[int, int], tuple[frozenset[int], list[int]]] = {}
        """By origin and number: all destinations, and those that have it and whose origin has not been told."""

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is Flooded:
            self._take_in(packet, out)
        elif type(packet) is Acknowledge:
            self._count(packet.number, packet.hosts, out)
        elif type(packet) is Delete:
            self._delete(packet.origin, packet.number, out)
        elif type(packet) is HandoffBegin:
            self.begin(packet, out)
        elif type(packet) is Migration:
            self._install(packet, out)
        else:
            raise ProtocolError(f"station {self.index} received {packet}")

    # Copies

    def originate(self, visit: FloodVisit, frame: Data, out: StationOutbox) -> None:
        self._flood(frame.copies[0].message, visit.process, out)

    def submit(self, message: Message, out: StationOutbox) -> None:
        self._flood(message, self.process, out)

    def _flood(self, message: Message, process: Process, out: StationOutbox) -> None:
        if isinstance(process, OriginProcess):
            process.set_origin(self.index, self.sent)
        stamped = process.send(message.destinations, message.group)
        packet = Flooded(tuple([Copy(message, targets, stamp) for targets, stamp in stamped]), self.index, self.sent)
        self.due[self.sent] = set(message.destinations)
        self.sent += 1
        self._tell_all(packet, out)
        out.telemetry.kept(packet.parts)
        self._take_in(packet, out)

    def _tell_all(self, packet: Packet, out: StationOutbox) -> None:
        for station in range(len(self.stores)):
            if station != self.index:
                out.send(station, packet)

    def _take_in(self, packet: Flooded, out: StationOutbox) -> None:
        origin, number = packet.origin, packet.number
        if not self.stores[origin].take(packet):
            return
        self.copies += 1
        for copy in packet.parts:
            for host in copy.targets:
                visit = self.served.get(host)
                if visit is None:
                    self._lay(host, origin, number, copy)
                elif visit.received[origin] <= number:
                    self._lay(host, origin, number, copy)
                    self.waiting += 1
                    self._examine(visit, (origin,), out)
        self._feed(origin, number, out)

    def _lay(self, host: int, origin: int, number: int, copy: Copy) -> None:
        insort(self.addressed.setdefault(host, {}).setdefault(origin, []), (number, copy), key=_NUMBER)

    def _feed(self, origin: int, number: int, out: StationOutbox) -> None:
        """A message that hosts were starving for is known now."""
        for host in self.starved.pop((origin, number), ()):
            visit = self.served[host]
            del visit.starving[origin]
            visit.busy.remove(origin)
            self._examine(visit, (origin,), out)

    def _count(self, number: int, hosts: Iterable[int], out: StationOutbox) -> None:
        due = self.due[number]
        due.difference_update(hosts)
        if not due:
            del self.due[number]
            self._tell_all(Delete(self.index, number), out)
            self._delete(self.index, number, out)

    def _delete(self, origin: int, number: int, out: StationOutbox) -> None:
        shelf = self.stores[origin]
        self.tombstones -= len(shelf.gone)
        packet = shelf.delete(number)
        self.tombstones += len(shelf.gone)
        if packet is not None:
            self.copies -= 1
            for host in packet.parts[0].message.destinations:
                self._take_away(host, origin, number)
        self._feed(origin, number, out)

    def _take_away(self, host: int, origin: int, number: int) -> None:
        queues = self.addressed.get(host, {})
        queue = queues.get(origin, [])
        place = bisect_left(queue, number, key=_NUMBER)
        if place == len(queue) or queue[place][0] != number:
            return
        del queue[place]
        if not queue:
            self._clear(host, origin)

    def _clear(self, host: int, origin: int) -> None:
        queues = self.addressed[host]
        del queues[origin]
        if not queues:
            del self.addressed[host]

    # What goes down

    def _examine(self, visit: FloodVisit, origins: Iterable[int], out: StationOutbox) -> None:
        """Whether the next message of any of these origins can go down."""
        ready = list(origins)
        for origin in ready:
            queue = self.addressed.get(visit.host, {}).get(origin)
            if queue is None or origin in visit.busy:
                continue
            number, copy = queue[0]
            if self._reach(visit, origin, number) and self._allowed(visit, origin, copy):
                self.waiting -= 1
                if visit.host in self.discarding:
                    out.drop(copy.message, visit.host)
                    ready += self._complete(visit, origin, number, copy, out)
                else:
                    visit.busy.add(origin)
                    self._transmit(visit, origin, number, copy, out)

    def _reach(self, visit: FloodVisit, origin: int, number: int) -> bool:
        """Let h_RECD pass what is not for the host; whether it comes to `number`."""
        shelf = self.stores[origin]
        reached = max(visit.received[origin], min(shelf.complete, number))
        while reached < number and shelf.knows(reached):
            reached += 1
        visit.received[origin] = reached
        if reached < number:
            visit.busy.add(origin)
            visit.starving[origin] = reached
            self.starved.setdefault((origin, reached), []).append(visit.host)
        return reached == number

    def _allowed(self, visit: FloodVisit, origin: int, copy: Copy) -> bool:
        key = visit.process.missing(copy.stamp)
        if key is not None:
            visit.busy.add(origin)
            visit.blocked.setdefault(key, []).append(origin)
        return key is None

    def _transmit(self, visit: FloodVisit, origin: int, number: int, copy: Copy, out: StationOutbox) -> None:
        sender = visit.sender
        frame = EpochFrame(sender.next, (copy,), 0, 0, visit.registration, origin, number)
        sender.next += 1
        sender.unacknowledged.append(frame)
        out.transmit(visit.host, frame)

    def acknowledged(self, visit: FloodVisit, number: int, out: StationOutbox) -> None:
        unacknowledged = visit.sender.unacknowledged
        while unacknowledged and unacknowledged[0].number <= number:
            self._examine(visit, self._done(visit, out), out)

    def _done(self, visit: FloodVisit, out: StationOutbox) -> list[int]:
        """The host has its first unacknowledged frame."""
        frame = visit.sender.unacknowledged.popleft()
        assert isinstance(frame, EpochFrame)
        return self._complete(visit, frame.origin, frame.sequence, frame.copies[0], out)

    def _complete(self, visit: FloodVisit, origin: int, number: int, copy: Copy, out: StationOutbox) -> list[int]:
        """The host has it; the origins that may go on."""
        visit.busy.discard(origin)
        visit.received[origin] = number + 1
        self._take_away(visit.host, origin, number)
        woken = [origin]
        for key in visit.process.deliver(copy.stamp):
            woken += visit.blocked.pop(key, ())
        visit.busy.difference_update(woken)
        self._report(visit.host, origin, number, copy.message, out)
        return woken

    def _report(self, host: int, origin: int, number: int, message: Message, out: StationOutbox) -> None:
        if self.batched:
            destinations = frozenset(message.destinations)
            self.unsent.setdefault((origin, number), (destinations, []))[1].append(host)
            self._report_cell(origin, number, destinations, out)
        else:
            self._acknowledge(origin, number, (host,), out)

    def _report_cell(self, origin: int, number: int, destinations: frozenset[int], out: StationOutbox) -> None:
        """Unless somebody in this cell is still to get it."""
        here = self.served.keys() & destinations
        if not any(self.served[host].received[origin] <= number for host in here):
            self._acknowledge(origin, number, tuple(self.unsent.pop((origin, number))[1]), out)

    def _acknowledge(self, origin: int, number: int, hosts: tuple[int, ...], out: StationOutbox) -> None:
        if origin == self.index:
            self._count(number, hosts, out)
        else:
            out.send(origin, Acknowledge(number, hosts))

    # The hand-off

    def opened(self, host: int, number: int) -> FloodVisit:
        return FloodVisit(host, number)

    def _install(self, packet: Migration, out: StationOutbox) -> None:
        visit = self.visit(packet.host, packet.visit)
        visit.sender, visit.receiver = packet.sender, packet.receiver
        visit.process, visit.received = packet.process, packet.received
        serves = visit.state is State.AWAITING
        again = sum(frame.number > visit.heard for frame in visit.sender.unacknowledged) if serves else 0
        buffered = len(visit.queue) + sum(1 for _ in self._fresh(visit))
        phase = Phase.COMPLETE if serves else Phase.PASSED
        out.telemetry.reached(Milestone(packet.host, packet.visit, phase, buffered=buffered, retransmitted=again))
        self.step(visit, Event.STATE, out)

    def _fresh(self, visit: FloodVisit) -> Iterator[tuple[int, int]]:
        """What lies here for the host and has never been sent down to it."""
        frames = (frame for frame in visit.sender.unacknowledged if isinstance(frame, EpochFrame))
        sent = {(frame.origin, frame.sequence) for frame in frames}
        for origin, queue in self.addressed.get(visit.host, {}).items():
            numbers = (number for number, _ in queue if number >= visit.received[origin])
            yield from ((origin, number) for number in numbers if (origin, number) not in sent)

    def roll_back(self, visit: FloodVisit, out: StationOutbox) -> None:
        """What the host has heard is done; the rest will be sent again from here, with the numbers that come next."""
        self._hear_of(visit, out)
        visit.sender.unacknowledged.clear()
        visit.sender.next = visit.heard + 1

    def confirm(self, visit: FloodVisit, out: StationOutbox) -> None:
        """What the host had heard when it registered happened before anything that it has sent since."""
        self._hear_of(visit, out)

    def _hear_of(self, visit: FloodVisit, out: StationOutbox) -> list[int]:
        """The origins that may go on after what the host says that it has heard."""
        frames, woken = visit.sender.unacknowledged, []
        while frames and frames[0].number <= visit.heard:
            woken += self._done(visit, out)
        return woken

    def resume(self, visit: FloodVisit, out: StationOutbox) -> None:
        woken, frames = self._hear_of(visit, out), visit.sender.unacknowledged
        for frame in [with_registration(frame, visit.registration) for frame in frames]:
            frames.popleft()
            frames.append(frame)
            out.transmit(visit.host, frame)
        self._examine(visit, woken, out)

    def release(self, visit: FloodVisit, out: StationOutbox) -> None:
        queues = self.addressed.get(visit.host, {})
        for origin, queue in list(queues.items()):
            del queue[: bisect_left(queue, visit.received[origin], key=_NUMBER)]
            self.waiting += len(queue)
            if not queue:
                self._clear(visit.host, origin)
        self._examine(visit, list(queues), out)

    def withdraw(self, visit: FloodVisit, out: StationOutbox) -> None:
        """Whatever this station had in mind for the host is for the next one to do."""
        host, queues = visit.host, self.addressed.get(visit.host, {})
        self.waiting -= sum(map(len, queues.values())) - len(visit.sender.unacknowledged)
        for origin, shelf in enumerate(self.stores):
            reach = min(shelf.complete, queues[origin][0][0]) if origin in queues else shelf.complete
            visit.received[origin] = max(visit.received[origin], reach)
        for origin, number in visit.starving.items():
            self.starved[origin, number].remove(host)
            if not self.starved[origin, number]:
                del self.starved[origin, number]
        for (origin, number), (destinations, _) in list(self.unsent.items()):
            if host in destinations:
                self._report_cell(origin, number, destinations, out)

    def hand_over(self, visit: FloodVisit, out: StationOutbox) -> None:
        host, number = visit.host, visit.number + 1
        out.send(visit.successor, Migration(host, number, visit.sender, visit.receiver, visit.process, visit.received))
        visit.forget()

    def start(self, host: int, process: Process) -> None:
        visit = self.visit(host, 0)
        visit.process, visit.received = process, [0] * len(self.stores)
        self.settle(visit)

    @property
    def stored(self) -> tuple[int, int]:
        return self.copies, self.tombstones

    @property
    def integers(self) -> int:
        own = sum([visit.process.integers for visit in self.served.values()]) + self.process.integers
        return own + len(self.stores) * len(self.served)


def build(stations: int, homes: tuple[int, ...], ordering: OrderingFactory, acknowledge: str = "each") -> System:
    hosts = len(homes)
    processes = ordering(hosts + stations)
    if isinstance(processes, OriginOrdering):
        processes = processes.with_stations(stations)
    machines = [
        FloodStation(index, stations, processes.process(hosts + index), batched=acknowledge == "cell")
        for index in range(stations)
    ]
    for host, home in enumerate(homes):
        machines[home].start(host, processes.process(host))
    return System(machines, [FloodHost(host, home) for host, home in enumerate(homes)])

"""Every station receives a copy of every message. The record of a host's deliveries moves with the host.

Acharya and Badrinath: Delivering Multicast Messages in Networks with Mobile Hosts (1993), extended by Prakash, Raynal
and Singhal (An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments, section 9). Any ordering
among hosts and stations may replace their causal barriers; `unordered` gives Acharya and Badrinath's algorithm.

Theory. The first station of a message, its `origin`, numbers the message and sends a copy to every station. h_RECD of a
host has one number for each origin: the host has received all its messages with lower numbers. A station transmits a
message to a host when the message is the host's next one of this origin, and the ordering allows its delivery. When the
host acknowledges the message, h_RECD and the state of the ordering advance, and the station informs the origin. After
the last acknowledgement, the origin requests all stations to delete their copies.

Invariant. h_RECD, the host's process and its unacknowledged frames are at one station or in one packet, and move
together. The process counts a message as delivered when the host has received it, or when it is dropped. What it shares
with its station's process, such as the matrix Delivered of causal barriers (`orderings.prs`), does not move.

Deviations from the paper, and why
- In the paper, only deliveries advance h_RECD. Here it also passes messages for other hosts and deleted messages. It
  may advance when a copy, a deletion, an acknowledgement or a state arrives.
- A copy may arrive after the request to delete it. Therefore a deletion leaves a tombstone, which is the number of the
  message. If all messages below a number are deleted, the station stores this number instead of their tombstones.
- In the paper, message x counts as delivered if h_RECD is at least x. Since numbers begin with zero, the condition must
  be h_RECD > x. Here the host's process checks its own counts, so any ordering of hosts can be used. `set_origin`
  gives the number of a message to orderings that use it.
- A hand-off does not wait for acknowledgements, since they may be lost. A registration reports the last frame that the
  host has received. The station rolls back later frames and uses their numbers again. Therefore a frame contains the
  number of the registration, and a host ignores frames of other registrations.
- A message that is dropped at its host's request counts as delivered in the ordering, in h_RECD and at the origin.
- An acknowledgement has the message's number and its receivers. If `acknowledge` is `cell`, a station sends one for all
  hosts of its cell (section 9.3).

Inhibition. A message may wait unnecessarily for earlier messages of its origin to the same host, and for the host's
acknowledgement of messages that precede it in the ordering.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import ClassVar, Final

from mobilesim.protocols.handoff.visits import (
    DIRECT_TABLE,
    Actions,
    Do,
    HandoffBegin,
    HandoffEvent,
    HandoffStation,
    HandoffTable,
    Visit,
    VisitState,
    then,
)
from mobilesim.protocols.handoff.wireless_hop import Data
from mobilesim.protocols.machine import ProtocolError, StationOutbox, System
from mobilesim.protocols.ordering import NO_KEYS, Key, OrderingFactory, Process, check_destinations
from mobilesim.protocols.packets import Copy, Message, Packet
from mobilesim.protocols.placements.flood_packets import Acknowledge, Delete, EpochFrame, Flooded, FloodHost, Migration
from mobilesim.protocols.placements.flood_store import CopyStore, OriginStore

FLOOD_TABLE: Final[HandoffTable] = {
    **DIRECT_TABLE,
    (VisitState.AWAITING, HandoffEvent.STATE): then(VisitState.SERVING, Do.ROLL_BACK, Do.RELEASE, Do.ACCEPT),
    (VisitState.PASSING, HandoffEvent.STATE): then(VisitState.LEFT, Do.CONFIRM, Do.ACCEPT, Do.HAND_OVER),
    (VisitState.SERVING, HandoffEvent.BEGIN): then(VisitState.LEFT, Do.WITHDRAW, Do.HAND_OVER),
}


class FloodVisit(Visit):
    """A visit, and the progress of deliveries to its host by origin."""

    __slots__ = ("awaited", "blocked", "busy", "process", "received")

    def __init__(self, host: int, number: int) -> None:
        super().__init__(host, number)
        self.process: Process
        self.received: list[int]
        """h_RECD. Like the process, set only while the host's state is here."""
        self.busy: set[int] = set()
        """The origins for which the next message has been transmitted to the host, or may not be transmitted yet."""
        self.blocked: dict[Key, list[int]] = {}
        """By key of a missing delivery: the origins for which the next message waits for this delivery."""
        self.awaited: dict[int, int] = {}
        """By origin, if its next message waits: the number of the message that must arrive or be deleted first."""

    def forget(self) -> None:
        super().forget()
        del self.process, self.received, self.busy, self.blocked, self.awaited

    def advance(self, origin: int, number: int, store: OriginStore) -> int:
        """Advance h_RECD past messages for other hosts, at most to `number`; return the new h_RECD."""
        reached = max(self.received[origin], min(store.complete, number))
        while reached < number and store.has(reached):
            reached += 1
        self.received[origin] = reached
        return reached

    def may_deliver(self, origin: int, copy: Copy) -> bool:
        """Return whether the ordering allows the delivery of a copy. If it does not, block the copy's origin."""
        if (key := self.process.missing(copy.stamp)) is not None:
            self.busy.add(origin)
            self.blocked.setdefault(key, []).append(origin)
        return key is None

    def delivered(self, origin: int, number: int, copy: Copy) -> list[int]:
        """Count a copy as delivered to the host; return the origins for which the next message must be examined."""
        self.busy.discard(origin)
        self.received[origin] = number + 1
        return [origin, *self.woken(self.process.deliver(copy.stamp))]

    def woken(self, keys: Sequence[Key]) -> list[int]:
        """Return the origins for which the next message waited for one of the keys."""
        origins: list[int] = []
        for key in keys:
            origins += self.blocked.pop(key, ())
        self.busy.difference_update(origins)
        return origins


class FloodStation(HandoffStation[FloodVisit]):
    __slots__ = ("awaiting", "batched", "due", "hosts", "process", "sent", "stations", "store", "unreported")
    table: ClassVar[HandoffTable] = FLOOD_TABLE

    def __init__(self, index: int, hosts: int, stations: int, process: Process, *, batched: bool) -> None:
        super().__init__(index)
        self.hosts = hosts
        self.stations = stations
        self.process = process
        self.batched = batched
        self.sent = 0
        self.due: dict[int, set[int]] = {}
        """By number of a message of this station: the hosts that have not acknowledged the message."""
        self.store = CopyStore(stations)
        self.awaiting: dict[tuple[int, int], list[int]] = {}
        """By origin and number of a message: the served hosts that wait until the message arrives or is deleted."""
        self.unreported: dict[tuple[int, int], tuple[frozenset[int], list[int]]] = {}
        """By origin and number of a message: all destinations, and the receivers not yet reported to the origin."""

    def new_visit(self, host: int, number: int) -> FloodVisit:
        return FloodVisit(host, number)

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is Flooded:
            self._add(packet, out)
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
        keys = self._flood(frame.copies[0].message, visit.process, out)
        if keys:
            self._examine(visit, visit.woken(keys), out)

    def submit(self, message: Message, out: StationOutbox) -> None:
        self._flood(message, self.process, out)

    def _flood(self, message: Message, process: Process, out: StationOutbox) -> Sequence[Key]:
        """Send a message to all stations; return the keys that the send has satisfied."""
        check_destinations(message, self.hosts)
        process.set_origin(self.index, self.sent)
        stamped = process.send(message.destinations, message.group)
        keys = process.sent_keys() if process.releases_at_send else NO_KEYS
        packet = Flooded(tuple([Copy(message, targets, stamp) for targets, stamp in stamped]), self.index, self.sent)
        self.due[self.sent] = set(message.destinations)
        self.sent += 1
        self._send_to_all(packet, out)
        out.telemetry.kept(packet.parts)
        self._add(packet, out)
        return keys

    def _send_to_all(self, packet: Packet, out: StationOutbox) -> None:
        for station in range(self.stations):
            if station != self.index:
                out.send(station, packet)

    def _add(self, packet: Flooded, out: StationOutbox) -> None:
        if not self.store.add(packet):
            return
        origin, number = packet.origin, packet.number
        for copy in packet.parts:
            for host in copy.targets:
                if (visit := self.served.get(host)) is None:
                    self.store.enqueue(host, origin, number, copy)
                elif visit.received[origin] <= number:
                    self.store.enqueue(host, origin, number, copy)
                    self.waiting += 1
                    self._examine(visit, (origin,), out)
        self._examine_awaiting(origin, number, out)

    def _await_message(self, visit: FloodVisit, origin: int, number: int) -> None:
        """Transmit no message of an origin to the host until message `number` arrives or is deleted."""
        visit.busy.add(origin)
        visit.awaited[origin] = number
        self.awaiting.setdefault((origin, number), []).append(visit.host)

    def _examine_awaiting(self, origin: int, number: int, out: StationOutbox) -> None:
        """Examine the hosts that waited for the arrival or deletion of this message."""
        for host in self.awaiting.pop((origin, number), ()):
            visit = self.served[host]
            del visit.awaited[origin]
            visit.busy.remove(origin)
            self._examine(visit, (origin,), out)

    def _count(self, number: int, hosts: Iterable[int], out: StationOutbox) -> None:
        """Count acknowledgements for a message of this station. After the last one, delete all copies."""
        due = self.due[number]
        due.difference_update(hosts)
        if not due:
            del self.due[number]
            self._send_to_all(Delete(self.index, number), out)
            self._delete(self.index, number, out)

    def _delete(self, origin: int, number: int, out: StationOutbox) -> None:
        self.store.delete(origin, number)
        self._examine_awaiting(origin, number, out)

    # Delivery

    def _examine(self, visit: FloodVisit, origins: Iterable[int], out: StationOutbox) -> None:
        """Transmit the host's next message of each origin, if this message may be delivered. If several messages may
        be delivered, the earliest arrival is the first.
        """
        queues = self.store.queues_of(visit.host)
        ready = [(queues[origin][0][2], origin) for origin in origins if origin in queues]
        heapify(ready)
        while ready:
            _, origin = heappop(ready)
            queue = queues.get(origin)
            if queue is None or origin in visit.busy:
                continue
            number, copy, _ = queue[0]
            reached = visit.advance(origin, number, self.store.origins[origin])
            if reached < number:
                self._await_message(visit, origin, reached)
            elif visit.may_deliver(origin, copy):
                self.waiting -= 1
                if visit.host in self.discarding:
                    out.drop(copy.message, visit.host)
                    for other in self._delivered(visit, origin, number, copy, out):
                        if other in queues:
                            heappush(ready, (queues[other][0][2], other))
                else:
                    visit.busy.add(origin)
                    self._transmit(visit, origin, number, copy, out)

    def _transmit(self, visit: FloodVisit, origin: int, number: int, copy: Copy, out: StationOutbox) -> None:
        sender = visit.sender
        frame = EpochFrame(sender.next, (copy,), 0, 0, visit.registration, origin, number)
        sender.next += 1
        sender.unacknowledged.append(frame)
        self.transmit(visit.host, frame, out)

    def downlink_acknowledged(self, visit: FloodVisit, number: int, out: StationOutbox) -> None:
        unacknowledged = visit.sender.unacknowledged
        while unacknowledged and unacknowledged[0].number <= number:
            self._examine(visit, self._first_delivered(visit, out), out)

    def _first_delivered(self, visit: FloodVisit, out: StationOutbox) -> list[int]:
        """Count the host's first unacknowledged frame as delivered; return the origins to examine."""
        frame = visit.sender.unacknowledged.pop(0)
        assert isinstance(frame, EpochFrame)
        return self._delivered(visit, frame.origin, frame.sequence, frame.copies[0], out)

    def _delivered(self, visit: FloodVisit, origin: int, number: int, copy: Copy, out: StationOutbox) -> list[int]:
        woken = visit.delivered(origin, number, copy)
        self.store.dequeue(visit.host, origin, number)
        self._report(visit.host, origin, number, copy.message, out)
        return woken

    def _report(self, host: int, origin: int, number: int, message: Message, out: StationOutbox) -> None:
        if not self.batched:
            self._acknowledge(origin, number, (host,), out)
            return
        destinations = frozenset(message.destinations)
        self.unreported.setdefault((origin, number), (destinations, []))[1].append(host)
        self._report_cell(origin, number, destinations, out)

    def _report_cell(self, origin: int, number: int, destinations: frozenset[int], out: StationOutbox) -> None:
        """Acknowledge a message for the whole cell, if all its destinations in this cell have received it."""
        here = self.served.keys() & destinations
        if not any(self.served[host].received[origin] <= number for host in here):
            self._acknowledge(origin, number, tuple(self.unreported.pop((origin, number))[1]), out)

    def _acknowledge(self, origin: int, number: int, hosts: tuple[int, ...], out: StationOutbox) -> None:
        if origin == self.index:
            self._count(number, hosts, out)
        else:
            out.send(origin, Acknowledge(number, hosts))

    # Hand-off

    def _install(self, packet: Migration, out: StationOutbox) -> None:
        visit = self.visit_record(packet.host, packet.visit)
        visit.sender, visit.receiver = packet.sender, packet.receiver
        visit.process, visit.received = packet.process, packet.received
        visit.process.join_station(self.process)
        self.state_arrived(visit, len(visit.queue) + self._never_transmitted(visit), out)

    def _never_transmitted(self, visit: FloodVisit) -> int:
        """Return the number of messages for the host that no station has transmitted to it yet."""
        sent = {
            (frame.origin, frame.sequence) for frame in visit.sender.unacknowledged if isinstance(frame, EpochFrame)
        }
        queues = self.store.queues_of(visit.host).items()
        waiting = {(origin, number) for origin, queue in queues for number, _, _ in queue}
        return sum(number >= visit.received[origin] for origin, number in waiting - sent)

    def actions(self) -> Actions[FloodVisit]:
        own: Actions[FloodVisit] = {
            Do.ROLL_BACK: self.roll_back,
            Do.CONFIRM: self.confirm,
            Do.WITHDRAW: self.withdraw,
        }
        return super().actions() | own

    def roll_back(self, visit: FloodVisit, out: StationOutbox) -> None:
        """Confirm the frames that the host has received. Discard the others: their messages are sent in new frames."""
        self.confirm(visit, out)
        visit.sender.unacknowledged.clear()
        visit.sender.next = visit.last_received + 1

    def confirm(self, visit: FloodVisit, out: StationOutbox) -> list[int]:
        """Count as delivered the messages that the host received before it registered; return the origins to examine.
        These messages precede all messages that the host has sent since it registered.
        """
        frames, woken = visit.sender.unacknowledged, []
        while frames and frames[0].number <= visit.last_received:
            woken += self._first_delivered(visit, out)
        return woken

    def resume(self, visit: FloodVisit, out: StationOutbox) -> None:
        woken, frames = self.confirm(visit, out), visit.sender.unacknowledged
        for frame in tuple(frames):
            assert isinstance(frame, EpochFrame)
            frames.pop(0)
            frames.append(replace(frame, registration=visit.registration))
            self.transmit(visit.host, frames[-1], out)
        self._examine(visit, woken, out)

    def release(self, visit: FloodVisit, out: StationOutbox) -> None:
        self.store.discard_received(visit.host, visit.received)
        queues = self.store.queues_of(visit.host)
        self.waiting += sum(map(len, queues.values()))
        self._examine(visit, list(queues), out)

    def withdraw(self, visit: FloodVisit, out: StationOutbox) -> None:
        """Stop serving the host. The next station transmits the remaining messages to it."""
        host, queues = visit.host, self.store.queues_of(visit.host)
        self.waiting -= sum(map(len, queues.values())) - len(visit.sender.unacknowledged)
        for origin, store in enumerate(self.store.origins):
            reach = min(store.complete, queues[origin][0][0]) if origin in queues else store.complete
            visit.received[origin] = max(visit.received[origin], reach)
        for origin, number in visit.awaited.items():
            self.awaiting[origin, number].remove(host)
            if not self.awaiting[origin, number]:
                del self.awaiting[origin, number]
        for (origin, number), (destinations, _) in list(self.unreported.items()):
            if host in destinations:
                self._report_cell(origin, number, destinations, out)

    def hand_over(self, visit: FloodVisit, out: StationOutbox) -> None:
        host, number = visit.host, visit.number + 1
        visit.process.leave_station()
        out.send(visit.successor, Migration(host, number, visit.sender, visit.receiver, visit.process, visit.received))
        visit.forget()

    def start(self, host: int, process: Process) -> None:
        visit = self.visit_record(host, 0)
        visit.process, visit.received = process, [0] * self.stations
        process.join_station(self.process)
        self.transition(visit, HandoffEvent.START)

    @property
    def stored(self) -> tuple[int, int]:
        return self.store.copies, self.store.tombstones

    @property
    def integers(self) -> int:
        own = sum([visit.process.integers for visit in self.served.values()]) + self.process.integers
        return own + self.stations * len(self.served)


def build(stations: int, homes: tuple[int, ...], ordering: OrderingFactory, acknowledge: str = "each") -> System:
    hosts = len(homes)
    processes = ordering(hosts + stations).with_stations(stations)
    machines = [
        FloodStation(index, hosts, stations, processes.process(hosts + index), batched=acknowledge == "cell")
        for index in range(stations)
    ]
    for host, home in enumerate(homes):
        machines[home].start(host, processes.process(host))
    return System(machines, [FloodHost(host, home) for host, home in enumerate(homes)])

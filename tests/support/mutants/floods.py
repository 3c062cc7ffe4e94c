"""Broken stations and hosts of the flood: each follows a paper literally, or omits one rule."""

from collections.abc import Iterable
from dataclasses import replace

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.visits import HandoffBegin
from mobilesim.protocols.handoff.wireless_hop import Ack
from mobilesim.protocols.machine import HostOutbox, StationOutbox
from mobilesim.protocols.ordering import Process
from mobilesim.protocols.packets import Packet, Purpose
from mobilesim.protocols.placements.flood import FloodStation, FloodVisit
from mobilesim.protocols.placements.flood_packets import EpochFrame, Flooded, FloodHost, Migration
from mobilesim.protocols.placements.flood_store import CopyStore, OriginStore
from tests.support.mutants.hosts import RegisterRewriter


class DeliveredOnlyVisit(FloodVisit):
    __slots__ = ()

    def advance(self, origin: int, number: int, store: OriginStore) -> int:
        return self.received[origin]


class DeliveredOnly(FloodStation):
    """h_RECD advances only at deliveries, so h_RECD stops at a message for other hosts."""

    __slots__ = ()

    def new_visit(self, host: int, number: int) -> FloodVisit:
        return DeliveredOnlyVisit(host, number)

    def _await_message(self, visit: FloodVisit, origin: int, number: int) -> None:
        """Store no awaited message. The copy is examined again at the next event."""

    def withdraw(self, visit: FloodVisit, out: StationOutbox) -> None:
        received = list(visit.received)
        super().withdraw(visit, out)
        visit.received[:] = received


class AcknowledgementsIgnored(FloodStation):
    """After an acknowledgement, the station does not examine the copies that waited for it."""

    __slots__ = ()

    def downlink_acknowledged(self, visit: FloodVisit, number: int, out: StationOutbox) -> None:
        unacknowledged = visit.sender.unacknowledged
        while unacknowledged and unacknowledged[0].number <= number:
            self._first_delivered(visit, out)


class DeletionsIgnored(FloodStation):
    """After a deletion, the station does not examine the copies that waited for it."""

    __slots__ = ()

    def _delete(self, origin: int, number: int, out: StationOutbox) -> None:
        hosts = self.awaiting.pop((origin, number), None)
        super()._delete(origin, number, out)
        if hosts:
            self.awaiting[origin, number] = hosts


class StoredCopiesIgnored(FloodStation):
    """When a host's state arrives, the station does not examine the stored copies."""

    __slots__ = ()

    def _examine(self, visit: FloodVisit, origins: Iterable[int], out: StationOutbox) -> None:
        if not isinstance(origins, list):
            super()._examine(visit, origins, out)


class StoreWithoutTombstones(OriginStore):
    """A store that accepts a copy although it has the tombstone of this copy."""

    __slots__ = ()

    def add(self, packet: Flooded) -> bool:
        self.copies[packet.number] = packet
        self._advance()
        return True


class WithoutTombstones(FloodStation):
    """A copy that arrives after its deletion is stored."""

    __slots__ = ()

    def __init__(self, index: int, hosts: int, stations: int, process: Process, *, batched: bool) -> None:
        super().__init__(index, hosts, stations, process, batched=batched)
        self.store = CopyStore(stations)
        self.store.origins = [StoreWithoutTombstones() for _ in range(stations)]


class FromOne(FloodStation):
    """M_seq is incremented before it numbers a message, but h_RECD starts at zero."""

    __slots__ = ()

    def __init__(self, index: int, hosts: int, stations: int, process: Process, *, batched: bool) -> None:
        super().__init__(index, hosts, stations, process, batched=batched)
        self.sent = 1


class DelayedMigration(FloodStation):
    """The state migrates only when the host has acknowledged every transmitted frame."""

    __slots__ = ("delayed",)

    def __init__(self, index: int, hosts: int, stations: int, process: Process, *, batched: bool) -> None:
        super().__init__(index, hosts, stations, process, batched=batched)
        self.delayed: dict[int, HandoffBegin] = {}

    def begin(self, packet: HandoffBegin, out: StationOutbox) -> None:
        visit = self.served.get(packet.host)
        if visit is not None and visit.number == packet.visit - 1 and visit.sender.unacknowledged:
            self.delayed[packet.host] = packet
        else:
            super().begin(packet, out)

    def downlink_acknowledged(self, visit: FloodVisit, number: int, out: StationOutbox) -> None:
        super().downlink_acknowledged(visit, number, out)
        if visit.host in self.delayed and not visit.sender.unacknowledged:
            super().begin(self.delayed.pop(visit.host), out)


class AllRolledBack(FloodStation):
    """All unacknowledged frames are rolled back, even those that the host reports as received."""

    __slots__ = ()

    def roll_back(self, visit: FloodVisit, out: StationOutbox) -> None:
        sender = visit.sender
        if sender.unacknowledged:
            sender.next = sender.unacknowledged[0].number
        sender.unacknowledged.clear()


class AnyRegistration(FloodHost):
    """The host accepts a frame with the next number, even if the frame belongs to another registration."""

    __slots__ = ()

    def expects(self, frame: Packet) -> bool:
        return type(frame) is EpochFrame and frame.number == self.receiver.last + 1

    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is EpochFrame:
            if self.receiver.accept(frame):
                self.arrived(frame, out)
            out.transmit(Ack(self.receiver.last))
        else:
            super().receive_frame(frame, out)


class AnyNumber(FloodHost):
    """The host accepts every frame of its registration, with any frame number."""

    __slots__ = ()

    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is EpochFrame and frame.registration == self.registration:
            self.receiver.last = frame.number
            self.arrived(frame, out)
            out.transmit(Ack(frame.number))
        else:
            super().receive_frame(frame, out)


class HeardUnreported(FloodHost):
    """The host's registration does not report the last frame that the host has received."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        super().attach(station, RegisterRewriter(out, lambda register: replace(register, last_received=-1)))


@value
class Acknowledged(Packet):
    """An acknowledgement that contains the host, but not the message."""

    purpose = Purpose.ACK
    host: int

    @property
    def control(self) -> int:
        return 1


class UnnamedAcknowledgements(FloodStation):
    """As printed, an acknowledgement contains only the host. It counts for the host's oldest unacknowledged message."""

    __slots__ = ()

    def _acknowledge(self, origin: int, number: int, hosts: tuple[int, ...], out: StationOutbox) -> None:
        for host in hosts:
            if origin == self.index:
                self._count_oldest(host, out)
            else:
                out.send(origin, Acknowledged(host))

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is Acknowledged:
            self._count_oldest(packet.host, out)
        else:
            super().receive(packet, out)

    def _count_oldest(self, host: int, out: StationOutbox) -> None:
        self._count(min(number for number, hosts in self.due.items() if host in hosts), (host,), out)


class ReceivedNotMigrated(FloodStation):
    """h_RECD does not migrate. At the new station, all its numbers are zero."""

    __slots__ = ()

    def _install(self, packet: Migration, out: StationOutbox) -> None:
        blank = [0] * len(packet.received)
        super()._install(
            Migration(packet.host, packet.visit, packet.sender, packet.receiver, packet.process, blank), out
        )


class EarlyDelete(FloodStation):
    """`Delete` is sent after the first acknowledgement."""

    __slots__ = ()

    def _count(self, number: int, hosts: Iterable[int], out: StationOutbox) -> None:
        due = self.due.get(number)
        if due is not None:
            super()._count(number, tuple(due), out)

"""Broken stations of algorithm 1: each follows the printed hand-off literally, or omits one rule."""

from typing import Final

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.visits import DIRECT_TABLE, Do, HandoffEvent, HandoffTable, VisitState, then
from mobilesim.protocols.handoff.wireless_hop import Ack, Data, Receiver, Register, Sender
from mobilesim.protocols.machine import StationOutbox
from mobilesim.protocols.mailbox import Mailbox
from mobilesim.protocols.packets import Copy, Packet, RoutedPacket
from mobilesim.protocols.placements.location import Directory
from mobilesim.protocols.placements.proxy import Handover, ProxyStation, ProxyVisit, handover
from tests.support.mutants import hop
from tests.support.protocols.dense_rst import Dense


def blank(station: ProxyStation, host: int) -> Mailbox:
    """Return the data structures of a host that has neither sent nor received a message."""
    return Mailbox(Dense(len(station.directory.homes)).process(host))


class NoForwarding(ProxyStation):
    """A message for a host that has left is not forwarded."""

    __slots__ = ()

    def _forward(self, visit: ProxyVisit, parcel: RoutedPacket, out: StationOutbox) -> None:
        pass


class NoHolding(ProxyStation):
    """A message for a registered host whose state has not arrived is not held."""

    __slots__ = ()

    def _arrive(self, target: int, parcel: RoutedPacket, out: StationOutbox) -> None:
        if self.newest[target].state in {VisitState.SERVING, VisitState.LEFT}:
            super()._arrive(target, parcel, out)


@value
class Structures(Packet):
    host: int
    visit: int
    mailbox: Mailbox
    held: tuple[Copy, ...]


@value
class Unacknowledged(Packet):
    host: int
    visit: int
    sender: Sender
    receiver: Receiver


@value
class HandoffOver(Packet):
    host: int
    visit: int


class StateInPieces(ProxyStation):
    """The state is sent in several packets, of which `handoff_over` is the last. The new station waits only for
    `handoff_over`.
    """

    __slots__ = ()

    def hand_over(self, visit: ProxyVisit, out: StationOutbox) -> None:
        whole = handover(visit)
        for piece in (
            Structures(whole.host, whole.visit, whole.mailbox, whole.held),
            Unacknowledged(whole.host, whole.visit, whole.sender, whole.receiver),
            HandoffOver(whole.host, whole.visit),
        ):
            out.send(visit.successor, piece)
        visit.forget()

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if not isinstance(packet, Structures | Unacknowledged | HandoffOver):
            super().receive(packet, out)
            return
        visit = self.visit_record(packet.host, packet.visit)
        if isinstance(packet, Structures):
            visit.mailbox, visit.held = packet.mailbox, [*packet.held, *visit.held]
        elif isinstance(packet, Unacknowledged):
            visit.sender, visit.receiver = packet.sender, packet.receiver
        else:
            visit.mailbox = getattr(visit, "mailbox", None) or blank(self, visit.host)
            self.step(visit, HandoffEvent.STATE, out)


class UplinkBeforeState(ProxyStation):
    """Uplink messages do not wait for the state. They are stamped from empty data structures."""

    __slots__ = ()

    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        visit = self.newest.get(host)
        if type(frame) is not Data or visit is None or visit.state is not VisitState.AWAITING:
            super().receive_frame(host, frame, out)
            return
        visit.mailbox = blank(self, host)
        self.originate(visit, frame, out)
        visit.receiver.last = frame.number
        out.transmit(host, Ack(frame.number))

    def _install(self, packet: Handover, out: StationOutbox) -> None:
        accepted = self.visit_record(packet.host, packet.visit).receiver.last
        packet.receiver.last = max(packet.receiver.last, accepted)
        super()._install(packet, out)


class UncheckedUplink(hop.UncheckedUplink[ProxyVisit], ProxyStation):
    __slots__ = ()


class RenumberedFrames(hop.RenumberedFrames[ProxyVisit], ProxyStation):
    __slots__ = ()


class NoAnswerWithoutVisit(hop.NoAnswerWithoutVisit[ProxyVisit], ProxyStation):
    __slots__ = ()


class NoRequestWithoutTrail(hop.NoRequestWithoutTrail[ProxyVisit], ProxyStation):
    __slots__ = ()


class AllRetransmitted(ProxyStation):
    """Without a part of C6: the new station retransmits even the frames that the host has reported as received."""

    __slots__ = ()

    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        if type(frame) is Register:
            frame = Register(frame.registration, frame.visit, frame.trail, -1)
        super().receive_frame(host, frame, out)


class ReusableVisit(ProxyVisit):
    """A record that can be used again after its state was transferred."""

    __slots__ = ()

    def forget(self) -> None:
        self.sender, self.receiver, self.held = Sender(), Receiver(), []
        del self.mailbox


class SingleRecord(ProxyStation):
    """Without C8: a station has one record of each host, so it executes one hand-off of the host at a time."""

    __slots__ = ()

    def visit_record(self, host: int, number: int) -> ProxyVisit:
        if host not in self.newest:
            self.newest[host] = self.new_visit(host, number)
        return self.newest[host]

    def new_visit(self, host: int, number: int) -> ProxyVisit:
        return ReusableVisit(host, number)

    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        if type(frame) is Register:
            record = self.visit_record(host, frame.visit)
            if frame.visit > record.number:
                record.number, record.state = frame.visit, VisitState.ABSENT
        if type(frame) is Data and self.newest[host].state is VisitState.PASSING:
            self.newest[host].queue.append(frame)
        else:
            super().receive_frame(host, frame, out)


PREMATURE_TABLE: Final[HandoffTable] = {
    **DIRECT_TABLE,
    (VisitState.AWAITING, HandoffEvent.BEGIN): then(VisitState.LEFT, Do.HAND_OVER),
    (VisitState.LEFT, HandoffEvent.STATE): then(VisitState.LEFT),
}


class PrematureAnswer(ProxyStation):
    """Without C8: `handoff_begin` is answered at once. If the state has not arrived, the answer has empty data
    structures.
    """

    __slots__ = ()
    table = PREMATURE_TABLE

    def new_visit(self, host: int, number: int) -> ProxyVisit:
        return ReusableVisit(host, number)

    def hand_over(self, visit: ProxyVisit, out: StationOutbox) -> None:
        if not hasattr(visit, "mailbox"):
            visit.mailbox = blank(self, visit.host)
        super().hand_over(visit, out)


class LatestReceived(Directory):
    """A directory that stores the location received last instead of the location of the newest visit."""

    __slots__ = ()

    def learn(self, host: int, visit: int, station: int) -> None:
        self.newest[host] = (visit, station)

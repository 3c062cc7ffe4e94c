"""The rules of the wireless hop that a station has to keep, each of them left out: to be mixed into any placement's."""

from typing import TypeVar

from protocols.handoff.visits import PRESENT, HandoffBegin, HandoffStation, Visit
from protocols.handoff.wireless_hop import Ack, Data, Sender
from protocols.machine import Packet, StationOutbox

V = TypeVar("V", bound=Visit)


class Unnumbered(HandoffStation[V]):
    """C5 left out: takes every up-link frame for a new one."""

    __slots__ = ()

    def accept_uplink(self, visit: V, frame: Data, out: StationOutbox) -> None:
        self.originate(visit, frame, out)
        if visit.state in PRESENT:
            out.transmit(visit.host, Ack(frame.number))


class Renumbering(HandoffStation[V]):
    """Part of C6 left out: PEND_ACK migrates, its numbers do not."""

    __slots__ = ()

    def hand_over(self, visit: V, out: StationOutbox) -> None:
        old, visit.sender = visit.sender, Sender()
        for frame in old.unacknowledged:
            visit.sender.enqueue(frame.copies, frame.integers)
        super().hand_over(visit, out)  # type: ignore[safe-super]


class Incurious(HandoffStation[V]):
    """C3 left out: a station without record of a visit has nothing to hand over, and so does not answer."""

    __slots__ = ()

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is not HandoffBegin or self.find_visit(packet.host, packet.visit - 1) is not None:
            super().receive(packet, out)  # type: ignore[safe-super]


class Stranded(HandoffStation[V]):
    """C3 with trails of one cell: where the register was lost, nobody knows whom to ask."""

    __slots__ = ()

    def request(self, visit: V, out: StationOutbox) -> None:
        if visit.trail:
            super().request(visit, out)

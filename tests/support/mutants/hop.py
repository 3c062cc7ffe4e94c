"""Stations without rule C3, C5 or C6 of the hand-off (`docs/hand-off.md`), as mix-ins for any placement."""

from typing import TypeVar

from mobilesim.protocols.handoff.visits import PRESENT, HandoffBegin, HandoffStation, Visit
from mobilesim.protocols.handoff.wireless_hop import Ack, Data, Sender
from mobilesim.protocols.machine import StationOutbox
from mobilesim.protocols.packets import Packet

V = TypeVar("V", bound=Visit)


class UncheckedUplink(HandoffStation[V]):
    """Without C5: the station accepts every uplink frame as a new one."""

    __slots__ = ()

    def accept_uplink(self, visit: V, frame: Data, out: StationOutbox) -> None:
        self.originate(visit, frame, out)
        if visit.state in PRESENT:
            out.transmit(visit.host, Ack(frame.number))


class RenumberedFrames(HandoffStation[V]):
    """Without a part of C6: unacknowledged frames (PEND_ACK) migrate without their frame numbers."""

    __slots__ = ()

    def hand_over(self, visit: V, out: StationOutbox) -> None:
        old, visit.sender = visit.sender, Sender()
        for frame in old.unacknowledged:
            visit.sender.enqueue(frame.copies, frame.integers)
        super().hand_over(visit, out)  # type: ignore[safe-super]


class NoAnswerWithoutVisit(HandoffStation[V]):
    """Without C3: a station that has no record of a visit does not answer `handoff_begin`."""

    __slots__ = ()

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is not HandoffBegin or self.find_visit(packet.host, packet.visit - 1) is not None:
            super().receive(packet, out)  # type: ignore[safe-super]


class NoRequestWithoutTrail(HandoffStation[V]):
    """C3 for hosts with `ShortTrail`: if the registration of a visit was lost, the trail in the request has only the
    cell of this visit. So the station does not know the station of the previous visit, and requests no state.
    """

    __slots__ = ()

    def request(self, visit: V, out: StationOutbox) -> None:
        if visit.trail:
            super().request(visit, out)

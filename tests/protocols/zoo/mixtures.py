"""The rules of the wireless hop left out under the flushed hand-off and under the flood."""

from protocols.flooding import FloodHost
from protocols.flush import LogicalVisit
from protocols.handoff import HandoffBegin, State
from protocols.hostlink import Ack, Data, Sender
from protocols.machine import Packet, StationOutbox
from protocols.placements.flood import FloodStation, FloodVisit
from protocols.placements.logical import LogicalStation
from tests.protocols.zoo import hosts


class HomelyFlood(hosts.Homely, FloodHost):
    __slots__ = ()


class ForgetfulFlood(hosts.Forgetful, FloodHost):
    __slots__ = ()


class UnnumberedFlush(LogicalStation):
    __slots__ = ()

    def take(self, visit: LogicalVisit, frame: Data, out: StationOutbox) -> None:
        self.originate(visit, frame, out)
        if visit.state in {State.SERVING, State.ENABLED}:
            out.transmit(visit.host, Ack(frame.number))


class UnnumberedFlood(FloodStation):
    __slots__ = ()

    def take(self, visit: FloodVisit, frame: Data, out: StationOutbox) -> None:
        self.originate(visit, frame, out)
        if visit.state is State.SERVING:
            out.transmit(visit.host, Ack(frame.number))


class RenumberingFlush(LogicalStation):
    __slots__ = ()

    def hand_over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        old, visit.sender = visit.sender, Sender()
        for frame in old.unacknowledged:
            visit.sender.enter(frame.copies, frame.integers)
        super().hand_over(visit, out)


class IncuriousFlush(LogicalStation):
    __slots__ = ()

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is not HandoffBegin or self.known(packet.host, packet.visit - 1) is not None:
            super().receive(packet, out)


class IncuriousFlood(FloodStation):
    __slots__ = ()

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is not HandoffBegin or self.known(packet.host, packet.visit - 1) is not None:
            super().receive(packet, out)


class StrandedFlush(LogicalStation):
    __slots__ = ()

    def ask(self, visit: LogicalVisit, out: StationOutbox) -> None:
        if visit.trail:
            super().ask(visit, out)


class StrandedFlood(FloodStation):
    __slots__ = ()

    def ask(self, visit: FloodVisit, out: StationOutbox) -> None:
        if visit.trail:
            super().ask(visit, out)

"""Broken forms of the matrix Delivered that the processes at a station share (`protocols.orderings.prs`)."""

from mobilesim.protocols.machine import StationOutbox
from mobilesim.protocols.ordering import Key, Process
from mobilesim.protocols.orderings.prs import Barrier, Prs, PrsProcess
from mobilesim.protocols.packets import Copy
from mobilesim.protocols.placements.flood import FloodStation, FloodVisit


class OnlyBarrierMoves(Prs):
    """As printed, a host moves with CB and h_RECD only. Tuples are numbers of senders, and h_RECD has none of these."""

    def process(self, index: int) -> Process:
        return OnlyBarrierMovesProcess(index, self)


class OnlyBarrierMovesProcess(PrsProcess):
    __slots__ = ()

    def leave_station(self) -> None:
        super().leave_station()
        self.delivered[:] = 0


class AnyHostDelivered(Prs):
    """A message may be delivered to a host when the station knows that any host has delivered its predecessors."""

    def process(self, index: int) -> Process:
        return AnyHostDeliveredProcess(index, self)


class AnyHostDeliveredProcess(PrsProcess):
    __slots__ = ()

    def missing(self, stamp: Barrier) -> Key | None:
        own, self.delivered = self.delivered, self.facts.known.max(axis=0)
        key = super().missing(stamp)
        self.delivered = own
        return key


class TransmittedIsDelivered(FloodStation):
    """A station tells all processes that a host has delivered a message when the station transmits it to the host."""

    __slots__ = ()

    def _transmit(self, visit: FloodVisit, origin: int, number: int, copy: Copy, out: StationOutbox) -> None:
        super()._transmit(visit, origin, number, copy, out)
        assert isinstance(self.process, PrsProcess)
        assert isinstance(copy.stamp, Barrier)
        row = self.process.facts.known[visit.host]
        row[copy.stamp.origin] = max(row[copy.stamp.origin], copy.stamp.number)

"""Broken orderings: RST as printed, with unsafe multicasts; FIFO numbers without waiting; numbers of a flood read as
counts.
"""

from collections.abc import Sequence

from mobilesim.protocols.ordering import Key
from mobilesim.protocols.orderings.fifo import Fifo, FifoProcess
from mobilesim.protocols.orderings.prs import Barrier
from mobilesim.protocols.orderings.prs_stations import PrsStations, StationsProcess
from mobilesim.protocols.packets import Stamp
from tests.support.protocols.dense_rst import Dense, DenseProcess, Printed


class Unraised(Dense):
    """RST in which a delivery changes no entry of SENT."""

    __slots__ = ()

    def process(self, index: int) -> DenseProcess:
        return UnraisedProcess(index, self.size)


class UnraisedProcess(DenseProcess):
    __slots__ = ()

    def raised(self, stamp: Printed) -> list[int]:
        return []


class OwnRaised(Dense):
    """RST in which a delivery changes the receiver's own entry of SENT, but no entry of another destination."""

    __slots__ = ()

    def process(self, index: int) -> DenseProcess:
        return OwnRaisedProcess(index, self.size)


class OwnRaisedProcess(DenseProcess):
    __slots__ = ()

    def raised(self, stamp: Printed) -> list[int]:
        return [self.index]


class SerialUnicasts(Dense):
    """RST in which a multicast is sent as unicasts with different stamps."""

    __slots__ = ()

    def process(self, index: int) -> DenseProcess:
        return SerialUnicastsProcess(index, self.size)


class SerialUnicastsProcess(DenseProcess):
    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        unicast = super().send
        return [pair for destination in destinations for pair in unicast((destination,), group)]


class NumberedOnly(Fifo):
    """FIFO without waiting: messages are numbered, but are delivered when they arrive."""

    __slots__ = ()

    def process(self, index: int) -> FifoProcess:
        return NumberedOnlyProcess(index)


class NumberedOnlyProcess(FifoProcess):
    __slots__ = ()

    def missing(self, stamp: Stamp) -> Key | None:
        return None


class AtLeast(PrsStations):
    """PRS by stations with a wrong condition: a tuple (s, x) is satisfied when h_RECD[s] is at least x."""

    __slots__ = ()

    def process(self, index: int) -> StationsProcess:
        return AtLeastProcess(index, self)


class AtLeastProcess(StationsProcess):
    __slots__ = ()

    def missing(self, stamp: Barrier) -> Key | None:
        self.delivered += 1
        key = super().missing(stamp)
        self.delivered -= 1
        return key

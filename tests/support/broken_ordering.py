"""An ordering that raises an exception at its third delivery."""

from collections.abc import Sequence

from mobilesim.protocols.machine import ProtocolError
from mobilesim.protocols.ordering import Key, Ordering, Process
from mobilesim.protocols.packets import UNSTAMPED, Stamp


class Broken(Ordering):
    def __init__(self, size: int) -> None:
        self.size = size
        self.deliveries = [0]

    def process(self, index: int) -> "BrokenProcess":
        return BrokenProcess(index, self.deliveries)


class BrokenProcess(Process):
    __slots__ = ("deliveries", "index")

    def __init__(self, index: int, deliveries: list[int]) -> None:
        self.index = index
        self.deliveries = deliveries

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        return ((destinations, UNSTAMPED),)

    def missing(self, stamp: Stamp) -> Key | None:
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        self.deliveries[0] += 1
        if self.deliveries[0] == 3:
            raise ProtocolError("the third delivery\ncannot happen")
        return ()

    @property
    def integers(self) -> int:
        return 0

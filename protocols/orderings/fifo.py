"""FIFO order between every two processes, without causal order.

A sender numbers its messages to each receiver, and a receiver delivers them by number. A message has one integer.
Causal order may be violated through a third process. Example: p1 sends m1 to p3 and m2 to p2. p2 delivers m2 and sends
m3 to p3. m3 may arrive before m1.
"""

from collections.abc import Sequence
from typing import ClassVar

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process
from mobilesim.protocols.packets import Stamp


@value
class SequenceNumber(Stamp):
    number: int
    integers: ClassVar[int] = 1


class Fifo(Ordering):
    def process(self, index: int) -> "FifoProcess":
        return FifoProcess(index)


class FifoProcess(Process):
    __slots__ = ("delivered", "index", "sent")

    def __init__(self, index: int) -> None:
        self.index = index
        self.sent: dict[int, int] = {}
        self.delivered: dict[int, int] = {}

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        sent = self.sent
        pairs = []
        for destination in destinations:
            number = sent.get(destination, 0)
            sent[destination] = number + 1
            pairs.append(((destination,), SequenceNumber(self.index, number)))
        return pairs

    def missing(self, stamp: SequenceNumber) -> Key | None:
        if stamp.number <= self.delivered.get(stamp.sender, 0):
            return None
        return stamp.sender, stamp.number - 1

    def deliver(self, stamp: SequenceNumber) -> Sequence[Key]:
        self.delivered[stamp.sender] = stamp.number + 1
        return ((stamp.sender, stamp.number),)

    def left(self, process: int) -> None:
        self.sent.pop(process, None)

    def removed(self, process: int) -> None:
        self.delivered.pop(process, None)

    @property
    def integers(self) -> int:
        return len(self.sent) + len(self.delivered)

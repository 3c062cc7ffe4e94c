"""Prakash, Raynal and Singhal, section 8.2: causal barriers for broadcasts.

Theory. In the paper, a broadcast carries one component of CB, as if all components were equal. This is unsafe: CB[k]
never has tuples of messages of k. Here a broadcast carries the union of all components except the sender's. The union
has at most N tuples, and the receiver uses it for every component.

Representation. With three or more processes, the union is the set of the latest messages in the causal past: those that
precede no other message in the causal past. (With two processes, the union is smaller.) A process stores only this set.
A send replaces the set by the sent message. A delivery removes the tuples that the message carries, and adds the
message. Of the matrix Delivered, a process stores only its own row. `tests/protocols` compares this with full matrices.

A process counts its own messages as delivered at the send, since messages of other processes carry their tuples.
"""

from collections.abc import Sequence

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process
from mobilesim.protocols.packets import Stamp


@value
class Latest(Stamp):
    """`carried` is the barrier before the send, as pairs of process and message number."""

    number: int
    carried: tuple[tuple[int, int], ...]

    @property
    def units(self) -> int:
        return len(self.carried)

    @property
    def integers(self) -> int:
        return 1 + 2 * len(self.carried)


class PrsBroadcast(Ordering):
    def process(self, index: int) -> Process:
        return BroadcastProcess(index, self.size)


class BroadcastProcess(Process):
    __slots__ = ("barrier", "delivered", "index")

    def __init__(self, index: int, size: int) -> None:
        self.index = index
        self.barrier: dict[int, int] = {}
        self.delivered = [0] * size

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        others = len(self.delivered) - 1
        if len(destinations) != others:
            raise ValueError(f"prs-broadcast orders broadcasts to {others} other processes, not to {len(destinations)}")
        index, carried = self.index, tuple(sorted(self.barrier.items()))
        self.delivered[index] = number = self.delivered[index] + 1
        self.barrier = {index: number}
        return ((destinations, Latest(index, number, carried)),)

    def missing(self, stamp: Latest) -> Key | None:
        delivered = self.delivered
        for sender, number in stamp.carried:
            if delivered[sender] < number:
                return sender, number
        return None

    def deliver(self, stamp: Latest) -> Sequence[Key]:
        sender, number, barrier = stamp.sender, stamp.number, self.barrier
        for other, latest in stamp.carried:
            if barrier.get(other, latest) <= latest:
                barrier.pop(other, None)
        barrier[sender] = number
        self.delivered[sender] = number
        return ((sender, number),)

    @property
    def integers(self) -> int:
        return 2 * len(self.barrier) + len(self.delivered)

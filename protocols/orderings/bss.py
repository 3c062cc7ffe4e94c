"""Birman, Schiper and Stephenson: lightweight causal and atomic group multicast (1991): CBCAST within one group.

Model. Every message is a broadcast to all other processes; the sender has it at the send.

Theory. Entry k of a process's vector counts the broadcasts of k that have been delivered there, and at k itself those
that it has sent. A broadcast carries its sender's vector; it may be delivered once every broadcast that its sender had
delivered has been delivered here too, and every earlier one of the sender.

Invariant. A delivery changes no entry but its sender's, since all others have been reached already: so a message that
waits for the v-th broadcast of k waits for exactly one delivery.

Representation. The vector is one integer (`protocols.packed_vectors`); a stamp shares it with the process that sent it.

Deviations from the print. A stamp holds the vector from before the send, while the print has incremented the sender's
own entry. So all entries have the same condition. The n integers that travel are the same. Messages to a part of the
processes are refused: the others would wait for them forever.
"""

from collections.abc import Sequence

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import Addressed, Key, Ordering, Process
from protocols.packed_vectors import WIDTH, borrow_bits, entry, first_short


@value
class Vector(Stamp):
    counts: int
    size: int

    @property
    def integers(self) -> int:
        return self.size


class Bss(Ordering):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.borrow = borrow_bits(size)

    def process(self, index: int) -> "BssProcess":
        return BssProcess(index, self.size, self.borrow)


class BssProcess(Process):
    __slots__ = ("borrow", "counts", "index", "size")

    def __init__(self, index: int, size: int, borrow: int) -> None:
        self.index = index
        self.size = size
        self.borrow = borrow
        self.counts = 0

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        others = self.size - 1
        if len(destinations) != others:
            raise ValueError(f"bss orders broadcasts, to all {others} other processes, and not to {len(destinations)}")
        stamp = Vector(self.index, self.counts, self.size)
        self.counts += 1 << WIDTH * self.index
        return ((destinations, stamp),)

    def missing(self, stamp: Vector) -> Key | None:
        place = first_short(self.counts, stamp.counts, self.borrow)
        return None if place is None else (place, entry(stamp.counts, place))

    def deliver(self, stamp: Vector) -> Sequence[Key]:
        sender = stamp.sender
        self.counts += 1 << WIDTH * sender
        return ((sender, entry(self.counts, sender)),)

    @property
    def integers(self) -> int:
        return self.size

"""Birman, Schiper and Stephenson: lightweight causal and atomic group multicast (1991): CBCAST within one group.

Model. Every message is a broadcast to all other processes; the sender delivers it at the send.

Theory. Entry k of a process's vector counts the delivered broadcasts of k; at k itself, it counts the sent broadcasts.
A broadcast carries its sender's vector, and is delivered after all broadcasts that the sender had sent or delivered.

Invariant. A delivery changes only the sender's entry, since all other entries of the message have been reached before.
So a message that waits for the v-th broadcast of k waits for exactly one delivery.

Representation. The vector is one integer (`protocols.packed_vectors`), shared by a stamp and its sender.

Deviations from the paper. A stamp has the vector from before the send, so the condition is the same for all entries. In
the paper, the sender's own entry has been incremented before. A header has n integers in both cases. A message must be
sent to all other processes, since a process that does not receive it would wait for it forever.

Joins and leaves. The processes of each view are new ones, with one entry for each member and vectors of zeros. Views
change by a flush (`mobilesim.protocols.flush`). A stamp then also has the number of the view.
"""

from collections.abc import Sequence

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process
from mobilesim.protocols.packed_vectors import WIDTH, borrow_bits, entry, first_short
from mobilesim.protocols.packets import Stamp
from mobilesim.protocols.view import View


@value
class Vector(Stamp):
    counts: int
    size: int

    @property
    def integers(self) -> int:
        return self.size


class Bss(Ordering):
    __slots__ = ("borrow",)

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.borrow = borrow_bits(size)

    def process(self, index: int) -> "BssProcess":
        return BssProcess(index, self.size, self.borrow)

    def member(self, index: int, view: View) -> "BssProcess":
        """Return the process of a member of one view. Its entry is its place among the members in the order of ids."""
        return Bss(len(view.members)).process(sorted(view.members).index(index))


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
            raise ValueError(f"bss orders broadcasts to {others} other processes, not to {len(destinations)}")
        stamp = Vector(self.index, self.counts, self.size)
        self.counts += 1 << WIDTH * self.index
        return ((destinations, stamp),)

    def missing(self, stamp: Vector) -> Key | None:
        index = first_short(self.counts, stamp.counts, self.borrow)
        return None if index is None else (index, entry(stamp.counts, index))

    def deliver(self, stamp: Vector) -> Sequence[Key]:
        sender = stamp.sender
        self.counts += 1 << WIDTH * sender
        return ((sender, entry(self.counts, sender)),)

    @property
    def integers(self) -> int:
        return self.size

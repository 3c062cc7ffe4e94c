"""Schiper, Eggli and Sandoz: a new algorithm to implement causal ordering (1989).

Theory. Processes keep vector time. A process also keeps a list of pairs (j, t): for each process j that is a
destination of a send known to it, the vector time t of the latest such send. A message carries its own time and its
sender's list from before the send. It may be delivered at i if the list has no pair for i, or if the time of i has
reached that pair's t. With the delivery, i merges the other pairs into its list, by the maximum of each entry.

Invariant. i's vector time covers a send to i only after its delivery: i learns of sends only from messages that it
delivers, and none of these is delivered before the sends to i that happened before it.

Representation. Only sends advance the time, so it is a vector of *versions* as in `protocols.orderings.rst`. The t in
i's pair covers, for each k, the last send of k to i whose version was known to the list's holder. So i's time has
reached t if and only if none of those sends is outstanding: the comparison of two times is the condition of RST, and is
decided by the same look-up without computing any t. Of the list itself only the processes with a pair are kept, for its
length: an integer of n bits. `tests/protocols/orderings` compares this with the printed lists. Headers count the full
lists: the time, and for each pair its process and its time.

Deviations from the print, which has messages to one process only. All copies of a multicast carry the same list; its
sender, and with the delivery every receiver, notes its time for *every* other destination. Deliveries do not advance
the time; only the numbers differ. A process never sends to itself: its time would cover that message before its
arrival, and later messages would not wait for it.
"""

from collections.abc import Sequence

import numpy as np

from protocols.frozen_value import value
from protocols.ordering import Addressed, Key
from protocols.orderings.rst import Matrix, Outstanding, Rst, RstProcess, Versions


@value
class Listed(Matrix):
    """`versions` is the vector time before the send."""

    listed: int
    """The processes with a pair in the list, as bits."""
    addressed: int
    """The destinations of the message, as bits."""

    @property
    def integers(self) -> int:
        size = len(self.versions)
        return size + self.listed.bit_count() * (1 + size)


class Ses(Rst):
    def process(self, index: int) -> "SesProcess":
        return SesProcess(index, np.zeros(self.size, np.int32), self.outstanding)


class SesProcess(RstProcess):
    __slots__ = ("listed",)

    def __init__(self, index: int, known: Versions, outstanding: Outstanding) -> None:
        super().__init__(index, known, outstanding)
        self.listed = 0

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        ((_, stamp),) = super().send(destinations, group)
        assert isinstance(stamp, Matrix)
        addressed = sum([1 << destination for destination in destinations])
        listed = self.listed
        self.listed = listed | addressed
        return ((destinations, Listed(self.index, stamp.versions, listed, addressed)),)

    def deliver(self, stamp: Matrix) -> Sequence[Key]:
        assert isinstance(stamp, Listed)
        self.listed |= (stamp.listed | stamp.addressed) & ~(1 << self.index)
        return super().deliver(stamp)

    @property
    def integers(self) -> int:
        size = len(self.known)
        return size + self.listed.bit_count() * (1 + size)

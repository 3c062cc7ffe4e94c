"""Schiper, Eggli and Sandoz: a new algorithm to implement causal ordering (1989).

Theory. Processes keep vector time. A process also keeps a list of pairs (j, t): t is the vector time of the latest send
to j in the process's causal past. A message carries its own time and its sender's list from before the send. It may be
delivered at i if the list has no pair for i, or if the time of i has reached t of that pair. At the delivery, i merges
the other pairs into its list, by the maximum of each entry.

Invariant. The vector time of i covers a send to i only after its delivery: the time advances only by deliveries, and a
message is delivered after all messages to i that were sent before it.

Representation. Only sends advance the time, so it is a vector of *versions* as in `protocols.orderings.rst`. In the
pair (i, t), t covers for each k the last send of k to i in the causal past. So the time of i has reached t if and only
if none of these sends is outstanding: this is the condition of RST, and the look-up of RST decides it without any t. Of
the list, only the set of processes with a pair is stored, for the list's length, as an integer of n bits.
`tests/protocols/orderings` compares this with the printed lists. Headers count the full lists: the time, and for each
pair its process and its time.

Deviations from the print, which has messages to one process only. All copies of a multicast carry the same list. The
sender, and every receiver at the delivery, stores the time of the multicast for *every* other destination. Deliveries
do not advance the time; only the numbers differ. A process never sends to itself: its time would cover that message
before the arrival, and later messages would not wait for it.
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

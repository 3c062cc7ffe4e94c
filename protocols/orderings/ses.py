"""Schiper, Eggli and Sandoz: a new algorithm to implement causal ordering (1989).

Theory. Processes keep vector time. A process keeps besides, in a list of pairs (j, t), for each process j that it knows
to have been sent something, the vector time t of the latest such send that it knows of. A message carries its own time
and its sender's list from before the send. At i it may be delivered if the list has no pair for i, or if the time of i
has reached that pair's t. With the delivery i takes over the other pairs, entry by entry the larger.

Invariant. i's vector time covers a send to i only after its delivery: i hears of sends only from messages that it
delivers, and none of these is delivered before the sends to i that happened before it.

Representation. Time ticks at sends alone, so it is a vector of *versions* as in `protocols.orderings.rst`, and the t in
i's pair covers, of each k, its last send to i of a version that the list's holder knew of. So i's time has reached t if
and only if none of those is outstanding: the comparison of two times is the question that RST asks, and is answered by
the same look-up, without a single t being made. What is left of the list is who has a pair in it, which only its length
depends on: an integer of n bits. `tests/protocols/orderings` hold it against the printed lists. Headers count them in
full: the time, and for each pair its process and its time.

Deviations from the print, which knows messages to one process. All copies of a multicast carry the same list; its
sender, and with the delivery every receiver, notes its time for *every* other destination. Deliveries do not tick; it
makes no difference but to the numbers. A process never sends to itself: its time would cover that message before the
message has come, and what happened after it would not wait for it.
"""

from collections.abc import Sequence

import numpy as np

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import Key
from protocols.orderings.rst import Matrix, Outstanding, Rst, RstProcess, Versions


@value
class Listed(Matrix):
    """`versions` is the vector time before the send."""

    listed: int
    """The processes for which the list has a pair, as bits."""
    addressed: int
    """Those for which the message is."""

    @property
    def integers(self) -> int:
        size = len(self.versions)
        return size + self.listed.bit_count() * (1 + size)


class Ses(Rst):
    __slots__ = ()

    def process(self, index: int) -> "SesProcess":
        return SesProcess(index, np.zeros(self.size, np.int32), self.outstanding)


class SesProcess(RstProcess):
    __slots__ = ("listed",)

    def __init__(self, index: int, known: Versions, outstanding: Outstanding) -> None:
        super().__init__(index, known, outstanding)
        self.listed = 0

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        ((_, stamp),) = super().send(destinations, group)
        assert isinstance(stamp, Matrix)
        addressed = sum([1 << destination for destination in destinations])
        listed = self.listed
        self.listed = listed | addressed
        return ((destinations, Listed(self.index, stamp.versions, listed, addressed)),)

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Listed)
        self.listed |= (stamp.listed | stamp.addressed) & ~(1 << self.index)
        return super().deliver(stamp)

    @property
    def integers(self) -> int:
        size = len(self.known)
        return size + self.listed.bit_count() * (1 + size)

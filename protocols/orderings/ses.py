"""Schiper, Eggli and Sandoz: a new algorithm to implement causal ordering (1989).

Theory. Processes keep vector time. A process also keeps a list of pairs (j, t), where t is the vector time of the
latest send to j in the process's causal past. A message carries its own time, and its sender's list from before the
send. It may be delivered at i if the list has no pair (i, t), or if the time of i has reached t. At the delivery, i
merges the other pairs into its list, by the maximum of each entry.

Invariant. The vector time of i covers a message to i only after this message has been delivered: i learns times of
other processes only by deliveries, and messages that precede a message to i are delivered at i before it.

Representation. Only sends advance the time, so it is a vector of *versions* as in `protocols.orderings.rst`. In the
pair (i, t), t covers for each k the last send of k to i in the causal past. So the time of i has reached t if and only
if none of these sends is outstanding. This is the condition of RST, and the module uses the code of RST to check it. No
t is stored. Only the processes with a pair are stored, as the bits of an integer, since the size of a header depends on
their number. `tests/protocols/orderings` compares this with the printed lists. Headers count the full lists: the time,
and for each pair its process and its time.

Deviations from the paper. The paper has unicasts only. Here all copies of a multicast carry the same list. The sender,
and every receiver at the delivery, stores the time of the multicast for *every* other destination. In the paper,
deliveries also advance the time; this difference changes only the numbers. A process never sends to itself: the time of
the process would cover this message before its arrival, and later messages would not wait for it.
"""

from collections.abc import Sequence

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key
from mobilesim.protocols.orderings.rst import Matrix, Outstanding, Rst, RstProcess


@value
class Listed(Matrix):
    """The vector time of the send: `version` is the sender's entry, and `versions` has all other entries."""

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
        return SesProcess(index, self.size, self.outstanding)


class SesProcess(RstProcess):
    __slots__ = ("listed",)

    def __init__(self, index: int, size: int, outstanding: Outstanding) -> None:
        super().__init__(index, size, outstanding)
        self.listed = 0

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        ((_, stamp),) = super().send(destinations, group)
        assert isinstance(stamp, Matrix)
        addressed = sum([1 << destination for destination in destinations])
        listed = self.listed
        self.listed = listed | addressed
        return ((destinations, Listed(self.index, stamp.version, stamp.versions, listed, addressed)),)

    def deliver(self, stamp: Matrix) -> Sequence[Key]:
        assert isinstance(stamp, Listed)
        self.listed |= (stamp.listed | stamp.addressed) & ~(1 << self.index)
        return super().deliver(stamp)

    @property
    def integers(self) -> int:
        size = len(self.known)
        return size + self.listed.bit_count() * (1 + size)

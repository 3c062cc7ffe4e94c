"""Birman, Schiper and Stephenson: lightweight causal and atomic group multicast (1991): CBCAST among several groups, as
also sketched by Mostefaoui and Raynal (1993, section 2.3).

Model. Groups are fixed beforehand and may overlap. A message is a multicast by a member of a group to all its other
members; the sender delivers it at the send.

Theory. A process keeps a vector for every group, also for groups of which it is not a member. An entry counts the
multicasts of one member to the group in the process's causal past. A message carries all vectors of its sender. It may
be delivered at i when i has delivered the counted multicasts of each group *of which i is a member*. Counts of other
groups delay no message at i, but i passes them on, because a causal path through i may lead back to members of these
other groups. (If groups form no cycle, the vectors of i's own groups are enough. This is not used here.)

Invariant. In the vectors of its own groups, a process counts exactly the multicasts that have been delivered to it or
sent by it. A delivery changes only the sender's entry of these vectors, since all other counts of the message have been
reached before. So a message that waits for the v-th multicast of a member to a group waits for exactly one delivery.

Representation. All vectors are concatenated in one array, shared by a stamp and its sender, and replaced at every
change. Headers count an integer for every member of every group, as printed.

Deviations from the paper. A stamp has the vectors from before the send, so the condition is the same for all entries.
In the paper, the sender's entry for the message's group has been incremented before. `isis-differential` sends only
the entries that have changed.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Groups, Key, Ordering, Process, memberships
from mobilesim.protocols.packets import Stamp

Counts: TypeAlias = npt.NDArray[np.int32]

_maximum: Final = np.maximum


@value
class Vectors(Stamp):
    """`counts` has the entries of all groups, `entry` is the index of the sender's entry for the message's group."""

    counts: Counts
    entry: int

    @property
    def integers(self) -> int:
        return len(self.counts)


class Isis(Ordering):
    def __init__(self, size: int, groups: Groups = ()) -> None:
        for fault in faults(size, groups):
            raise ValueError(f"isis: {fault}")
        super().__init__(size)
        self.groups = groups
        self.memberships = memberships(groups)
        self.starts = tuple(accumulate(map(len, groups), initial=0))
        """The index of the first entry of each group, and the number of all entries."""

    def process(self, index: int) -> "IsisProcess":
        return IsisProcess(index, self)


def faults(size: int, groups: Groups) -> Iterator[str]:
    for number, group in enumerate(groups):
        if len(set(group)) < len(group):
            yield f"group {number} contains a process twice"
        for member in group:
            if member not in range(size):
                yield f"group {number} contains process {member}; the processes are 0 to {size - 1}"


class IsisProcess(Process):
    __slots__ = ("counts", "entries", "index", "others", "own")

    def __init__(self, index: int, isis: Isis) -> None:
        own, groups, starts = isis.memberships.get(index, ()), isis.groups, isis.starts
        self.index = index
        self.entries = {number: starts[number] + groups[number].index(index) for number in own}
        self.others = {number: tuple(sorted({*groups[number]} - {index})) for number in own}
        self.own = np.zeros(starts[-1], np.bool_)
        """Whether an entry belongs to one of the process's groups."""
        for number in own:
            self.own[starts[number] : starts[number + 1]] = True
        self.counts: Counts = np.zeros(starts[-1], np.int32)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        if group not in self.entries:
            raise ValueError(f"isis: process {self.index} sends to group {group}, but is not a member")
        if tuple(sorted(destinations)) != self.others[group]:
            raise ValueError(f"isis: a message to group {group} must be for exactly its other members")
        entry = self.entries[group]
        stamp = Vectors(self.index, self.counts, entry)
        counts = self.counts = self.counts.copy()
        counts[entry] += 1
        return ((destinations, stamp),)

    def missing(self, stamp: Vectors) -> Key | None:
        needed = stamp.counts
        # In most cases no entry is short. A search in bytes is the fastest test for this case.
        entry = (self.own & (needed > self.counts)).tobytes().find(1)
        return None if entry < 0 else (entry, int(needed.item(entry)))

    def deliver(self, stamp: Vectors) -> Sequence[Key]:
        entry, needed = stamp.entry, stamp.counts
        number = int(needed.item(entry)) + 1
        counts = self.counts = _maximum(self.counts, needed)
        counts[entry] = number
        return ((entry, number),)

    @property
    def integers(self) -> int:
        return len(self.counts)

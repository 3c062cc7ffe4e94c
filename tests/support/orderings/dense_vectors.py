"""The vectors of Birman, Schiper and Stephenson as printed, and broken variants.

These are the reference implementations of `protocols.orderings.vectors.bss` and `protocols.orderings.vectors.isis`.
"""

from collections.abc import Sequence
from typing import TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Groups, Key, Ordering, Process
from mobilesim.protocols.packets import Stamp

Counts: TypeAlias = dict[tuple[int, int], int]
"""Counts by group and member."""


@value
class Printed(Stamp):
    """The stamp as printed: the sender's vectors, after the sender has incremented its own entry for the message's
    group.
    """

    counts: tuple[tuple[tuple[int, int], int], ...]
    group: int

    @property
    def integers(self) -> int:
        return len(self.counts)


class DenseIsis(Ordering):
    __slots__ = ("groups",)

    def __init__(self, size: int, groups: Groups = ()) -> None:
        self.groups = groups

    def process(self, index: int) -> "DenseProcess":
        return DenseProcess(index, self.groups)


class DenseBss(DenseIsis):
    """BSS: one group with all processes."""

    __slots__ = ()

    def __init__(self, size: int) -> None:
        super().__init__(size, (tuple(range(size)),))


class DenseProcess(Process):
    __slots__ = ("counts", "groups", "index")

    def __init__(self, index: int, groups: Groups) -> None:
        self.index = index
        self.groups = groups
        self.counts: Counts = {(number, member): 0 for number, group in enumerate(groups) for member in group}

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        group = max(group, 0)
        self.counts[group, self.index] += 1
        return ((destinations, Printed(self.index, tuple(self.counts.items()), group)),)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Printed)
        for place, count in stamp.counts:
            if place == (stamp.group, stamp.sender):
                if count != self.counts[place] + 1:
                    return place, count - 1
            elif self.decides(place[0]) and count > self.counts[place]:
                return place, count
        return None

    def decides(self, group: int) -> bool:
        return self.index in self.groups[group]

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Printed)
        before = self.counts
        self.counts = {place: max(count, before[place]) for place, count in stamp.counts}
        return [(place, new) for place, count in before.items() for new in range(count + 1, self.counts[place] + 1)]

    @property
    def integers(self) -> int:
        return len(self.counts)


class OwnGroupsOnly(DenseIsis):
    """ISIS without an essential part: a receiver does not pass on the entries of groups of which it is not a member."""

    __slots__ = ()

    def process(self, index: int) -> "OwnGroupsOnlyProcess":
        return OwnGroupsOnlyProcess(index, self.groups)


class OwnGroupsOnlyProcess(DenseProcess):
    __slots__ = ()

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Printed)
        heard = tuple((place, count if self.decides(place[0]) else 0) for place, count in stamp.counts)
        return super().deliver(Printed(stamp.sender, heard, stamp.group))


class WaitingForOthers(DenseIsis):
    """ISIS with a wrong condition: a receiver also waits for the entries of groups of which it is not a member."""

    __slots__ = ()

    def process(self, index: int) -> "WaitingForOthersProcess":
        return WaitingForOthersProcess(index, self.groups)


class WaitingForOthersProcess(DenseProcess):
    __slots__ = ()

    def decides(self, group: int) -> bool:
        return True

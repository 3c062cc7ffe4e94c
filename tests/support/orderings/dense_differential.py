"""The vectors LS and LU of Singhal and Kshemkalyani (1992) for vectors of groups, and broken variants.

This is the reference implementation of `protocols.orderings.vectors.differential`.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from mobilesim.protocols.ordering import Groups, Key, Ordering
from mobilesim.protocols.packets import Stamp
from tests.support.orderings.dense_vectors import DenseIsis, DenseProcess, Printed

NEVER: Final = -1


class DenseDifferential(DenseIsis):
    """`kind`: the class of the processes."""

    __slots__ = ("kind",)

    def __init__(self, size: int, groups: Groups = (), kind: "type[DifferentialProcess] | None" = None) -> None:
        super().__init__(size, groups or (tuple(range(size)),))
        self.kind = kind or DifferentialProcess

    def process(self, index: int) -> "DifferentialProcess":
        return self.kind(index, self.groups)


class DifferentialProcess(DenseProcess):
    """A stamp has the counts from before the send. `sent` is LS and `updated` is LU."""

    __slots__ = ("clock", "sent", "updated")

    def __init__(self, index: int, groups: Groups) -> None:
        super().__init__(index, groups)
        self.clock = 0
        self.sent: dict[int, int] = {}
        self.updated = dict.fromkeys(self.counts, NEVER)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        group = max(group, 0)
        stamps = [((to,), Printed(self.index, self.carried(to, group), group)) for to in destinations]
        self.count_send(destinations, (group, self.index))
        return stamps

    def carried(self, to: int, group: int) -> tuple[tuple[tuple[int, int], int], ...]:
        own = group, self.index
        return tuple((place, count) for place, count in self.counts.items() if place == own or self.changed(place, to))

    def changed(self, place: tuple[int, int], to: int) -> bool:
        return self.updated[place] >= self.sent.get(to, 0)

    def count_send(self, destinations: tuple[int, ...], own: tuple[int, int]) -> None:
        self.clock += 1
        self.counts[own] += 1
        self.updated[own] = self.clock
        for to in destinations:
            self.sent[to] = self.clock

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Printed)
        for place, count in stamp.counts:
            if self.decides(place[0]) and count > self.counts[place]:
                return place, count
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Printed)
        own = stamp.group, stamp.sender
        keys: list[Key] = []
        for place, carried in stamp.counts:
            count = carried + (place == own)
            if count > self.counts[place]:
                keys += [(place, number) for number in range(self.counts[place] + 1, count + 1)]
                self.counts[place] = count
                self.updated[place] = self.clock
        return keys


class StrictlyLater(DifferentialProcess):
    """The printed condition LU > LS, with a clock that only sends advance."""

    __slots__ = ()

    def changed(self, place: tuple[int, int], to: int) -> bool:
        return self.updated[place] > self.sent.get(to, NEVER)


class OneLatestSend(DifferentialProcess):
    """One entry of LS for all processes, as if all messages had the same destinations."""

    __slots__ = ()
    ALL: ClassVar = -1

    def changed(self, place: tuple[int, int], to: int) -> bool:
        return super().changed(place, self.ALL)

    def count_send(self, destinations: tuple[int, ...], own: tuple[int, int]) -> None:
        super().count_send((*destinations, self.ALL), own)


class AfterSend(DifferentialProcess):
    """The printed counts from after the send. A receiver uses only the carried entries of a message."""

    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        group = max(group, 0)
        own = group, self.index
        before = dict(self.sent)
        self.count_send(destinations, own)
        after, self.sent = self.sent, before
        stamps = [((to,), Printed(self.index, self.carried(to, group), group)) for to in destinations]
        self.sent = after
        return stamps

    def changed(self, place: tuple[int, int], to: int) -> bool:
        # The message to `to` at time LS has carried the change that it caused itself.
        if place[1] == self.index:
            return self.updated[place] > self.sent.get(to, 0)
        return super().changed(place, to)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Printed)
        own = stamp.group, stamp.sender
        before = tuple((place, count - (place == own)) for place, count in stamp.counts)
        return super().missing(Printed(stamp.sender, before, stamp.group))

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Printed)
        own = stamp.group, stamp.sender
        before = tuple((place, count - (place == own)) for place, count in stamp.counts)
        return super().deliver(Printed(stamp.sender, before, stamp.group))


def variant(kind: type[DifferentialProcess], size: int, groups: Groups = ()) -> Ordering:
    return DenseDifferential(size, groups, kind)

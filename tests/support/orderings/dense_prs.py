"""PRS with sets of tuples, as printed in section 5.2: the reference implementation of `protocols.orderings.prs`.

Broken variants derive from it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Key, Ordering, Process
from mobilesim.protocols.packets import Stamp

Tuples: TypeAlias = frozenset[tuple[int, int]]
Components: TypeAlias = Mapping[int, Tuples]
EMPTY: Tuples = frozenset()


def union_max(one: Tuples, other: Tuples) -> Tuples:
    """Return the union with only the latest message of each source."""
    both = one | other
    return frozenset((source, x) for source, x in both if not any(k == source and x < y for k, y in both))


def minus_max(one: Tuples, satisfied: Tuples) -> Tuples:
    return frozenset((source, x) for source, x in one if not any(k == source and x <= y for k, y in satisfied))


@value
class Printed(Stamp):
    number: int
    destinations: frozenset[int]
    barrier: Components
    """The set of each process. Empty sets are not transmitted."""

    @property
    def units(self) -> int:
        return sum(map(len, self.barrier.values()))

    @property
    def integers(self) -> int:
        return 1 + sum(2 + 2 * len(component) for component in self.barrier.values() if component)


class Sets(Ordering):
    __slots__ = ("collect", "size", "union")

    def __init__(self, size: int, *, barrier: str = "replace", collect: bool = True) -> None:
        self.size = size
        self.union = barrier == "union"
        self.collect = collect

    def process(self, index: int) -> "SetsProcess":
        return SetsProcess(index, self.size, union=self.union, collect=self.collect)


class SetsProcess(Process):
    __slots__ = ("collect", "component", "delivered", "everybody", "index", "sent", "union")

    def __init__(self, index: int, size: int, *, union: bool = False, collect: bool = True) -> None:
        self.index = index
        self.everybody = range(size)
        self.union = union
        self.collect = collect
        self.sent = 0
        self.component: dict[int, Tuples] = dict.fromkeys(range(size), EMPTY)
        self.delivered = [[0] * size for _ in range(size)]

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        self.sent += 1
        stamp = Printed(self.index, self.sent, frozenset(destinations), self.carried())
        new = frozenset({(self.index, self.sent)})
        for j in destinations:
            self.component[j] = union_max(self.component[j], new) if self.union else new
        return ((destinations, stamp),)

    def carried(self) -> Components:
        return dict(self.component)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Printed)
        for k, x in sorted(stamp.barrier[self.index]):
            if self.delivered[k][self.index] < x:
                return k, x
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Printed)
        j, number, barrier = stamp.sender, stamp.number, stamp.barrier
        self.delivered[j][self.index] = number
        if self.collect:
            for k, y in barrier[j]:
                self.delivered[k][j] = max(self.delivered[k][j], y)
        self._constrain(stamp, stamp.destinations)
        self._remove_satisfied(stamp)
        if self.collect:
            self._collect()
        return ((j, number),)

    def _constrain(self, stamp: Printed, destinations: Iterable[int]) -> None:
        new = frozenset({(stamp.sender, stamp.number)})
        for k in self.everybody:
            if k in destinations:
                self.component[k] = minus_max(union_max(self.component[k], new), stamp.barrier[k])
            elif k != stamp.sender:
                self.component[k] = union_max(self.component[k], stamp.barrier[k])

    def _remove_satisfied(self, stamp: Printed) -> None:
        """Execute step 7."""
        self.component[stamp.sender] = minus_max(self.component[stamp.sender], stamp.barrier[stamp.sender])

    def _collect(self) -> None:
        """Execute step 8."""
        for k in self.everybody:
            if k != self.index:
                held = self.component[k]
                self.component[k] = frozenset((source, x) for source, x in held if self.delivered[source][k] < x)

    @property
    def integers(self) -> int:
        size = len(self.everybody)
        return 1 + 2 * sum(map(len, self.component.values())) + size * size


class WithoutStep7(Sets):
    __slots__ = ()

    def process(self, index: int) -> "WithoutStep7Process":
        return WithoutStep7Process(index, self.size, union=self.union, collect=self.collect)


class WithoutStep7Process(SetsProcess):
    __slots__ = ()

    def _remove_satisfied(self, stamp: Printed) -> None:
        pass


class OneSet(Sets):
    """Ordering by section 8.2, corrected as in `protocols.orderings.prs_broadcast`, with the complete matrix."""

    __slots__ = ()

    def process(self, index: int) -> "OneSetProcess":
        return OneSetProcess(index, self.size)


class OneSetProcess(SetsProcess):
    """A process that sends one set, which the receiver uses for every component."""

    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        pairs = super().send(destinations, group)
        self.delivered[self.index][self.index] = self.sent
        return pairs

    def carried(self) -> Components:
        return dict.fromkeys(self.everybody, self.chosen())

    def chosen(self) -> Tuples:
        union = EMPTY
        for k in self.everybody:
            if k != self.index:
                union = union_max(union, self.component[k])
        return union


class OneComponent(Sets):
    """Ordering by section 8.2 as printed: always sends the component of the first process."""

    __slots__ = ()

    def process(self, index: int) -> OneSetProcess:
        return OneComponentProcess(index, self.size)


class OneComponentProcess(OneSetProcess):
    __slots__ = ()

    def chosen(self) -> Tuples:
        return self.component[0]


class OwnComponent(Sets):
    """Ordering by section 8.2, with a set that includes the sender's own component."""

    __slots__ = ()

    def process(self, index: int) -> OneSetProcess:
        return OwnComponentProcess(index, self.size)


class OwnComponentProcess(OneSetProcess):
    __slots__ = ()

    def chosen(self) -> Tuples:
        return self.component[self.index]

"""Broken variants of `hierarchy`: without numbers, without an order at the top, and with messages past a parent."""

from collections.abc import Sequence

from mobilesim.protocols.ordering import Addressed, Key
from mobilesim.protocols.orderings.hierarchy import Hierarchy, HierarchyProcess, Hop
from mobilesim.protocols.orderings.unordered import Unordered
from mobilesim.protocols.packets import Stamp


class Unnumbered(Hierarchy):
    """Copies between parent and child are accepted at their arrival."""

    def process(self, index: int) -> HierarchyProcess:
        return UnnumberedProcess(index, self)


class UnnumberedProcess(HierarchyProcess):
    __slots__ = ()

    def missing(self, stamp: Hop) -> Key | None:
        return None if stamp.inner is None else super().missing(stamp)


class UnorderedTop(Hierarchy):
    """Representatives at the top send messages to each other without an order."""

    def __init__(self, size: int, *, representatives: int = 3, children: int = 4) -> None:
        super().__init__(size, representatives=representatives, children=children)
        self.inner = Unordered(self.tops)


class Bypassing(Hierarchy):
    """A process sends copies directly to other children of its parent, with numbers of their own channel."""

    def process(self, index: int) -> HierarchyProcess:
        return BypassingProcess(index, self)


class BypassingProcess(HierarchyProcess):
    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        siblings = [to for to in destinations if min(to, self.index) >= self.tops and self._are_siblings(to)]
        direct: list[Addressed] = [self._numbered(to, [to]) for to in siblings]
        others = tuple(to for to in destinations if to not in siblings)
        return [*direct, *(super().send(others, group) if others else ())]

    def _are_siblings(self, other: int) -> bool:
        return self._parent(other) == self._parent(self.index)


def stamps_of(addressed: Sequence[Addressed]) -> list[tuple[int, Stamp]]:
    """Return each receiver with its stamp."""
    return [(to, stamp) for targets, stamp in addressed for to in targets]

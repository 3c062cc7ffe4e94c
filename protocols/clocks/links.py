"""Who may send to whom: a directed graph of processes. A set of processes is an int, bit p for process p."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

from protocols.frozen_value import value

Rows = Sequence[int]


@value
class Links:
    after: tuple[int, ...]
    before: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.after)

    @property
    def everybody(self) -> int:
        return (1 << len(self.after)) - 1

    @property
    def symmetric(self) -> bool:
        return self.after == self.before

    @property
    def count(self) -> int:
        return sum(row.bit_count() for row in self.after)

    def pairs(self) -> Iterator[tuple[int, int]]:
        return ((p, q) for p, row in enumerate(self.after) for q in members(row))


def links_of(adjacency: Sequence[Iterable[int]]) -> Links:
    """Process p may send to adjacency[p]; a process needs no link to itself, and gets none."""
    after = tuple(together(row) & ~(1 << p) for p, row in enumerate(adjacency))
    assert all(row >> len(after) == 0 for row in after)
    return Links(after, transposed(after))


def together(processes: Iterable[int]) -> int:
    return reduce(or_, (1 << p for p in processes), 0)


def members(some: int) -> Iterator[int]:
    while some:
        lowest = some & -some
        yield lowest.bit_length() - 1
        some ^= lowest


def transposed(rows: Rows) -> tuple[int, ...]:
    columns = [0] * len(rows)
    for p, row in enumerate(rows):
        for q in members(row):
            columns[q] |= 1 << p
    return tuple(columns)


def reached(rows: Rows, start: int, free: int) -> int:
    """What walks through `free` alone reach from `start`, which counts as reached where it is free itself."""
    seen = waiting = start & free
    while waiting:
        lowest = waiting & -waiting
        fresh = rows[lowest.bit_length() - 1] & free & ~seen
        seen |= fresh
        waiting = waiting ^ lowest | fresh
    return seen

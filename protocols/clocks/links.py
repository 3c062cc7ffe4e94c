"""A directed graph of communication links. A set of processes is an int, with bit p for process p."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

from mobilesim.protocols.frozen_value import value

Adjacency = Sequence[int]


@value
class Links:
    after: tuple[int, ...]
    before: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.after)

    @property
    def all_processes(self) -> int:
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
    """Return the links from each process p to adjacency[p], without links of a process to itself."""
    after = tuple(bit_set(row) & ~(1 << p) for p, row in enumerate(adjacency))
    assert all(row >> len(after) == 0 for row in after)
    return Links(after, transposed(after))


def bit_set(processes: Iterable[int]) -> int:
    return reduce(or_, (1 << p for p in processes), 0)


def members(subset: int) -> Iterator[int]:
    while subset:
        lowest = subset & -subset
        yield lowest.bit_length() - 1
        subset ^= lowest


def transposed(rows: Adjacency) -> tuple[int, ...]:
    columns = [0] * len(rows)
    for p, row in enumerate(rows):
        for q in members(row):
            columns[q] |= 1 << p
    return tuple(columns)


def reachable(rows: Adjacency, start: int, free: int) -> int:
    """Return the processes of `start & free`, and all processes that they reach through processes of `free` only."""
    seen = waiting = start & free
    while waiting:
        lowest = waiting & -waiting
        fresh = rows[lowest.bit_length() - 1] & free & ~seen
        seen |= fresh
        waiting = waiting ^ lowest | fresh
    return seen

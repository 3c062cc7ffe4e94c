"""Groups of hosts as settings: listed, or defined by a rule. `mobilesim.world.groups` builds the groups of a run."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mobilesim.scenario.values.validation_error import Fault

MOST_GROUPS: Final = 10_000
MOST_MEMBERS: Final = 1_000_000
"""The largest sum of the sizes of all groups."""


@dataclass(frozen=True, slots=True)
class ListedGroups:
    members: tuple[tuple[int, ...], ...]

    @property
    def largest(self) -> int:
        return max(map(len, self.members))

    def faults(self, hosts: int) -> Iterator[Fault]:
        for number, group in enumerate(self.members):
            if group[-1] >= hosts:
                yield Fault(f"there is no host {group[-1]}; hosts are numbered from 0 to {hosts - 1}", (number,))


@dataclass(frozen=True, slots=True)
class Random:
    number: int
    size: int

    @property
    def largest(self) -> int:
        return self.size

    def faults(self, hosts: int) -> Iterator[Fault]:
        yield from _large(self.size, hosts)
        yield from _many(self.number, self.number * self.size, "number")


@dataclass(frozen=True, slots=True)
class Ring:
    size: int

    @property
    def largest(self) -> int:
        return self.size

    def faults(self, hosts: int) -> Iterator[Fault]:
        yield from _large(self.size, hosts)
        yield from _many(hosts, hosts * self.size, "size")


@dataclass(frozen=True, slots=True)
class Star:
    @property
    def largest(self) -> int:
        return 2

    def faults(self, hosts: int) -> Iterator[Fault]:
        yield from _many(hosts - 1, 2 * hosts - 2, "rule")


@dataclass(frozen=True, slots=True)
class Blocks:
    size: int
    overlap: int

    @property
    def largest(self) -> int:
        return self.size

    def ranges(self, hosts: int) -> list[range]:
        """The hosts of each block; the last block may be smaller."""
        starts = range(0, hosts - self.overlap, self.size - self.overlap)
        return [range(start, min(start + self.size, hosts)) for start in starts]

    def faults(self, hosts: int) -> Iterator[Fault]:
        yield from _large(self.size, hosts)
        if self.overlap >= self.size:
            yield Fault(f"blocks of {self.size} share less than that; write {self.size - 1} or less", ("overlap",))
        elif self.size <= hosts:
            blocks = self.ranges(hosts)
            yield from _many(len(blocks), sum(map(len, blocks)), "size")
            if len(blocks[-1]) == 1:
                yield Fault(f"blocks of {self.size} leave one of {hosts} hosts alone; write another size", ("size",))


@dataclass(frozen=True, slots=True)
class Links:
    """`graph`: a name of `mobilesim.geometry.named_graphs`, or a GraphML file."""

    graph: str | Path
    branching: int

    @property
    def largest(self) -> int:
        return 2

    def faults(self, hosts: int) -> Iterator[Fault]:
        most = {"complete": hosts - 1, "hierarchical-triangle": self.branching + 1}
        if isinstance(self.graph, str):
            pairs = hosts * min(most.get(self.graph, 2), hosts - 1) // 2
            yield from _many(pairs, 2 * pairs, "graph")


Rule = Random | Ring | Star | Blocks | Links
Grouping = ListedGroups | Rule


def _large(size: int, hosts: int) -> Iterator[Fault]:
    if size > hosts:
        yield Fault(f"groups of {size} are larger than the {hosts} hosts", ("size",))


def _many(groups: int, members: int, key: str) -> Iterator[Fault]:
    if groups > MOST_GROUPS:
        yield Fault(f"about {groups} groups are too many; the most is {MOST_GROUPS}", (key,))
    elif members > MOST_MEMBERS:
        yield Fault(f"about {members} members of groups are too many; the most is {MOST_MEMBERS}", (key,))

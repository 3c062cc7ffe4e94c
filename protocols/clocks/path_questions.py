"""Acyclic paths where some link leads one way only.

From the cheap to the dear: a process that no loop passes is on an acyclic path whenever it is on a path; two shortest
paths that happen to be disjoint prove one; a process without which neither half of the path is possible refutes it;
`Search` decides what is left.
"""

from protocols.clocks.links import Links, Rows, members, reached
from protocols.clocks.path_search import Search


class Walks:
    """The same questions as `Blocks` answers, for any digraph; `exact` as there."""

    __slots__ = ("_links", "_looping", "_search")

    def __init__(self, links: Links, budget: int) -> None:
        self._links = links
        self._search = Search(links, budget)
        self._looping = 0
        for process, row in enumerate(links.after):
            self._looping |= reached(links.after, row, links.everybody) & 1 << process

    @property
    def exact(self) -> bool:
        return self._search.exact

    def between(self, source: int, targets: int, avoided: int = 0) -> int:
        walks = self._on_walks(source, targets & ~avoided, avoided)
        on = walks & (1 << source | targets | ~self._looping)
        for target in members(targets & walks):
            if not walks & ~on:
                break
            if self._search.budget < 0:
                return walks
            on |= self._between(source, target, avoided)
        return on

    def loops(self, gateway: int, avoided: int) -> int:
        return self._between(gateway, gateway, avoided)

    def share_a_loop(self, gateway: int, process: int, some: int, avoided: int) -> bool:
        return self._search.is_loop(gateway, self._links.everybody & ~avoided, (1 << process, some))

    def _on_walks(self, source: int, targets: int, avoided: int) -> int:
        links, free = self._links, self._links.everybody & ~avoided
        return reached(links.after, 1 << source, free) & reached(links.before, targets, free)

    def _between(self, source: int, target: int, avoided: int) -> int:
        self._search.spend(2)
        links, ends = self._links, 1 << source | 1 << target
        free = links.everybody & ~avoided & ~ends
        free = reached(links.after, links.after[source], free) & reached(links.before, links.before[target], free)
        on = free & ~self._looping
        for process in members(free & ~on):
            if not on >> process & 1:
                on |= self._proof(source, process, target, free)
        for process in members(free & ~on):
            if self._is_refuted(source, process, target, free):
                free &= ~(1 << process)
        for process in members(free & ~on):
            if self._search.is_path(source, target, free, (1 << process,)):
                on |= 1 << process
        return on | ends if on or links.after[source] >> target & 1 else 0

    def _proof(self, source: int, process: int, target: int, free: int) -> int:
        """The inner processes of an acyclic path, if one half of it may be as short as can be."""
        after, before, middle = self._links.after, self._links.before, 1 << process
        for start, end, ahead, back in ((source, target, after, before), (target, source, before, after)):
            if self._search.spend(4):
                first = _shortest(ahead, back, ahead[start], middle, free)
                second = _shortest(ahead, back, ahead[process], back[end], free & ~first)
                if ahead[process] >> end & 1:
                    return first
                if second:
                    return first | second
        return 0

    def _is_refuted(self, source: int, process: int, target: int, free: int) -> bool:
        """Whether both halves of the path would have to pass one and the same process."""
        links = self._links
        for other in members(free & ~(1 << process)):
            if not self._search.spend(2):
                return False
            rest = free & ~(1 << other)
            if not reached(links.after, links.after[source], rest) >> process & 1:
                behind = reached(links.after, links.after[process] | 1 << process, rest)
                if not behind & links.before[target]:
                    return True
        return False


def _shortest(rows: Rows, back: Rows, start: int, goal: int, free: int) -> int:
    """A shortest path from `start` to `goal`, as the set of its processes; 0 where there is none."""
    layers = [start & free]
    left = free & ~start
    while layers[-1] and not layers[-1] & goal:
        layer = 0
        for process in members(layers[-1]):
            layer |= rows[process]
        layers.append(layer & left)
        left &= ~layer
    found = 0
    wanted = goal
    for layer in reversed(layers):
        last = layer & wanted
        found |= last & -last
        wanted = back[(last & -last).bit_length() - 1] if last else 0
    return found

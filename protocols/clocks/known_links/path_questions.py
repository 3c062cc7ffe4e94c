"""The processes on acyclic paths of a directed graph, and a search for acyclic paths with a budget.

There are four tests whether process p is on an acyclic path from s to t, in ascending order of cost. If p is on no
loop, any path through p is enough. Disjoint shortest paths from s to p and from p to t prove that there is an acyclic
path. A process that both halves need proves that there is none. `PathSearch` decides the remaining cases.

The decision is NP-hard. `budget` bounds the number of graph traversals of all searches together. A search that exceeds
the budget returns True and sets `exact` to False. Then sets may be larger than necessary, but comparisons of messages
are still correct.
"""

from mobilesim.protocols.clocks.links import Adjacency, Links, members, reachable


class AcyclicPaths:
    __slots__ = ("_links", "_search")

    def __init__(self, links: Links, budget: int) -> None:
        self._links = links
        self._search = PathSearch(links, budget)

    @property
    def exact(self) -> bool:
        """Whether no search has exceeded the budget."""
        return self._search.exact


class DirectedPaths(AcyclicPaths):
    __slots__ = ("_looping",)

    def __init__(self, links: Links, budget: int) -> None:
        super().__init__(links, budget)
        self._looping = 0
        for process, row in enumerate(links.after):
            self._looping |= reachable(links.after, row, links.all_processes) & 1 << process

    def on_paths(self, source: int, targets: int, avoided: int = 0) -> int:
        links, free = self._links, self._links.all_processes & ~avoided
        walks = reachable(links.after, 1 << source, free) & reachable(links.before, targets & ~avoided, free)
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

    def share_a_loop(self, gateway: int, process: int, subset: int, avoided: int) -> bool:
        return self._search.is_path(gateway, gateway, self._links.all_processes & ~avoided, (1 << process, subset))

    def _between(self, source: int, target: int, avoided: int) -> int:
        self._search.spend(2)
        links, ends = self._links, 1 << source | 1 << target
        free = links.all_processes & ~avoided & ~ends
        free = reachable(links.after, links.after[source], free) & reachable(links.before, links.before[target], free)
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
        """Return the inner processes of an acyclic path through `process`, or 0. One half of it is a shortest path."""
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
        """Return whether both halves of a path through `process` need the same inner process."""
        links = self._links
        for other in members(free & ~(1 << process)):
            if not self._search.spend(2):
                return False
            rest = free & ~(1 << other)
            if not reachable(links.after, links.after[source], rest) >> process & 1:
                behind = reachable(links.after, links.after[process] | 1 << process, rest)
                if not behind & links.before[target]:
                    return True
        return False


def _shortest(rows: Adjacency, back: Adjacency, start: int, goal: int, free: int) -> int:
    """Return the processes of a shortest path from `start` to `goal`, or 0."""
    layers = [start & free]
    left = free & ~start
    while layers[-1] and not layers[-1] & goal:
        layer = 0
        for process in members(layers[-1]):
            layer |= rows[process]
        layers.append(layer & left)
        left &= ~layer
    inner, next_layer = 0, goal
    for layer in reversed(layers):
        last = layer & next_layer
        inner |= last & -last
        next_layer = back[(last & -last).bit_length() - 1] if last else 0
    return inner


class PathSearch:
    __slots__ = ("_links", "budget", "exact")

    def __init__(self, links: Links, budget: int) -> None:
        self._links = links
        self.budget = budget
        self.exact = True

    def is_path(self, source: int, target: int, free: int, through: tuple[int, ...]) -> bool:
        """Return whether an acyclic path or loop through processes of `free` visits every set of `through`."""
        ends = 1 << source | 1 << target
        stack = [(source, free & ~ends, tuple(subset for subset in through if not subset & ends))]
        after, onwards = self._links.after, self._links.before[target]
        while stack:
            process, free, left = stack.pop()
            if not left and after[process] >> target & 1:
                return True
            if not self.spend(2):
                return True
            useful = reachable(self._links.before, onwards, reachable(after, after[process], free))
            if all(subset & useful for subset in left):
                steps = members(after[process] & useful)
                stack += [
                    (q, useful & ~(1 << q), tuple(subset for subset in left if not subset >> q & 1)) for q in steps
                ]
        return False

    def spend(self, walks: int) -> bool:
        self.budget -= walks
        self.exact = self.exact and self.budget >= 0
        return self.budget >= 0

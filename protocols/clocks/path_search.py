"""Acyclic paths in any digraph: an exhaustive search for one path, under a budget.

To decide whether an acyclic path leads from s through p to t is NP-hard. `budget` bounds the graph traversals of all
searches together. A search that exceeds it answers "yes" and sets `exact` to False: sets may become larger than
necessary, and no answer wrong.
"""

from protocols.clocks.links import Links, members, reachable


class PathSearch:
    __slots__ = ("_links", "budget", "exact")

    def __init__(self, links: Links, budget: int) -> None:
        self._links = links
        self.budget = budget
        self.exact = True

    def is_path(self, source: int, target: int, free: int, through: tuple[int, ...]) -> bool:
        """Return whether an acyclic path, or a loop, has a process of every set of `through`, and else only `free`."""
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

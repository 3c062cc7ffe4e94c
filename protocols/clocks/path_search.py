"""Acyclic paths in any digraph: an exhaustive search for one path, under a budget.

Whether an acyclic path leads from s through p to t is NP-hard to say in general. `budget` bounds the walks over the
graph that all questions together may take; a question that it cuts short is answered with "yes", which makes sets
larger than they must be and nothing wrong, and `exact` tells.
"""

from protocols.clocks.links import Links, members, reached


class Search:
    __slots__ = ("_links", "budget", "exact")

    def __init__(self, links: Links, budget: int) -> None:
        self._links = links
        self.budget = budget
        self.exact = True

    def is_loop(self, gateway: int, free: int, through: tuple[int, ...]) -> bool:
        """A loop through the gateway, otherwise in `free`, which meets every set of `through`."""
        return self.is_path(gateway, gateway, free, through)

    def is_path(self, source: int, target: int, free: int, through: tuple[int, ...]) -> bool:
        ends = 1 << source | 1 << target
        stack = [(source, free & ~ends, tuple(some for some in through if not some & ends))]
        after, onwards = self._links.after, self._links.before[target]
        while stack:
            process, free, left = stack.pop()
            if not left and after[process] >> target & 1:
                return True
            if not self.spend(2):
                return True
            useful = reached(self._links.before, onwards, reached(after, after[process], free))
            if all(some & useful for some in left):
                steps = members(after[process] & useful)
                stack += [(q, useful & ~(1 << q), tuple(some for some in left if not some >> q & 1)) for q in steps]
        return False

    def spend(self, walks: int) -> bool:
        self.budget -= walks
        self.exact = self.exact and self.budget >= 0
        return self.budget >= 0

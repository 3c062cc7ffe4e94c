"""Repeat only the alternatives with undecided comparisons.

After 4, 8, 16... replications, the alternatives are compared. Those of decided pairs get no further replications, as in
the sequential selection procedures of Paulson (1964) and of Kim and Nelson (2001), which eliminate alternatives one
after another. There, one cost has to be best; here, a statement on dominance is made for each pair. Each comparison has
an equal part of the risk (Bonferroni), so the risk of any wrong statement is bounded, however often one looks.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Final

from mobilesim.statistics.dominance import RISK, Domination, Pair, Values, compare

GROWTH: Final = 2
"""The largest growth of the number of replications in one step, because few runs give a poor estimate of a variance."""

Costs = Callable[[Mapping[str, int]], tuple[Sequence[Values], Sequence[Values]]]
"""Returns the costs and the margins of `compare`, for the number of replications of each alternative."""
IsComplete = Callable[[Collection[str], int], bool]
"""Whether these alternatives have been repeated this number of times."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """`levels`: by alternative, the number of replications that it needs. `statements`: those that are decided."""

    levels: Mapping[str, int]
    statements: Mapping[Pair, Domination]


def allocate(names: Iterable[str], at_least: int, at_most: int, costs: Costs, is_complete: IsComplete) -> Allocation:
    """Return how many replications each alternative needs, as far as this can be told from the complete ones."""
    levels = dict.fromkeys(names, at_least)
    level, active = at_least, set(levels)
    looks = 1 + max(0, ceil(log2(at_most / level)))
    decided: dict[Pair, Domination] = {}
    while is_complete(active, level):
        found = compare(*costs(levels), risk=RISK / looks, decided=decided)
        decided = {pair: each for pair, each in found.statements.items() if each is not Domination.UNDECIDED}
        dominated = {other for (_, other), each in decided.items() if each is Domination.YES}
        undecided = [pair for pair in found.statements if pair not in decided and pair[1] not in dominated]
        active = {name for pair in undecided for name in pair}
        if not active or level >= at_most:
            break
        level = min(at_most, GROWTH * level)
        levels |= dict.fromkeys(active, level)
    return Allocation(levels, decided)

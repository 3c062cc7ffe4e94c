"""Which of several alternatives dominate others in their costs, with a bounded risk of any wrong statement.

One alternative dominates another if it is worse in no cost by more than a margin, and better in at least one cost by
more than the margin. All alternatives are measured in the same replications, so costs are compared in pairs.

Each statement "one dominates the other" and "it does not" about an ordered pair is a hypothesis with a p-value. It is
composed of one-sided t-tests of single costs, which are corrected for skewness where a cost is rare (see
`mobilesim.statistics.intervals`): the greatest p-value where all tests have to reject (Berger 1982), Bonferroni's sum
where one of several is enough. Holm's procedure (1979) over all statements bounds the probability of any wrong
statement by 5 %. For each pair one of the two statements is true, so the procedure counts only the pairs that are not
decided yet (Shaffer 1986). Pairs without a statement are undecided.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import permutations
from typing import Final, TypeAlias

from mobilesim.statistics.intervals import CONFIDENCE, Sample, is_skewed, sample

MOST_REPLICATIONS: Final = 10_000
"""The largest number of replications that is proposed."""

Pair: TypeAlias = tuple[str, str]
"""An alternative, and another one that it may dominate."""

Values: TypeAlias = Mapping[str, Mapping[int, float]]
"""By alternative and replication, a value."""

RISK: Final = 1 - CONFIDENCE


_NOTHING: Final = Sample(0.0, 0.0, 0.0, 0)
"""The sample of a pair without a common replication."""


class Domination(Enum):
    YES = "dominates"
    NO = "does not dominate"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class CostSamples:
    """A cost of one alternative minus that of another, and minus or plus the margin, over replications."""

    minus_margin: Sample
    plus_margin: Sample

    def not_worse(self, replications: int | None) -> float:
        """Return the p-value of the test that one is worse by at most the margin."""
        equal_margin = not self.minus_margin.deviation and not self.minus_margin.mean
        return 0.0 if equal_margin else self.minus_margin.below_zero(replications)

    def better(self, replications: int | None) -> float:
        """Return the p-value of the test that one is better by more than the margin."""
        return self.plus_margin.below_zero(replications)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of an ordered pair in all costs."""

    costs: tuple[CostSamples, ...]

    @property
    def replications(self) -> int:
        """The number of common replications."""
        return min((cost.plus_margin.count for cost in self.costs), default=0)

    def p_values(self, replications: int | None = None) -> tuple[float, float]:
        """Return the p-values of the statements that one dominates the other, and that it does not. `replications`:
        assume the same means and deviations in so many replications.
        """
        if self.replications < 2:
            return 1.0, 1.0
        count = len(self.costs)
        not_worse = max(cost.not_worse(replications) for cost in self.costs)
        better = min(cost.better(replications) for cost in self.costs)
        return max(not_worse, min(1.0, count * better)), min(1.0, 2 * min(count * (1 - not_worse), 1 - better))


@dataclass(frozen=True, slots=True)
class Dominance:
    """The statement on each ordered pair. `level`: the significance level of the next undecided pair."""

    statements: Mapping[Pair, Domination]
    comparisons: Mapping[Pair, Comparison]
    level: float

    @property
    def replications(self) -> int:
        """The largest number of compared replications."""
        return max((each.replications for each in self.comparisons.values()), default=0)

    def undecided(self, name: str) -> tuple[str, ...]:
        """Return the alternatives that may dominate this one."""
        pairs = self.statements.items()
        return tuple(one for (one, other), found in pairs if other == name and found is Domination.UNDECIDED)

    def replications_to_decide(self, name: str) -> int | None:
        """Return about how many replications would decide all pairs in which an alternative may be dominated; None if
        more than `MOST_REPLICATIONS` would. Means and deviations are assumed to be those that were measured.
        """
        needed = [self._needed((one, name)) for one in self.undecided(name)]
        return None if None in needed else max((each for each in needed if each is not None), default=0)

    def _needed(self, pair: Pair) -> int | None:
        comparison = self.comparisons[pair]

        def decided(replications: int) -> bool:
            return min(comparison.p_values(replications)) <= self.level

        low = high = max(2, comparison.replications)
        while not decided(high):
            low, high = high, 2 * high
            if low >= MOST_REPLICATIONS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if decided(middle) else (middle, high)
        return high


def compare(
    costs: Sequence[Values],
    margins: Sequence[Values],
    *,
    risk: float = RISK,
    decided: Mapping[Pair, Domination] | None = None,
) -> Dominance:
    """Compare alternatives in their common replications. `costs`: the values of each cost. `margins`: for each cost,
    the margins by which another alternative may be worse. `risk`: the probability of any wrong statement. `decided`:
    statements of an earlier comparison, which remain.
    """
    names = list(costs[0]) if costs else []
    comparisons = {
        (one, other): Comparison(
            tuple(_samples(cost[one], cost[other], margin[other]) for cost, margin in zip(costs, margins, strict=True))
        )
        for one, other in permutations(names, 2)
    }
    return _decide(comparisons, risk, decided or {})


def _samples(one: Mapping[int, float], other: Mapping[int, float], margin: Mapping[int, float]) -> CostSamples:
    shared = sorted(one.keys() & other.keys())
    if not shared:
        return CostSamples(_NOTHING, _NOTHING)
    skewed = any(is_skewed([values[each] for each in shared]) for values in (one, other))
    gaps = {each: one[each] - other[each] for each in shared}
    return CostSamples(
        sample([gaps[each] - margin[each] for each in shared], skewed=skewed),
        sample([gaps[each] + margin[each] for each in shared], skewed=skewed),
    )


def _decide(comparisons: Mapping[Pair, Comparison], risk: float, decided: Mapping[Pair, Domination]) -> Dominance:
    statements = {pair: decided.get(pair, Domination.UNDECIDED) for pair in comparisons}
    for p, pair, statement in sorted(_statements(comparisons), key=lambda each: each[0]):
        if statements[pair] is not Domination.UNDECIDED:
            continue
        open_pairs = sum(found is Domination.UNDECIDED for found in statements.values())
        if p * open_pairs > risk:
            break
        statements[pair] = statement
    left = sum(found is Domination.UNDECIDED for found in statements.values())
    return Dominance(statements, comparisons, risk / max(1, left))


def _statements(comparisons: Mapping[Pair, Comparison]) -> Iterator[tuple[float, Pair, Domination]]:
    for pair, comparison in comparisons.items():
        dominates, not_dominates = comparison.p_values()
        yield dominates, pair, Domination.YES
        yield not_dominates, pair, Domination.NO


def clearly_greater(costs: Sequence[Values], margins: Sequence[Values]) -> list[set[Pair]]:
    """Return for each cost the pairs of alternatives of which the first has the greater value, by more than the margin
    of the second. The probability of any wrong pair, in any cost, is at most 5 %.
    """
    found: list[set[Pair]] = [set() for _ in costs]
    tests = sorted(
        (1 - _samples(cost[one], cost[other], margin[other]).not_worse(None), index, (one, other))
        for index, (cost, margin) in enumerate(zip(costs, margins, strict=True))
        for one, other in permutations(cost, 2)
        if len(cost[one].keys() & cost[other].keys()) > 1
    )
    for position, (p, index, pair) in enumerate(tests):
        if p * (len(tests) - position) > RISK:
            break
        found[index].add(pair)
    return found

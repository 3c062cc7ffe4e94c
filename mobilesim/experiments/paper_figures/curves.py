"""Curves of a figure: a value for each x and replication, and what can be said of the means with their intervals.

All protocols meet the same world in one replication, and so do neighbouring places of a curve as far as they can;
differences are therefore taken within replications, and only then averaged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

Spread = Callable[[Sequence[float]], float]
"""Half of a 95% interval around the mean of at least two independent values."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`half` of the interval; none with a single replication."""

    mean: float
    half: float | None

    @property
    def low(self) -> float | None:
        return None if self.half is None else self.mean - self.half

    @property
    def high(self) -> float | None:
        return None if self.half is None else self.mean + self.half

    @property
    def above_zero(self) -> bool:
        return self.low is not None and self.low > 0

    @property
    def below_zero(self) -> bool:
        return self.high is not None and self.high < 0


@dataclass(frozen=True, slots=True)
class Curve:
    """`values[x][replication]`. Places without any replication are not there."""

    values: Mapping[int, Mapping[int, float]]
    spread: Spread

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(sorted(self.values))

    def at(self, x: int) -> Estimate:
        return self._estimate(list(self.values[x].values()))

    def rise(self, start: int, end: int) -> Estimate:
        """How much higher the curve is at `end`, within replications."""
        first, last = self.values[start], self.values[end]
        return self._estimate([last[number] - first[number] for number in first if number in last])

    def minus(self, other: "Curve") -> "Curve":
        gaps = {x: _gaps(self.values[x], other.values[x]) for x in self.places if x in other.values}
        return Curve({x: gap for x, gap in gaps.items() if gap}, self.spread)

    def _estimate(self, sample: Sequence[float]) -> Estimate:
        return Estimate(fmean(sample), self.spread(sample) if len(sample) > 1 else None)


def _gaps(mine: Mapping[int, float], others: Mapping[int, float]) -> dict[int, float]:
    return {number: value - others[number] for number, value in mine.items() if number in others}


@dataclass(frozen=True, slots=True)
class Crossover:
    """Where a curve comes up through zero for good, with an interval: an end is None beyond the places measured."""

    at: float | None
    low: float | None
    high: float | None


def crossover(curve: Curve) -> Crossover:
    """Straight lines between the places. The interval is all x at which the curve's own interval holds zero.

    So its ends are where the upper limit of the mean comes up through zero, and where the lower limit does.
    """
    places = curve.places
    estimates = [curve.at(x) for x in places]
    return Crossover(
        _rise_through_zero(places, [estimate.mean for estimate in estimates]),
        _rise_through_zero(places, [estimate.high for estimate in estimates]),
        _rise_through_zero(places, [estimate.low for estimate in estimates]),
    )


def _rise_through_zero(places: Sequence[int], heights: Sequence[float | None]) -> float | None:
    """The last time, if it stays above from there on."""
    known = [(x, height) for x, height in zip(places, heights, strict=True) if height is not None]
    if not known or known[-1][1] <= 0:
        return None
    for (start, before), (end, after) in reversed(list(pairwise(known))):
        if before <= 0 < after:
            return start + (end - start) * -before / (after - before)
    return None

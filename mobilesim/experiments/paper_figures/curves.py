"""Curves of a figure: a value for each x and replication, and the confidence intervals of means and differences.

Replications are paired: in a replication, all protocols run in the same environment, and adjacent points of a curve in
similar environments. So differences are computed for each replication, and then averaged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add, sub, truediv

from mobilesim.statistics.intervals import Interval, interval


@dataclass(frozen=True, slots=True)
class Curve:
    """`values[x][replication]`. Each x has at least one replication."""

    values: Mapping[int, Mapping[int, float]]

    @property
    def xs(self) -> tuple[int, ...]:
        return tuple(sorted(self.values))

    def at(self, x: int) -> Interval:
        return interval(list(self.values[x].values()))

    def ratios(self, start: int, end: int) -> Mapping[int, float]:
        """Return the value at `end` divided by the value at `start`, by replication."""
        first, last = self.values.get(start, {}), self.values.get(end, {})
        return {number: last[number] / first[number] for number in first if number in last}

    def change(self, start: int, end: int) -> Interval:
        """Return the value at `end` minus the value at `start`, paired by replication."""
        first, last = self.values[start], self.values[end]
        return interval([last[number] - first[number] for number in first if number in last])

    def plus(self, other: "Curve") -> "Curve":
        return self._combined(other, add)

    def minus(self, other: "Curve") -> "Curve":
        return self._combined(other, sub)

    def over(self, other: "Curve") -> "Curve":
        return self._combined(other, truediv)

    def per_x(self) -> "Curve":
        return self.over(Curve({x: dict.fromkeys(here, x) for x, here in self.values.items()}))

    def _combined(self, other: "Curve", combine: Callable[[float, float], float]) -> "Curve":
        """Combine the values of both curves at each common x and replication."""
        values = {}
        for x, mine in self.values.items():
            theirs = other.values.get(x, {})
            if here := {number: combine(mine[number], theirs[number]) for number in mine if number in theirs}:
                values[x] = here
        return Curve(values)


@dataclass(frozen=True, slots=True)
class Crossing:
    """The x from which on a curve is above zero, with its interval. Values outside of the measured range are None."""

    at: float | None
    low: float | None
    high: float | None


def crossing(curve: Curve) -> Crossing:
    """Return the crossing of a curve with zero, by linear interpolation between points.

    Its interval begins where the upper limit of the mean rises above zero, and ends where the lower limit does.
    """
    estimates = [curve.at(x) for x in curve.xs]
    ends = ([getattr(each, limit) for each in estimates] for limit in ("mean", "high", "low"))
    return Crossing(*(_last_rise_through_zero(curve.xs, ys) for ys in ends))


def _last_rise_through_zero(xs: Sequence[int], ys: Sequence[float | None]) -> float | None:
    """Return the x of the last rise; None if the last value is not above zero, or if all values are above zero."""
    known = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
    if not known or known[-1][1] <= 0:
        return None
    for (start, before), (end, after) in reversed(list(pairwise(known))):
        if before <= 0 < after:
            return start + (end - start) * -before / (after - before)
    return None

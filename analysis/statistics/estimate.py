"""The mean of a metric over replications, with its interval and percentiles, and differences and ratios of two means.

All protocols of a replication run in the same environment, so replications are compared in pairs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mobilesim.statistics.intervals import interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a metric over the complete runs of a protocol, or over all runs if none is complete.

    `mean` is None if there are no observations. `count`: the number of rows behind it.
    """

    metric: str
    count: int = 0
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    interval_from: str = "none"
    replications: tuple[int, ...] = ()
    run_means: tuple[float, ...] = ()
    percentiles: tuple[int, ...] = ()
    note: str | None = None

    def percentile(self, percent: int) -> int | None:
        return self.percentiles[percent] if self.percentiles else None


def sum_by_run(estimates: Sequence[Estimate]) -> Estimate:
    """Return the estimate of the sum, over the replications that all estimates have."""
    by_run = [dict(zip(each.replications, each.run_means, strict=True)) for each in estimates]
    shared = sorted(set.intersection(*map(set, by_run)))
    sums = tuple(sum(each[replication] for each in by_run) for replication in shared)
    metric = " + ".join(each.metric for each in estimates)
    if not sums:
        return Estimate(metric)
    found = interval(sums)
    source = "none" if found.half_width is None else "replications"
    return Estimate(metric, estimates[0].count, found.mean, found.low, found.high, source, tuple(shared), sums)


@dataclass(frozen=True, slots=True)
class Difference:
    """Left minus right, paired by replication. A single pair has no interval."""

    mean: float
    low: float | None
    high: float | None
    pairs: int

    @property
    def significant(self) -> bool:
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def decisive(self) -> bool:
        """Whether it counts as a difference: it is significant, or there is a single pair."""
        return self.significant or self.pairs == 1

    @property
    def negated(self) -> "Difference":
        """Right minus left."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return Difference(-self.mean, low, high, self.pairs)


def difference(left: Estimate, right: Estimate) -> Difference | None:
    gaps = [mine - other for mine, other in paired(left, right)]
    if not gaps:
        return None
    found = interval(gaps)
    return Difference(found.mean, found.low, found.high, len(gaps))


@dataclass(frozen=True, slots=True)
class Ratio:
    """The geometric mean of left over right, paired by replication. A single pair has no interval."""

    mean: float
    low: float | None
    high: float | None


def ratio(left: Estimate, right: Estimate) -> Ratio | None:
    """Return None if a mean is not above zero. The interval is computed from the logarithms of the ratios."""
    pairs = paired(left, right)
    if not pairs or min(map(min, pairs)) <= 0:
        return None
    found = interval([math.log(mine / other) for mine, other in pairs])
    low, high = (None if end is None else math.exp(end) for end in (found.low, found.high))
    return Ratio(math.exp(found.mean), low, high)


def paired(left: Estimate, right: Estimate) -> list[tuple[float, float]]:
    """Return the means of the replications that both have."""
    others = dict(zip(right.replications, right.run_means, strict=True))
    mine = zip(left.replications, left.run_means, strict=True)
    return [(mean, others[replication]) for replication, mean in mine if replication in others]

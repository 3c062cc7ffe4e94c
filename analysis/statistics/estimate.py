"""The mean of a metric over replications, with its interval and percentiles, and differences and ratios of two means.

All protocols of a replication run in the same environment, so two protocols are compared replication by replication.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mobilesim.analysis.statistics.percentiles import SHARES
from mobilesim.statistics.intervals import Interval, Method, interval, interval_of_difference, interval_of_mean


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a metric over the complete runs of a protocol, or over all runs if none is complete.

    `mean` is None without observations. `count`: the number of observed rows. Each replication is one observation of
    the interval; `method` says how it is computed.
    """

    metric: str
    count: int = 0
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    method: Method = Method.NONE
    replications: tuple[int, ...] = ()
    run_means: tuple[float, ...] = field(default=(), repr=False)
    percentiles: tuple[int, ...] = field(default=(), repr=False)
    note: str | None = None
    tail: tuple[int, ...] = field(default=(), repr=False)
    """The quantiles at the shares `TAIL`."""
    run_percentiles: Mapping[int, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """By percent, the percentile of each run."""

    transient: float = 0.0
    """The share of the first rows that belong to the initial transient."""

    @property
    def replicated(self) -> int:
        """The number of replications with an observation."""
        return len(self.run_means)

    def percentile(self, percent: int) -> int | None:
        return self.percentiles[percent] if self.percentiles else None

    def estimate_of_percentile(self, percent: int) -> "Estimate":
        """Return a percentile, exact over the rows of all runs, with the interval of the percentiles of the runs."""
        whole, single = self.percentile(percent), self.run_percentiles.get(percent, ())
        metric = f"{self.metric}.p{percent}"
        if whole is None or not single:
            return Estimate(metric, self.count, whole)
        found = interval_of_mean(single)
        shift = whole - found.mean
        low, high = (None if end is None else end + shift for end in (found.low, found.high))
        return Estimate(
            metric, self.count, whole, low, high, found.method, self.replications, tuple(map(float, single))
        )

    @property
    def quantiles(self) -> list[tuple[int, int]]:
        """The shares of all known quantiles, in millionths, and the quantiles, in order."""
        return sorted(zip(SHARES, (*self.percentiles, *self.tail), strict=False))


def sum_by_run(estimates: Sequence[Estimate]) -> Estimate:
    """Return the estimate of a sum: the means of all estimates are added in each common replication."""
    by_run = [dict(zip(each.replications, each.run_means, strict=True)) for each in estimates]
    shared = sorted(set.intersection(*map(set, by_run)))
    sums = tuple(sum(each[replication] for each in by_run) for replication in shared)
    metric = " + ".join(each.metric for each in estimates)
    if not sums:
        return Estimate(metric)
    found = interval_of_mean(sums)
    return Estimate(metric, estimates[0].count, found.mean, found.low, found.high, found.method, tuple(shared), sums)


@dataclass(frozen=True, slots=True)
class Difference(Interval):
    """Left minus right, paired by replication. A single pair has no interval."""

    pairs: int = 0

    @property
    def significant(self) -> bool:
        return self.above_zero or self.below_zero

    @property
    def decisive(self) -> bool:
        """Whether the difference counts in comparisons: it is significant, or it has one pair and thus no interval."""
        return self.significant or self.pairs == 1

    @property
    def negated(self) -> "Difference":
        """Right minus left."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return replace(self, mean=-self.mean, low=low, high=high)

    @property
    def replicated(self) -> int:
        return self.pairs


def difference(left: Estimate, right: Estimate) -> Difference | None:
    """Return the paired difference; None without a common replication."""
    pairs = paired(left, right)
    if not pairs:
        return None
    found = interval_of_difference(*zip(*pairs, strict=True))
    return Difference(found.mean, found.low, found.high, found.method, len(pairs))


def ratio(left: Estimate, right: Estimate) -> Estimate | None:
    """Return the geometric mean of left over right, paired by replication. A single pair has no interval.

    Return None without a common replication, or if a mean is not positive. The interval is computed from logarithms.
    """
    pairs = paired(left, right)
    if not pairs or min(map(min, pairs)) <= 0:
        return None
    ratios = tuple(one / other for one, other in pairs)
    found = interval([math.log(each) for each in ratios])
    low, high = (None if end is None else math.exp(end) for end in (found.low, found.high))
    return Estimate("ratio", len(pairs), math.exp(found.mean), low, high, found.method, run_means=ratios)


def paired(left: Estimate, right: Estimate) -> list[tuple[float, float]]:
    """Return both means of each common replication."""
    by_replication = dict(zip(right.replications, right.run_means, strict=True))
    means = zip(left.replications, left.run_means, strict=True)
    return [(mean, by_replication[replication]) for replication, mean in means if replication in by_replication]

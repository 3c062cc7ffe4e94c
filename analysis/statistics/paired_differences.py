"""Differences between protocols, by pairs of runs: a replication shows every protocol the same world."""

import math
from dataclasses import dataclass
from statistics import fmean

from analysis.statistics.estimate import Estimate
from mobilesim.statistics.intervals import half_width


@dataclass(frozen=True, slots=True)
class Difference:
    """Left minus right, by pairs. Without an interval there was only one pair."""

    mean: float
    low: float | None
    high: float | None
    pairs: int

    @property
    def significant(self) -> bool:
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def decisive(self) -> bool:
        """Whether it is taken for one. A single pair has no interval: what is less in it is taken for less."""
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
    mean = fmean(gaps)
    if len(gaps) == 1:
        return Difference(mean, None, None, 1)
    half = half_width(gaps)
    return Difference(mean, mean - half, mean + half, len(gaps))


@dataclass(frozen=True, slots=True)
class Ratio:
    """Left over right, by pairs: the geometric mean of their ratios. Without an interval there was only one pair."""

    mean: float
    low: float | None
    high: float | None


def ratio(left: Estimate, right: Estimate) -> Ratio | None:
    """Nothing where a mean is not above zero. The interval is that of the ratios' logarithms."""
    pairs = paired(left, right)
    if not pairs or min(map(min, pairs)) <= 0:
        return None
    logarithms = [math.log(mine / other) for mine, other in pairs]
    mean = fmean(logarithms)
    if len(pairs) == 1:
        return Ratio(math.exp(mean), None, None)
    half = half_width(logarithms)
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half))


def paired(left: Estimate, right: Estimate) -> list[tuple[float, float]]:
    """The means of the replications that both have."""
    others = dict(zip(right.replications, right.run_means, strict=True))
    mine = zip(left.replications, left.run_means, strict=True)
    return [(mean, others[replication]) for replication, mean in mine if replication in others]

"""Means with 95% confidence intervals: Student's t, corrected for skewness where values are rare or skewed.

The quantiles of t are computed from the incomplete beta function. Its continued fraction (Abramowitz & Stegun 1964,
26.5.8) is evaluated by Lentz's method. The quantiles agree with printed tables in all printed digits.

A quantity that is zero in most runs, such as inhibition, has skewed means: Student's interval then covers the true mean
in much less than 95% of cases. The correction is the cubic transformation of t by Hall (On the removal of skewness by
transformation, J. R. Statist. Soc. B 54, 1992). Without skewness it is Student's t; with few values it is wider.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from statistics import fmean, stdev
from typing import Final

CONFIDENCE: Final = 0.95
_TINY: Final = 1e-300
_SKEWED: Final = 0.5
"""Values with a larger standard deviation, relative to their mean, count as skewed if none is negative."""


class Method(StrEnum):
    """How an interval is computed. `NONE`: there is none, because there is one value, or all values are zero."""

    NONE = "none"
    EQUAL = "equal values"
    STUDENT = "t"
    HALL = "skew-corrected t"


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95% confidence interval. A single value has no interval."""

    mean: float
    low: float | None = None
    high: float | None = None
    method: Method = Method.NONE

    @property
    def half_width(self) -> float | None:
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def above_zero(self) -> bool:
        return self.low is not None and self.low > 0

    @property
    def below_zero(self) -> bool:
        return self.high is not None and self.high < 0


def interval(values: Sequence[float], *, skewed: bool = False) -> Interval:
    """Return the mean of independent values with its confidence interval. `skewed`: correct it for skewness."""
    mean = fmean(values)
    if len(values) == 1:
        return Interval(mean)
    if min(values) == max(values):
        return Interval(mean, mean, mean, Method.EQUAL)  # a frequent case, and `stdev` is slow
    error, t = stdev(values) / math.sqrt(len(values)), student_t(len(values) - 1)
    if not skewed:
        return Interval(mean, mean - t * error, mean + t * error, Method.STUDENT)
    skewness = _skewness(values, mean)
    low, high = (mean - error * _untransformed(end, skewness, len(values)) for end in (t, -t))
    return Interval(mean, low, high, Method.HALL)


def interval_of_mean(values: Sequence[float]) -> Interval:
    """Return the mean of a quantity over replications with its interval.

    Values that are all zero have no interval: how often and how much a rare event occurs is not known then. A quantity
    that is never negative has no negative mean.
    """
    found = interval(values, skewed=is_skewed(values))
    if not any(values):
        return Interval(0.0)
    if found.low is not None and min(values) >= 0:
        return Interval(found.mean, max(0.0, found.low), found.high, found.method)
    return found


def interval_of_difference(ones: Sequence[float], others: Sequence[float]) -> Interval:
    """Return the mean of paired differences with its interval, corrected for skewness if one of both is skewed."""
    gaps = [one - other for one, other in zip(ones, others, strict=True)]
    return interval(gaps, skewed=is_skewed(ones) or is_skewed(others))


def is_skewed(values: Sequence[float]) -> bool:
    """Return whether values are so different, and none is negative, that their distribution must be skewed."""
    if len(values) == 1 or min(values) < 0 or min(values) == max(values):
        return False
    return min(values) == 0 or stdev(values) > _SKEWED * fmean(values)


def _untransformed(t: float, skewness: float, count: int) -> float:
    """Return the value of Student's ratio to which Hall's transformation gives `t`."""
    if abs(skewness) < 1e-9:
        return t
    root = math.sqrt(count)
    return 3 * root / skewness * (math.cbrt(1 + skewness * (t / root - skewness / (6 * count))) - 1)


def _skewness(values: Sequence[float], mean: float) -> float:
    second = fmean((value - mean) ** 2 for value in values)
    return fmean((value - mean) ** 3 for value in values) / math.sqrt(second) ** 3


@dataclass(frozen=True, slots=True)
class Sample:
    """The moments of values. `skewness` is 0 if their mean is tested without a correction for skewness."""

    mean: float
    deviation: float
    skewness: float
    count: int

    def below_zero(self, replications: int | None = None) -> float:
        """Return the p-value of the one-sided test for a mean below zero. `replications`: assume the same mean and
        deviation in so many values. If all values are equal, the result is 0 or 1.
        """
        if not self.deviation:
            return float(self.mean >= 0)
        count = replications or self.count
        root = math.sqrt(count)
        ratio, skewness = self.mean / self.deviation * root, self.skewness
        t = ratio + skewness * ratio**2 / (3 * root) + skewness**2 * ratio**3 / (27 * count) + skewness / (6 * root)
        tail = _tails(abs(t), count - 1) / 2
        return tail if t < 0 else 1 - tail


def sample(values: Sequence[float], *, skewed: bool) -> Sample:
    """Return the moments of two or more values."""
    mean = fmean(values)
    if min(values) == max(values):
        return Sample(values[0], 0.0, 0.0, len(values))
    return Sample(mean, stdev(values), _skewness(values, mean) if skewed else 0.0, len(values))


def half_width(values: Sequence[float]) -> float:
    """Return half of Student's confidence interval of the mean of two or more independent values."""
    return interval(values).half_width or 0.0


@cache
def student_t(freedom: int, confidence: float = 0.95) -> float:
    """Return the two-sided quantile of Student's t for the degrees of freedom."""
    low, high = 0.0, 1.0
    while _tails(high, freedom) > 1 - confidence:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _tails(middle, freedom) > 1 - confidence else (low, middle)
    return high


def _tails(t: float, freedom: int) -> float:
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    if x in {0.0, 1.0}:
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(scale) / a * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    value, c, d = 1.0, 1.0, 0.0
    for term in range(1, 10_000):
        numerator = _numerator(term, a, b, x)
        d = 1 / _not_zero(1 + numerator * d)
        c = _not_zero(1 + numerator / c)
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return 1 / value


def _numerator(term: int, a: float, b: float, x: float) -> float:
    m = term // 2
    if term % 2 == 0:
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))


def _not_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY

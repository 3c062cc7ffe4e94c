"""Means with 95% confidence intervals by Student's t.

The quantiles of t are computed from the incomplete beta function. Its continued fraction (Abramowitz & Stegun 1964,
26.5.8) is evaluated by Lentz's method. The quantiles agree with printed tables in all printed digits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev
from typing import Final

_TINY: Final = 1e-300


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95% confidence interval. A single value has no `half_width`."""

    mean: float
    half_width: float | None

    @property
    def low(self) -> float | None:
        return None if self.half_width is None else self.mean - self.half_width

    @property
    def high(self) -> float | None:
        return None if self.half_width is None else self.mean + self.half_width

    @property
    def above_zero(self) -> bool:
        return self.low is not None and self.low > 0

    @property
    def below_zero(self) -> bool:
        return self.high is not None and self.high < 0


def interval(values: Sequence[float]) -> Interval:
    """Return the mean of independent values with its confidence interval."""
    return Interval(fmean(values), half_width(values) if len(values) > 1 else None)


def half_width(values: Sequence[float]) -> float:
    """Return half of the confidence interval of the mean of two or more independent values."""
    if min(values) == max(values):
        return 0.0  # a frequent case, for example if all counts are zero; `stdev` is slow
    return student_t(len(values) - 1) * stdev(values) / math.sqrt(len(values))


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

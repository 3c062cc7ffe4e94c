"""Fits of a power to measurements."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, log2, sqrt
from statistics import linear_regression
from typing import Final

from mobilesim.statistics.intervals import student_t

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Exponent:
    """A fitted exponent. `half_width`: of its 95% confidence interval; None if it was fitted to two steps of growth."""

    value: float
    half_width: float | None

    def agrees_with(self, exponent: float) -> bool:
        """Return whether the interval contains the exponent, and is too narrow to contain two integers."""
        half = max(self.half_width or 0.0, _ROUNDING)
        return half < 0.5 and abs(self.value - exponent) <= half

    @property
    def is_clearly_integer(self) -> bool:
        return self.half_width is not None and self.agrees_with(round(self.value))

    def as_power_of(self, variable: str) -> str:
        """Return for instance `n_h^2` or `n_h^(1.87 ± 0.12)`."""
        if self.half_width is not None and self.half_width > _ROUNDING:
            return f"{variable}^({self.value:.2f} ± {self.half_width:.2f})"
        integer = round(self.value)
        return f"{variable}^{integer}" if abs(self.value - integer) < _ROUNDING else f"{variable}^{self.value:.2f}"


def fit_exponent(sizes: Sequence[int], values: Sequence[float]) -> Exponent | None:
    """Fit the exponent p of a + b x^p to measurements at sizes that double.

    From size x to size 2x, such a quantity grows by b (2^p - 1) x^p. This step does not depend on a. So p is the slope
    of the logarithms of the steps over the logarithms of the sizes, which is fitted by least squares. If all values are
    equal, p is 0. Else, return None if there is only one step, or if a step does not grow.
    """
    if len(sizes) < 2 or any(after != 2 * before for before, after in pairwise(sizes)):
        raise ValueError(f"{list(sizes)} are not two or more sizes that double")
    growth = [after - before for before, after in pairwise(values)]
    if not any(growth):
        return Exponent(0.0, 0.0)
    if len(growth) < 2 or min(growth) <= 0:
        return None
    return _slope([log2(size) for size in sizes[:-1]], [log2(step) for step in growth])


def _slope(xs: Sequence[float], ys: Sequence[float]) -> Exponent:
    slope, intercept = linear_regression(xs, ys)
    freedom = len(xs) - 2
    if not freedom:
        return Exponent(slope, None)
    mean = fsum(xs) / len(xs)
    residual = fsum((y - slope * x - intercept) ** 2 for x, y in zip(xs, ys, strict=True))
    variation = fsum((x - mean) ** 2 for x in xs)
    return Exponent(slope, student_t(freedom) * sqrt(residual / freedom / variation))

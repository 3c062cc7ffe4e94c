"""How something grows: the exponent p of a + b x^p, from measurements at sizes that double.

Between size x and size 2x such a thing grows by b (2^p - 1) x^p: the constant drops out, and what is left of `2 x + 1`
is a pure power. So p is the slope of the logarithms of the growth over those of the sizes, by least squares.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, log2, sqrt
from statistics import linear_regression
from typing import Final

Quantile = Callable[[int], float]
"""Student's t: how many standard errors, by degrees of freedom, make half of a 95% interval."""

_ROUNDING: Final = 1e-9
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True)
class Exponent:
    """`half_width`: of its 95% interval; None if two points leave nothing to judge it by."""

    value: float
    half_width: float | None

    def meets(self, exponent: float) -> bool:
        """An interval so wide that it has room for two whole powers meets none."""
        half = max(self.half_width or 0.0, _ROUNDING)
        return half < _HALF and abs(self.value - exponent) <= half

    @property
    def clear(self) -> bool:
        """Whether it is one whole power, and could be no other."""
        return self.half_width is not None and self.meets(round(self.value))

    def of(self, variable: str) -> str:
        """As a power of it."""
        if self.half_width is not None and self.half_width > _ROUNDING:
            return f"{variable}^({self.value:.2f} ± {self.half_width:.2f})"
        whole = round(self.value)
        return f"{variable}^{whole}" if abs(self.value - whole) < _ROUNDING else f"{variable}^{self.value:.2f}"


def exponent(sizes: Sequence[int], values: Sequence[float], quantile: Quantile) -> Exponent | None:
    """None if it is no such power: it shrinks somewhere, or grows here and not there."""
    if len(sizes) < 2 or any(after != 2 * before for before, after in pairwise(sizes)):
        raise ValueError(f"{list(sizes)} are not two or more sizes that double")
    grown = [after - before for before, after in pairwise(values)]
    if not any(grown):
        return Exponent(0.0, 0.0)
    if len(grown) < 2 or min(grown) <= 0:
        return None
    return _slope([log2(size) for size in sizes[:-1]], [log2(step) for step in grown], quantile)


def _slope(xs: Sequence[float], ys: Sequence[float], quantile: Quantile) -> Exponent:
    slope, intercept = linear_regression(xs, ys)
    freedom = len(xs) - 2
    if not freedom:
        return Exponent(slope, None)
    middle = fsum(xs) / len(xs)
    left = fsum((y - slope * x - intercept) ** 2 for x, y in zip(xs, ys, strict=True))
    spread = fsum((x - middle) ** 2 for x in xs)
    return Exponent(slope, quantile(freedom) * sqrt(left / freedom / spread))

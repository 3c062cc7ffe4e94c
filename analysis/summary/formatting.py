"""Numbers as text, with a suitable unit and three significant digits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.statistics.intervals import Method

NONE: Final = "-"


@dataclass(frozen=True, slots=True)
class Unit:
    name: str
    size: float

    def show(self, amount: float | None) -> str:
        return NONE if amount is None else f"{number(amount / self.size)} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Scale:
    """The units of one kind of amount, from the largest to the smallest.

    `of_zero`: the index of the unit for the amount zero. `common`: the unit of every column. Without `common`, a column
    has the unit that fits its largest amount divided by `fine`, so that small amounts keep digits.
    """

    units: tuple[Unit, ...]
    of_zero: int = -1
    common: Unit | None = None
    fine: float = 1.0

    def unit(self, amount: float) -> Unit:
        """Return the largest unit that is not larger than the amount."""
        smallest = self.units[self.of_zero if amount == 0 else -1]
        return next((unit for unit in self.units if abs(amount) >= unit.size), smallest)

    def common_unit(self, largest: float) -> Unit:
        """Return the unit of a column. `largest`: its largest amount."""
        return self.common or self.unit(largest / self.fine)

    def show(self, amount: float | None) -> str:
        return NONE if amount is None else self.unit(amount).show(amount)

    def show_estimate(self, estimate: Estimate) -> str:
        return show_estimate(estimate, self.unit(estimate.mean or 0))


_NOISE: Final = 1e-12
_LEAST: Final = 1e-5
"""The smallest half-width that is shown, in the unit of the text. A smaller half-width needs more than six decimals."""
_MILLIJOULE: Final = Unit("mJ", 1e-3)

TIME: Final = Scale((Unit("s", 1e9), Unit("ms", 1e6), Unit("µs", 1e3), Unit("ns", 1.0)), of_zero=1)
ENERGY: Final = Scale((Unit("kJ", 1e3), Unit("J", 1.0), _MILLIJOULE, Unit("µJ", 1e-6)), of_zero=2, common=_MILLIJOULE)
SIZE: Final = Scale((Unit("MiB", 1024.0**2), Unit("KiB", 1024.0), Unit("B", 1.0)), fine=10)
COUNT: Final = Scale((Unit("", 1.0),))
SHARE: Final = Scale((Unit("%", 0.01),))

duration, size, energy = TIME.show, SIZE.show, ENERGY.show
show_time, show_energy, show_number = TIME.show_estimate, ENERGY.show_estimate, COUNT.show_estimate


def listing(texts: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def number(amount: float) -> str:
    """Return the number with three significant digits, or two decimals; an integer with all digits."""
    if amount == int(amount) or abs(amount) >= 100:
        return f"{amount:z,.0f}"
    if abs(amount) < 0.1:
        return f"{amount:.{2 - math.floor(math.log10(abs(amount)))}f}"
    return f"{amount:z.2f}" if abs(amount) < 10 else f"{amount:.1f}"


def share(fraction: float | None) -> str:
    """Return a percentage. A value between 0 and 0.1 % is `< 0.1 %`, so that `0 %` means zero."""
    if fraction is None:
        return NONE
    percent = 100 * fraction
    if 0 < percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.0f} %" if percent in {0.0, 100.0} or percent >= 10 else f"{percent:.1f} %"


def plus_minus(mean: float, low: float, high: float) -> str:
    """Return a mean with half its interval. The half has two significant digits, and the mean as many decimals, or one
    more if it would have less than three significant digits.

    A mean of equal values has an interval of zero width, and is shown without it.
    """
    half = (high - low) / 2
    places = _decimals_of_mean(mean, half)
    return number(mean) if places is None else f"{mean:z,.{places}f} ± {half:,.{places}f}"


def between(mean: float, low: float, high: float) -> str:
    """Return a mean with both ends of an interval that is not symmetric. The interval has two significant digits."""
    places = _decimals_of_mean(mean, (high - low) / 2)
    return number(mean) if places is None else f"{mean:z,.{places}f} [{low:z,.{places}f}, {high:z,.{places}f}]"


def _decimals_of_mean(mean: float, half: float) -> int | None:
    """Return the decimals of a mean and its interval: one more than `decimals` if the mean has too few digits."""
    places = decimals(mean, half)
    return None if places is None else places + (half < abs(mean) < 10 ** (2 - places))


def with_interval(mean: float, low: float, high: float) -> str:
    """Return a signed mean with both ends of its interval, all with the same decimals."""
    places = decimals(mean, (high - low) / 2)
    if places is None and abs(mean) < _LEAST:
        return f"within ±{_LEAST:.5f}"
    if places is None and abs(mean) < 0.01:
        places = decimals(0.0, abs(mean))
    mean_text, *ends = (signed(end, places) for end in (mean, low, high))
    return f"{mean_text} [{', '.join(ends)}]"


def signed(amount: float, places: int | None = None) -> str:
    text = number(amount) if places is None else f"{amount:z,.{places}f}"
    return f"+{text}" if amount > 0 else text


def decimals(mean: float, half: float) -> int | None:
    """Return the decimals for two significant digits of half an interval; None if the half is only a rounding error."""
    if half <= max(_LEAST, _NOISE * abs(mean)):
        return None
    return max(0, 1 - int(f"{half:.1e}".partition("e")[2]))


def is_constant(estimate: Estimate) -> bool:
    """Whether a mean is of equal values: its interval has no width."""
    if estimate.mean is None or estimate.low is None or estimate.high is None:
        return False
    return decimals(estimate.mean, (estimate.high - estimate.low) / 2) is None


def show_estimate(estimate: Estimate, unit: Unit) -> str:
    """Return a mean with its interval, if it has one: half of it, or both ends if it is corrected for skewness."""
    if estimate.mean is None or estimate.low is None or estimate.high is None:
        return unit.show(estimate.mean)
    mean, low, high = (end / unit.size for end in (estimate.mean, estimate.low, estimate.high))
    text = between if estimate.method is Method.HALL else plus_minus
    return f"{text(mean, low, high)} {unit.name}".rstrip()


def intervals(replications: int) -> str:
    """Return what the intervals of means are based on, as a clause."""
    if replications == 1:
        return "one replication: means have no interval"
    return (
        f"95 % confidence intervals over {replications} replications, by Student's t: ± is half of one; [low, high] is "
        "one that is corrected for skewness, because the quantity is rare or varies widely; equal values have none"
    )

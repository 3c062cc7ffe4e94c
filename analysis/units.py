"""Numbers for people: a unit that fits, three digits that matter."""

from dataclasses import dataclass
from typing import Final

from analysis.pool import Estimate

NONE: Final = "-"


@dataclass(frozen=True, slots=True)
class Unit:
    name: str
    size: float

    def show(self, amount: float | None) -> str:
        return NONE if amount is None else f"{number(amount / self.size)} {self.name}"


_TIMES: Final = (Unit("s", 1e9), Unit("ms", 1e6), Unit("µs", 1e3), Unit("ns", 1.0))
_SIZES: Final = (Unit("MiB", 1024.0**2), Unit("KiB", 1024.0), Unit("B", 1.0))


def time_unit(nanoseconds: float) -> Unit:
    """The largest of which there is at least one."""
    return next(
        (unit for unit in _TIMES if abs(nanoseconds) >= unit.size), _TIMES[1] if nanoseconds == 0 else _TIMES[-1]
    )


def size_unit(count: float) -> Unit:
    return next((unit for unit in _SIZES if abs(count) >= unit.size), _SIZES[-1])


def number(amount: float) -> str:
    """Three digits, or all of a whole number's."""
    if amount == int(amount) or abs(amount) >= 100:
        return f"{amount:,.0f}"
    return f"{amount:.2f}" if abs(amount) < 10 else f"{amount:.1f}"


def duration(nanoseconds: float | None) -> str:
    return NONE if nanoseconds is None else time_unit(nanoseconds).show(nanoseconds)


def size(count: float | None) -> str:
    return NONE if count is None else size_unit(count).show(count)


def share(fraction: float | None) -> str:
    """A percentage which is only 0 where there is nothing at all."""
    if fraction is None:
        return NONE
    percent = 100 * fraction
    if 0 < percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.0f} %" if percent in {0.0, 100.0} or percent >= 10 else f"{percent:.1f} %"


def spread(estimate: Estimate, unit: Unit) -> str:
    """A mean with half its interval, in one unit."""
    if estimate.mean is None or estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return unit.show(estimate.mean)
    return f"{number(estimate.mean / unit.size)} ± {number((estimate.high - estimate.low) / 2 / unit.size)} {unit.name}"


def show_number(estimate: Estimate) -> str:
    return spread(estimate, Unit("", 1.0)).rstrip()


def show_time(estimate: Estimate) -> str:
    return spread(estimate, time_unit(estimate.mean or 0))


def show_bytes(estimate: Estimate) -> str:
    return spread(estimate, size_unit(estimate.mean or 0))

"""The statements of a paper about a figure, as checks of measured curves.

A check is decided only where the 95% confidence intervals allow a single answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Final

from mobilesim.experiments.paper_figures.curves import Crossing, Curve, crossing
from mobilesim.experiments.paper_figures.metric_labels import MetricLabel
from mobilesim.statistics.intervals import Interval

Curves = Mapping[str, Curve]
"""The curves of one panel, by the labels of their series."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`holds` is None if there are too few points or replications to decide."""

    holds: bool | None
    text: str
    numbers: Mapping[str, float | None] = field(default_factory=dict)


_NOT_BOTH: Final = "no point was measured for both"


@dataclass(frozen=True, slots=True)
class Crosses:
    """`one` lies below `other` at first and above it at the end, and they cross in the range `between`, if given."""

    one: str
    other: str
    symbol: str
    between: tuple[float, float] | None = None

    def evaluate(self, curves: Curves, label: MetricLabel) -> Answer:
        gap = curves[self.one].minus(curves[self.other])
        if not gap.xs:
            return Answer(None, _NOT_BOTH)
        first, last = gap.at(gap.xs[0]), gap.at(gap.xs[-1])
        found = crossing(gap)
        text = self._text(gap, found)
        if first.above_zero or last.below_zero:
            return Answer(False, text, asdict(found))
        clear = first.below_zero and last.above_zero
        return Answer(self._is_near(found) if clear else None, text, asdict(found))

    def _is_near(self, found: Crossing) -> bool:
        if self.between is None:
            return True
        low, high = self.between
        return (found.low is None or found.low <= high) and (found.high is None or found.high >= low)

    def _text(self, gap: Curve, found: Crossing) -> str:
        first, last = gap.xs[0], gap.xs[-1]
        if found.at is None:
            lower = self.other if gap.at(last).mean > 0 else self.one
            return f"no crossing from {self.symbol} = {first} to {last}; {lower} is lower at the end"
        if gap.at(last).half_width is None:
            return f"they cross at {self.symbol} = {found.at:.1f}"
        low = f"below {first}" if found.low is None else f"{found.low:.1f}"
        high = f"above {last}" if found.high is None else f"{found.high:.1f}"
        return f"they cross at {self.symbol} = {found.at:.1f} (95% CI: {low} to {high})"


@dataclass(frozen=True, slots=True)
class GrowsAsPower:
    """A curve has the form a + b x^`power`, with a tolerance of the exponent, for x up to `to`."""

    series: str
    symbol: str
    power: float
    tolerance: float
    to: int

    def evaluate(self, curves: Curves, label: MetricLabel) -> Answer:
        curve = curves[self.series]
        xs = [x for x in curve.xs if x <= self.to]
        if len(xs) < _POINTS_OF_POWER:
            shown = ", ".join(map(str, xs)) or "none"
            return Answer(None, f"too few points to fit a power: {self.symbol} = {shown}")
        complete = set.intersection(*(set(curve.values[x]) for x in xs))
        powers = {number: best_power(xs, [curve.values[x][number] for x in xs]) for number in complete}
        if not powers:
            return Answer(None, "no replication has all of its points yet")
        fitted = Curve({0: powers}).at(0)
        text = (
            f"the {label.noun} of {self.series} grew like {self.symbol} to the power {fitted.mean:.2f}"
            f"{_plus_minus(fitted, '.2f')}, up to {xs[-1]}"
        )
        holds = _within(fitted, self.power - self.tolerance, self.power + self.tolerance)
        return Answer(holds, text, {"power": fitted.mean, "low": fitted.low, "high": fitted.high})


_POINTS_OF_POWER: Final = 4
_POINTS_OF_VALLEY: Final = 3
_POWERS: Final = [step / 50 for step in range(10, 301)]


def best_power(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return the p from 0.2 to 6 for which a + b x^p fits best, by least squares."""
    return min(_POWERS, key=lambda power: _residual([x**power for x in xs], ys))


def _residual(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return the sum of squares that linear regression leaves."""
    x_mean, y_mean = fmean(xs), fmean(ys)
    variation = sum((x - x_mean) ** 2 for x in xs)
    covariation = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    return sum((y - y_mean) ** 2 for y in ys) - covariation * covariation / variation


@dataclass(frozen=True, slots=True)
class FallsThenRises:
    """A curve falls from its first point to its second, and rises from its minimum to its last point."""

    series: str
    symbol: str

    def evaluate(self, curves: Curves, label: MetricLabel) -> Answer:
        curve = curves[self.series]
        if len(curve.xs) < _POINTS_OF_VALLEY:
            return Answer(None, f"fewer than {_POINTS_OF_VALLEY} points were measured")
        first, second, *_, last = curve.xs
        lowest = min(curve.xs, key=lambda x: curve.at(x).mean)
        fall, rise = curve.change(first, second), curve.change(lowest, last)
        minimum = f"minimum at {self.symbol} = {lowest}"
        text = f"{self._change(fall, first, second, label)}; {minimum}, {self._change(rise, lowest, last, label)}"
        numbers = {"step": fall.mean, "lowest": lowest, "rise": rise.mean}
        if fall.above_zero or lowest == last:
            return Answer(False, text, numbers)
        return Answer(True if fall.below_zero and rise.above_zero else None, text, numbers)

    def _change(self, change: Interval, start: int, end: int, label: MetricLabel) -> str:
        direction = "up" if change.mean >= 0 else "down"
        amount = label.format(f"{abs(change.mean):.3g}{_plus_minus(change, '.2g')}")
        return f"from {self.symbol} = {start} to {end} {direction} {amount}"


@dataclass(frozen=True, slots=True)
class MatchesPrinted:
    """The paper prints values of some series at x; measured values differ by at most the relative `tolerance`."""

    printed: Mapping[str, float]
    x: int
    symbol: str
    tolerance: float

    def evaluate(self, curves: Curves, label: MetricLabel) -> Answer:
        here = {name: curves[name].at(self.x) for name in self.printed if self.x in curves[name].values}
        numbers = {name: estimate.mean for name, estimate in here.items()}
        if len(here) < len(self.printed):
            return Answer(None, f"not all were measured at {self.symbol} = {self.x}", numbers)
        compared = ", ".join(f"{name} {_compared(here[name], value)}" for name, value in self.printed.items())
        answers = [_near(here[name], value, self.tolerance) for name, value in self.printed.items()]
        return Answer(_all(answers), f"{label.noun}: {compared}", numbers)


def _compared(estimate: Interval, value: float) -> str:
    return f"{estimate.mean:.3f}{_plus_minus(estimate, '.3f')} for {value:g} ({estimate.mean / value - 1:+.0%})"


@dataclass(frozen=True, slots=True)
class InRange:
    """All points of a curve lie between `least` and `most`; only those at `xs`, if given."""

    series: str
    least: float
    most: float
    xs: tuple[int, ...] = ()

    def evaluate(self, curves: Curves, label: MetricLabel) -> Answer:
        curve = curves[self.series]
        points = [curve.at(x) for x in curve.xs if not self.xs or x in self.xs]
        if not points:
            return Answer(None, "no such point was measured")
        return _in_range(points, self.least, self.most, f"{self.series} has {label.template}")


@dataclass(frozen=True, slots=True)
class RatioInRange:
    """`one` is `least` to `most` times `other` at every x that both have, paired by replication."""

    one: str
    other: str
    least: float
    most: float

    def evaluate(self, curves: Curves, label: MetricLabel) -> Answer:
        ratio = curves[self.one].over(curves[self.other])
        points = [ratio.at(x) for x in ratio.xs]
        if not points:
            return Answer(None, _NOT_BOTH)
        return _in_range(points, self.least, self.most, f"{self.one} has {{}} times the {label.noun} of {self.other}")


@dataclass(frozen=True, slots=True)
class ProportionalToX:
    """A curve is `factor` times x, with a relative tolerance."""

    series: str
    symbol: str
    factor: float
    tolerance: float

    def evaluate(self, curves: Curves, label: MetricLabel) -> Answer:
        curve = curves[self.series]
        ratio = Curve({x: {number: y / x for number, y in here.items()} for x, here in curve.values.items()})
        points = [ratio.at(x) for x in ratio.xs]
        least, most = self.factor * (1 - self.tolerance), self.factor * (1 + self.tolerance)
        return _in_range(points, least, most, f"{self.series} has {label.format(f'{{}} times {self.symbol}')}")


_SAME: Final = 0.001


def _in_range(points: Sequence[Interval], least: float, most: float, template: str) -> Answer:
    low, high = min(point.mean for point in points), max(point.mean for point in points)
    span = f"{low:.3f}" if high - low < _SAME else f"{low:.3f} to {high:.3f}"
    holds = _all([_within(point, least, most) for point in points])
    return Answer(holds, template.format(span), {"low": low, "high": high})


def _near(estimate: Interval, value: float, tolerance: float) -> bool | None:
    return _within(estimate, value * (1 - tolerance), value * (1 + tolerance))


def _within(estimate: Interval, least: float, most: float) -> bool | None:
    """Return whether the interval lies in the range; None if only a part of it does."""
    if estimate.low is None or estimate.high is None:
        return None
    if least <= estimate.low and estimate.high <= most:
        return True
    return False if estimate.high < least or estimate.low > most else None


def _all(answers: Sequence[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


def _plus_minus(estimate: Interval, form: str) -> str:
    return "" if estimate.half_width is None else f" ± {estimate.half_width:{form}}"


Check = Crosses | GrowsAsPower | FallsThenRises | MatchesPrinted | InRange | RatioInRange | ProportionalToX

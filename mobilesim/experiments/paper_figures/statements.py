"""The statements of a paper about a figure, as checks of measured curves.

Checks are decided by 95% confidence intervals. For `Crosses`, it is sufficient that the interval of the crossing
overlaps the printed range. `FallsThenRises` finds the minimum of a curve by means. `evaluate` takes the curves of a
panel, the label of the metric, and the symbol of the x axis.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from statistics import correlation
from typing import Final

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as validated

from mobilesim.experiments.paper_figures.curves import Crossing, Curve, crossing
from mobilesim.statistics.intervals import Interval

Curves = Mapping[str, Curve]
"""The curves of one panel, by the labels of their series."""

_STRICT: Final = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class MetricLabel:
    """`noun`: a short name of the values. `template`: a value with its unit, such as `{} ms`."""

    noun: str
    template: str


@dataclass(frozen=True, slots=True)
class Answer:
    """`holds` is None if the points, the replications or the intervals do not decide the check."""

    holds: bool | None
    text: str
    numbers: Mapping[str, float | None] = field(default_factory=dict)


_NOT_BOTH: Final = "no point was measured for both series"


@validated(frozen=True, slots=True, config=_STRICT)
class Crosses:
    """`one` is significantly below `other` at the first point and above it at the last point. The interval of the
    crossing overlaps `between`, if given. The statement is contradicted without overlap, or if the difference at the
    first or the last point is significantly reversed.
    """

    one: str
    other: str
    between: tuple[float, float] | None = None

    def evaluate(self, curves: Curves, _: MetricLabel, symbol: str) -> Answer:
        gap = curves[self.one].minus(curves[self.other])
        if not gap.xs:
            return Answer(None, _NOT_BOTH)
        first, last = gap.at(gap.xs[0]), gap.at(gap.xs[-1])
        found = crossing(gap)
        text = self._text(gap, found, symbol)
        if first.above_zero or last.below_zero:
            return Answer(False, text, asdict(found))
        clear = first.below_zero and last.above_zero
        return Answer(self._is_near(found) if clear else None, text, asdict(found))

    def _is_near(self, found: Crossing) -> bool:
        if self.between is None:
            return True
        low, high = self.between
        return (found.low is None or found.low <= high) and (found.high is None or found.high >= low)

    def _text(self, gap: Curve, found: Crossing, symbol: str) -> str:
        first, last = gap.xs[0], gap.xs[-1]
        if found.at is None:
            lower = self.other if gap.at(last).mean > 0 else self.one
            return f"no crossing from {symbol} = {first} to {last}; {lower} is lower at the end"
        if gap.at(last).half_width is None:
            return f"they cross at {symbol} = {found.at:.1f}"
        low = f"below {first}" if found.low is None else f"{found.low:.1f}"
        high = f"above {last}" if found.high is None else f"{found.high:.1f}"
        return f"they cross at {symbol} = {found.at:.1f} (95% CI: {low} to {high})"


@validated(frozen=True, slots=True, config=_STRICT)
class GrowsAsPower:
    """For x up to `to`, a curve has the form a + b x^`power`. `tolerance`: of the exponent."""

    series: str
    power: float
    tolerance: float
    to: int

    def evaluate(self, curves: Curves, label: MetricLabel, symbol: str) -> Answer:
        curve = curves[self.series]
        xs = [x for x in curve.xs if x <= self.to]
        if len(xs) < 4:
            shown = ", ".join(map(str, xs)) or "none"
            return Answer(None, f"too few points to fit a power: {symbol} = {shown}")
        complete = set.intersection(*(set(curve.values[x]) for x in xs))
        powers = {number: best_power(xs, [curve.values[x][number] for x in xs]) for number in complete}
        if not powers:
            return Answer(None, "no replication has all of its points yet")
        fitted = Curve({0: powers}).at(0)
        text = (
            f"the {label.noun} of {self.series} grew like {symbol} to the power {fitted.mean:.2f}"
            f"{_plus_minus(fitted, '.2f')}, up to {xs[-1]}"
        )
        holds = _within(fitted, self.power - self.tolerance, self.power + self.tolerance)
        return Answer(holds, text, {"power": fitted.mean, "low": fitted.low, "high": fitted.high})


_POINTS_OF_VALLEY: Final = 3
_POWERS: Final = [step / 50 for step in range(10, 301)]


def best_power(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return the p from 0.2 to 6 for which a + b x^p fits best, by least squares."""
    if min(ys) == max(ys):
        return _POWERS[0]
    return max(_POWERS, key=lambda power: correlation([x**power for x in xs], ys) ** 2)


@validated(frozen=True, slots=True, config=_STRICT)
class FallsThenRises:
    """A curve falls from its first point to its second, and rises from its minimum to its last point. The statement is
    contradicted if the curve rises significantly at first, or if its lowest mean is at the last point.
    """

    series: str

    def evaluate(self, curves: Curves, label: MetricLabel, symbol: str) -> Answer:
        curve = curves[self.series]
        if len(curve.xs) < _POINTS_OF_VALLEY:
            return Answer(None, f"fewer than {_POINTS_OF_VALLEY} points were measured")
        first, second, *_, last = curve.xs
        lowest = min(curve.xs, key=lambda x: curve.at(x).mean)
        fall, rise = curve.change(first, second), curve.change(lowest, last)
        down, up = _change(fall, label), _change(rise, label)
        text = f"from {symbol} = {first} to {second} {down}; minimum at {symbol} = {lowest}"
        text += f", from {symbol} = {lowest} to {last} {up}"
        numbers = {"step": fall.mean, "lowest": lowest, "rise": rise.mean}
        if fall.above_zero or lowest == last:
            return Answer(False, text, numbers)
        return Answer(True if fall.below_zero and rise.above_zero else None, text, numbers)


def _change(change: Interval, label: MetricLabel) -> str:
    amount = label.template.format(f"{abs(change.mean):.3g}{_plus_minus(change, '.2g')}")
    return f"{'up' if change.mean >= 0 else 'down'} {amount}"


@validated(frozen=True, slots=True, config=_STRICT)
class MatchesPrinted:
    """The measured values of series at x differ from the `printed` values by at most the relative `tolerance`."""

    printed: Mapping[str, float]
    x: int
    tolerance: float

    def evaluate(self, curves: Curves, label: MetricLabel, symbol: str) -> Answer:
        here = {name: curves[name].at(self.x) for name in self.printed if self.x in curves[name].values}
        numbers = {name: estimate.mean for name, estimate in here.items()}
        if len(here) < len(self.printed):
            return Answer(None, f"not all series were measured at {symbol} = {self.x}", numbers)
        compared = ", ".join(f"{name} {_compared(here[name], value)}" for name, value in self.printed.items())
        least, most = 1 - self.tolerance, 1 + self.tolerance
        holds = _all([_within(here[name], value * least, value * most) for name, value in self.printed.items()])
        return Answer(holds, f"{label.noun}: {compared}", numbers)


def _compared(estimate: Interval, value: float) -> str:
    return f"{estimate.mean:.3f}{_plus_minus(estimate, '.3f')} for {value:g} ({estimate.mean / value - 1:+.0%})"


@validated(frozen=True, slots=True, config=_STRICT)
class InRange:
    """All points of a curve, or its points at `xs` if given, are between `least` and `most`.

    `over`: another series by which the curve is divided, paired by replication. `per_x`: divide the curve by x.
    """

    series: str
    least: float
    most: float
    xs: tuple[int, ...] = ()
    over: str = ""
    per_x: bool = False

    def evaluate(self, curves: Curves, label: MetricLabel, symbol: str) -> Answer:
        curve, values = curves[self.series], label.template
        if self.over:
            other = self.over if " of " in self.over else f"{label.noun} of {self.over}"
            curve, values = curve.over(curves[self.over]), f"{{}} times the {other}"
        elif self.per_x:
            curve, values = curve.per_x(), label.template.format(f"{{}} times {symbol}")
        points = [curve.at(x) for x in curve.xs if not self.xs or x in self.xs]
        if not points:
            return Answer(None, _NOT_BOTH if self.over else "no such point was measured")
        low, high = min(point.mean for point in points), max(point.mean for point in points)
        span = f"{low:.3f}" if high - low < 0.001 else f"{low:.3f} to {high:.3f}"
        holds = _all([_within(point, self.least, self.most) for point in points])
        text = f"{self.series} has {values.format(span)}{_limits(points)}"
        return Answer(holds, text, {"low": low, "high": high})


def _limits(points: Sequence[Interval]) -> str:
    """Return the lowest and the highest limit of all intervals, unless they are those of the means."""
    known = [limit for point in points for limit in (point.low, point.high) if limit is not None]
    limits, means = (f"{min(some):.3f} to {max(some):.3f}" for some in (known or [0], [p.mean for p in points]))
    return "" if len(known) < 2 * len(points) or limits == means else f" (95% CI: {limits})"


def _within(estimate: Interval, least: float, most: float) -> bool | None:
    """Return whether the interval is in the range; None if only a part is in the range, or without an interval."""
    if estimate.low is None or estimate.high is None:
        return None
    if least <= estimate.low and estimate.high <= most:
        return True
    return False if estimate.high < least or estimate.low > most else None


def _all(answers: Sequence[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


def _plus_minus(estimate: Interval, form: str) -> str:
    return "" if estimate.half_width is None else f" ± {estimate.half_width:{form}}"


@validated(frozen=True, slots=True, config=_STRICT)
class Falls:
    """A curve falls from each point to the next. The statement is contradicted by one step that rises significantly."""

    series: str

    def evaluate(self, curves: Curves, label: MetricLabel, symbol: str) -> Answer:
        curve = curves[self.series]
        steps = {(start, end): curve.change(start, end) for start, end in pairwise(curve.xs)}
        if not steps:
            return Answer(None, "fewer than two points were measured")
        holds = _all([True if step.below_zero else False if step.above_zero else None for step in steps.values()])
        start, end = max(steps, key=lambda ends: steps[ends].mean)
        first, last = curve.xs[0], curve.xs[-1]
        whole, worst = curve.change(first, last), steps[start, end]
        text = f"{self.series} goes {_change(whole, label)} from {symbol} = {first} to {last}"
        if holds is not True:
            text += f"; from {start} to {end}, it goes {_change(worst, label)}"
        return Answer(holds, text, {"change": whole.mean, "largest_step": worst.mean})


@validated(frozen=True, slots=True, config=_STRICT)
class FallsMore:
    """From its first to its last point, `one` falls by a larger share than `other`."""

    one: str
    other: str

    def evaluate(self, curves: Curves, _: MetricLabel, symbol: str) -> Answer:
        first, last = curves[self.one].xs[0], curves[self.one].xs[-1]
        one, other = (Curve({last: curves[name].ratios(first, last)}) for name in (self.one, self.other))
        gap = one.minus(other)
        if first == last or not gap.xs:
            return Answer(None, _NOT_BOTH)
        ours, theirs, difference = one.at(last).mean, other.at(last).mean, gap.at(last)
        text = f"at {symbol} = {last}, {self.one} has {ours:.0%} of its value at {first}, and {self.other} {theirs:.0%}"
        if (half := gap.at(last).half_width) is not None:
            text += f" (difference {difference.mean:+.1%} ± {half:.1%})"
        holds = True if difference.below_zero else False if difference.above_zero else None
        return Answer(holds, text, {"one": ours, "other": theirs, "difference": difference.mean})


Check = Crosses | GrowsAsPower | FallsThenRises | MatchesPrinted | InRange | Falls | FallsMore
CHECKS: Final[Mapping[str, type[Check]]] = {
    "crosses": Crosses,
    "grows_as_power": GrowsAsPower,
    "falls_then_rises": FallsThenRises,
    "matches_printed": MatchesPrinted,
    "in_range": InRange,
    "falls": Falls,
    "falls_more": FallsMore,
}
"""The checks, by their names in the files of figures."""

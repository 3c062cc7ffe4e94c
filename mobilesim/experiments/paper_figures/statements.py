"""What a paper says of a figure, as questions that measured curves can answer.

Yes and no are said only where the 95% intervals leave nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Final

from mobilesim.experiments.paper_figures.curves import Crossover, Curve, Estimate, crossover
from mobilesim.experiments.paper_figures.metric_labels import Quantity

Curves = Mapping[str, Curve]
"""The curves of one panel, by the labels of their series."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`holds` is None where places or replications are too few to tell."""

    holds: bool | None
    words: str
    numbers: Mapping[str, float | None] = field(default_factory=dict)


_NOT_BOTH: Final = "nothing was measured of both"


@dataclass(frozen=True, slots=True)
class Crosses:
    """`one` lies below `other` at first and above it in the end; with `between`, they cross somewhere in there."""

    one: str
    other: str
    symbol: str
    between: tuple[float, float] | None = None

    def judge(self, curves: Curves, what: Quantity) -> Answer:
        gap = curves[self.one].minus(curves[self.other])
        if not gap.places:
            return Answer(None, _NOT_BOTH)
        ends = [gap.at(x) for x in (gap.places[0], gap.places[-1])]
        found = crossover(gap)
        words = self._words(gap, found)
        if ends[0].above_zero or ends[1].below_zero:
            return Answer(False, words, asdict(found))
        clear = ends[0].below_zero and ends[1].above_zero
        return Answer(self._is_near(found) if clear else None, words, asdict(found))

    def _is_near(self, found: Crossover) -> bool:
        if self.between is None:
            return True
        low, high = self.between
        return (found.low is None or found.low <= high) and (found.high is None or found.high >= low)

    def _words(self, gap: Curve, found: Crossover) -> str:
        if found.at is not None:
            return f"they cross at {self.symbol} = {found.at:.1f}{_interval(gap, found)}"
        quicker = self.other if gap.at(gap.places[-1]).mean > 0 else self.one
        return f"no crossing from {self.symbol} = {gap.places[0]} to {gap.places[-1]}; {quicker} is lower at the end"


def _interval(gap: Curve, found: Crossover) -> str:
    if gap.at(gap.places[-1]).half is None:
        return ""
    low = f"below {gap.places[0]}" if found.low is None else f"{found.low:.1f}"
    high = f"beyond {gap.places[-1]}" if found.high is None else f"{found.high:.1f}"
    return f" (95%: {low} to {high})"


@dataclass(frozen=True, slots=True)
class Grows:
    """A curve rises like start + factor x `power` of x, give or take `tolerance`, as far as `to`."""

    series: str
    symbol: str
    power: float
    tolerance: float
    to: int

    def judge(self, curves: Curves, what: Quantity) -> Answer:
        curve = curves[self.series]
        places = [x for x in curve.places if x <= self.to]
        if len(places) < _ENOUGH:
            return Answer(
                None, f"too few places to fit a power: {self.symbol} = {', '.join(map(str, places)) or 'none'}"
            )
        numbers = set.intersection(*(set(curve.values[x]) for x in places))
        powers = {number: best_power(places, [curve.values[x][number] for x in places]) for number in numbers}
        if not powers:
            return Answer(None, "no replication has all of its places yet")
        fitted = Curve({0: powers}, curve.spread).at(0)
        half = "" if fitted.half is None else f" ± {fitted.half:.2f}"
        words = (
            f"the {what.noun} of {self.series} grew like {self.symbol} to the power {fitted.mean:.2f}{half}, "
            f"up to {places[-1]}"
        )
        holds = _within(fitted, self.power - self.tolerance, self.power + self.tolerance)
        return Answer(holds, words, {"power": fitted.mean, "low": fitted.low, "high": fitted.high})


_ENOUGH: Final = 4
_A_VALLEY: Final = 3
_POWERS: Final = [step / 50 for step in range(10, 301)]


def best_power(places: Sequence[float], heights: Sequence[float]) -> float:
    """The p, from 0.2 to 6, for which start + factor x**p comes nearest to the heights, by least squares."""
    return min(_POWERS, key=lambda power: _residue([x**power for x in places], heights))


def _residue(xs: Sequence[float], ys: Sequence[float]) -> float:
    """What the best straight line leaves."""
    x, y = fmean(xs), fmean(ys)
    along = sum((one - x) ** 2 for one in xs)
    both = sum((one - x) * (other - y) for one, other in zip(xs, ys, strict=True))
    return sum((other - y) ** 2 for other in ys) - both * both / along


@dataclass(frozen=True, slots=True)
class FallsThenRises:
    """A curve is lower at its second place than at its first, and higher at its last than where it is lowest."""

    series: str
    symbol: str

    def judge(self, curves: Curves, what: Quantity) -> Answer:
        curve = curves[self.series]
        if len(curve.places) < _A_VALLEY:
            return Answer(None, f"fewer than {_A_VALLEY} places were measured")
        first, second, *_, last = curve.places
        lowest = min(curve.places, key=lambda x: curve.at(x).mean)
        fall, rise = curve.rise(first, second), curve.rise(lowest, last)
        least = f"lowest at {self.symbol} = {lowest}"
        words = f"{self._step(fall, first, second, what)}; {least}, {self._step(rise, lowest, last, what)}"
        numbers = {"step": fall.mean, "lowest": lowest, "rise": rise.mean}
        if fall.above_zero or lowest == last:
            return Answer(False, words, numbers)
        return Answer(True if fall.below_zero and rise.above_zero else None, words, numbers)

    def _step(self, step: Estimate, start: int, end: int, what: Quantity) -> str:
        half = "" if step.half is None else f" ± {step.half:.2g}"
        way = "up" if step.mean >= 0 else "down"
        return f"from {self.symbol} = {start} to {end} {way} {what.of(f'{abs(step.mean):.3g}{half}')}"


@dataclass(frozen=True, slots=True)
class Prints:
    """The paper prints numbers: of some series, at x. Ours are as near as `tolerance`, a share of what is printed."""

    printed: Mapping[str, float]
    x: int
    symbol: str
    tolerance: float

    def judge(self, curves: Curves, what: Quantity) -> Answer:
        here = {name: curves[name].at(self.x) for name in self.printed if self.x in curves[name].values}
        words = ", ".join(
            f"{name} {_spread(here[name], value)}" for name, value in self.printed.items() if name in here
        )
        numbers = {name: estimate.mean for name, estimate in here.items()}
        told = [self._is_near(estimate, self.printed[name]) for name, estimate in here.items()]
        if len(told) < len(self.printed):
            return Answer(None, f"not all were measured at {self.symbol} = {self.x}", numbers)
        return Answer(_all(told), f"{what.noun}: {words}", numbers)

    def _is_near(self, estimate: Estimate, value: float) -> bool | None:
        return _within(estimate, value * (1 - self.tolerance), value * (1 + self.tolerance))


def _spread(estimate: Estimate, value: float) -> str:
    half = "" if estimate.half is None else f" ± {estimate.half:.3f}"
    return f"{estimate.mean:.3f}{half} for {value:g} ({estimate.mean / value - 1:+.0%})"


@dataclass(frozen=True, slots=True)
class Lies:
    """All of a curve lies from `least` to `most`; only at `places`, if there are any."""

    series: str
    least: float
    most: float
    places: tuple[int, ...] = ()

    def judge(self, curves: Curves, what: Quantity) -> Answer:
        curve = curves[self.series]
        there = [curve.at(x) for x in curve.places if not self.places or x in self.places]
        if not there:
            return Answer(None, "nothing was measured there")
        return _lie(there, self.least, self.most, f"{self.series} has {what.amount}")


@dataclass(frozen=True, slots=True)
class Compares:
    """`one` is `least` to `most` times as high as `other`, wherever both were measured; by pairs of replications."""

    one: str
    other: str
    least: float
    most: float

    def judge(self, curves: Curves, what: Quantity) -> Answer:
        ratio = _ratio(curves[self.one], curves[self.other])
        there = [ratio.at(x) for x in ratio.places]
        if not there:
            return Answer(None, _NOT_BOTH)
        return _lie(there, self.least, self.most, f"{self.one} has {{}} times the {what.noun} of {self.other}")


@dataclass(frozen=True, slots=True)
class Follows:
    """A curve is `times` as high as x, give or take `tolerance`, a share of that."""

    series: str
    symbol: str
    times: float
    tolerance: float

    def judge(self, curves: Curves, what: Quantity) -> Answer:
        curve = curves[self.series]
        ratio = Curve({x: {n: y / x for n, y in here.items()} for x, here in curve.values.items()}, curve.spread)
        there = [ratio.at(x) for x in ratio.places]
        least, most = self.times * (1 - self.tolerance), self.times * (1 + self.tolerance)
        return _lie(there, least, most, f"{self.series} has {what.of(f'{{}} times {self.symbol}')}")


_THOUSANDTH: Final = 0.001


def _lie(there: Sequence[Estimate], least: float, most: float, words: str) -> Answer:
    """Whether all of them lie there; `words` has a place for where they do."""
    low, high = min(each.mean for each in there), max(each.mean for each in there)
    span = f"{low:.3f}" if high - low < _THOUSANDTH else f"{low:.3f} to {high:.3f}"
    holds = _all([_within(each, least, most) for each in there])
    return Answer(holds, words.format(span), {"low": low, "high": high})


def _ratio(one: Curve, other: Curve) -> Curve:
    both = {x: set(one.values[x]) & set(other.values[x]) for x in one.values.keys() & other.values.keys()}
    values = {x: {number: one.values[x][number] / other.values[x][number] for number in both[x]} for x in both}
    return Curve({x: here for x, here in values.items() if here}, one.spread)


def _within(estimate: Estimate, least: float, most: float) -> bool | None:
    """All of its interval, or nothing of it."""
    if estimate.low is None or estimate.high is None:
        return None
    if least <= estimate.low and estimate.high <= most:
        return True
    return False if estimate.high < least or estimate.low > most else None


def _all(answers: Sequence[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


Check = Crosses | Grows | FallsThenRises | Prints | Lies | Compares | Follows

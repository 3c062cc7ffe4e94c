"""The crossings of two protocols that the refinement of a sweep has found, each with its interval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa

from mobilesim.analysis.statistics.estimate import Difference, difference
from mobilesim.analysis.summary.formatting import Unit, listing, number, signed
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.sweeps.axes import Axis
from mobilesim.analysis.sweeps.metrics import Points, of_protocol
from mobilesim.statistics.crossings import Bracket, brackets, interpolated


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where the difference of two protocols changes its sign. `at`, `low`, `high`: in the unit of the axis.

    At `low` and at `high`, the difference is significant, with opposite signs. At the points `inner` it is not.
    `at`: the zero of the interpolated difference.
    """

    metric: Metric
    left: str
    right: str
    at: float
    low: float
    high: float
    at_low: Difference
    at_high: Difference
    inner: tuple[float, ...]


def refined_crossings(refine: Mapping[str, Any], axis: Axis, points: Points) -> list[Crossing]:
    """Return the crossings along the axis of a refined sweep, in order; [] without one."""
    left, right = refine["protocols"]
    metric = METRICS[refine.get("metric", "delay")]
    others = dict(of_protocol(points, right))
    values = dict(zip(axis.values, axis.numbers or (), strict=False))
    gaps: dict[Fraction, Difference] = {}
    for point, each in of_protocol(points, left):
        if point in others and point in values:
            gap = difference(metric.value(each), metric.value(others[point]))
            if gap is not None:
                gaps[Fraction(values[point])] = gap
    signs = {at: gap.above_zero - gap.below_zero for at, gap in gaps.items()}
    return [_crossing((metric, left, right), bracket, gaps) for bracket in brackets(signs)]


def _crossing(names: tuple[Metric, str, str], bracket: Bracket, gaps: Mapping[Fraction, Difference]) -> Crossing:
    at = interpolated({place: gap.mean for place, gap in gaps.items()}, bracket)
    low, high = bracket.low, bracket.high
    inner = tuple(map(float, bracket.inner))
    return Crossing(*names, at, float(low), float(high), gaps[low], gaps[high], inner)


def crossing_sentences(refine: Mapping[str, Any], axis: Axis, crossings: Sequence[Crossing]) -> list[str]:
    if crossings:
        return [_sentence(axis, each) for each in crossings]
    left, right = refine["protocols"]
    metric = METRICS[refine.get("metric", "delay")]
    ends = f"{axis.quantity} {axis.text(0)} to {axis.text(-1)}"
    return [f"The {metric.label} of {left} and of {right} do not cross significantly from {ends}."]


def _sentence(axis: Axis, found: Crossing) -> str:
    unit = found.metric.scale.unit(max(abs(found.at_low.mean), abs(found.at_high.mean)))
    verb = "rises above" if found.at_high.mean > 0 else "falls below"
    at, low, high = (f"{value:.4g} {axis.unit}".rstrip() for value in (found.at, found.low, found.high))
    inner = ""
    if found.inner:
        values = listing([f"{value:.4g} {axis.unit}".rstrip() for value in found.inner])
        inner = f"; it is not significant at {values}, and more replications would narrow this"
    where = f"at {axis.quantity} {at}, between {low} and {high}"
    gaps = f"{_gap(found.at_low, unit)} at {low} and {_gap(found.at_high, unit)} at {high}"
    what = f"The {found.metric.label} of {found.left} {verb} that of {found.right}"
    return f"{what} {where}: the paired difference is {gaps}{inner}."


def _gap(gap: Difference, unit: Unit) -> str:
    mean = signed(gap.mean / unit.size)
    if gap.low is None or gap.high is None:
        return f"{mean} {unit.name}".rstrip()
    return f"{mean} [{number(gap.low / unit.size)}, {number(gap.high / unit.size)}] {unit.name}".rstrip()


def crossings_table(crossings: Sequence[Crossing]) -> pa.Table:
    texts = [pa.field(name, pa.string(), nullable=False) for name in ("left", "right", "metric")]
    places = [pa.field(name, pa.float64(), nullable=False) for name in ("at", "low", "high", *_GAPS)]
    return pa.Table.from_pylist(list(_rows(crossings)), pa.schema([*texts, *places]))


_GAPS = ("difference_at_low", "difference_at_high")


def _rows(crossings: Sequence[Crossing]) -> Iterator[dict[str, Any]]:
    for each in crossings:
        yield {
            "left": each.left,
            "right": each.right,
            "metric": each.metric.name,
            "at": each.at,
            "low": each.low,
            "high": each.high,
            **dict(zip(_GAPS, (each.at_low.mean, each.at_high.mean), strict=True)),
        }

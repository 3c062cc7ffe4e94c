"""Variants compared with the base: paired differences, and the first event that differs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeAlias

from mobilesim.analysis.statistics.estimate import Difference, Estimate, difference, paired
from mobilesim.analysis.summary.formatting import NONE, Unit, number, signed, with_interval
from mobilesim.analysis.summary.metrics import VARIANT_METRICS, Metric
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.analysis.sweeps.divergence import Divergences
from mobilesim.analysis.sweeps.metrics import Points, without_unit
from mobilesim.results.layout import BASE, VARIANT

ComparisonKey: TypeAlias = tuple[Settings, str, str]
"""The point of a variant, its protocol, and the protocol of the base."""

DivergencesByKey: TypeAlias = Mapping[ComparisonKey, Divergences]

HEAD: Final = ("", "base", "variant", "paired difference [95 % interval]", "relative")
NUMERIC_COLUMNS: Final = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of a protocol of a variant (`left`) with a protocol of the base (`right`)."""

    keys: tuple[str, ...]
    point: Settings
    left: ProtocolSummary
    right: ProtocolSummary

    @property
    def variant(self) -> str:
        return self.point[self.keys.index(VARIANT)]

    @property
    def key(self) -> ComparisonKey:
        return self.point, self.left.name, self.right.name

    @property
    def names(self) -> tuple[str, str]:
        """The names of the left and of the right side."""
        if self.left.name == self.right.name:
            return self.variant, BASE
        return f"{self.variant}, {self.left.name}", f"{BASE}, {self.right.name}"

    @property
    def title(self) -> str:
        left, right = self.names
        same = f", {self.left.name}" if self.left.name == self.right.name else ""
        varied = zip(self.keys, self.point, strict=True)
        others = ", ".join(f"{key} {value}" for key, value in varied if key != VARIANT)
        return f"'{left}' against '{right}'{same}{f', at {others}' if others else ''}"

    def rows(self, metrics: Iterable[Metric] = VARIANT_METRICS) -> Iterator[list[str]]:
        """Yield a row for each metric, in a unit that fits the smaller mean."""
        for metric in metrics:
            left, right = metric.value(self.left), metric.value(self.right)
            gap = difference(left, right)
            if gap is not None and (left.mean or right.mean or not metric.wireless_only):
                unit = metric.scale.common_unit(min((mean for mean in (left.mean, right.mean) if mean), default=0.0))
                means = without_unit(right, unit), without_unit(left, unit)
                yield [metric.heading(unit), *means, difference_text(gap, unit), _relative(gap, left, right)]

    def divergence_lines(self, by_key: DivergencesByKey) -> list[str]:
        """Return the first event that differs, and the number of replications that differ; [] without divergences."""
        divergences = by_key.get(self.key)
        if divergences is None:
            return []
        if divergences.first is None:
            count = len(divergences.by_replication)
            return [f"no event in the tables differs{f' in any of {count} replications' if count > 1 else ''}"]
        where = f"first differing event, in replication {divergences.first.replication}"
        return [f"{where}: {divergences.first.text(*self.names)}", *filter(None, [divergences.frequency])]


def comparisons(keys: Sequence[str], points: Points) -> Iterator[Comparison]:
    """Yield the comparisons of each variant with the base. All other keys are equal.

    A protocol is compared with the same protocol of the base or, if the base lacks it, with all protocols of the base.
    """
    summaries = dict(points)
    for point, summary in points:
        base = summaries.get(at_base(keys, point))
        if base is not None and base is not summary:
            for left in summary.protocols:
                same = [right for right in base.protocols if right.name == left.name]
                yield from (Comparison(tuple(keys), point, left, right) for right in same or base.protocols)


def at_base(keys: Sequence[str], point: Settings) -> Settings:
    """Return the point with the base instead of its variant."""
    return tuple(BASE if key == VARIANT else value for key, value in zip(keys, point, strict=True))


def difference_text(gap: Difference, unit: Unit) -> str:
    """Return the difference with its interval. A difference is not significant if its interval contains zero."""
    if gap.low is None or gap.high is None:
        return f"{signed(gap.mean / unit.size)}, one pair of runs"
    if gap.low == gap.high == 0:
        return "identical in all pairs"
    ends = with_interval(gap.mean / unit.size, gap.low / unit.size, gap.high / unit.size)
    return ends if gap.significant else f"{ends}, not significant"


def _relative(gap: Difference, variant: Estimate, base: Estimate) -> str:
    """Return the difference relative to the base, over common replications."""
    mean = fmean(other for _, other in paired(variant, base))
    if not mean or not gap.significant:
        return NONE
    part = gap.mean / mean
    return f"x {number(1 + part)}" if part >= 1 else f"{signed(100 * part)} %"

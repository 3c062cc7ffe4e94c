"""The figure of the effects of a variant on the page of a study."""

from collections.abc import Sequence
from typing import Final

from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.figures.forest import Ends, forest
from mobilesim.analysis.statistics.estimate import difference
from mobilesim.analysis.summary.metrics import VARIANT_METRICS, Metric
from mobilesim.analysis.sweeps.effects import column
from mobilesim.analysis.sweeps.variants import Comparison

_MOST_SERIES: Final = 4
"""The maximum number of comparisons in a figure. The table below has all."""


def effects_figure(key: str, variant: str, comparisons: Sequence[Comparison]) -> Figure | None:
    """Draw the relative difference of each metric with a significant effect; None without such metrics."""
    compared = comparisons[:_MOST_SERIES]
    shown = [
        metric
        for metric in VARIANT_METRICS
        if any(_is_effect(metric, each) for each in comparisons)
        and any(_relative_ends(metric, each) for each in compared)
    ]
    if not shown:
        return None
    series = {column(each): [_relative_ends(metric, each) for metric in shown] for each in compared}
    rest = len(comparisons) - len(series)
    more = f"; {rest} more comparisons are in the table" if rest else ""
    title = f"differences of '{variant}' from the base, with 95 % intervals{more}"
    return forest(key, title, [metric.label for metric in shown], series)


def _is_effect(metric: Metric, comparison: Comparison) -> bool:
    gap = difference(metric.value(comparison.left), metric.value(comparison.right))
    return gap is not None and gap.decisive and gap.mean != 0


def _relative_ends(metric: Metric, comparison: Comparison) -> Ends | None:
    """Return the difference in per cent of the mean of the base; None if this is zero."""
    gap = difference(metric.value(comparison.left), metric.value(comparison.right))
    base = metric.value(comparison.right).mean
    if gap is None or not base:
        return None
    low, high = (None if end is None else 100 * end / base for end in (gap.low, gap.high))
    return low, 100 * gap.mean / base, high

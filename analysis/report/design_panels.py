"""Sections of the report on a design that is no grid: Sobol indices, and each metric against each factor."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import count
from typing import Final

from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.figures.scatter import Interval, Scale, indices_figure, scatter
from mobilesim.analysis.report.elements import capitalized, folded, place_group, table
from mobilesim.analysis.report.page_template import MAX_FIGURES, Section
from mobilesim.analysis.statistics.estimate import difference
from mobilesim.analysis.summary.metrics import Metric
from mobilesim.analysis.sweeps.axes import Axis, Settings
from mobilesim.analysis.sweeps.crossings import COMPARED
from mobilesim.analysis.sweeps.designs.indices import ORDERS, MetricIndices, cell, meaning
from mobilesim.analysis.sweeps.designs.overview import ENDS, ranges
from mobilesim.analysis.sweeps.metrics import nonzero_metrics, of_protocol, protocol_names
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.results.sweeps.design_record import ONE_AT_A_TIME
from mobilesim.statistics.sobol_indices import Index

Values = dict[Settings, float]
"""A metric by point."""

_WIDE: Final = 10
"""The ratio of the largest to the smallest value of a factor above which its scale is logarithmic."""
_LIMITED: Final = f"A page has at most {MAX_FIGURES} figures; summary/ has all numbers."


def design_sections(summary: SweepSummary) -> Iterator[Section]:
    indices = list(_indices(summary.indices, protocol_names(summary.points)))
    yield from indices
    yield Section("Ranges", body=table(("metric", "protocol", *ENDS), list(ranges(summary))))
    yield _scatters(summary, MAX_FIGURES - sum(len(each.figures) for each in indices))


def _indices(several: Sequence[MetricIndices], names: Sequence[str]) -> Iterator[Section]:
    """Yield a section with a figure of the protocols and one of their differences, for each metric."""
    if not several:
        return
    figures: list[Figure] = []
    body = ""
    for metric in dict.fromkeys(each.metric for each in several):
        own = [each for each in several if each.metric is metric]
        alone, gaps = ([each for each in own if (each.right is None) is kind] for kind in (True, False))
        drawn = [_figure(metric, group, first, names) for first, group in enumerate((alone, gaps)) if group]
        body += f"<h3>{escape(capitalized(metric.label))}</h3>\n{place_group(drawn)}"
        figures += drawn
    rows = [
        (each.metric.label, each.name, factor, cell(first), cell(total))
        for each in several
        for factor, first, total in each.by_factor
    ]
    body += folded("Table", table(("metric", "protocol", "factor", *ORDERS), rows))
    about = f"{escape(capitalized(meaning(several)))}. Hollow markers: first-order; filled markers: total."
    yield Section("Sobol indices", body=body, about=about, placed=tuple(figures))


def _figure(metric: Metric, group: Sequence[MetricIndices], first: int, names: Sequence[str]) -> Figure:
    kind = "differences of protocols" if first else "protocols"
    series = {
        each.name: ([*map(_interval, each.indices.first)], [*map(_interval, each.indices.total)]) for each in group
    }
    key = f"indices-{metric.name}-{first}".replace(".", "-").replace("_", "-")
    return indices_figure(
        key, f"{metric.label}, {kind}", group[0].factors, series, [names.index(each.left) for each in group]
    )


def _interval(index: Index) -> Interval:
    return index.low, index.value, index.high


@dataclass(frozen=True, slots=True)
class _Output:
    """A metric of all protocols, or its differences, by point. `first`: the index of the first colour."""

    heading: str
    values: dict[str, Values]
    first: int


def _scatters(summary: SweepSummary, budget: int) -> Section:
    """Return a section with each metric against each factor: first the differences of protocols, then the metrics."""
    figures: list[Figure] = []
    body = ""
    axes = [axis for axis in summary.axes if len(axis.values) > 1]
    for output in _outputs(summary):
        room = budget - len(figures)
        names = (f"scatter-{number}" for number in count(len(figures) + 1))
        if drawn := [_scatter(summary, axis, output, name) for axis, name in zip(axes[:room], names, strict=False)]:
            body += f"<h3>{escape(capitalized(output.heading))}</h3>\n{place_group(drawn)}"
            figures += drawn
        if room < len(axes):
            body += f'<p class="soft">{_LIMITED}</p>\n'
            break
    about = "Each marker is a mean over replications at one point of the design. All other factors vary, too."
    if _is_single(summary):
        about = "Lines join the base point and the points that differ from it only in this factor."
    return Section("Metrics by factor", body=body, about=about, placed=tuple(figures))


def _is_single(summary: SweepSummary) -> bool:
    return summary.design is not None and summary.design.kind == ONE_AT_A_TIME


def _outputs(summary: SweepSummary) -> Iterator[_Output]:
    names = protocol_names(summary.points)
    metrics = nonzero_metrics(summary.protocols)
    for metric in COMPARED:
        gaps = {f"{name} - {names[0]}": _gaps(summary, metric, name, names[0]) for name in names[1:]}
        if metric in metrics and gaps:
            yield _Output(f"difference in {metric.heading(metric.unit(summary.protocols))}", gaps, 1)
    for metric in metrics:
        unit = metric.unit(summary.protocols)
        known = {name: _means(summary, metric, name) for name in names}
        yield _Output(metric.heading(unit), known, 0)


def _means(summary: SweepSummary, metric: Metric, name: str) -> Values:
    unit = metric.unit(summary.protocols)
    means = {point: metric.value(each).mean for point, each in of_protocol(summary.points, name)}
    return {point: mean / unit.size for point, mean in means.items() if mean is not None}


def _gaps(summary: SweepSummary, metric: Metric, left: str, right: str) -> Values:
    unit = metric.unit(summary.protocols)
    others = dict(of_protocol(summary.points, right))
    pairs = [(point, each, others[point]) for point, each in of_protocol(summary.points, left) if point in others]
    gaps = {point: difference(metric.value(one), metric.value(other)) for point, one, other in pairs}
    return {point: gap.mean / unit.size for point, gap in gaps.items() if gap is not None}


def _scatter(summary: SweepSummary, axis: Axis, output: _Output, key: str) -> Figure:
    places = [summary.keys.index(name) for name in axis.keys]
    order = {value: index for index, value in enumerate(axis.values)}
    shown: Sequence[float | str] = axis.numbers or [", ".join(value) for value in axis.values]
    series = {}
    for name, by_point in output.values.items():
        known = [
            (order[tuple(point[place] for place in places)], value)
            for point, value in by_point.items()
            if not _is_single(summary) or _varies_only(summary, point, places)
        ]
        known.sort()
        series[name] = [shown[index] for index, _ in known], [value for _, value in known]
    numbers = axis.numbers or (0.0,)
    is_wide = min(numbers) > 0 and max(numbers) > _WIDE * min(numbers)
    scale = Scale(axis.label, is_wide, () if axis.numbers else [str(value) for value in shown])
    titles = f"{output.heading} against {axis.quantity}", output.heading
    figure = scatter(key, titles, scale, series, joined=_is_single(summary), first=output.first)
    return replace(figure, caption=f"against {axis.quantity}")


def _varies_only(summary: SweepSummary, point: Settings, places: Sequence[int]) -> bool:
    """Return whether a point differs from the base point in these keys only."""
    base = summary.design.rows[0] if summary.design is not None else ()
    return all(value == base[index] for index, value in enumerate(point) if index not in places)

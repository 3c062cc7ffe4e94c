"""Sections of a sweep's report: differences of protocols, each metric along the first axis, and trade-offs of costs."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import combinations, count, product
from math import comb
from typing import Any, Final

from mobilesim.analysis.figures.curves import curves_figure, figure_beside
from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.figures.heat_map import Cells, heat_map, heat_map_legend
from mobilesim.analysis.figures.style import PROTOCOLS, legend_of
from mobilesim.analysis.figures.trade_off import Interval, Place, trade_off
from mobilesim.analysis.report import elements
from mobilesim.analysis.report.elements import capitalized, folded, place_group, table
from mobilesim.analysis.report.page_template import MAX_FIGURES, Section
from mobilesim.analysis.report.shown_settings import ShownSettings
from mobilesim.analysis.report.slices import choices, sliced
from mobilesim.analysis.statistics.estimate import Difference, Estimate, difference
from mobilesim.analysis.summary.formatting import Unit
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.sweeps.axes import Axis, Settings, point_text
from mobilesim.analysis.sweeps.crossings import COMPARED
from mobilesim.analysis.sweeps.metrics import Points, nonzero_metrics, of_protocol, protocol_names, without_unit
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.ranking import ranks, why_excluded
from mobilesim.results.layout import VARIANT
from mobilesim.results.quantities import DELAY_PARTS

Document = dict[str, Any]

_SIGNS: Final = (
    "A cell is the mean of the first protocol minus the mean of the second, paired by replication. It has a number if "
    "the 95 % interval of the difference excludes zero."
)


@dataclass(frozen=True, slots=True)
class _Panel:
    """Points that differ only in the first axis. `label`: their common settings. `caption`: that of the second axis.
    `slice`: those of further axes.
    """

    label: str
    caption: str
    slice: Settings
    points: Points


class Panels:
    """The sections of the report on a sweep. Each panel of a section has points that differ only in the first axis.
    There is a panel for each setting of the second axis. Further axes have slices, of which the page shows one. Figures
    show only some settings if there would be more than `MAX_FIGURES`.

    `palette`: the colours of protocols. `costs`: the number of costs of which the trade-offs are shown.
    """

    def __init__(self, summary: SweepSummary, palette: Sequence[str] = PROTOCOLS, costs: int = 2) -> None:
        self._points = summary.points
        self._at_point = dict(summary.points)
        self._protocols = summary.protocols
        self._names = protocol_names(summary.points)
        self._keys = summary.keys
        self._axes = summary.axes or (Axis((), ((),)),)
        self._axis = self._axes[0]
        self._width = len(self._axis.keys)
        per_panel = len(nonzero_metrics(summary.protocols)) + comb(costs, 2)
        per_slice = (len(self._names) - 1) * len(COMPARED)
        self._shown = ShownSettings(self._axes, per_panel, per_slice, MAX_FIGURES)
        self._further = self._shown.axes[2:]
        self._plane = sum(len(axis.keys) for axis in self._axes[:2])
        """The number of keys of the first two axes."""
        self._palette = palette
        self._numbers = defaultdict[str, Iterator[int]](lambda: count(1))

    def metrics(self, metrics: Sequence[Metric]) -> Iterator[Section]:
        """Yield a section for each metric; for several panels or variants, one section, so that the page is short."""
        panels = list(self._panels())
        if len(panels) == 1 and VARIANT not in self._keys:
            yield from (self._metric(metric) for metric in metrics)
            return
        legend = legend_of(self._names, self._palette, lines=self._axis.numbers is not None)
        figures = {metric: [replace(each, legend=()) for each in self._curves(metric, panels)] for metric in metrics}
        placed = tuple(figure for several in figures.values() for figure in several)
        if len(panels) == 1:
            body = place_group(placed, legend)
        else:
            bodies: dict[Settings, str] = {}
            for index, metric in product(_places(panels), metrics):
                heading = metric.heading(metric.unit(self._protocols))
                head = f"<h3>{escape(capitalized(heading))}</h3>\n"
                shown = [figures[metric][place] for place in index]
                where = panels[index[0]].slice
                bodies[where] = bodies.get(where, "") + head + place_group(shown)
            note = f'<p class="soft">{escape(self._shown.text)}</p>\n' if self._shown.text else ""
            body = note + choices(self._further) + elements.legend(legend) + sliced(self._further, bodies)
        tables = "".join(self._table(metric, metric.unit(self._protocols)) for metric in metrics)
        about = " ".join(f"{escape(capitalized(each.label))}: {escape(each.definition)}" for each in metrics)
        yield Section("Metrics", body=body + folded("Tables", tables), about=about, placed=placed)

    def _curves(self, metric: Metric, panels: Sequence[_Panel]) -> list[Figure]:
        """Return the curves of a metric in each panel, all with the same range."""
        unit = metric.unit(self._protocols)
        drawn = [{**self._panel(metric, unit, each.points, ()), "label": each.caption} for each in panels]
        ends = (point for panel in drawn for each in panel["series"] for point in each["points"])
        highest = max(map(_end, ends), default=0.0)
        document = self._document(metric, unit)
        names = (f"{_slug(metric.name)}-{number}" for number in count(1))
        return [
            curves_figure(
                {**document, "metric": {"label": _titled(panel.label, metric.label), "unit": unit.name}},
                content,
                name,
                highest,
            )
            for name, panel, content in zip(names, panels, drawn, strict=False)
        ]

    def _metric(self, metric: Metric) -> Section:
        """Return the curves of a metric and, beside them, their differences or the parts of a single curve."""
        unit = metric.unit(self._protocols)
        document = self._document(metric, unit)
        panel = self._panel(metric, unit, self._points, document["parts"])
        figures = [curves_figure(document, panel, _slug(metric.name))]
        figures += filter(None, [figure_beside(document, panel, _slug(metric.name))])
        body = place_group(figures) + folded("Table", self._table(metric, unit))
        return Section(capitalized(metric.label), body=body, about=escape(metric.definition), placed=tuple(figures))

    def _document(self, metric: Metric, unit: Unit) -> Document:
        parts = [part for part in DELAY_PARTS if any(each[part].mean for each in self._protocols)]
        axis = self._axis
        return {
            "x": {
                "symbol": axis.label,
                "label": axis.label,
                "values": [self._x(value) for value in axis.values],
                "categorical": axis.numbers is None,
                "logarithmic": axis.logarithmic,
            },
            "metric": {"label": metric.label, "unit": unit.name},
            "parts": parts if len(self._names) == 1 and metric is METRICS["delay"] else [],
        }

    def _table(self, metric: Metric, unit: Unit) -> str:
        """Return a row for each point, with a column for each protocol."""
        rows = []
        for point, summary in self._points:
            values = {each.name: metric.value(each) for each in summary.protocols}
            cells = (without_unit(values.get(name, Estimate(name)), unit) for name in self._names)
            rows.append([point_text(self._keys, point), *cells])
        return table((metric.heading(unit), *self._names), rows)

    def heat_maps(self) -> Section | None:
        """Return the differences of protocols over the first two axes; None with fewer axes or with one protocol."""
        if len(self._axes) < 2 or len(self._names) < 2:
            return None
        first, *others = self._names
        bodies, placed = dict[Settings, str](), list[Figure]()
        for rest, other in product(self._slices(), others):
            figures = list(filter(None, (self._heat_map(metric, other, first, rest) for metric in COMPARED)))
            if figures:
                head = f"<h3>{escape(f'{other} against {first}')}</h3>\n"
                bodies[rest] = bodies.get(rest, "") + head + place_group(figures, heat_map_legend(other, first))
                placed += figures
        body = (
            choices(self._further)
            + sliced(self._further, bodies)
            + folded("Table", self._difference_table(first, others))
        )
        return Section("Differences between protocols", body=body, about=_SIGNS, placed=tuple(placed))

    def _slices(self) -> Iterable[Settings]:
        """Return the settings of further axes, in order; only an empty one without further axes."""
        return dict.fromkeys(point[self._plane :] for point, _ in self._shown.of(self._points))

    def _heat_map(self, metric: Metric, left: str, right: str, rest: Settings) -> Figure | None:
        """Return the heat map of a slice; None without any difference."""
        unit = metric.unit(self._protocols)
        across, up = self._axes[:2]
        cells: Cells = {
            (row, column): self._gap(metric, (*x, *y, *rest), left, right)
            for row, y in enumerate(up.values)
            for column, x in enumerate(across.values)
        }
        if not any(gap is not None and gap.mean for gap in cells.values()):
            return None
        caption = f"{metric.label}, {left} - {right} ({unit.name})"
        title = _titled(self._text(self._plane, rest), caption)
        figure = heat_map(self._key("difference"), title, (_scale(across), _scale(up)), cells, unit)
        return replace(figure, caption=capitalized(caption)) if rest else figure

    def _text(self, place: int, settings: Settings) -> str:
        """Return the settings of the keys from this place on as text."""
        return point_text(self._keys[place:][: len(settings)], settings) if settings else ""

    def _gap(self, metric: Metric, point: Settings, left: str, right: str) -> Difference | None:
        if (summary := self._at_point.get(point)) is None:
            return None
        values = {one.name: metric.value(one) for one in summary.protocols}
        return difference(values[left], values[right]) if left in values and right in values else None

    def _difference_table(self, first: str, others: Sequence[str]) -> str:
        units = [(metric, metric.unit(self._protocols)) for metric in COMPARED]
        columns = [(metric, unit, other) for metric, unit in units for other in others if self._is_used(metric)]
        rows = []
        for point, _ in self._points:
            gaps = [self._gap(metric, point, other, first) for metric, _, other in columns]
            units_of = (unit for _, unit, _ in columns)
            cells = ("-" if gap is None else _shown(gap, unit) for gap, unit in zip(gaps, units_of, strict=True))
            rows.append([point_text(self._keys, point), *cells])
        return table(("", *(f"{metric.heading(unit)}: {other} - {first}" for metric, unit, other in columns)), rows)

    def trade_offs(self, costs: Sequence[Metric]) -> Section:
        """Return a section with a figure for each pair of costs. Lines join points if the first axis has numbers."""
        names = escape(", ".join(cost.label for cost in costs))
        alone = not self._axis.keys
        front = "The dotted line is the Pareto front of all costs, as far as two costs show it. " if alone else ""
        about = f"""Costs: {names}. Points further left and further down have lower costs. {front}A protocol dominates
another protocol if it is worse by at most a margin in every cost, and better by more in at least one. Only
protocols that claim and keep causal order are compared; the others have hollow markers."""
        panels = list(self._panels())
        figures: list[Figure] = []
        bodies: dict[Settings, str] = {}
        for index in _places(panels):
            shown = [self._trade_off(pair, costs, panels[place]) for pair in combinations(costs, 2) for place in index]
            figures += shown
            bodies[panels[index[0]].slice] = place_group(shown)
        legend = legend_of(self._names, self._palette, lines=self._axis.numbers is not None)
        pair = f"{costs[1].label} against {costs[0].label}"
        body = f"<p>{escape(capitalized(pair))}</p>\n" if len(costs) == 2 else ""
        body += choices(self._further) + elements.legend(legend) + sliced(self._further, bodies)
        body += folded("Table", self._cost_table(costs))
        return Section("Trade-offs", body=body, about=about, placed=tuple(figures))

    def _trade_off(self, pair: tuple[Metric, Metric], costs: Sequence[Metric], panel: _Panel) -> Figure:
        (x, y), points = pair, panel.points
        across, up = (each.unit(self._protocols) for each in pair)
        front = {
            (point, rank.protocol.name): rank.on_front
            for point, summary in points
            for rank in ranks(summary.protocols, [cost for cost in costs if self._is_used(cost)])
        }
        places = {
            name: [
                Place(
                    _ends(x.value(each), across),
                    _ends(y.value(each), up),
                    compared=not why_excluded(each, costs),
                    optimal=front[point, name],
                    label=", ".join(point[: self._width]),
                )
                for point, each in of_protocol(points, name)
                if x.value(each).mean is not None and y.value(each).mean is not None
            ]
            for name in self._names
        }
        compared = f"{y.heading(up)} against {x.label}"
        titles = (_titled(panel.label, compared), x.heading(across), y.heading(up))
        joined = self._axis.numbers is not None
        key = self._key("trade-off")
        figure = trade_off(key, titles, places, self._palette, joined=joined, fronts=not self._axis.keys)
        if len(costs) == 2:
            return replace(figure, legend=(), caption=panel.caption)
        caption = capitalized(_titled(panel.caption, compared)) if panel.slice else ""
        return replace(figure, legend=(), caption=caption)

    def _key(self, kind: str) -> str:
        """Return a new key of a figure."""
        return f"{kind}-{next(self._numbers[kind])}"

    def _is_used(self, cost: Metric) -> bool:
        return any(cost.value(protocol).mean for protocol in self._protocols)

    def _cost_table(self, costs: Sequence[Metric]) -> str:
        units = [(cost, cost.unit(self._protocols)) for cost in costs]
        rows = [
            [
                ", ".join(filter(None, (point_text(self._keys, point) if point else "", each.name))),
                *(without_unit(cost.value(each), unit) for cost, unit in units),
            ]
            for point, summary in self._points
            for each in summary.protocols
        ]
        return table(("", *(cost.heading(unit) for cost, unit in units)), rows)

    def _panels(self) -> Iterator[_Panel]:
        """Yield the panels, slice by slice."""
        found: dict[Settings, list[tuple[Settings, Any]]] = {}
        for rest in self._slices():
            for point, summary in self._shown.of(self._points):
                if point[self._plane :] == rest:
                    found.setdefault(point[self._width :], []).append((point, summary))
        depth = self._plane - self._width
        for settings, points in found.items():
            caption = self._text(self._width, settings[:depth])
            yield _Panel(self._text(self._width, settings), caption, settings[depth:], points)

    def _panel(self, metric: Metric, unit: Unit, points: Points, parts: Sequence[str]) -> Document:
        series = [
            {
                "label": name,
                "points": [
                    {
                        **self._at(point, metric.value(each), unit),
                        "parts": {part: _interval(each[part], unit) for part in parts},
                    }
                    for point, each in of_protocol(points, name)
                    if metric.value(each).mean is not None
                ],
            }
            for name in self._names
        ]
        first, *others = self._names
        gaps = [self._difference(metric, unit, points, name, first) for name in others]
        gaps = [gap for gap in gaps if gap["points"]]
        return {"label": "", "series": series, "difference": None, "differences": gaps, "statements": []}

    def _difference(self, metric: Metric, unit: Unit, points: Points, left: str, right: str) -> Document:
        others = {point: metric.value(each) for point, each in of_protocol(points, right)}
        values = {point: metric.value(each) for point, each in of_protocol(points, left) if point in others}
        gaps = {point: difference(value, others[point]) for point, value in values.items()}
        drawn = [self._at(point, gap, unit) for point, gap in gaps.items() if gap is not None]
        return {"left": left, "right": right, "points": drawn}

    def _at(self, point: Settings, value: Estimate | Difference, unit: Unit) -> Document:
        return {"x": self._x(point[: self._width]), **_interval(value, unit)}

    def _x(self, value: Settings) -> float | str:
        axis = self._axis
        return ", ".join(value) if axis.numbers is None else axis.numbers[axis.values.index(value)]


def _places(panels: Sequence[_Panel]) -> list[list[int]]:
    """Return the indices of the panels of each slice."""
    found: dict[Settings, list[int]] = {}
    for place, panel in enumerate(panels):
        found.setdefault(panel.slice, []).append(place)
    return list(found.values())


def _titled(label: str, title: str) -> str:
    return f"{label}: {title}" if label else title


def _scale(axis: Axis) -> tuple[str, list[str]]:
    return axis.label, [axis.text(index) for index in range(len(axis.values))]


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name)


def _shown(gap: Difference, unit: Unit) -> str:
    return without_unit(Estimate("", gap.pairs, gap.mean, gap.low, gap.high, gap.method), unit)


def _end(point: Document) -> float:
    return float(point["mean"] if point["high"] is None else point["high"])


def _ends(value: Estimate, unit: Unit) -> Interval:
    low, mean, high = (None if end is None else end / unit.size for end in (value.low, value.mean, value.high))
    return low, mean or 0.0, high


def _interval(value: Estimate | Difference, unit: Unit) -> dict[str, float | None]:
    ends = {"mean": value.mean, "low": value.low, "high": value.high}
    return {name: None if end is None else end / unit.size for name, end in ends.items()}

"""Sections of a sweep's report: each metric along the first axis, and trade-offs of costs."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import combinations, count
from typing import Any

from mobilesim.analysis.figures.curves import curves_figure, panel_figures
from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.report.elements import capitalized, place_group
from mobilesim.analysis.report.figure_page import values_table
from mobilesim.analysis.report.page_template import Section
from mobilesim.analysis.statistics.estimate import Difference, Estimate, difference
from mobilesim.analysis.summary.formatting import Unit
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.sweeps.axes import Axis, Settings
from mobilesim.analysis.sweeps.metrics import Points, of_protocol, protocol_names
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.ranking import why_excluded
from mobilesim.analysis.sweeps.text import point_text
from mobilesim.results.quantities import DELAY_PARTS

Document = dict[str, Any]


class Panels:
    """The sections of the report on a sweep. Each panel of a section has points that differ only in the first axis."""

    def __init__(self, summary: SweepSummary) -> None:
        self._points = summary.points
        self._protocols = summary.protocols
        self._keys = summary.keys
        self._axis = summary.axes[0] if summary.axes else Axis((), ((),))
        self._width = len(self._axis.keys)
        self._numbers = count()

    def metric(self, metric: Metric) -> Section:
        unit = metric.unit(self._protocols)
        alone = len(protocol_names(self._points)) == 1
        parts = [part for part in DELAY_PARTS if any(each[part].mean for each in self._protocols)]
        document: Document = {
            "x": {
                "symbol": self._axis.label,
                "label": self._axis.label,
                "values": [self._x(value) for value in self._axis.values],
                "categorical": self._axis.numbers is None,
                "logarithmic": self._axis.logarithmic,
            },
            "metric": {"label": metric.label, "unit": unit.name},
            "parts": parts if alone and metric is METRICS["delay"] else [],
        }
        body, placed = "", list[Figure]()
        for label, points in self._panels():
            panel = self._panel(metric, unit, points, document["parts"])
            figures = panel_figures(document, panel, next(self._numbers))
            body += f"{_heading(label)}{place_group(figures)}{values_table(document, panel)}"
            placed += figures
        return Section(capitalized(metric.label), escape(metric.definition), body=body, placed=tuple(placed))

    def trade_offs(self, costs: Sequence[Metric]) -> Section:
        """Return a section with a figure for each pair of costs. Lines join points if the first axis has numbers."""
        names = escape(", ".join(cost.label for cost in costs))
        about = f"""Costs: {names}. Points further left and further down have lower costs. A protocol dominates another
protocol if it is significantly lower in at least one cost, and not significantly higher in any cost. Only protocols
that claim and keep causal order are compared; the others have hollow markers. Whiskers are cut off at zero."""
        body, placed = "", []
        for x, y in combinations(costs, 2):
            body += f"<h3>{escape(y.label)} against {escape(x.label)}</h3>\n"
            for label, points in self._panels():
                figure = self._trade_off(x, y, costs, points)
                body += _heading(label) + place_group([figure])
                placed.append(figure)
        return Section("Trade-offs", about, body=body, placed=tuple(placed))

    def _trade_off(self, x: Metric, y: Metric, costs: Sequence[Metric], points: Points) -> Figure:
        across, up = (each.unit(self._protocols) for each in (x, y))
        discrete = self._axis.numbers is None
        along = f", {'for each' if discrete else 'along'} {self._axis.name}" if self._axis.keys else ""
        document = {
            "x": {"label": f"{x.heading(across)}{along}", "discrete": discrete},
            "metric": {"label": y.label, "unit": up.name},
        }
        series = []
        for name in protocol_names(points):
            drawn = [
                {
                    **dict(zip(("x", "x_low", "x_high"), _interval(x.value(each), across).values(), strict=True)),
                    **_interval(y.value(each), up),
                    "excluded": bool(why_excluded(each, costs)),
                    "label": ", ".join(point[: self._width]),
                }
                for point, each in of_protocol(points, name)
                if x.value(each).mean is not None and y.value(each).mean is not None
            ]
            hollow = " (hollow: not compared)" if any(point["excluded"] for point in drawn) else ""
            series.append({"label": f"{name}{hollow}", "points": drawn})
        return curves_figure(document, {"series": series}, next(self._numbers))

    def _panels(self) -> Iterator[tuple[str, Points]]:
        """Yield the points of each panel, with their common settings as text."""
        found: dict[Settings, list[tuple[Settings, Any]]] = {}
        for point, summary in self._points:
            found.setdefault(point[self._width :], []).append((point, summary))
        return ((point_text(self._keys[self._width :], rest) if rest else "", points) for rest, points in found.items())

    def _panel(self, metric: Metric, unit: Unit, points: Points, parts: Sequence[str]) -> Document:
        first, *others = protocol_names(points)
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
            for name in (first, *others)
        ]
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


def _heading(label: str) -> str:
    return f"<h3>{escape(label)}</h3>\n" if label else ""


def _interval(value: Estimate | Difference, unit: Unit) -> dict[str, float | None]:
    ends = {"mean": value.mean, "low": value.low, "high": value.high}
    return {name: None if end is None else end / unit.size for name, end in ends.items()}

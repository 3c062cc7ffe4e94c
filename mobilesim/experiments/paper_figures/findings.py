"""What came out of a figure, as one document: curves with their intervals, and the paper's statements beside them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from mobilesim.experiments.paper_figures.curves import Curve, Estimate, Spread
from mobilesim.experiments.paper_figures.figure import UNFINISHED, Figure, Panel, Point, Statement
from mobilesim.experiments.paper_figures.measure import Measurement
from mobilesim.experiments.paper_figures.statements import Answer, Crosses
from mobilesim.results.statuses import RunVerdict
from mobilesim.results.version import __version__


@dataclass(frozen=True, slots=True)
class Found:
    """A run of a point that has been measured."""

    point: Point
    replication: int
    measurement: Measurement


def document(figure: Figure, found: Iterable[Found], spread: Spread) -> dict[str, Any]:
    """`figure.json`, and all that the page and the terminal show."""
    by_panel: dict[str, list[Found]] = {panel.label: [] for panel in figure.panels}
    for each in found:
        by_panel[each.point.panel].append(each)
    lacks = figure.lacks or ("" if _is_all(figure, by_panel) else UNFINISHED)
    return {
        "figure": figure.name,
        "paper": figure.paper,
        "title": figure.title,
        "scenario": figure.scenario,
        "version": __version__,
        "replications": figure.replications,
        "x": {"key": figure.x.key, "symbol": figure.x.symbol, "label": figure.x.label},
        "metric": {"name": figure.metric.name, "label": figure.metric.label, "unit": figure.metric.unit},
        "parts": [*figure.parts, *figure.besides],
        "symbols": dict(figure.symbols),
        "finding": "" if lacks else figure.finding,
        "lacks": lacks,
        "same_world": all(set(series.settings) <= {"protocols"} for series in figure.series),
        "crossings": any(isinstance(statement.check, Crosses) for statement in figure.statements),
        "runs": sum(map(len, by_panel.values())),
        "messages": sum(each.measurement.messages for runs in by_panel.values() for each in runs),
        "faults": _faults(by_panel),
        "panels": [_panel(figure, panel, by_panel[panel.label], spread, lacks) for panel in figure.panels],
    }


def _is_all(figure: Figure, by_panel: Mapping[str, Sequence[Found]]) -> bool:
    """Nothing is missing of what should have been measured."""
    return sum(map(len, by_panel.values())) == figure.replications * sum(1 for _ in figure.points())


def _faults(by_panel: Mapping[str, Sequence[Found]]) -> list[str]:
    return [
        f"{panel}: {each.point.series} at {each.point.x}, replication {each.replication}"
        for panel, runs in by_panel.items()
        for each in runs
        if each.measurement.verdict == RunVerdict.FAULT
    ]


def _panel(figure: Figure, panel: Panel, found: Sequence[Found], spread: Spread, lacks: str) -> dict[str, Any]:
    curves = _curves(figure, figure.metric.name, found, spread)
    return {
        "label": panel.label,
        "settings": dict(panel.settings),
        "series": [
            {"label": label, "points": _points(figure, label, curve, found, spread)} for label, curve in curves.items()
        ],
        "difference": _difference(curves),
        "statements": [
            {"paper": each.words, **_judged(each, figure, found, spread, lacks)}
            for each in figure.statements
            if each.speaks_of(panel) and all(curve.values for curve in curves.values())
        ],
    }


def _curves(figure: Figure, metric: str, found: Sequence[Found], spread: Spread) -> dict[str, Curve]:
    return {each.label: _curve(figure, each.label, metric, found, spread) for each in figure.series}


def _curve(figure: Figure, series: str, metric: str, found: Sequence[Found], spread: Spread) -> Curve:
    values: dict[int, dict[int, float]] = {}
    size = figure.size_of(series, metric)
    for each in found:
        if each.point.series == series and metric in each.measurement.means:
            amount = each.measurement.means[metric] / size
            values.setdefault(each.point.x, {})[each.replication] = amount
    return Curve(values, spread)


def _points(figure: Figure, series: str, curve: Curve, found: Sequence[Found], spread: Spread) -> list[dict[str, Any]]:
    parts = {part: _curve(figure, series, part, found, spread) for part in (*figure.parts, *figure.besides)}
    return [
        {
            "x": x,
            **_described(curve.at(x)),
            "replications": len(curve.values[x]),
            "busiest": _busiest(series, x, found),
            "parts": {part: _described(parts[part].at(x)) for part in parts},
        }
        for x in curve.places
    ]


def _busiest(series: str, x: int, found: Sequence[Found]) -> float:
    here = (each for each in found if (each.point.series, each.point.x) == (series, x))
    return max(each.measurement.busiest for each in here)


def _described(estimate: Estimate) -> dict[str, float | None]:
    return {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}


def _difference(curves: Mapping[str, Curve]) -> dict[str, Any] | None:
    """Of the first two series; None where there is one only."""
    first, *others = curves
    if not others:
        return None
    gap = curves[first].minus(curves[others[0]])
    points = [{"x": x, **_described(gap.at(x))} for x in gap.places]
    return {"left": first, "right": others[0], "points": points}


_TOLD: Final = {True: "holds", False: "does not hold", None: "not enough to tell"}
_TOLD_OF_LESS: Final = {True: "holds so far", False: "too little to say", None: "too little to say"}


def _judged(statement: Statement, figure: Figure, found: Sequence[Found], spread: Spread, lacks: str) -> dict[str, Any]:
    """Less than the whole figure refutes nothing."""
    metric = statement.of or figure.metric.name
    answer: Answer = statement.check.judge(_curves(figure, metric, found, spread), figure.quantity_of(metric))
    told = (_TOLD_OF_LESS if lacks else _TOLD)[answer.holds]
    return {"told": told, **asdict(answer), "holds": None if lacks and answer.holds is False else answer.holds}

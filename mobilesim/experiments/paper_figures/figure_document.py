"""The results of a figure as a document: curves with intervals, and the paper's statements with verdicts."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import reduce
from typing import Any, Final

from mobilesim.experiments.paper_figures.curves import Curve
from mobilesim.experiments.paper_figures.figure import INCOMPLETE, Panel, PaperFigure, Series, Statement
from mobilesim.experiments.paper_figures.figure_runs import UTILISATION, FigureRun
from mobilesim.experiments.paper_figures.statements import Crosses
from mobilesim.results.statuses import RunVerdict
from mobilesim.results.version import __version__
from mobilesim.statistics.intervals import Interval

_VERDICTS: Final = {True: "confirms the paper", False: "contradicts the paper", None: "inconclusive"}
_VERDICTS_OF_PART: Final = {**_VERDICTS, True: "agrees so far"}


def figure_document(figure: PaperFigure, runs: Iterable[FigureRun]) -> dict[str, Any]:
    """Return the content of `figure.json`. The page and the text are made from this content."""
    by_panel: dict[str, list[FigureRun]] = {panel.label: [] for panel in figure.panels}
    for run in runs:
        by_panel[run.point.panel].append(run)
    complete = [run for panel in by_panel.values() for run in panel]
    expected = figure.replications * sum(1 for _ in figure.points())
    incomplete = figure.incomplete or ("" if len(complete) == expected else INCOMPLETE)
    return {
        "figure": figure.name,
        "paper": figure.paper,
        "title": figure.title,
        "scenario": figure.scenario,
        "version": __version__,
        "replications": figure.replications,
        "x": {"key": figure.x.key, "symbol": figure.x.symbol, "label": figure.x.label},
        "metric": {"name": figure.metric.name, "label": figure.metric.label, "unit": figure.metric.unit},
        "parts": [*figure.parts, *figure.other_metrics],
        "symbols": dict(figure.symbols),
        "conclusion": "" if incomplete else figure.conclusion,
        "incomplete": incomplete,
        "common_environment": all(set(series.settings) <= {"protocols"} for series in figure.series),
        "crossings": any(isinstance(statement.check, Crosses) for statement in figure.statements),
        "runs": len(complete),
        "messages": sum(run.record.rows["messages"] for run in complete),
        "faults": [_fault(run) for run in complete if run.record.verdict == RunVerdict.FAULT],
        "panels": [_panel(figure, panel, by_panel[panel.label], complete=not incomplete) for panel in figure.panels],
    }


def _fault(run: FigureRun) -> str:
    return f"{run.point.panel}: {run.point.series} at {run.point.x}, replication {run.record.replication}"


def _panel(figure: PaperFigure, panel: Panel, runs: Sequence[FigureRun], *, complete: bool) -> dict[str, Any]:
    curves = MeasuredCurves(figure, figure.metric.name, runs)
    return {
        "label": panel.label,
        "settings": dict(panel.settings),
        "series": [
            {"label": series.label, "points": _points(figure, series, curves[series.label], runs)}
            for series in figure.series
        ],
        "difference": _difference(curves),
        "statements": [
            {
                "paper": statement.text,
                "source": statement.source,
                **_evaluated(statement, figure, runs, complete=complete),
            }
            for statement in figure.statements
            if panel.label in (statement.panels or [panel.label]) and all(curve.values for curve in curves.values())
        ],
    }


class MeasuredCurves(Mapping[str, Curve]):
    """The curves of a panel: one per series. A key may also be a metric of a series, such as `wired of algorithm 1`, or
    a sum or difference of such curves; only the series are counted and listed.
    """

    def __init__(self, figure: PaperFigure, metric: str, runs: Sequence[FigureRun]) -> None:
        self._figure, self._metric, self._runs = figure, metric, runs
        self._series = {series.label: series for series in figure.series}

    def __iter__(self) -> Iterator[str]:
        return iter(self._series)

    def __len__(self) -> int:
        return len(self._series)

    def __getitem__(self, key: str) -> Curve:
        if key in self._series:
            return self._curve(key, self._metric)
        first, *others = re.split(r" ([+-]) ", key)
        if others:
            terms = zip(others[::2], others[1::2], strict=True)
            return reduce(lambda left, term: _combined(left, term[0], self[term[1]]), terms, self[first])
        metric, _, label = key.partition(" of ")
        return self._curve(label, metric)

    def _curve(self, label: str, metric: str) -> Curve:
        return _curve(self._figure, self._series[label], metric, self._runs)


def _combined(left: Curve, sign: str, right: Curve) -> Curve:
    return left.plus(right) if sign == "+" else left.minus(right)


def _curve(figure: PaperFigure, series: Series, metric: str, runs: Sequence[FigureRun]) -> Curve:
    values: dict[int, dict[int, float]] = {}
    scale, name = figure.scale_of(series, metric), series.mean_of(metric)
    for run in runs:
        if run.point.series == series.label and name in run.record.means:
            values.setdefault(run.point.x, {})[run.record.replication] = run.record.means[name] / scale
    return Curve(values)


def _points(figure: PaperFigure, series: Series, curve: Curve, runs: Sequence[FigureRun]) -> list[dict[str, Any]]:
    parts = {part: _curve(figure, series, part, runs) for part in (*figure.parts, *figure.other_metrics)}
    utilisations = _curve(figure, series, UTILISATION, runs).values
    return [
        {
            "x": x,
            **_described(curve.at(x)),
            "replications": len(curve.values[x]),
            "utilisation": max(utilisations[x].values()),
            "parts": {part: _described(parts[part].at(x)) for part in parts},
        }
        for x in curve.xs
    ]


def _described(estimate: Interval) -> dict[str, float | None]:
    return {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}


def _difference(curves: Mapping[str, Curve]) -> dict[str, Any] | None:
    """Return the difference of the first two series; None if there is only one series."""
    first, *others = curves
    if not others:
        return None
    gap = curves[first].minus(curves[others[0]])
    points = [{"x": x, **_described(gap.at(x))} for x in gap.xs]
    return {"left": first, "right": others[0], "points": points}


def _evaluated(
    statement: Statement, figure: PaperFigure, runs: Sequence[FigureRun], *, complete: bool
) -> dict[str, Any]:
    """Return the answer of the check, and the verdict. An incomplete figure never contradicts the paper."""
    metric = statement.metric or figure.metric.name
    curves = MeasuredCurves(figure, metric, runs)
    answer = asdict(statement.check.evaluate(curves, figure.label_of(metric), figure.x.symbol))
    if not complete and answer["holds"] is False:
        answer["holds"] = None
    return {"verdict": (_VERDICTS if complete else _VERDICTS_OF_PART)[answer["holds"]], **answer}

"""The results of `python -m benchmarks.growth` as a page of curves, which needs no network."""

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Final, TypeAlias

import plotly.graph_objects as go

from benchmarks.growth_table import PointResult, by_experiment
from mobilesim.analysis.figures.figure import Figure, Plot
from mobilesim.analysis.figures.style import empty_plot, layered_line, legend_of, protocol_mark, whiskers
from mobilesim.analysis.report.elements import place_group
from mobilesim.analysis.report.page_template import Section, render_page
from mobilesim.errors import counted

_HEIGHT: Final = 380
_LEAD: Final = """<p class="soft">Points are medians of {rounds}, and whiskers reach from the least to the most.
Core: {core}. Each measurement is a fresh process. Both axes are logarithmic.</p>"""

Rounds: TypeAlias = Callable[[PointResult], list[float]]

_FIGURES: Final[tuple[tuple[str, str, Rounds], ...]] = (
    ("message", "CPU time per message (µs)", lambda result: result.per_message),
    ("handoff", "CPU time per hand-off (µs)", lambda result: result.per_handoff),
    ("memory", "peak memory (MB)", lambda result: result.peaks),
)


def page(results: Sequence[PointResult], core: str) -> str:
    rounds = max((len(result.rounds) for result in results), default=0)
    sections = []
    for experiment, found in by_experiment(results).items():
        figures = tuple(_figures(experiment.name, experiment.quantity, found))
        sections.append(Section(experiment.title, body=place_group(figures), placed=figures))
    return render_page("Growth of time and memory", _LEAD.format(rounds=counted(rounds, "round"), core=core), sections)


def _figures(experiment: str, quantity: str, results: Sequence[PointResult]) -> Iterator[Figure]:
    protocols = list(dict.fromkeys(result.point.protocol for result in results))
    for key, title, rounds in _FIGURES:
        if any(map(rounds, results)):
            plot = empty_plot()
            for index, protocol in enumerate(protocols):
                mine = [result for result in results if result.point.protocol == protocol and rounds(result)]
                plot.add_trace(_curve(mine, rounds, index, len(protocols)))
            plot.update_xaxes(type="log", title_text=f"number of {quantity}", rangemode="normal", autorangeoptions=None)
            plot.update_yaxes(type="log")
            yield Figure(f"{experiment}-{key}", title, plot, _HEIGHT, legend_of(protocols), x=quantity, y=title)


def _curve(results: Sequence[PointResult], rounds: Rounds, index: int, count: int) -> Plot:
    times = [rounds(result) for result in results]
    return go.Scatter(
        x=[result.point.value for result in results],
        y=[median(each) for each in times],
        error_y=whiskers([(min(each), median(each), max(each)) for each in times]),
        name=results[0].point.protocol if results else "",
        mode="lines+markers",
        line=layered_line(index, count),
        marker={"symbol": protocol_mark(index), "size": 8},
    )

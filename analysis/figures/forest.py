"""Forest plots: the effects of a variant on several metrics, each with its interval, relative to the base."""

from collections.abc import Mapping, Sequence
from typing import Final

import plotly.graph_objects as go

from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.figures.style import (
    INK,
    axis_title,
    empty_plot,
    legend_of,
    protocol_line,
    protocol_mark,
    whiskers,
)
from mobilesim.analysis.summary.formatting import number

Ends = tuple[float | None, float, float | None]
"""The lower end of an interval, the mean and the upper end, in per cent of the base."""

EDGE: Final = 100.0
"""The largest effect that is drawn to scale. Greater ones would hide the others."""
_ROW: Final = 30
_BESIDE: Final = 0.22
"""The distance of two series in a row, in rows."""
_X: Final = "difference from the base (%)"


def forest(key: str, title: str, metrics: Sequence[str], series: Mapping[str, Sequence[Ends | None]]) -> Figure:
    """Draw a row for each metric, the first on top. `series`: the effects by compared protocol, in this order."""
    plot = empty_plot()
    for index, (name, effects) in enumerate(series.items()):
        shift = (index - (len(series) - 1) / 2) * min(_BESIDE, 0.8 / len(series))
        drawn = [(row, ends) for row, ends in enumerate(effects) if ends is not None]
        inside = [(row, ends) for row, ends in drawn if abs(ends[1]) <= EDGE]
        line = protocol_line(index)
        plot.add_trace(
            go.Scatter(
                name=name,
                x=[mean for _, (_, mean, _) in inside],
                y=[row + shift for row, _ in inside],
                mode="markers",
                marker={"symbol": protocol_mark(index), "size": 8, "color": line["color"]},
                error_x={**whiskers([ends for _, ends in inside]), "color": line["color"], "thickness": 1.5},
                customdata=[metrics[row] for row, _ in inside],
                hovertemplate=f"{name}, %{{customdata}}: %{{x:.1f}} %<extra></extra>",
            )
        )
        for row, (_, mean, _) in drawn:
            if abs(mean) > EDGE:
                _write(plot, mean, row + shift, line["color"])
    plot.add_vline(x=0, line={"color": INK, "width": 1})
    rows = list(range(len(metrics)))
    plot.update_yaxes(tickvals=rows, ticktext=list(metrics), range=[len(metrics) - 0.5, -0.5], showgrid=False)
    plot.update_xaxes(range=[-1.15 * EDGE, 1.15 * EDGE], title_text=axis_title(_X))
    table = [
        (name, metric, *(ends or (None, None, None)))
        for name, effects in series.items()
        for metric, ends in zip(metrics, effects, strict=True)
    ]
    head = ("series", "metric", "low end of the interval (%)", "difference from the base (%)", "high end (%)")
    return Figure(key, title, plot, 70 + _ROW * len(metrics), legend_of(list(series), lines=False), rows=(head, *table))


def _write(plot: go.Figure, mean: float, row: float, colour: str) -> None:
    """Write an effect that is out of scale at the edge."""
    above = mean > 0
    plot.add_annotation(
        x=EDGE if above else -EDGE,
        y=row,
        text=f"{number(mean)} % →" if above else f"← {number(mean)} %",
        showarrow=False,
        xanchor="right" if above else "left",
        font={"size": 12, "color": colour},
    )

"""The figures of a design that is no grid: a metric against a factor, and Sobol indices."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import plotly.graph_objects as go

from mobilesim.analysis.figures.figure import Figure, LegendEntry, Row
from mobilesim.analysis.figures.style import (
    axis_title,
    empty_plot,
    protocol_line,
    protocol_mark,
    whiskers,
)

_HEIGHT: Final = 240
_SIZE: Final = 6
_OPACITY: Final = 0.65
_ROW: Final = 22
_MARGINS: Final = 70
_ORDERS: Final = ("first-order", "total")
_WHISKER: Final = {"thickness": 1.5, "width": 3}

Interval = tuple[float, float, float]
"""The low end, the value and the high end."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The horizontal axis: numbers or, if `values` are given, categories in this order."""

    label: str
    logarithmic: bool = False
    values: Sequence[str] = ()


def scatter(
    key: str,
    titles: tuple[str, str],
    x: Scale,
    series: Mapping[str, tuple[Sequence[float | str], Sequence[float]]],
    *,
    joined: bool = False,
    first: int = 0,
) -> Figure:
    """Return the figure. `titles`: of the figure, and of y. `series`: x and y of each protocol. `first`: the index of
    the colour of the first series. `joined`: whether lines join the points of a protocol.
    """
    plot = empty_plot()
    title, y_title = titles
    for index, (name, (across, up)) in enumerate(series.items(), first):
        line = protocol_line(index)
        plot.add_trace(
            go.Scatter(
                x=list(across),
                y=list(up),
                name=name,
                mode="lines+markers" if joined and not x.values else "markers",
                line=line,
                marker={"size": _SIZE, "symbol": protocol_mark(index), "color": line["color"], "opacity": _OPACITY},
                hovertemplate=f"{name}: %{{y:.3f}} at %{{x}}<extra></extra>",
            )
        )
    plot.update_xaxes(title_text=axis_title(x.label), rangemode="normal", autorangeoptions=None)
    if x.values:
        plot.update_xaxes(type="category", categoryorder="array", categoryarray=list(x.values))
    elif x.logarithmic:
        plot.update_xaxes(type="log")
    entries = ((name, protocol_line(index), protocol_mark(index)) for index, name in enumerate(series, first))
    legend = tuple(LegendEntry(name, line["color"], mark=mark) for name, line, mark in entries)
    return Figure(key, title, plot, _HEIGHT, legend, x=x.label, y=y_title)


def indices_figure(
    key: str,
    title: str,
    factors: Sequence[str],
    series: Mapping[str, tuple[Sequence[Interval], Sequence[Interval]]],
    places: Sequence[int],
) -> Figure:
    """Return the figure of first-order (hollow) and total (filled) indices. `series`: both for each factor, by name.

    `places`: the index of the colour of each series.
    """
    plot = empty_plot()
    legend: list[LegendEntry] = []
    step = 0.7 / (2 * len(series))
    for row, (index, (name, orders)) in enumerate(zip(places, series.items(), strict=True)):
        line, mark = protocol_line(index), protocol_mark(index)
        legend.append(LegendEntry(name, line["color"], mark=mark))
        for place, (order, several) in enumerate(zip(_ORDERS, orders, strict=True)):
            offset = 0.35 - step * (2 * row + place + 0.5)
            plot.add_trace(
                go.Scatter(
                    name=f"{name}, {order}",
                    x=[value for _, value, _ in several],
                    y=[height + offset for height in reversed(range(len(factors)))],
                    mode="markers",
                    marker={
                        "symbol": mark if place else f"{mark}-open",
                        "size": _SIZE + 3,
                        "color": line["color"],
                        "line": {"color": line["color"], "width": 2},
                    },
                    error_x={**whiskers(several), **_WHISKER, "color": line["color"]},
                    hovertemplate=f"{name}, {order}: %{{x:.2f}}<extra></extra>",
                )
            )
    plot.update_yaxes(
        tickvals=list(range(len(factors))), ticktext=list(reversed(factors)), range=[-0.5, len(factors) - 0.5]
    )
    plot.update_xaxes(
        rangemode="normal", autorangeoptions=None, range=[-0.15, 1.25], title_text="share of the variance"
    )
    height = _MARGINS + _ROW * max(2, 2 * len(series)) * len(factors) // 2
    return Figure(key, title, plot, height, tuple(legend), rows=tuple(_index_rows(factors, series)))


def _index_rows(
    factors: Sequence[str], series: Mapping[str, tuple[Sequence[Interval], Sequence[Interval]]]
) -> Iterator[Row]:
    yield "protocol", "order", "factor", "index", "low end of the interval", "high end of the interval"
    for name, orders in series.items():
        for order, several in zip(_ORDERS, orders, strict=True):
            for factor, (low, value, high) in zip(factors, several, strict=True):
                yield name, order, factor, value, low, high

"""The figures of a panel: curves and, beside them, the differences of the curves or the parts of a single curve."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from textwrap import wrap
from typing import Any, Final

import plotly.graph_objects as go

from mobilesim.analysis.figures.figure import Figure, Plot
from mobilesim.analysis.figures.style import (
    INK,
    Legend,
    axis_title,
    bar_legend,
    empty_plot,
    layered_line,
    legend_of,
    protocol_line,
    protocol_mark,
    whiskers,
)
from mobilesim.results.quantities import DELAY_PARTS

_HEIGHT: Final = 300
_LOW: Final = 140
"""The height of a panel beside other panels with the same range."""
_GREY: Final = "rgba(128, 128, 128, 0.25)"
_MARKER_MARGIN: Final = 4.5
_MARKER_SCALE: Final = 4.5
"""The size of markers without lines, relative to the line width. Of overlapping markers, larger ones show as rings."""

_MARGIN: Final = 0.06
_MIN_RANGE: Final = 0.01
"""The minimum range of an axis of differences, as a share of the highest value, so that tiny differences look small."""

_WHISKER: Final = {"thickness": 1.5, "width": 4}

_LABEL: Final = 18
"""The maximum length of a line of a label."""

Document = Mapping[str, Any]


def panel_figures(document: Document, panel: Document, number: int) -> tuple[Figure, ...]:
    """Return the figure of the curves and, if any, the figure of their differences or parts."""
    key = f"panel{number}"
    figures = curves_figure(document, panel, key), figure_beside(document, panel, key)
    return tuple(figure for figure in figures if figure is not None)


def curves_figure(document: Document, panel: Document, key: str, highest: float | None = None) -> Figure:
    """Return the figure of the curves. Its title names the y axis: a label beside a narrow plot would be cut off.

    `highest`: the highest value of several figures with the same range; by default, that of this panel.
    """
    plot = empty_plot()
    several = panel["series"]
    for index, series in enumerate(several):
        line, mark = layered_line(index, len(several)), protocol_mark(index)
        plot.add_trace(_curve(document, series["points"], series["label"], line, mark))
    plot.update_yaxes(range=[0, (1 + _MARGIN) * (_highest(several) if highest is None else highest) or 1])
    _label_x_axis(plot, document["x"])
    legend = legend_of([each["label"] for each in several], lines=_joined(document["x"]))
    figure = _figure(document, key, document["metric"]["label"], plot, legend)
    return figure if highest is None else replace(figure, height=_LOW, caption=panel["label"])


def figure_beside(document: Document, panel: Document, key: str) -> Figure | None:
    """Return the differences of curves, or the parts of a single curve; None if the panel has neither.

    A panel of a paper's figure may have a `difference`, that of its first two curves. A panel of a sweep may have
    `differences`, those of the other curves from the first curve, in the colours of the other curves.
    """
    plot = empty_plot()
    colours: dict[str, str] = {}
    if panel["difference"] or panel.get("differences"):
        title = _draw_differences(plot, document, panel)
    elif document["parts"]:
        title, colours = "parts", _draw_parts(plot, document, panel["series"])
    else:
        return None
    _label_x_axis(plot, document["x"])
    return _figure(document, f"{key}-beside", title, plot, bar_legend(colours))


def _figure(document: Document, key: str, title: str, plot: Plot, legend: Legend) -> Figure:
    unit = document["metric"]["unit"]
    name = f"{title} ({unit})" if unit else title
    return Figure(key, name, plot, _HEIGHT, legend, x=document["x"]["label"], y=name)


def _joined(x: Document) -> bool:
    """Whether lines join the points: they do not if x has categories."""
    return not (x.get("categorical") or x.get("discrete"))


def _label_x_axis(plot: Plot, x: Document) -> None:
    """Set up the axis: linear, logarithmic, or with categories in order."""
    plot.update_xaxes(title_text=axis_title(x["label"]))
    if x.get("categorical"):
        # A long label, such as that of a variant that changes many keys, is broken into lines.
        labels = ["<br>".join(wrap(each, _LABEL, max_lines=3, placeholder="…")) for each in x["values"]]
        order = {"categoryorder": "array", "categoryarray": x["values"], "tickvals": x["values"], "ticktext": labels}
        # Numeric bounds would hide a category axis.
        plot.update_xaxes(type="category", **order, rangemode="normal", autorangeoptions=None)
    elif x.get("logarithmic"):
        plot.update_xaxes(type="log", rangemode="normal", autorangeoptions=None)


def _draw_differences(plot: Plot, document: Document, panel: Document) -> str:
    """Draw the differences and their crossings of zero; return a title. The y axis includes negative values."""
    differences = [panel["difference"]] if panel["difference"] else panel["differences"]
    indices = {series["label"]: index for index, series in enumerate(panel["series"])}
    for each in differences:
        line = {"color": INK, "dash": "solid"} if panel["difference"] else protocol_line(indices[each["left"]])
        plot.add_trace(_curve(document, each["points"], _difference_title(each), line))
    plot.add_hline(y=0, line={"color": _GREY, "width": 2})
    for statement in panel["statements"]:
        _draw_crossing(plot, statement["numbers"])
    points = [point for each in differences for point in each["points"]]
    plot.update_yaxes(rangemode="normal", autorangeoptions={}, range=_with_zero(points, _highest(panel["series"])))
    first = differences[0]
    return _difference_title(first) if len(differences) == 1 else f"difference from {first['right']}"


def _difference_title(difference: Document) -> str:
    return f"{difference['left']} - {difference['right']}"


def _with_zero(points: Sequence[Document], scale: float) -> list[float]:
    """Return an axis range that contains zero and all points with their intervals."""
    low = min([0, *(_end(point, "low") for point in points)])
    high = max([0, *(_end(point, "high") for point in points)])
    padding = max(0, _MIN_RANGE * scale - (high - low)) / 2
    margin = _MARGIN * (high - low) + padding
    return [low - margin, high + margin]


def _highest(several: Sequence[Document]) -> float:
    return max((_end(point, "high") for series in several for point in series["points"]), default=0)


def _end(point: Document, end: str) -> float:
    """Return an end of the interval; the mean if the point has no interval."""
    return float(point["mean"] if point[end] is None else point[end])


def _draw_crossing(plot: Plot, numbers: Mapping[str, float | None]) -> None:
    """Draw the crossing as a line, and the known part of its interval as a band."""
    at = numbers.get("at")
    if at is None:
        return
    low, high = (at if end is None else end for end in (numbers["low"], numbers["high"]))
    plot.add_vrect(x0=low, x1=high, fillcolor=_GREY, line={"width": 0})
    plot.add_vline(x=at, line={"color": INK, "width": 1, "dash": "dot"})


def _draw_parts(plot: Plot, document: Document, several: Sequence[Document]) -> dict[str, str]:
    """Draw the parts of the delay; return their colours by label."""
    parts = [DELAY_PARTS[part] for part in document["parts"] if part in DELAY_PARTS]
    for series in several:
        for part in parts:
            points = [{"x": point["x"], **point["parts"][part.name]} for point in series["points"]]
            line = {"color": part.colour, "dash": "solid"}
            plot.add_trace(_curve(document, points, part.label, line))
    return {part.label: part.colour for part in parts}


def _curve(
    document: Document, points: Sequence[Document], name: str, line: dict[str, Any], mark: str = "circle"
) -> Plot:
    """Return a trace of points with their intervals. Lines join the points unless x has categories."""
    lines = _joined(document["x"])
    width = line.get("width", 2.5)
    return go.Scatter(
        x=[point["x"] for point in points],
        y=[point["mean"] for point in points],
        name=name,
        mode="lines+markers" if lines else "markers",
        line={**line, "width": width},
        marker={"size": width + _MARKER_MARGIN if lines else _MARKER_SCALE * width, "symbol": mark},
        error_y={**whiskers(map(itemgetter("low", "mean", "high"), points)), **_WHISKER},
        hovertemplate=f"{name}: %{{y:.3f}} at %{{x}}<extra></extra>",
        cliponaxis=False,
    )

"""A panel of a reproduced figure: its curves, and beside them their difference or their parts."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from textwrap import wrap
from typing import Any, Final

import plotly.graph_objects as go

from analysis.figures.style import (
    INK,
    Figure,
    Plot,
    empty_plot,
    layered_line,
    legend_of,
    protocol_line,
    protocol_mark,
    whiskers,
    words,
)
from mobilesim.results.quantities import DELAY_PARTS

_HEIGHT: Final = 380
_GREY: Final = "rgba(128, 128, 128, 0.25)"
_LINE_WIDTH: Final = 2.5
_MARKER_MARGIN: Final = 4.5
_MARKER_SCALE: Final = 3.0
"""Of markers without lines, which grow with the width of the line: overlapping markers show as rings."""

_MARGIN: Final = 0.06
_MIN_RANGE: Final = 0.01
"""Of an axis of differences, as a share of the curves, so that small differences look small."""

_Y_INTERVAL: Final = itemgetter("low", "mean", "high")
_X_INTERVAL: Final = itemgetter("x_low", "x", "x_high")
_WHISKER: Final = {"thickness": 1.5, "width": 4}
_OUTLINE: Final = 2

_TICK_LETTERS: Final = 18
_TICK_LINES: Final = 3

Document = Mapping[str, Any]


def curves_figure(document: Document, panel: Document, number: int) -> Figure:
    """Return the curves. The figure's title names the y axis: text beside a narrow plot would be cut off."""
    plot = empty_plot()
    several = panel["series"]
    for index, series in enumerate(several):
        line = layered_line(index, len(several))
        mark, _ = protocol_mark(index)
        plot.add_trace(_curve(series["points"], series["label"], line, mark, lines=_is_continuous(document["x"])))
    if _highest(several):
        plot.update_yaxes(range=[0, (1 + _MARGIN) * _highest(several)])
    _label_x_axis(plot, document["x"])
    legend = legend_of([each["label"] for each in several])
    return Figure(f"panel{number}", _with_unit(document["metric"]["label"], document), plot, _HEIGHT, legend)


def difference_or_parts(document: Document, panel: Document, number: int) -> Figure:
    """Return the difference of the first two curves, or the parts of a single one."""
    plot = empty_plot()
    colours: dict[str, str] = {}
    if panel["difference"]:
        _difference(plot, panel)
        title = _difference_title(panel["difference"])
    else:
        parts = [part for part in document["parts"] if part in DELAY_PARTS]
        colours = _parts(plot, parts, panel["series"], lines=_is_continuous(document["x"]))
        title = "parts"
    _label_x_axis(plot, document["x"])
    return Figure(f"panel{number}-beside", _with_unit(title, document), plot, _HEIGHT, tuple(colours.items()))


def _with_unit(title: str, document: Document) -> str:
    unit = document["metric"]["unit"]
    return f"{title} ({unit})" if unit else title


def differences_figure(document: Document, panel: Document, number: int) -> Figure:
    """Return differences from the same curve, each in the colour of the other curve."""
    plot, several = empty_plot(), panel["differences"]
    indices = {series["label"]: index for index, series in enumerate(panel["series"])}
    for each in several:
        line = protocol_line(indices[each["left"]])
        plot.add_trace(_curve(each["points"], _difference_title(each), line, lines=_is_continuous(document["x"])))
    plot.add_hline(y=0, line={"color": _GREY, "width": 2})
    points = [point for each in several for point in each["points"]]
    plot.update_yaxes(rangemode="normal", autorangeoptions={}, range=_with_zero(points, _highest(panel["series"])))
    _label_x_axis(plot, document["x"])
    title = _difference_title(several[0]) if len(several) == 1 else f"difference from {several[0]['right']}"
    return Figure(f"panel{number}-beside", _with_unit(title, document), plot, _HEIGHT)


def _label_x_axis(plot: Plot, x: Document) -> None:
    """Set up the axis: linear, logarithmic, or categories in their order."""
    plot.update_xaxes(title_text=x["label"])
    if x.get("categorical"):
        # Numeric bounds would hide a category axis.
        axis = {"type": "category", "categoryorder": "array", "categoryarray": x["values"]}
        axis |= {"tickvals": x["values"], "ticktext": [_folded(label) for label in x["values"]]}
        plot.update_xaxes(**axis, rangemode="normal", autorangeoptions=None)
    elif x.get("logarithmic"):
        plot.update_xaxes(type="log", rangemode="normal", autorangeoptions=None)


def _folded(label: str) -> str:
    """Break a long label, such as that of a variant that changes many keys."""
    return "<br>".join(wrap(label, _TICK_LETTERS, max_lines=_TICK_LINES, placeholder="…"))


def _is_continuous(x: Document) -> bool:
    """Return whether lines between points make sense: not between categories."""
    return not (x.get("categorical") or x.get("discrete"))


def _difference(plot: Plot, panel: Document) -> None:
    """Draw the difference, which unlike everything else may be negative, and where it crosses zero."""
    difference = panel["difference"]
    points = difference["points"]
    plot.add_trace(_curve(points, _difference_title(difference), {"color": INK, "dash": "solid"}))
    plot.add_hline(y=0, line={"color": _GREY, "width": 2})
    for statement in panel["statements"]:
        _draw_crossing(plot, statement["numbers"])
    plot.update_yaxes(rangemode="normal", autorangeoptions={}, range=_with_zero(points, _highest(panel["series"])))


def _difference_title(difference: Document) -> str:
    return f"{difference['left']} - {difference['right']}"


def _with_zero(points: Sequence[Document], scale: float) -> list[float]:
    """Return an axis range that contains zero and all points with their intervals."""
    low, high = min([0, *(_low(point) for point in points)]), max([0, *(_high(point) for point in points)])
    padding = max(0, _MIN_RANGE * scale - (high - low)) / 2
    margin = _MARGIN * (high - low) + padding
    return [low - margin, high + margin]


def _highest(several: Sequence[Document]) -> float:
    return max((_high(point) for series in several for point in series["points"]), default=0)


def _low(point: Document) -> float:
    return float(point["mean"] if point["low"] is None else point["low"])


def _high(point: Document) -> float:
    return float(point["mean"] if point["high"] is None else point["high"])


def _draw_crossing(plot: Plot, numbers: Mapping[str, float | None]) -> None:
    """Draw the crossing as a line in a band that is as wide as the known part of the interval."""
    at = numbers.get("at")
    if at is None:
        return
    low, high = (at if end is None else end for end in (numbers["low"], numbers["high"]))
    plot.add_vrect(x0=low, x1=high, fillcolor=_GREY, line={"width": 0})
    plot.add_vline(x=at, line={"color": INK, "width": 1, "dash": "dot"})


def _parts(plot: Plot, parts: Sequence[str], several: Sequence[Document], *, lines: bool) -> dict[str, str]:
    for series in several:
        for part in parts:
            points = [{"x": point["x"], **point["parts"][part]} for point in series["points"]]
            plot.add_trace(
                _curve(points, words(part), {"color": DELAY_PARTS[part].colour, "dash": "solid"}, lines=lines)
            )
    return {words(part): DELAY_PARTS[part].colour for part in parts}


def _curve(
    points: Sequence[Document], name: str, line: dict[str, Any], mark: str = "circle", *, lines: bool = True
) -> Plot:
    width = line.get("width", _LINE_WIDTH)
    curve = go.Scatter(
        x=[point["x"] for point in points],
        y=[point["mean"] for point in points],
        name=name,
        mode="lines+markers" if lines else "markers",
        line={**line, "width": width},
        marker={"size": width + _MARKER_MARGIN if lines else _MARKER_SCALE * width, "symbol": mark},
        error_y={**whiskers(map(_Y_INTERVAL, points)), **_WHISKER},
        hovertemplate=f"{name}: %{{y:.3f}} at %{{x}}<extra></extra>",
    )
    return _with_x_intervals(curve, points) if any("x_low" in point for point in points) else curve


def _with_x_intervals(curve: Plot, points: Sequence[Document]) -> Plot:
    """Add the intervals of x. Markers of excluded points are hollow."""
    mark = curve.marker.symbol
    symbols = [f"{mark}-open" if point["excluded"] else mark for point in points]
    return curve.update(
        error_x={**whiskers(map(_X_INTERVAL, points)), **_WHISKER},
        marker={
            "color": curve.line.color,
            "symbol": symbols,
            "line": {"color": curve.line.color, "width": _OUTLINE},
        },
        text=[point["label"] for point in points],
        hovertemplate=f"{curve.name}: %{{y:.3f}} at %{{x:.3f}}<br>%{{text}}<extra></extra>",
    )

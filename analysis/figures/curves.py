"""One panel of a reproduced figure: its curves, and beside them their difference, or the parts that explain them."""

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
_BAND: Final = "rgba(128, 128, 128, 0.25)"
_WIDTH: Final = 2.5
_MARK: Final = 4.5
_RING: Final = 3.0
"""Marks alone, one upon another, show as rings."""

_AROUND: Final = 0.06
_LEAST: Final = 0.01
"""What is less than a hundredth of the curves is drawn as little as it is."""

_ENDS: Final = itemgetter("low", "mean", "high")
_ENDS_ACROSS: Final = itemgetter("x_low", "x", "x_high")
_WHISKER: Final = {"thickness": 1.5, "width": 4}
_OUTLINE: Final = 2

_TICK: Final = 18
_LINES: Final = 3
"""Of a tick's label, in letters and lines."""

Document = Mapping[str, Any]


def curves(document: Document, panel: Document, number: int) -> Figure:
    """A figure's title says what its y axis has: text beside a narrow plot would be cut off."""
    plot = empty_plot()
    several = panel["series"]
    for index, series in enumerate(several):
        line = layered_line(index, len(several))
        mark, _ = protocol_mark(index)
        plot.add_trace(_curve(series["points"], series["label"], line, mark, joined=_joined(document["x"])))
    if _top(several):
        plot.update_yaxes(range=[0, (1 + _AROUND) * _top(several)])
    _bottom(plot, document["x"])
    legend = legend_of([each["label"] for each in several])
    return Figure(f"panel{number}", _titled(document["metric"]["label"], document), plot, _HEIGHT, legend)


def beside(document: Document, panel: Document, number: int) -> Figure:
    plot = empty_plot()
    colours: dict[str, str] = {}
    if panel["difference"]:
        _difference(plot, panel)
        title = _name(panel["difference"])
    else:
        parts = [part for part in document["parts"] if part in DELAY_PARTS]
        colours = _parts(plot, parts, panel["series"], joined=_joined(document["x"]))
        title = "of it"
    _bottom(plot, document["x"])
    return Figure(f"panel{number}-beside", _titled(title, document), plot, _HEIGHT, tuple(colours.items()))


def _titled(title: str, document: Document) -> str:
    unit = document["metric"]["unit"]
    return f"{title} ({unit})" if unit else title


def against(document: Document, panel: Document, number: int) -> Figure:
    """Several differences from one and the same curve, each in the colour of its own."""
    plot, several = empty_plot(), panel["differences"]
    places = {series["label"]: index for index, series in enumerate(panel["series"])}
    for each in several:
        line = protocol_line(places[each["left"]])
        plot.add_trace(_curve(each["points"], _name(each), line, joined=_joined(document["x"])))
    plot.add_hline(y=0, line={"color": _BAND, "width": 2})
    points = [point for each in several for point in each["points"]]
    plot.update_yaxes(rangemode="normal", autorangeoptions={}, range=_with_zero(points, _top(panel["series"])))
    _bottom(plot, document["x"])
    title = _name(several[0]) if len(several) == 1 else f"difference from {several[0]['right']}"
    return Figure(f"panel{number}-beside", _titled(title, document), plot, _HEIGHT)


def _bottom(plot: Plot, x: Document) -> None:
    """The x axis: numbers, unless its places are words, which stand in their order."""
    plot.update_xaxes(title_text=x["label"])
    if x.get("words"):
        # Bounds of numbers would leave nothing of an axis of words.
        words = {"type": "category", "categoryorder": "array", "categoryarray": x["places"]}
        words |= {"tickvals": x["places"], "ticktext": [_folded(place) for place in x["places"]]}
        plot.update_xaxes(**words, rangemode="normal", autorangeoptions=None)
    elif x.get("wide"):
        plot.update_xaxes(type="log", rangemode="normal", autorangeoptions=None)


def _folded(place: str) -> str:
    """Variants are called by all that they change."""
    return "<br>".join(wrap(place, _TICK, max_lines=_LINES, placeholder="…"))


def _joined(x: Document) -> bool:
    """Between words there is nothing that a line could stand for."""
    return not (x.get("words") or x.get("apart"))


def _difference(plot: Plot, panel: Document) -> None:
    """It may be negative, as nothing else that is drawn."""
    difference = panel["difference"]
    points = difference["points"]
    plot.add_trace(_curve(points, _name(difference), {"color": INK, "dash": "solid"}))
    plot.add_hline(y=0, line={"color": _BAND, "width": 2})
    for statement in panel["statements"]:
        _crossing(plot, statement["numbers"])
    plot.update_yaxes(rangemode="normal", autorangeoptions={}, range=_with_zero(points, _top(panel["series"])))


def _name(difference: Document) -> str:
    return f"{difference['left']} - {difference['right']}"


def _with_zero(points: Sequence[Document], scale: float) -> list[float]:
    """All of the points, with their intervals."""
    low, high = min([0, *(_low(point) for point in points)]), max([0, *(_high(point) for point in points)])
    missing = max(0, _LEAST * scale - (high - low)) / 2
    around = _AROUND * (high - low) + missing
    return [low - around, high + around]


def _top(several: Sequence[Document]) -> float:
    return max((_high(point) for series in several for point in series["points"]), default=0)


def _low(point: Document) -> float:
    return float(point["mean"] if point["low"] is None else point["low"])


def _high(point: Document) -> float:
    return float(point["mean"] if point["high"] is None else point["high"])


def _crossing(plot: Plot, numbers: Mapping[str, float | None]) -> None:
    """Where it crosses zero: a band as wide as the interval, as far as that is known."""
    at = numbers.get("at")
    if at is None:
        return
    low, high = (at if end is None else end for end in (numbers["low"], numbers["high"]))
    plot.add_vrect(x0=low, x1=high, fillcolor=_BAND, line={"width": 0})
    plot.add_vline(x=at, line={"color": INK, "width": 1, "dash": "dot"})


def _parts(plot: Plot, parts: Sequence[str], several: Sequence[Document], *, joined: bool) -> dict[str, str]:
    for series in several:
        for part in parts:
            points = [{"x": point["x"], **point["parts"][part]} for point in series["points"]]
            plot.add_trace(
                _curve(points, words(part), {"color": DELAY_PARTS[part].colour, "dash": "solid"}, joined=joined)
            )
    return {words(part): DELAY_PARTS[part].colour for part in parts}


def _curve(
    points: Sequence[Document], name: str, line: dict[str, Any], mark: str = "circle", *, joined: bool = True
) -> Plot:
    width = line.get("width", _WIDTH)
    curve = go.Scatter(
        x=[point["x"] for point in points],
        y=[point["mean"] for point in points],
        name=name,
        mode="lines+markers" if joined else "markers",
        line={**line, "width": width},
        marker={"size": width + _MARK if joined else _RING * width, "symbol": mark},
        error_y={**whiskers(map(_ENDS, points)), **_WHISKER},
        hovertemplate=f"{name}: %{{y:.3f}} at %{{x}}<extra></extra>",
    )
    return _in_two_ways(curve, points) if any("x_low" in point for point in points) else curve


def _in_two_ways(curve: Plot, points: Sequence[Document]) -> Plot:
    """Means across, too, with their intervals; hollow where somebody does not compete."""
    mark = curve.marker.symbol
    symbols = [f"{mark}-open" if point["hollow"] else mark for point in points]
    return curve.update(
        error_x={**whiskers(map(_ENDS_ACROSS, points)), **_WHISKER},
        marker={"color": curve.line.color, "symbol": symbols, "line": {"color": curve.line.color, "width": _OUTLINE}},
        text=[point["told"] for point in points],
        hovertemplate=f"{curve.name}: %{{y:.3f}} at %{{x:.3f}}<br>%{{text}}<extra></extra>",
    )

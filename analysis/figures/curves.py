"""One panel of a reproduced figure: its curves, and beside them their difference, or the parts that explain them."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from statistics import median
from typing import Any, Final

import plotly.graph_objects as go

from analysis.figures.style import INK, PARTS, Figure, Plot, empty_plot, protocol_line, whiskers, words

_HEIGHT: Final = 380
_BAND: Final = "rgba(128, 128, 128, 0.25)"

_ENDS: Final = itemgetter("low", "mean", "high")

Document = Mapping[str, Any]


def curves(document: Document, panel: Document, number: int) -> Figure:
    """A figure's title says what its y axis has: text beside a narrow plot would be cut off."""
    plot = empty_plot()
    for index, series in enumerate(panel["series"]):
        plot.add_trace(_curve(series["points"], series["label"], protocol_line(index)))
    plot.update_xaxes(title_text=document["x"]["label"])
    colours = tuple((each["label"], protocol_line(index)["color"]) for index, each in enumerate(panel["series"]))
    metric = document["metric"]
    return Figure(f"panel{number}", f"{metric['label']} ({metric['unit']})", plot, _HEIGHT, colours)


def beside(document: Document, panel: Document, number: int) -> Figure:
    plot, unit = empty_plot(), document["metric"]["unit"]
    colours: dict[str, str] = {}
    if panel["difference"]:
        _difference(plot, panel)
        title = f"{_name(panel['difference'])} ({unit})"
    else:
        colours = _parts(plot, [part for part in document["parts"] if part in PARTS], panel["series"])
        title = f"of it ({unit})"
    plot.update_xaxes(title_text=document["x"]["label"])
    return Figure(f"panel{number}-beside", title, plot, _HEIGHT, tuple(colours.items()))


def _difference(plot: Plot, panel: Document) -> None:
    """It may be negative, as nothing else that is drawn; what is much above zero would hide where it crosses."""
    difference = panel["difference"]
    points = difference["points"]
    plot.add_trace(_curve(points, _name(difference), {"color": INK, "dash": "solid"}))
    plot.add_hline(y=0, line={"color": _BAND, "width": 2})
    for statement in panel["statements"]:
        _crossing(plot, statement["numbers"])
    plot.update_yaxes(rangemode="normal", autorangeoptions={}, range=_around_zero(points))


def _name(difference: Document) -> str:
    return f"{difference['left']} - {difference['right']}"


def _around_zero(points: Sequence[Document]) -> list[float] | None:
    """From the lowest point to some times as far above zero."""
    lows = [point["mean"] if point["low"] is None else point["low"] for point in points]
    highs = [point["mean"] if point["high"] is None else point["high"] for point in points]
    if not points or min(lows) >= 0:
        return None
    return [1.2 * min(lows), min(1.1 * max(*highs, 0), max(-4 * min(lows), median(highs)))]


def _crossing(plot: Plot, numbers: Mapping[str, float | None]) -> None:
    """Where it crosses zero: a band as wide as the interval, as far as that is known."""
    at = numbers.get("at")
    if at is None:
        return
    low, high = (at if end is None else end for end in (numbers["low"], numbers["high"]))
    plot.add_vrect(x0=low, x1=high, fillcolor=_BAND, line={"width": 0})
    plot.add_vline(x=at, line={"color": INK, "width": 1, "dash": "dot"})


def _parts(plot: Plot, parts: Sequence[str], several: Sequence[Document]) -> dict[str, str]:
    for series in several:
        for part in parts:
            points = [{"x": point["x"], **point["parts"][part]} for point in series["points"]]
            plot.add_trace(_curve(points, words(part), {"color": PARTS[part], "dash": "solid"}))
    return {words(part): PARTS[part] for part in parts}


def _curve(points: Sequence[Document], name: str, line: dict[str, str]) -> Plot:
    return go.Scatter(
        x=[point["x"] for point in points],
        y=[point["mean"] for point in points],
        name=name,
        mode="lines+markers",
        line={**line, "width": 2.5},
        marker={"size": 7},
        error_y={**whiskers(map(_ENDS, points)), "thickness": 1.5, "width": 4},
        hovertemplate=f"{name}: %{{y:.3f}} at %{{x}}<extra></extra>",
    )

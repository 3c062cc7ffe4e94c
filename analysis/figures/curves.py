"""One panel of a reproduced figure: its curves, and beside them their difference, or the parts that explain them."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from statistics import median
from typing import Any, Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.style import INK, PARTS, Figure, Plot, protocol_line, styled, whiskers, words

_HEIGHT: Final = 380
_BAND: Final = "rgba(128, 128, 128, 0.25)"

_ENDS: Final = itemgetter("low", "mean", "high")

Document = Mapping[str, Any]


def panel_figure(document: Document, panel: Document, number: int) -> Figure:
    plot = styled(make_subplots(rows=1, cols=2, horizontal_spacing=0.12))
    for index, series in enumerate(panel["series"]):
        plot.add_trace(_curve(series["points"], series["label"], protocol_line(index)), row=1, col=1)
    colours = {series["label"]: protocol_line(index)["color"] for index, series in enumerate(panel["series"])}
    if panel["difference"]:
        _difference(plot, panel)
    else:
        colours |= _parts(plot, document["parts"], panel["series"])
    unit = document["metric"]["unit"]
    plot.update_xaxes(title_text=document["x"]["label"])
    plot.update_yaxes(title_text=f"{document['metric']['label']} ({unit})", row=1, col=1)
    beside = f"{_name(panel['difference'])} ({unit})" if panel["difference"] else f"of it ({unit})"
    plot.update_yaxes(title_text=beside, row=1, col=2)
    return Figure(f"panel{number}", panel["label"], plot, _HEIGHT, tuple(colours.items()))


def _difference(plot: Plot, panel: Document) -> None:
    """It may be negative, as nothing else that is drawn; what is much above zero would hide where it crosses."""
    difference = panel["difference"]
    points = difference["points"]
    plot.add_trace(_curve(points, _name(difference), {"color": INK, "dash": "solid"}), row=1, col=2)
    plot.add_hline(y=0, line={"color": _BAND, "width": 2}, row=1, col=2)
    for statement in panel["statements"]:
        _crossing(plot, statement["numbers"])
    plot.update_yaxes(rangemode="normal", autorangeoptions={}, range=_around_zero(points), row=1, col=2)


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
    plot.add_vrect(x0=low, x1=high, fillcolor=_BAND, line={"width": 0}, row=1, col=2)
    plot.add_vline(x=at, line={"color": INK, "width": 1, "dash": "dot"}, row=1, col=2)


def _parts(plot: Plot, parts: Sequence[str], several: Sequence[Document]) -> dict[str, str]:
    for series in several:
        for part in parts:
            points = [{"x": point["x"], **point["parts"][part]} for point in series["points"]]
            plot.add_trace(_curve(points, words(part), {"color": PARTS[part], "dash": "solid"}), row=1, col=2)
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

"""Colours and layout that all figures share. They suit a light and a dark page, and eyes that do not see all colours.

Neighbouring parts of a bar differ in lightness, so that they stay apart in any kind of colour vision and in grey print.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, Final, TypeAlias

import numpy as np
import plotly.graph_objects as go

from analysis.summary.formatting import Unit
from analysis.summary.model import ProtocolSummary

_PROTOCOLS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933")
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "2px,8px", "14px,8px")
_THIN: Final = 2.5
_STEP: Final = 0.9
_THICKER: Final = 4.0

INK: Final = "#0d0e0f"
"""Stands for the colour of text, which the page puts in its place: it depends on the reader's light or dark."""

_MARKS: Final = (("circle", "●"), ("square", "■"), ("diamond", "◆"), ("triangle-up", "▲"))
_GRID: Final = "rgba(128, 128, 128, 0.25)"
_BAR: Final = 46
_AROUND: Final = 84

Interval: TypeAlias = tuple[float | None, float | None, float | None]
"""Its lower end, the mean, its upper end."""

Plot: TypeAlias = Any
"""A Plotly figure; the library has no types."""


@dataclass(frozen=True, slots=True)
class Figure:
    key: str
    title: str
    plot: Plot
    height: int
    legend: tuple[tuple[str, str], ...] = ()
    """Names and colours, for a legend that wraps with the page."""


def words(name: str) -> str:
    return name.replace("_", " ").replace("handoff", "hand-off")


def protocol_line(index: int) -> dict[str, str]:
    """Each protocol has a colour and, as there are more of them than colours one can tell apart, a dash."""
    return {"color": _PROTOCOLS[index % len(_PROTOCOLS)], "dash": _DASHES[index % len(_DASHES)]}


def protocol_mark(index: int) -> tuple[str, str]:
    """Plotly's name of it and its letter. Where there are no lines, marks tell those of one colour apart."""
    return _MARKS[index // len(_PROTOCOLS) % len(_MARKS)]


def legend_of(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Of protocols, with their marks where there are more than colours."""
    marks = [f" {protocol_mark(index)[1]}" if len(names) > len(_PROTOCOLS) else "" for index in range(len(names))]
    return tuple(
        (f"{name}{mark}", protocol_line(index)["color"])
        for index, (name, mark) in enumerate(zip(names, marks, strict=True))
    )


def layered_line(index: int, count: int) -> dict[str, Any]:
    """Of several that may run one upon another: those below are wider, and show between the dashes of those above."""
    above = count - 1 - index
    return {**protocol_line(index), "width": _THIN + above * min(_STEP, _THICKER / max(1, count - 1))}


def empty_plot() -> Plot:
    return styled(go.Figure())


def styled(plot: Plot) -> Plot:
    """Axes begin at zero, and intervals are cut there: nothing that is drawn can be negative."""
    plot.update_layout(
        template="none",
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        font={"family": "system-ui, sans-serif", "size": 14, "color": INK},
        margin={"l": 8, "r": 24, "t": 8, "b": 8},
        showlegend=False,
        bargap=0.35,
        hoverlabel={"font": {"size": 13}},
    )
    plot.update_xaxes(gridcolor=_GRID, zerolinecolor=_GRID, automargin=True, title_standoff=12)
    for update in (plot.update_xaxes, plot.update_yaxes):
        update(exponentformat="none", separatethousands=True)
    plot.update_xaxes(rangemode="tozero", autorangeoptions={"clipmin": 0})
    plot.update_yaxes(gridcolor=_GRID, zerolinecolor=_GRID, automargin=True, title_standoff=12)
    return plot


def by_protocol(plot: Plot, protocols: Sequence[ProtocolSummary]) -> int:
    """The first protocol on top; the height that its bars need."""
    plot.update_yaxes(
        categoryorder="array", categoryarray=[protocol.name for protocol in reversed(protocols)], showgrid=False
    )
    plot.update_yaxes(ticklabelstandoff=8)
    return _AROUND + _BAR * max(2, len(protocols))


def whiskers(intervals: Iterable[Interval]) -> dict[str, Any]:
    """Plotly's error bars; none without an interval, or where it has no width."""
    lengths = np.array([_lengths(*interval) for interval in intervals], dtype=float).reshape(-1, 2)
    return {"type": "data", "symmetric": False, "arrayminus": lengths[:, 0], "array": lengths[:, 1]}


def in_unit(amount: float | None, unit: Unit) -> float | None:
    return None if amount is None else amount / unit.size


def _lengths(low: float | None, mean: float | None, high: float | None) -> tuple[float, float]:
    """Plotly takes a null for a whisker of no length, and draws its ends; it leaves out what is not a number."""
    if low is None or mean is None or high is None or low == high:
        return nan, nan
    return mean - low, high - mean

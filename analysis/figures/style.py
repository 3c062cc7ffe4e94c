"""Colours and layout of all figures, for light and dark pages and for all kinds of colour vision.

Neighbouring segments of a bar differ in lightness, so that they are also distinguishable in grey print.
"""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final, TypeAlias

import numpy as np
import plotly.graph_objects as go

from mobilesim.analysis.figures.figure import LegendEntry, Plot
from mobilesim.analysis.summary.formatting import Unit
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import DELAY_PARTS

_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "2px,8px", "14px,8px")
_MARKS: Final = ("circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon")
_THIN: Final = 1.8
_STEP: Final = 0.5
_THICKER: Final = 1.5

INK: Final = "#0d0e0f"
"""A placeholder for the colour of text. The page replaces it with the colour of its light or dark theme."""

PROTOCOLS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933")
"""The colours of protocols on pages where colours mean nothing else."""
BESIDE_PARTS: Final = (INK, "#9d4edd", "#e0559f", "#b58bd6")
"""The colours of protocols on a page on which other colours mean delay parts, purposes of bytes and uses of energy."""

_GRID: Final = "rgba(128, 128, 128, 0.25)"
_AXIS: Final = {
    "gridcolor": _GRID,
    "zerolinecolor": _GRID,
    "automargin": True,
    "title_standoff": 10,
    "title_font_size": 13,
    "exponentformat": "none",
    "separatethousands": True,
}
_BAR_HEIGHT: Final = 34
_MARGINS: Final = 48
_TITLE: Final = 36
"""The maximum length of a line of an axis title, so that it fits a phone."""

Legend: TypeAlias = tuple[LegendEntry, ...]


def words(name: str) -> str:
    """Return the label of a delay part; for another name, return it with spaces instead of underscores."""
    return DELAY_PARTS[name].label if name in DELAY_PARTS else name.replace("_", " ")


def protocol_line(index: int, palette: Sequence[str] = PROTOCOLS) -> dict[str, Any]:
    """Return the line of a protocol. Dash patterns distinguish protocols of the same colour."""
    return {"color": palette[index % len(palette)], "dash": _DASHES[index % len(_DASHES)], "width": _THIN}


def protocol_mark(index: int) -> str:
    """Return Plotly's name of a protocol's marker, which distinguishes protocols without their colours."""
    return _MARKS[index % len(_MARKS)]


def legend_of(names: Sequence[str], palette: Sequence[str] = PROTOCOLS, *, lines: bool = True) -> Legend:
    """Return the legend of protocols. `lines`: whether lines join their markers."""
    entries = ((name, protocol_line(index, palette), protocol_mark(index)) for index, name in enumerate(names))
    return tuple(LegendEntry(name, line["color"], line["dash"] if lines else "", mark) for name, line, mark in entries)


def bar_legend(colours: Mapping[str, str]) -> Legend:
    return tuple(LegendEntry(name, colour) for name, colour in colours.items())


def layered_line(index: int, count: int) -> dict[str, Any]:
    """Return the style of a line. Lines that are drawn first are wider, so that they are visible below later lines."""
    above = count - 1 - index
    return {**protocol_line(index), "width": _THIN + above * min(_STEP, _THICKER / max(1, count - 1))}


def empty_plot() -> Plot:
    return styled(go.Figure())


def styled(plot: Plot) -> Plot:
    """Apply the common layout. The x axis begins at zero, and intervals are cut off there: no value is negative."""
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
    plot.update_xaxes(**_AXIS, rangemode="tozero", autorangeoptions={"clipmin": 0})
    return plot.update_yaxes(**_AXIS)


def axis_title(text: str) -> str:
    return "<br>".join(wrap(text, _TITLE))


def protocol_rows(plot: Plot, protocols: Sequence[ProtocolSummary]) -> int:
    """Put the first protocol on top, and return the required height."""
    names = [protocol.name for protocol in reversed(protocols)]
    plot.update_yaxes(categoryorder="array", categoryarray=names, showgrid=False, ticklabelstandoff=8)
    return _MARGINS + _BAR_HEIGHT * max(2, len(protocols))


def whiskers(intervals: Iterable[Sequence[float | None]]) -> dict[str, Any]:
    """Return Plotly's error bars. `intervals`: lower ends, means and upper ends.

    Without an interval, or with an interval of zero width, the length is NaN: for NaN, Plotly draws no error bar; for
    null, it draws an error bar of zero length.
    """
    low, mean, high = np.array(list(intervals), dtype=float).reshape(-1, 3).T
    shown = np.where(low == high, np.nan, mean)
    return {"type": "data", "symmetric": False, "arrayminus": shown - low, "array": high - shown}


def in_unit(amount: float | None, unit: Unit) -> float | None:
    return None if amount is None else amount / unit.size

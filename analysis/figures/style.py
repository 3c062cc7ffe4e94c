"""Colours and layout of all figures, for light and dark pages and for all kinds of colour vision.

Neighbouring segments of a bar differ in lightness, so that they are also distinguishable in grey print.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mobilesim.analysis.summary.formatting import Unit
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import DELAY_PARTS

_PROTOCOLS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933")
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "2px,8px", "14px,8px")
_THIN: Final = 2.5
_STEP: Final = 0.9
_THICKER: Final = 4.0

INK: Final = "#0d0e0f"
"""A placeholder for the colour of text. The page replaces it with the colour of its light or dark theme."""

_MARKS: Final = (("circle", "●"), ("square", "■"), ("diamond", "◆"), ("triangle-up", "▲"))
_GRID: Final = "rgba(128, 128, 128, 0.25)"
_AXIS: Final = {
    "gridcolor": _GRID,
    "zerolinecolor": _GRID,
    "automargin": True,
    "title_standoff": 12,
    "exponentformat": "none",
    "separatethousands": True,
}
_BAR_HEIGHT: Final = 46
_MARGINS: Final = 84
_PANEL_GAP: Final = 96

Plot: TypeAlias = Any
"""A Plotly figure or trace; the library has no types."""


@dataclass(frozen=True, slots=True)
class Figure:
    key: str
    title: str
    plot: Plot
    height: int
    legend: tuple[tuple[str, str], ...] = ()
    """The names and colours of the legend in HTML."""


def words(name: str) -> str:
    """Return the label of a delay part; for another name, return it with spaces instead of underscores."""
    return DELAY_PARTS[name].label if name in DELAY_PARTS else name.replace("_", " ")


def protocol_line(index: int) -> dict[str, str]:
    """Return the colour and the dash pattern of a protocol. Patterns distinguish protocols of the same colour."""
    return {"color": _PROTOCOLS[index % len(_PROTOCOLS)], "dash": _DASHES[index % len(_DASHES)]}


def protocol_mark(index: int) -> tuple[str, str]:
    """Return a marker, as Plotly's name and as a character. Markers distinguish protocols of the same colour."""
    return _MARKS[index // len(_PROTOCOLS) % len(_MARKS)]


def legend_of(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the names and colours of a legend. Names have markers if there are more protocols than colours."""
    marked = len(names) > len(_PROTOCOLS)
    labels = [f"{name} {protocol_mark(index)[1]}" if marked else name for index, name in enumerate(names)]
    return tuple((label, protocol_line(index)["color"]) for index, label in enumerate(labels))


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


def empty_panels(rows: int, protocols: Sequence[ProtocolSummary]) -> Plot:
    """Return a plot with an empty panel in each row. Each panel has room for a bar per protocol."""
    return styled(make_subplots(rows=rows, cols=1, vertical_spacing=_PANEL_GAP / (rows * _height(protocols))))


def protocol_rows(plot: Plot, protocols: Sequence[ProtocolSummary]) -> int:
    """Put the first protocol on top, and return the required height."""
    names = [protocol.name for protocol in reversed(protocols)]
    plot.update_yaxes(categoryorder="array", categoryarray=names, showgrid=False, ticklabelstandoff=8)
    return _height(protocols)


def _height(protocols: Sequence[ProtocolSummary]) -> int:
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

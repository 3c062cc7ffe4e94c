"""The delay: its parts, and its distribution."""

from collections.abc import Sequence
from math import log10
from typing import Any, Final

import plotly.graph_objects as go

from analysis.figures.plot_marks import Stack, stacked_bars
from analysis.figures.style import Figure, Plot, empty_plot, layered_line
from analysis.summary.formatting import TIME, duration
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import DELAY_PARTS

_DECADES: Final = [10**power for power in range(3, 15)]
_LEAST: Final = 1_000
"""A microsecond: a logarithmic axis has no zero."""

_MARGIN: Final = 0.08

_LEGEND: Final = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemwidth": 40}
_SHARE_AXIS: Final = {"title": "share of deliveries", "ticksuffix": " %", "range": [0, 101]}
_DELAY_AXIS: Final[dict[str, Any]] = {
    "title": "delay (logarithmic)",
    "type": "log",
    "rangemode": "normal",
    "autorangeoptions": None,
    "tickvals": _DECADES,
    "ticktext": [duration(value) for value in _DECADES],
}


def breakdown(protocols: Sequence[ProtocolSummary], parts: Sequence[str] = tuple(DELAY_PARTS)) -> Figure:
    shown = {part: DELAY_PARTS[part] for part in parts}
    stack = Stack("mean delay of a delivery ({unit})", shown, TIME, "delay")
    return stacked_bars("breakdown", "Where the time goes", protocols, [stack])


def distribution(protocols: Sequence[ProtocolSummary]) -> Figure:
    """Draw the empirical distribution function, from the exact percentiles."""
    plot = empty_plot()
    for index, protocol in enumerate(protocols):
        plot.add_trace(_curve(protocol, layered_line(index, len(protocols))))
    plot.update_layout(
        showlegend=True, legend=_LEGEND, yaxis=_SHARE_AXIS, xaxis={**_DELAY_AXIS, "range": _span(protocols)}
    )
    return Figure("distribution", "Distribution of delays", plot, 420)


def _span(protocols: Sequence[ProtocolSummary]) -> list[float] | None:
    """Return the range of the axis in powers of ten. The fastest hundredth, which may be far faster, is left out."""
    seen = [protocol["delay"].percentiles for protocol in protocols if protocol["delay"].percentiles]
    if not seen:
        return None
    first = min(max(percentiles[1], _LEAST) for percentiles in seen)
    last = max(max(percentiles[-1], _LEAST) for percentiles in seen)
    return [log10(first) - _MARGIN, log10(last) + _MARGIN]


def _curve(protocol: ProtocolSummary, line: dict[str, Any]) -> Plot:
    percentiles = protocol["delay"].percentiles
    return go.Scatter(
        x=[max(value, _LEAST) for value in percentiles],
        y=list(range(len(percentiles))),
        name=protocol.name,
        mode="lines",
        line={**line, "shape": "hv"},
        text=[duration(value) for value in percentiles],
        hovertemplate=f"{protocol.name}: %{{y}} % within %{{text}}<extra></extra>",
    )

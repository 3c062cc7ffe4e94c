"""Where the time goes, and how long a delivery may take."""

from collections.abc import Sequence
from typing import Final

import plotly.graph_objects as go

from analysis.figures.style import PARTS, Figure, by_protocol, empty_plot, in_unit, protocol_line, whiskers, words
from analysis.model import Protocol
from analysis.units import duration, share, spread, time_unit

_DECADES: Final = [10**power for power in range(3, 15)]
_LEAST: Final = 1_000
"""A microsecond: a logarithmic axis has no zero."""


def breakdown(protocols: Sequence[Protocol]) -> Figure:
    plot = empty_plot()
    names = [protocol.name for protocol in protocols]
    unit = time_unit(max((protocol["delay"].mean or 0 for protocol in protocols), default=0))
    for part in PARTS:
        estimates = [protocol[part] for protocol in protocols]
        plot.add_bar(
            y=names,
            x=[in_unit(estimate.mean, unit) for estimate in estimates],
            orientation="h",
            name=words(part),
            marker={"color": PARTS[part], "line": {"width": 0.5, "color": "white"}},
            customdata=[
                [spread(estimate, unit), share(protocol.share(part))]
                for estimate, protocol in zip(estimates, protocols, strict=True)
            ],
            hovertemplate=f"%{{y}}: {words(part)} %{{customdata[0]}} (%{{customdata[1]}})<extra></extra>",
        )
    totals = [protocol["delay"] for protocol in protocols]
    plot.add_scatter(
        y=names,
        x=[in_unit(total.mean, unit) for total in totals],
        mode="markers",
        marker={"size": 1, "opacity": 0},
        error_x=whiskers(totals, unit),
        customdata=[spread(total, unit) for total in totals],
        hovertemplate="%{y}: delay %{customdata}<extra></extra>",
    )
    plot.update_layout(barmode="stack", xaxis_title=f"mean delay of a delivery ({unit.name})")
    height = by_protocol(plot, protocols)
    legend = tuple((words(part), PARTS[part]) for part in PARTS)
    return Figure("breakdown", "Where the time goes", plot, height, legend)


def distribution(protocols: Sequence[Protocol]) -> Figure:
    """The share of deliveries that were made within a time, from the exact percentiles."""
    plot = empty_plot()
    for index, protocol in enumerate(protocols):
        percentiles = protocol["delay"].percentiles
        plot.add_trace(
            go.Scatter(
                x=[max(value, _LEAST) for value in percentiles],
                y=list(range(len(percentiles))),
                name=protocol.name,
                mode="lines",
                line={**protocol_line(index), "width": 2.5, "shape": "hv"},
                text=[duration(value) for value in percentiles],
                hovertemplate=f"{protocol.name}: %{{y}} % within %{{text}}<extra></extra>",
            )
        )
    plot.update_layout(
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemwidth": 40},
        yaxis={"title": "share of deliveries", "ticksuffix": " %", "range": [0, 101]},
        xaxis={
            "title": "delay (logarithmic)",
            "type": "log",
            "rangemode": "normal",
            "autorangeoptions": None,
            "tickvals": _DECADES,
            "ticktext": [duration(value) for value in _DECADES],
        },
    )
    return Figure("distribution", "How long a delivery may take", plot, 420)

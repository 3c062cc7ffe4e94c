"""Marks for each protocol: segments of a stacked bar, and means with their intervals."""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from analysis.figures.style import INK, Interval, Plot, in_unit, whiskers
from analysis.statistics.estimate import Estimate
from analysis.summary.formatting import Unit, show_estimate
from analysis.summary.model import ProtocolSummary

_WHISKER: Final = {"color": INK, "thickness": 2, "width": 6}


def bar_segments(
    protocols: Sequence[ProtocolSummary], metric: str, unit: Unit, colour: str, labels: Sequence[str]
) -> Plot:
    """Draw one segment of every protocol's bar; `labels` are the tooltips."""
    return go.Bar(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(protocol[metric].mean, unit) for protocol in protocols],
        orientation="h",
        marker={"color": colour, "line": {"width": 0.5, "color": "white"}},
        customdata=labels,
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )


def means(
    protocols: Sequence[ProtocolSummary], metric: str, unit: Unit, marker: dict[str, Any], labels: Sequence[str]
) -> Plot:
    estimates = [protocol[metric] for protocol in protocols]
    return go.Scatter(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(estimate.mean, unit) for estimate in estimates],
        mode="markers",
        marker=marker,
        error_x={**whiskers(_interval(estimate, unit) for estimate in estimates), **_WHISKER},
        customdata=labels,
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )


def _interval(estimate: Estimate, unit: Unit) -> Interval:
    return in_unit(estimate.low, unit), in_unit(estimate.mean, unit), in_unit(estimate.high, unit)


def totals(protocols: Sequence[ProtocolSummary], metric: str, unit: Unit, name: str) -> Plot:
    """Draw the interval at the end of a stacked bar."""
    labels = [f"{name} {show_estimate(protocol[metric], unit)}" for protocol in protocols]
    return means(protocols, metric, unit, {"size": 1, "opacity": 0}, labels)

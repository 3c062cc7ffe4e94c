"""What figures draw for each protocol: pieces of a stacked bar, and means with their intervals."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from analysis.figures.style import Plot, in_unit, whiskers
from analysis.model import Protocol
from analysis.units import Unit, spread


def pieces(protocols: Sequence[Protocol], metric: str, unit: Unit, colour: str, told: Sequence[str]) -> Plot:
    """One piece of every protocol's bar. What is told appears under the pointer."""
    return go.Bar(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(protocol[metric].mean, unit) for protocol in protocols],
        orientation="h",
        marker={"color": colour, "line": {"width": 0.5, "color": "white"}},
        customdata=told,
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )


def means(protocols: Sequence[Protocol], metric: str, unit: Unit, marker: dict[str, Any], told: Sequence[str]) -> Plot:
    estimates = [protocol[metric] for protocol in protocols]
    return go.Scatter(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(estimate.mean, unit) for estimate in estimates],
        mode="markers",
        marker=marker,
        error_x=whiskers(estimates, unit),
        customdata=told,
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )


def totals(protocols: Sequence[Protocol], metric: str, unit: Unit, name: str) -> Plot:
    """The interval at the end of a stacked bar."""
    told = [f"{name} {spread(protocol[metric], unit)}" for protocol in protocols]
    return means(protocols, metric, unit, {"size": 1, "opacity": 0}, told)

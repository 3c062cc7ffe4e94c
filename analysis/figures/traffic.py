"""What is carried for every message that arrives."""

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.style import PURPOSES, Figure, Plot, by_protocol, in_unit, styled, whiskers
from analysis.model import Protocol
from analysis.schemas import MEDIA
from analysis.units import Unit, size_unit, spread


def traffic(protocols: Sequence[Protocol]) -> Figure:
    """Wired above wireless, each on a scale of its own."""
    plot = styled(make_subplots(rows=2, cols=1, vertical_spacing=0.3))
    for row, medium in enumerate(MEDIA, 1):
        unit = size_unit(max((protocol[f"{medium}.total"].mean or 0 for protocol in protocols), default=0))
        for purpose in PURPOSES:
            plot.add_trace(_bars(protocols, medium, purpose, unit), row=row, col=1)
        plot.add_trace(_totals(protocols, medium, unit), row=row, col=1)
        plot.update_xaxes(title=f"{medium} ({unit.name} per delivery)", row=row, col=1)
    plot.update_layout(barmode="stack")
    legend = tuple((purpose, PURPOSES[purpose]) for purpose in PURPOSES)
    return Figure("traffic", "What is carried for every message", plot, 2 * by_protocol(plot, protocols), legend)


def _bars(protocols: Sequence[Protocol], medium: str, purpose: str, unit: Unit) -> Plot:
    estimates = [protocol[f"{medium}.{purpose}"] for protocol in protocols]
    return go.Bar(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(estimate.mean, unit) for estimate in estimates],
        orientation="h",
        name=purpose,
        marker={"color": PURPOSES[purpose], "line": {"width": 0.5, "color": "white"}},
        customdata=[spread(estimate, unit) for estimate in estimates],
        hovertemplate=f"%{{y}}: {purpose} %{{customdata}}<extra></extra>",
    )


def _totals(protocols: Sequence[Protocol], medium: str, unit: Unit) -> Plot:
    estimates = [protocol[f"{medium}.total"] for protocol in protocols]
    return go.Scatter(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(estimate.mean, unit) for estimate in estimates],
        mode="markers",
        marker={"size": 1, "opacity": 0},
        error_x=whiskers(estimates, unit),
        customdata=[spread(estimate, unit) for estimate in estimates],
        hovertemplate="%{y}: in all %{customdata}<extra></extra>",
    )

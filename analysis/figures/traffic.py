"""What is carried for every message that arrives."""

from collections.abc import Sequence

from plotly.subplots import make_subplots

from analysis.figures.style import PURPOSES, Figure, Plot, by_protocol, empty_plot, hover, in_unit, whiskers
from analysis.model import Protocol
from analysis.schemas import MEDIA, PACKET_PURPOSES
from analysis.units import Unit, size_unit


def traffic(protocols: Sequence[Protocol]) -> Figure:
    """Wired and wireless side by side, each on a scale of its own."""
    plot = make_subplots(rows=1, cols=2, shared_yaxes=True, horizontal_spacing=0.06, figure=empty_plot())
    for column, medium in enumerate(MEDIA, 1):
        unit = size_unit(max((protocol[f"{medium}.total"].mean or 0 for protocol in protocols), default=0))
        for purpose in PACKET_PURPOSES:
            _bars(plot, protocols, medium, purpose, unit, column)
        _totals(plot, protocols, medium, unit, column)
        plot.update_xaxes(title=f"{medium} ({unit.name} per delivery)", row=1, col=column)
    plot.update_layout(barmode="stack")
    legend = tuple((purpose, PURPOSES[purpose]) for purpose in PACKET_PURPOSES)
    return Figure("traffic", "What is carried for every message", plot, by_protocol(plot, protocols), legend)


def _bars(plot: Plot, protocols: Sequence[Protocol], medium: str, purpose: str, unit: Unit, column: int) -> None:
    estimates = [protocol[f"{medium}.{purpose}"] for protocol in protocols]
    plot.add_bar(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(estimate.mean, unit) for estimate in estimates],
        orientation="h",
        name=purpose,
        marker={"color": PURPOSES[purpose], "line": {"width": 0.5, "color": "white"}},
        customdata=[hover(estimate, unit) for estimate in estimates],
        hovertemplate=f"%{{y}}: {purpose} %{{customdata}}<extra></extra>",
        row=1,
        col=column,
    )


def _totals(plot: Plot, protocols: Sequence[Protocol], medium: str, unit: Unit, column: int) -> None:
    estimates = [protocol[f"{medium}.total"] for protocol in protocols]
    plot.add_scatter(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(estimate.mean, unit) for estimate in estimates],
        mode="markers",
        marker={"size": 1, "opacity": 0},
        error_x=whiskers(estimates, unit),
        customdata=[hover(estimate, unit) for estimate in estimates],
        hovertemplate="%{y}: in all %{customdata}<extra></extra>",
        row=1,
        col=column,
    )

"""How long messages were held although causality no longer asked for it."""

from collections.abc import Sequence

from analysis.figures.style import Figure, by_protocol, empty_plot, in_unit, protocol_line, whiskers
from analysis.model import Protocol
from analysis.units import share, spread, time_unit


def inhibition(protocols: Sequence[Protocol]) -> Figure:
    plot = empty_plot()
    estimates = [protocol["inhibition"] for protocol in protocols]
    unit = time_unit(max((estimate.high or estimate.mean or 0 for estimate in estimates), default=0))
    plot.add_scatter(
        y=[protocol.name for protocol in protocols],
        x=[in_unit(estimate.mean, unit) for estimate in estimates],
        mode="markers",
        cliponaxis=False,
        marker={"size": 12, "color": [protocol_line(index)["color"] for index in range(len(protocols))]},
        error_x=whiskers(estimates, unit),
        customdata=[
            [spread(estimate, unit), share(protocol["inhibited"].mean)]
            for estimate, protocol in zip(estimates, protocols, strict=True)
        ],
        hovertemplate="%{y}: %{customdata[0]}, %{customdata[1]} of deliveries<extra></extra>",
    )
    plot.update_layout(xaxis_title=f"mean inhibition of a delivery ({unit.name})")
    return Figure("inhibition", "Held without need", plot, by_protocol(plot, protocols))

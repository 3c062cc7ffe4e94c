"""What it takes to move a host's state from one station to the next."""

from collections.abc import Sequence

from analysis.figures.style import INK, Figure, by_protocol, empty_plot, in_unit, protocol_line, whiskers
from analysis.model import Protocol
from analysis.tidy import percentile
from analysis.units import spread, time_unit


def handoff_times(protocols: Sequence[Protocol]) -> Figure:
    """A dot for the mean, a diamond for the time within which 95 in 100 were over."""
    plot = empty_plot()
    seen = [protocol for protocol in protocols if protocol["move.time"].mean is not None]
    times = [protocol["move.time"] for protocol in seen]
    high = [percentile(time, 95) or 0 for time in times]
    unit = time_unit(max(high, default=0))
    names = [protocol.name for protocol in seen]
    plot.add_scatter(
        y=names,
        x=[amount / unit.size for amount in high],
        mode="markers",
        marker={"symbol": "diamond-open", "size": 11, "color": INK, "line": {"width": 2}},
        hovertemplate=f"%{{y}}: 95 % over within %{{x:.3g}} {unit.name}<extra></extra>",
    )
    plot.add_scatter(
        y=names,
        x=[in_unit(time.mean, unit) for time in times],
        mode="markers",
        marker={"size": 12, "color": [protocol_line(protocols.index(protocol))["color"] for protocol in seen]},
        error_x=whiskers(times, unit),
        customdata=[spread(time, unit) for time in times],
        hovertemplate="%{y}: mean %{customdata}<extra></extra>",
    )
    plot.update_layout(xaxis_title=f"from leaving a cell to the end of the hand-off ({unit.name})")
    return Figure("handoffs", "How long a hand-off takes", plot, by_protocol(plot, seen))

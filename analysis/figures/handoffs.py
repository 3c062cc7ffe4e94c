"""The time of a hand-off, and of its stages."""

from collections.abc import Sequence

import plotly.graph_objects as go

from analysis.figures.plot_marks import Stack, means, stacked_bars
from analysis.figures.style import INK, Figure, Plot, by_protocol, empty_plot, protocol_line
from analysis.summary.formatting import TIME, Unit, show_estimate, time_unit
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import HANDOFF_STAGES


def handoff_times(protocols: Sequence[ProtocolSummary]) -> Figure:
    """Draw a dot for the mean, and a diamond for the 95th percentile."""
    plot = empty_plot()
    seen = [protocol for protocol in protocols if protocol["move.time"].mean is not None]
    high = [protocol["move.time"].percentile(95) or 0 for protocol in seen]
    unit = time_unit(max(high, default=0))
    marker = {"size": 12, "color": [protocol_line(protocols.index(protocol))["color"] for protocol in seen]}
    labels = [f"mean {show_estimate(protocol['move.time'], unit)}" for protocol in seen]
    plot.add_trace(_diamonds(seen, high, unit))
    plot.add_trace(means(seen, "move.time", unit, marker, labels))
    plot.update_layout(xaxis_title=f"from leaving a cell to completion ({unit.name})")
    return Figure("handoffs", "Hand-off time", plot, by_protocol(plot, seen))


def stages(protocols: Sequence[ProtocolSummary]) -> Figure:
    seen = [protocol for protocol in protocols if protocol["move.time"].mean is not None]
    parts = {f"move.{name}": stage for name, stage in HANDOFF_STAGES.items()}
    stack = Stack("mean time from leaving a cell ({unit})", parts, TIME, "move.time")
    return stacked_bars("stages", "Stages of a hand-off", seen, [stack])


def _diamonds(protocols: Sequence[ProtocolSummary], amounts: Sequence[int], unit: Unit) -> Plot:
    return go.Scatter(
        y=[protocol.name for protocol in protocols],
        x=[amount / unit.size for amount in amounts],
        mode="markers",
        marker={"symbol": "diamond-open", "size": 11, "color": INK, "line": {"width": 2}},
        hovertemplate=f"%{{y}}: p95 %{{x:.3g}} {unit.name}<extra></extra>",
    )

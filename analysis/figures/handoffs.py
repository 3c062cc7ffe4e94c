"""The time of a hand-off, and of its stages."""

from collections.abc import Sequence
from typing import Final

import plotly.graph_objects as go

from analysis.figures.plot_marks import bar_segments, means, totals
from analysis.figures.style import INK, Figure, Plot, by_protocol, empty_plot, protocol_line
from analysis.summary.formatting import Unit, show_estimate, time_unit
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import HANDOFF_STAGES

_LEGEND: Final = tuple((stage.label, stage.colour) for stage in HANDOFF_STAGES.values())


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
    plot = empty_plot()
    seen = [protocol for protocol in protocols if protocol["move.time"].mean is not None]
    unit = time_unit(max((protocol["move.time"].mean or 0 for protocol in seen), default=0))
    for stage in HANDOFF_STAGES:
        plot.add_trace(_stage(seen, stage, unit))
    plot.add_trace(totals(seen, "move.time", unit, "total"))
    plot.update_layout(barmode="stack", xaxis_title=f"mean time from leaving a cell ({unit.name})")
    return Figure("stages", "Stages of a hand-off", plot, by_protocol(plot, seen), _LEGEND)


def _stage(protocols: Sequence[ProtocolSummary], stage: str, unit: Unit) -> Plot:
    name, colour = HANDOFF_STAGES[stage].label, HANDOFF_STAGES[stage].colour
    labels = [f"{name} {show_estimate(protocol[f'move.{stage}'], unit)}" for protocol in protocols]
    return bar_segments(protocols, f"move.{stage}", unit, colour, labels).update(name=name)


def _diamonds(protocols: Sequence[ProtocolSummary], amounts: Sequence[int], unit: Unit) -> Plot:
    return go.Scatter(
        y=[protocol.name for protocol in protocols],
        x=[amount / unit.size for amount in amounts],
        mode="markers",
        marker={"symbol": "diamond-open", "size": 11, "color": INK, "line": {"width": 2}},
        hovertemplate=f"%{{y}}: p95 %{{x:.3g}} {unit.name}<extra></extra>",
    )

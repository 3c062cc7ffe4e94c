"""Marks for each protocol: stacked bars, and means with their intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

from analysis.figures.style import INK, Figure, Plot, empty_panels, in_unit, protocol_rows, whiskers
from analysis.summary.formatting import Scale, Unit, share, show_estimate
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import Quantity

_WHISKER: Final = {"color": INK, "thickness": 2, "width": 6}

Protocols = Sequence[ProtocolSummary]


@dataclass(frozen=True, slots=True)
class Stack:
    """A panel of stacked bars.

    `axis`: its title, with a place for the unit. `parts`: by metric. `total`: the metric that the parts add up to, ''
    if there is none.
    """

    axis: str
    parts: Mapping[str, Quantity]
    scale: Scale
    total: str = ""

    def height(self, protocol: ProtocolSummary) -> float:
        return protocol[self.total].mean or 0 if self.total else sum(protocol[part].mean or 0 for part in self.parts)


def stacked_bars(key: str, title: str, protocols: Protocols, stacks: Sequence[Stack]) -> Figure:
    """Return a figure with panels one below the other, each on its own scale; a bar is a protocol."""
    rows = max(1, len(stacks))
    plot = empty_panels(rows, protocols)
    for row, stack in enumerate(stacks, 1):
        unit = stack.scale.unit(max(map(stack.height, protocols), default=0))
        for metric, part in stack.parts.items():
            plot.add_trace(_segment(protocols, metric, part, stack.total, unit), row=row, col=1)
        if stack.total:
            labels = [f"total {show_estimate(protocol[stack.total], unit)}" for protocol in protocols]
            hidden = {"size": 1, "opacity": 0}
            plot.add_trace(means(protocols, stack.total, unit, hidden, labels), row=row, col=1)
        plot.update_xaxes(title=stack.axis.format(unit=unit.name), row=row, col=1)
    plot.update_layout(barmode="stack")
    legend = dict.fromkeys((part.label, part.colour) for stack in stacks for part in stack.parts.values())
    return Figure(key, title, plot, rows * protocol_rows(plot, protocols), tuple(legend))


def _segment(protocols: Protocols, metric: str, part: Quantity, total: str, unit: Unit) -> Plot:
    return go.Bar(
        name=part.label,
        y=[protocol.name for protocol in protocols],
        x=[in_unit(protocol[metric].mean, unit) for protocol in protocols],
        orientation="h",
        marker={"color": part.colour, "line": {"width": 0.5, "color": "white"}},
        customdata=[
            f"{part.label} {show_estimate(each[metric], unit)}{_share(each, metric, total)}" for each in protocols
        ],
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )


def _share(protocol: ProtocolSummary, metric: str, total: str) -> str:
    mean, whole = protocol[metric].mean, protocol[total].mean if total else None
    return f" ({share(mean / whole)})" if mean is not None and whole else ""


def means(protocols: Protocols, metric: str, unit: Unit, marker: dict[str, Any], labels: Sequence[str]) -> Plot:
    """Draw means with their intervals; `labels` are the tooltips."""
    estimates = [protocol[metric] for protocol in protocols]
    intervals = [[in_unit(end, unit) for end in (each.low, each.mean, each.high)] for each in estimates]
    return go.Scatter(
        y=[protocol.name for protocol in protocols],
        x=[mean for _, mean, _ in intervals],
        mode="markers",
        marker=marker,
        error_x={**whiskers(intervals), **_WHISKER},
        customdata=labels,
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )

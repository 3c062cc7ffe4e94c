"""The figures of a run: bars, dots or a curve for each protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any, Final

import plotly.graph_objects as go

from mobilesim.analysis.figures.style import (
    INK,
    Figure,
    Plot,
    empty_panels,
    empty_plot,
    in_unit,
    layered_line,
    protocol_line,
    protocol_rows,
    whiskers,
)
from mobilesim.analysis.summary.formatting import ENERGY, SIZE, TIME, Scale, Unit, duration, share, show_estimate
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, ENERGY_USES, HANDOFF_STAGES, MEDIA, Quantity

Protocols = Sequence[ProtocolSummary]

_WHISKER: Final = {"color": INK, "thickness": 2, "width": 6}
_DECADES: Final = [10**power for power in range(3, 15)]
_MIN_DELAY: Final = 1_000
"""The lowest delay that is drawn, a microsecond: a logarithmic axis has no zero."""

_MARGIN: Final = 0.08
_LEGEND: Final = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemwidth": 40}
_SHARE_AXIS: Final = {"title": "share of deliveries", "ticksuffix": " %", "range": [0, 101]}
_DELAY_AXIS: Final[dict[str, Any]] = {
    "title": "delay (logarithmic)",
    "type": "log",
    "rangemode": "normal",
    "autorangeoptions": None,
    "tickvals": _DECADES,
    "ticktext": [duration(value) for value in _DECADES],
}


@dataclass(frozen=True, slots=True)
class _Stack:
    """A panel of stacked bars.

    `axis`: the title, with a placeholder for the unit. `parts`: the segments of a bar, by metric. `total`: the metric
    that is the sum of the parts, or ''.
    """

    axis: str
    parts: Mapping[str, Quantity]
    scale: Scale
    total: str = ""

    def height(self, protocol: ProtocolSummary) -> float:
        return protocol[self.total].mean or 0 if self.total else sum(protocol[part].mean or 0 for part in self.parts)


def breakdown(protocols: Protocols, parts: Sequence[str] = tuple(DELAY_PARTS)) -> Figure:
    shown = {part: DELAY_PARTS[part] for part in parts}
    stack = _Stack("mean delay of a delivery ({unit})", shown, TIME, "delay")
    return _stacked_bars("breakdown", "Where the time goes", protocols, [stack])


def distribution(protocols: Protocols) -> Figure:
    """Draw the empirical distribution function, from the exact percentiles."""
    plot = empty_plot()
    seen = [protocol["delay"].percentiles for protocol in protocols if protocol["delay"].percentiles]
    for index, protocol in enumerate(protocols):
        percentiles = protocol["delay"].percentiles
        plot.add_trace(
            go.Scatter(
                x=[max(value, _MIN_DELAY) for value in percentiles],
                y=list(range(len(percentiles))),
                name=protocol.name,
                mode="lines",
                line={**layered_line(index, len(protocols)), "shape": "hv"},
                text=[duration(value) for value in percentiles],
                hovertemplate=f"{protocol.name}: %{{y}} % within %{{text}}<extra></extra>",
            )
        )
    # The range is given in powers of ten. The fastest 1 % is left out, because it may be much faster than the rest.
    first = max(min((percentiles[1] for percentiles in seen), default=_MIN_DELAY), _MIN_DELAY)
    last = max(max((percentiles[-1] for percentiles in seen), default=_MIN_DELAY), _MIN_DELAY)
    span = [log10(first) - _MARGIN, log10(last) + _MARGIN] if seen else None
    plot.update_layout(showlegend=True, legend=_LEGEND, yaxis=_SHARE_AXIS, xaxis={**_DELAY_AXIS, "range": span})
    return Figure("distribution", "Distribution of delays", plot, 420)


def traffic(protocols: Protocols) -> Figure:
    """Draw the bytes of wired links above those of wireless links. Media and purposes without bytes are left out."""
    carried = [(medium, name) for medium in MEDIA for name in BYTE_PURPOSES if _any(protocols, f"{medium}.{name}")]
    used = [name for name in BYTE_PURPOSES if any(name == other for _, other in carried)]
    stacks = [
        _Stack(
            f"{medium} ({{unit}} per delivery)",
            {f"{medium}.{name}": BYTE_PURPOSES[name] for name in used},
            SIZE,
            f"{medium}.total",
        )
        for medium in dict(carried)
    ]
    return _stacked_bars("traffic", "Bytes per delivery", protocols, stacks)


def energy(protocols: Protocols) -> Figure:
    """Draw the total energy and, on a separate scale, the energy of frames, which is a small part of the total."""
    used = {f"energy.{name}": use for name, use in ENERGY_USES.items() if _any(protocols, f"energy.{name}")}
    frames = {metric: use for metric, use in used.items() if use.name in BYTE_PURPOSES}
    stacks = [_Stack("total ({unit} per delivery)", used, ENERGY, "host.energy")]
    if frames and frames != used:
        stacks.append(_Stack("sending and receiving ({unit} per delivery)", frames, ENERGY))
    return _stacked_bars("energy", "Energy per delivery", protocols, stacks)


def _any(protocols: Protocols, metric: str) -> bool:
    return any(protocol[metric].mean for protocol in protocols)


def handoff_times(protocols: Protocols) -> Figure:
    """Draw a dot for the mean time of a hand-off, and a diamond for the 95th percentile."""
    plot, seen = empty_plot(), _with_handoffs(protocols)
    high = [protocol["move.time"].percentile(95) or 0 for protocol in seen]
    unit = TIME.unit(max(high, default=0))
    diamonds = go.Scatter(
        y=[protocol.name for protocol in seen],
        x=[amount / unit.size for amount in high],
        mode="markers",
        marker={"symbol": "diamond-open", "size": 11, "color": INK, "line": {"width": 2}},
        hovertemplate=f"%{{y}}: p95 %{{x:.3g}} {unit.name}<extra></extra>",
    )
    labels = [f"mean {show_estimate(protocol['move.time'], unit)}" for protocol in seen]
    plot.add_traces([diamonds, _dots(protocols, seen, "move.time", unit, labels)])
    plot.update_layout(xaxis_title=f"from leaving a cell to completion ({unit.name})")
    return Figure("handoffs", "Hand-off time", plot, protocol_rows(plot, seen))


def stages(protocols: Protocols) -> Figure:
    parts = {f"move.{name}": stage for name, stage in HANDOFF_STAGES.items()}
    stack = _Stack("mean time from leaving a cell ({unit})", parts, TIME, "move.time")
    return _stacked_bars("stages", "Stages of a hand-off", _with_handoffs(protocols), [stack])


def _with_handoffs(protocols: Protocols) -> Protocols:
    return [protocol for protocol in protocols if protocol["move.time"].mean is not None]


def inhibition(protocols: Protocols) -> Figure:
    """Draw the unnecessary delay that each protocol adds."""
    plot = empty_plot()
    estimates = [protocol["inhibition"] for protocol in protocols]
    unit = TIME.unit(max((estimate.high or estimate.mean or 0 for estimate in estimates), default=0))
    labels = [
        f"{show_estimate(protocol['inhibition'], unit)}, {share(protocol['inhibited'].mean)} of deliveries"
        for protocol in protocols
    ]
    plot.add_trace(_dots(protocols, protocols, "inhibition", unit, labels).update(cliponaxis=False))
    plot.update_layout(xaxis_title=f"mean inhibition per delivery ({unit.name})")
    return Figure("inhibition", "Unnecessary delay", plot, protocol_rows(plot, protocols))


def _dots(protocols: Protocols, seen: Protocols, metric: str, unit: Unit, labels: Sequence[str]) -> Plot:
    """Return the means of the protocols `seen`, in the colours that they have in `protocols`."""
    colours = [protocol_line(protocols.index(protocol))["color"] for protocol in seen]
    return _means(seen, metric, unit, {"size": 12, "color": colours}, labels)


def _stacked_bars(key: str, title: str, protocols: Protocols, stacks: Sequence[_Stack]) -> Figure:
    """Return a figure with a panel for each stack, on separate scales. Each panel has a bar for each protocol."""
    rows = max(1, len(stacks))
    plot = empty_panels(rows, protocols)
    for row, stack in enumerate(stacks, 1):
        unit = stack.scale.unit(max(map(stack.height, protocols), default=0))
        for metric, part in stack.parts.items():
            plot.add_trace(_segment(protocols, metric, part, stack.total, unit), row=row, col=1)
        if stack.total:
            labels = [f"total {show_estimate(protocol[stack.total], unit)}" for protocol in protocols]
            hidden = {"size": 1, "opacity": 0}
            plot.add_trace(_means(protocols, stack.total, unit, hidden, labels), row=row, col=1)
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


def _means(protocols: Protocols, metric: str, unit: Unit, marker: dict[str, Any], labels: Sequence[str]) -> Plot:
    """Return a trace of means with their intervals. `labels`: the tooltips."""
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

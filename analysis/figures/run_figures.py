"""The figures of a run: bars, dots or a curve for each protocol."""

from collections.abc import Sequence
from math import log10
from typing import Any, Final

import plotly.graph_objects as go

from analysis.figures.plot_marks import Protocols, Stack, means, stacked_bars
from analysis.figures.style import INK, Figure, Plot, empty_plot, layered_line, protocol_line, protocol_rows
from analysis.summary.formatting import ENERGY, SIZE, TIME, Unit, duration, share, show_estimate
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, ENERGY_USES, HANDOFF_STAGES, MEDIA

_DECADES: Final = [10**power for power in range(3, 15)]
_LEAST: Final = 1_000
"""A microsecond: a logarithmic axis has no zero."""

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


def breakdown(protocols: Protocols, parts: Sequence[str] = tuple(DELAY_PARTS)) -> Figure:
    shown = {part: DELAY_PARTS[part] for part in parts}
    stack = Stack("mean delay of a delivery ({unit})", shown, TIME, "delay")
    return stacked_bars("breakdown", "Where the time goes", protocols, [stack])


def distribution(protocols: Protocols) -> Figure:
    """Draw the empirical distribution function, from the exact percentiles."""
    plot = empty_plot()
    seen = [protocol["delay"].percentiles for protocol in protocols if protocol["delay"].percentiles]
    for index, protocol in enumerate(protocols):
        percentiles = protocol["delay"].percentiles
        plot.add_trace(
            go.Scatter(
                x=[max(value, _LEAST) for value in percentiles],
                y=list(range(len(percentiles))),
                name=protocol.name,
                mode="lines",
                line={**layered_line(index, len(protocols)), "shape": "hv"},
                text=[duration(value) for value in percentiles],
                hovertemplate=f"{protocol.name}: %{{y}} % within %{{text}}<extra></extra>",
            )
        )
    axis = {**_DELAY_AXIS, "range": _span(seen) if seen else None}
    plot.update_layout(showlegend=True, legend=_LEGEND, yaxis=_SHARE_AXIS, xaxis=axis)
    return Figure("distribution", "Distribution of delays", plot, 420)


def _span(seen: Sequence[Sequence[int]]) -> list[float]:
    """Return the range of the axis in powers of ten. The fastest hundredth, which may be far faster, is left out."""
    first = min(max(percentiles[1], _LEAST) for percentiles in seen)
    last = max(max(percentiles[-1], _LEAST) for percentiles in seen)
    return [log10(first) - _MARGIN, log10(last) + _MARGIN]


def traffic(protocols: Protocols) -> Figure:
    """Draw wired above wireless links, each on its own scale; media and purposes without bytes are left out."""
    carried = [(medium, name) for medium in MEDIA for name in BYTE_PURPOSES if _any(protocols, f"{medium}.{name}")]
    used = [name for name in BYTE_PURPOSES if any(name == other for _, other in carried)]
    stacks = [
        Stack(
            f"{medium} ({{unit}} per delivery)",
            {f"{medium}.{name}": BYTE_PURPOSES[name] for name in used},
            SIZE,
            f"{medium}.total",
        )
        for medium in dict(carried)
    ]
    return stacked_bars("traffic", "Bytes per delivery", protocols, stacks)


def energy(protocols: Protocols) -> Figure:
    """Draw the total and, on its own scale, the energy of frames: next to idle listening it would be invisible."""
    used = {f"energy.{name}": use for name, use in ENERGY_USES.items() if _any(protocols, f"energy.{name}")}
    frames = {metric: use for metric, use in used.items() if use.name in BYTE_PURPOSES}
    stacks = [Stack("total ({unit} per delivery)", used, ENERGY, "host.energy")]
    if frames and frames != used:
        stacks.append(Stack("sending and receiving ({unit} per delivery)", frames, ENERGY))
    return stacked_bars("energy", "Energy per delivery", protocols, stacks)


def _any(protocols: Protocols, metric: str) -> bool:
    return any(protocol[metric].mean for protocol in protocols)


def handoff_times(protocols: Protocols) -> Figure:
    """Draw a dot for the mean, and a diamond for the 95th percentile."""
    plot, seen = empty_plot(), _with_handoffs(protocols)
    high = [protocol["move.time"].percentile(95) or 0 for protocol in seen]
    unit = TIME.unit(max(high, default=0))
    labels = [f"mean {show_estimate(protocol['move.time'], unit)}" for protocol in seen]
    plot.add_trace(
        go.Scatter(
            y=[protocol.name for protocol in seen],
            x=[amount / unit.size for amount in high],
            mode="markers",
            marker={"symbol": "diamond-open", "size": 11, "color": INK, "line": {"width": 2}},
            hovertemplate=f"%{{y}}: p95 %{{x:.3g}} {unit.name}<extra></extra>",
        )
    )
    plot.add_trace(_dots(protocols, seen, "move.time", unit, labels))
    plot.update_layout(xaxis_title=f"from leaving a cell to completion ({unit.name})")
    return Figure("handoffs", "Hand-off time", plot, protocol_rows(plot, seen))


def stages(protocols: Protocols) -> Figure:
    parts = {f"move.{name}": stage for name, stage in HANDOFF_STAGES.items()}
    stack = Stack("mean time from leaving a cell ({unit})", parts, TIME, "move.time")
    return stacked_bars("stages", "Stages of a hand-off", _with_handoffs(protocols), [stack])


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
    """Draw the means of those that are `seen`, each in the colour of its protocol."""
    colours = [protocol_line(protocols.index(protocol))["color"] for protocol in seen]
    return means(seen, metric, unit, {"size": 12, "color": colours}, labels)

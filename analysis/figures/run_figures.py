"""The figures of a run: bars, dots or a curve for each protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log10
from typing import Any, Final

import plotly.graph_objects as go

from mobilesim.analysis.figures.figure import Figure, LegendEntry, Plot
from mobilesim.analysis.figures.style import (
    BESIDE_PARTS,
    INK,
    Legend,
    bar_legend,
    empty_plot,
    in_unit,
    legend_of,
    protocol_line,
    protocol_rows,
    whiskers,
)
from mobilesim.analysis.statistics.percentiles import MILLION
from mobilesim.analysis.summary.formatting import ENERGY, SIZE, TIME, Scale, Unit, duration, share, show_estimate
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, ENERGY_USES, HANDOFF_STAGES, MEDIA, Quantity

Protocols = Sequence[ProtocolSummary]

_WHISKER: Final = {"color": INK, "thickness": 2, "width": 6}
_DECADES: Final = [10**power for power in range(3, 15)]
_MIN_DELAY: Final = 1_000
"""The lowest delay that is drawn, a microsecond: a logarithmic axis has no zero."""

_MARGIN: Final = 0.08
_HEIGHT: Final = 340
_MIN_LABEL: Final = 11
"""The font size of labels in bars. A label that does not fit is hidden."""

_LOGARITHMIC: Final[dict[str, Any]] = {"type": "log", "rangemode": "normal", "autorangeoptions": None}
_DELAY_AXIS: Final[dict[str, Any]] = {
    **_LOGARITHMIC,
    "title": {"text": "delay", "font": {"size": 13}},
    "tickvals": _DECADES,
    "ticktext": [duration(value) for value in _DECADES],
    "tickangle": 0,
}


def breakdown(protocols: Protocols, parts: Sequence[str] = tuple(DELAY_PARTS)) -> Figure:
    shown = {part: DELAY_PARTS[part] for part in parts}
    return _stacked_bars("breakdown", "mean delay of a delivery", protocols, shown, TIME, total="delay")


def distribution(protocols: Protocols) -> tuple[Figure, ...]:
    """Draw the empirical distribution function, and the share of deliveries with a longer delay up to the maximum."""
    seen = [protocol["delay"].percentiles for protocol in protocols if protocol["delay"].percentiles]
    # The fastest 1 % is left out, because it may be much faster than the rest.
    first = max(min((percentiles[1] for percentiles in seen), default=_MIN_DELAY), _MIN_DELAY)
    last = max(max((percentiles[-1] for percentiles in seen), default=_MIN_DELAY), _MIN_DELAY)
    across = {**_DELAY_AXIS, "range": [log10(first) - _MARGIN, log10(last) + _MARGIN] if seen else None}
    below, above = empty_plot(), empty_plot()
    for index, protocol in enumerate(protocols):
        known = protocol["delay"].quantiles
        delays = [max(quantile, _MIN_DELAY) for _, quantile in known]
        line = protocol_line(index, BESIDE_PARTS)
        at_most = [100 * share / MILLION for share, _ in known]
        below.add_trace(_curve(protocol.name, delays, at_most, line, "within"))
        # No delivery has a longer delay than the maximum, and a logarithmic axis has no zero: the curve ends at one.
        one = 100 / max(1, protocol.deliveries)
        above.add_trace(_curve(protocol.name, delays, [max(100 - each, one) for each in at_most], line, "after"))
    below.update_layout(xaxis=across, yaxis={"ticksuffix": " %", "range": [0, 101]})
    least = min((100 / max(1, protocol.deliveries) for protocol in protocols), default=1)
    above.update_layout(
        xaxis=across, yaxis={**_LOGARITHMIC, "ticksuffix": " %", "dtick": 1, "range": [log10(least) - _MARGIN, 2.05]}
    )
    x, y = "delay (ns)", "share of deliveries (%)"
    return (
        Figure("distribution", "deliveries with at most this delay", below, _HEIGHT, x=x, y=y),
        Figure("tail", "deliveries with a longer delay, logarithmic", above, _HEIGHT, x=x, y=y),
    )


def distribution_legend(protocols: Protocols) -> Legend:
    entries = legend_of([protocol.name for protocol in protocols], BESIDE_PARTS)
    return tuple(replace(entry, mark="") for entry in entries)


def _curve(name: str, delays: Sequence[int], shares: Sequence[float], line: dict[str, Any], kind: str) -> Plot:
    return go.Scatter(
        x=delays,
        y=shares,
        name=name,
        mode="lines",
        line=line,
        text=[duration(value) for value in delays],
        hovertemplate=f"{name}: %{{y:.4~g}} % {kind} %{{text}}<extra></extra>",
    )


def traffic(protocols: Protocols) -> tuple[Figure, ...]:
    """Draw the bytes of wired and of wireless links in one unit. Media and purposes without bytes are left out."""
    carried = [(medium, name) for medium in MEDIA for name in BYTE_PURPOSES if _any(protocols, f"{medium}.{name}")]
    used = [name for name in BYTE_PURPOSES if any(name == other for _, other in carried)]
    largest = max((protocol[f"{medium}.total"].mean or 0 for protocol in protocols for medium in MEDIA), default=0)
    return tuple(
        _stacked_bars(
            medium,
            f"{medium} bytes per delivery" if len(dict(carried)) > 1 else "bytes per delivery",
            protocols,
            {f"{medium}.{name}": BYTE_PURPOSES[name] for name in used},
            SIZE,
            total=f"{medium}.total",
            largest=largest,
        )
        for medium in dict(carried)
    )


def energy(protocols: Protocols) -> tuple[Figure, ...]:
    """Draw the total energy and, on a separate scale, the energy of frames, which is a small part of the total."""
    used = {f"energy.{name}": use for name, use in ENERGY_USES.items() if _any(protocols, f"energy.{name}")}
    frames = {metric: use for metric, use in used.items() if use.name in BYTE_PURPOSES}
    total = _stacked_bars("energy", "energy per delivery", protocols, used, ENERGY, total="host.energy")
    if not frames or frames == used:
        return (total,)
    title = "energy for sending and receiving, per delivery"
    return total, _stacked_bars("frames", title, protocols, frames, ENERGY)


def _any(protocols: Protocols, metric: str) -> bool:
    return any(protocol[metric].mean for protocol in protocols)


def handoff_times(protocols: Protocols) -> Figure:
    """Draw a dot for the mean time of a hand-off, and a diamond for the 95th percentile."""
    plot, seen = empty_plot(), _with_handoffs(protocols)
    high = [protocol["move.time"].percentile(95) or 0 for protocol in seen]
    unit = TIME.unit(max(high, default=0))
    diamonds = go.Scatter(
        name="p95",
        y=[protocol.name for protocol in seen],
        x=[amount / unit.size for amount in high],
        mode="markers",
        marker={"symbol": "diamond", "size": 11, "color": INK},
        hovertemplate=f"%{{y}}: p95 %{{x:.3g}} {unit.name}<extra></extra>",
        cliponaxis=False,
    )
    labels = [f"mean {show_estimate(protocol['move.time'], unit)}" for protocol in seen]
    plot.add_traces([diamonds, _means(seen, "move.time", unit, labels, name="mean", marker={"size": 11, "color": INK})])
    title = f"time from leaving a cell to completion ({unit.name})"
    legend = (LegendEntry("mean", INK, mark="circle"), LegendEntry("p95", INK, mark="diamond"))
    return Figure("handoffs", title, plot, protocol_rows(plot, seen), legend, x=f"time ({unit.name})", y="protocol")


def stages(protocols: Protocols) -> Figure:
    parts = {f"move.{name}": stage for name, stage in HANDOFF_STAGES.items()}
    title = "mean time from leaving a cell"
    return _stacked_bars("stages", title, _with_handoffs(protocols), parts, TIME, total="move.time")


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
    marker = {"size": 11, "color": DELAY_PARTS["inhibition"].colour}
    plot.add_trace(_means(protocols, "inhibition", unit, labels, name="inhibition", marker=marker))
    title = f"mean inhibition per delivery ({unit.name})"
    return Figure("inhibition", title, plot, protocol_rows(plot, protocols), x=title, y="protocol")


def _stacked_bars(
    key: str,
    title: str,
    protocols: Protocols,
    parts: Mapping[str, Quantity],
    scale: Scale,
    *,
    total: str = "",
    largest: float = 0.0,
) -> Figure:
    """Return a bar for each protocol. `parts`: its segments by metric. `total`: the metric that is their sum, or ''.

    `largest`: an amount for which the unit is suitable, if another figure has larger bars.
    """
    sums = (sum(protocol[part].mean or 0 for part in parts) for protocol in protocols)
    unit = scale.unit(max(largest, *sums) if protocols else 0)
    plot = empty_plot()
    plot.add_traces([_segment(protocols, metric, part, total, unit) for metric, part in parts.items()])
    if total:
        labels = [f"total {show_estimate(protocol[total], unit)}" for protocol in protocols]
        hidden = {"size": 1, "opacity": 0}
        plot.add_trace(_means(protocols, total, unit, labels, name="total", marker=hidden, showlegend=False))
    plot.update_layout(barmode="stack", uniformtext={"mode": "hide", "minsize": _MIN_LABEL})
    legend = bar_legend({part.label: part.colour for part in parts.values()})
    name = f"{title} ({unit.name})"
    return Figure(key, name, plot, protocol_rows(plot, protocols), legend, x=name, y="protocol")


def _segment(protocols: Protocols, metric: str, part: Quantity, total: str, unit: Unit) -> Plot:
    return go.Bar(
        name=part.label,
        y=[protocol.name for protocol in protocols],
        x=[in_unit(protocol[metric].mean, unit) for protocol in protocols],
        orientation="h",
        marker={"color": part.colour, "line": {"width": 0.5, "color": "white"}},
        text=part.label,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        customdata=[
            f"{part.label} {show_estimate(each[metric], unit)}{_share(each, metric, total)}" for each in protocols
        ],
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )


def _share(protocol: ProtocolSummary, metric: str, total: str) -> str:
    mean, whole = protocol[metric].mean, protocol[total].mean if total else None
    return f" ({share(mean / whole)})" if mean is not None and whole else ""


def _means(protocols: Protocols, metric: str, unit: Unit, labels: Sequence[str], **look: Any) -> Plot:  # noqa: ANN401
    """Return a trace of means with their intervals. `labels`: the tooltips. `look`: attributes of the trace."""
    estimates = [protocol[metric] for protocol in protocols]
    intervals = [[in_unit(end, unit) for end in (each.low, each.mean, each.high)] for each in estimates]
    return go.Scatter(
        y=[protocol.name for protocol in protocols],
        x=[mean for _, mean, _ in intervals],
        mode="markers",
        error_x={**whiskers(intervals), **_WHISKER},
        customdata=labels,
        hovertemplate="%{y}: %{customdata}<extra></extra>",
        cliponaxis=False,
        **look,
    )

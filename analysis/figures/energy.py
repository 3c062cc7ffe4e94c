"""The energy that the radios of all hosts consume, per delivery."""

from collections.abc import Sequence
from typing import Final

from analysis.figures.plot_marks import bar_segments, totals
from analysis.figures.style import Figure, Plot, by_protocol, empty_panels
from analysis.summary.formatting import Unit, energy_unit, show_estimate
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import BYTE_PURPOSES, ENERGY_USES

_TOTAL: Final = "total"
_FRAMES: Final = "sending and receiving"


def energy(protocols: Sequence[ProtocolSummary]) -> Figure:
    """Draw the total and, on its own scale, the energy of frames: next to idle listening it would be invisible."""
    parts = [part for part in ENERGY_USES if any(protocol[f"energy.{part}"].mean for protocol in protocols)]
    frames = [part for part in parts if part in BYTE_PURPOSES]
    panels = {_TOTAL: parts, _FRAMES: frames} if frames and frames != parts else {_TOTAL: parts}
    plot = empty_panels(len(panels), protocols)
    for row, (name, shown) in enumerate(panels.items(), 1):
        unit = energy_unit(max((_sum(protocol, shown) for protocol in protocols), default=0))
        for part in shown:
            plot.add_trace(_bars(protocols, part, unit), row=row, col=1)
        if name == _TOTAL:
            plot.add_trace(totals(protocols, "host.energy", unit, _TOTAL), row=row, col=1)
        plot.update_xaxes(title=f"{name} ({unit.name} per delivery)", row=row, col=1)
    plot.update_layout(barmode="stack")
    legend = tuple((ENERGY_USES[part].label, ENERGY_USES[part].colour) for part in parts)
    height = len(panels) * by_protocol(plot, protocols)
    return Figure("energy", "Energy per delivery", plot, height, legend)


def _sum(protocol: ProtocolSummary, parts: Sequence[str]) -> float:
    return sum(protocol[f"energy.{part}"].mean or 0 for part in parts)


def _bars(protocols: Sequence[ProtocolSummary], part: str, unit: Unit) -> Plot:
    metric = f"energy.{part}"
    labels = [f"{ENERGY_USES[part].label} {show_estimate(protocol[metric], unit)}" for protocol in protocols]
    return bar_segments(protocols, metric, unit, ENERGY_USES[part].colour, labels).update(name=part)

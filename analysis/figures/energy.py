"""What the radios of all hosts spend for every message that arrives."""

from collections.abc import Sequence
from typing import Final

from plotly.subplots import make_subplots

from analysis.figures.plot_marks import pieces, totals
from analysis.figures.style import Figure, Plot, by_protocol, styled, words
from analysis.summary.formatting import Unit, energy_unit, show_estimate
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import BYTE_PURPOSES, ENERGY_USES

_WHOLE: Final = "in all"
_FRAMES: Final = "of sending and receiving"


def energy(protocols: Sequence[ProtocolSummary]) -> Figure:
    """All of it, and below what was for bytes, on a scale of its own: beside idling it could not be seen."""
    parts = [part for part in ENERGY_USES if any(protocol[f"energy.{part}"].mean for protocol in protocols)]
    frames = [part for part in parts if part in BYTE_PURPOSES]
    panels = {_WHOLE: parts, _FRAMES: frames} if frames and frames != parts else {_WHOLE: parts}
    plot = styled(make_subplots(rows=len(panels), cols=1, vertical_spacing=0.3))
    for row, (name, shown) in enumerate(panels.items(), 1):
        unit = energy_unit(max((_sum(protocol, shown) for protocol in protocols), default=0))
        for part in shown:
            plot.add_trace(_bars(protocols, part, unit), row=row, col=1)
        if name == _WHOLE:
            plot.add_trace(totals(protocols, "host.energy", unit, _WHOLE), row=row, col=1)
        plot.update_xaxes(title=f"{name} ({unit.name} per delivery)", row=row, col=1)
    plot.update_layout(barmode="stack")
    legend = tuple((words(part), ENERGY_USES[part].colour) for part in parts)
    height = len(panels) * by_protocol(plot, protocols)
    return Figure("energy", "What radios spend for every message", plot, height, legend)


def _sum(protocol: ProtocolSummary, parts: Sequence[str]) -> float:
    return sum(protocol[f"energy.{part}"].mean or 0 for part in parts)


def _bars(protocols: Sequence[ProtocolSummary], part: str, unit: Unit) -> Plot:
    metric = f"energy.{part}"
    told = [f"{words(part)} {show_estimate(protocol[metric], unit)}" for protocol in protocols]
    return pieces(protocols, metric, unit, ENERGY_USES[part].colour, told).update(name=part)

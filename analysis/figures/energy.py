"""The energy that the radios of all hosts consume, per delivery."""

from collections.abc import Sequence

from analysis.figures.plot_marks import Stack, stacked_bars
from analysis.figures.style import Figure
from analysis.summary.formatting import ENERGY
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import BYTE_PURPOSES, ENERGY_USES


def energy(protocols: Sequence[ProtocolSummary]) -> Figure:
    """Draw the total and, on its own scale, the energy of frames: next to idle listening it would be invisible."""
    metrics = {f"energy.{name}": use for name, use in ENERGY_USES.items()}
    used = {metric: use for metric, use in metrics.items() if any(protocol[metric].mean for protocol in protocols)}
    frames = {metric: use for metric, use in used.items() if use.name in BYTE_PURPOSES}
    stacks = [Stack("total ({unit} per delivery)", used, ENERGY, "host.energy")]
    if frames and frames != used:
        stacks.append(Stack("sending and receiving ({unit} per delivery)", frames, ENERGY))
    return stacked_bars("energy", "Energy per delivery", protocols, stacks)

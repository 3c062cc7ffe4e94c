"""What is carried for every message that arrives."""

from collections.abc import Sequence

from plotly.subplots import make_subplots

from analysis.figures.marks import pieces, totals
from analysis.figures.style import PURPOSES, Figure, Plot, by_protocol, styled
from analysis.model import Protocol
from analysis.schemas import MEDIA
from analysis.units import Unit, size_unit, spread


def traffic(protocols: Sequence[Protocol]) -> Figure:
    """Wired above wireless, each on a scale of its own."""
    plot = styled(make_subplots(rows=2, cols=1, vertical_spacing=0.3))
    for row, medium in enumerate(MEDIA, 1):
        unit = size_unit(max((protocol[f"{medium}.total"].mean or 0 for protocol in protocols), default=0))
        for purpose in PURPOSES:
            plot.add_trace(_bars(protocols, medium, purpose, unit), row=row, col=1)
        plot.add_trace(totals(protocols, f"{medium}.total", unit, "in all"), row=row, col=1)
        plot.update_xaxes(title=f"{medium} ({unit.name} per delivery)", row=row, col=1)
    plot.update_layout(barmode="stack")
    legend = tuple((purpose, PURPOSES[purpose]) for purpose in PURPOSES)
    return Figure("traffic", "What is carried for every message", plot, 2 * by_protocol(plot, protocols), legend)


def _bars(protocols: Sequence[Protocol], medium: str, purpose: str, unit: Unit) -> Plot:
    metric = f"{medium}.{purpose}"
    told = [f"{purpose} {spread(protocol[metric], unit)}" for protocol in protocols]
    return pieces(protocols, metric, unit, PURPOSES[purpose], told).update(name=purpose)

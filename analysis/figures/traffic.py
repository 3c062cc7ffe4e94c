"""The bytes on links, per delivery."""

from collections.abc import Sequence
from itertools import product

from analysis.figures.plot_marks import bar_segments, totals
from analysis.figures.style import Figure, Plot, by_protocol, empty_panels
from analysis.summary.formatting import Unit, show_estimate, size_unit
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import BYTE_PURPOSES, MEDIA


def traffic(protocols: Sequence[ProtocolSummary]) -> Figure:
    """Draw wired above wireless links, each on its own scale; media and purposes without bytes are left out."""
    carried = {pair for pair in product(MEDIA, BYTE_PURPOSES) if any(each[".".join(pair)].mean for each in protocols)}
    media = [medium for medium in MEDIA if medium in dict(carried)]
    purposes = [purpose for purpose in BYTE_PURPOSES if purpose in {purpose for _, purpose in carried}]
    plot = empty_panels(max(1, len(media)), protocols)
    for row, medium in enumerate(media, 1):
        unit = size_unit(max((protocol[f"{medium}.total"].mean or 0 for protocol in protocols), default=0))
        for purpose in purposes:
            plot.add_trace(_bars(protocols, medium, purpose, unit), row=row, col=1)
        plot.add_trace(totals(protocols, f"{medium}.total", unit, "total"), row=row, col=1)
        plot.update_xaxes(title=f"{medium} ({unit.name} per delivery)", row=row, col=1)
    plot.update_layout(barmode="stack")
    legend = tuple((BYTE_PURPOSES[purpose].label, BYTE_PURPOSES[purpose].colour) for purpose in purposes)
    height = max(1, len(media)) * by_protocol(plot, protocols)
    return Figure("traffic", "Bytes per delivery", plot, height, legend)


def _bars(protocols: Sequence[ProtocolSummary], medium: str, purpose: str, unit: Unit) -> Plot:
    metric = f"{medium}.{purpose}"
    labels = [f"{BYTE_PURPOSES[purpose].label} {show_estimate(protocol[metric], unit)}" for protocol in protocols]
    return bar_segments(protocols, metric, unit, BYTE_PURPOSES[purpose].colour, labels).update(name=purpose)

"""Inhibition: the unnecessary delay that a protocol adds."""

from collections.abc import Sequence

from analysis.figures.plot_marks import means
from analysis.figures.style import Figure, by_protocol, empty_plot, protocol_line
from analysis.summary.formatting import share, show_estimate, time_unit
from analysis.summary.model import ProtocolSummary


def inhibition(protocols: Sequence[ProtocolSummary]) -> Figure:
    plot = empty_plot()
    estimates = [protocol["inhibition"] for protocol in protocols]
    unit = time_unit(max((estimate.high or estimate.mean or 0 for estimate in estimates), default=0))
    marker = {"size": 12, "color": [protocol_line(index)["color"] for index in range(len(protocols))]}
    labels = [
        f"{show_estimate(protocol['inhibition'], unit)}, {share(protocol['inhibited'].mean)} of deliveries"
        for protocol in protocols
    ]
    plot.add_trace(means(protocols, "inhibition", unit, marker, labels).update(cliponaxis=False))
    plot.update_layout(xaxis_title=f"mean inhibition per delivery ({unit.name})")
    return Figure("inhibition", "Unnecessary delay", plot, by_protocol(plot, protocols))

"""The metrics of a sweep over its points, each in one unit at all points."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.formatting import Unit, show_estimate
from mobilesim.analysis.summary.metrics import SWEEP_METRICS, Metric, bytes_on_links
from mobilesim.analysis.summary.model import ProtocolSummary, Summary
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.results.quantities import BYTE_PURPOSES

Points: TypeAlias = Sequence[tuple[Settings, Summary]]


def protocol_names(points: Points) -> list[str]:
    """Return the names of the protocols in the order of the sweep."""
    return list(dict.fromkeys(protocol.name for _, summary in points for protocol in summary.protocols))


def of_protocol(points: Points, name: str) -> list[tuple[Settings, ProtocolSummary]]:
    return [(point, each) for point, summary in points for each in summary.protocols if each.name == name]


def without_unit(estimate: Estimate, unit: Unit) -> str:
    """Return a mean with half its interval, for a column with the unit in its heading."""
    return show_estimate(estimate, Unit("", unit.size)).rstrip()


def nonzero_metrics(protocols: Sequence[ProtocolSummary]) -> list[Metric]:
    """Return the metrics with a value above zero at any point."""
    return [metric for metric in SWEEP_METRICS if any(metric.value(protocol).mean for protocol in protocols)]


def used_purposes(protocols: Sequence[ProtocolSummary]) -> list[str]:
    return [name for name in BYTE_PURPOSES if any(bytes_on_links(protocol, name).mean for protocol in protocols)]


def bytes_by_purpose(protocol: ProtocolSummary, purposes: Iterable[str], unit: Unit) -> list[str]:
    return [without_unit(bytes_on_links(protocol, purpose), unit) for purpose in purposes]

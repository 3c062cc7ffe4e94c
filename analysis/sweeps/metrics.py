"""The metrics of a sweep over its points, each in one unit at all points."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from analysis.statistics.estimate import Estimate
from analysis.summary.formatting import Unit, show_estimate
from analysis.summary.metrics import SWEEP_METRICS, Metric, bytes_on_links
from analysis.summary.model import ProtocolSummary, Summary
from analysis.sweeps.axes import Settings
from mobilesim.results.quantities import BYTE_PURPOSES

Points: TypeAlias = Sequence[tuple[Settings, Summary]]


def all_protocols(points: Points) -> Iterator[ProtocolSummary]:
    return (protocol for _, summary in points for protocol in summary.protocols)


def protocol_names(points: Points) -> list[str]:
    """Return the names of the protocols in the order of the sweep."""
    return list(dict.fromkeys(protocol.name for protocol in all_protocols(points)))


def without_unit(estimate: Estimate, unit: Unit) -> str:
    """Return a mean with half its interval, for a column with the unit in its heading."""
    return show_estimate(estimate, Unit("", unit.size)).rstrip()


def present(points: Points) -> list[Metric]:
    """Return the metrics that are not zero at all points."""
    return [
        metric for metric in SWEEP_METRICS if any(metric.value(protocol).mean for protocol in all_protocols(points))
    ]


def purposes(protocols: Iterable[ProtocolSummary]) -> list[str]:
    """Return the purposes for which bytes were sent."""
    several = list(protocols)
    return [purpose for purpose in BYTE_PURPOSES if any(bytes_on_links(protocol, purpose).mean for protocol in several)]

"""The means that a sweep shows, each in one unit at all points. Its tables have all that there are."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.statistics.estimate import Estimate
from analysis.summary.formatting import Unit, show_estimate, size_unit, time_unit
from analysis.summary.model import ProtocolSummary, Summary
from analysis.summary.tables import percentile
from analysis.sweeps.axes import Settings
from analysis.sweeps.pairwise import summed
from mobilesim.results.schema import PURPOSES

Points = Sequence[tuple[Settings, Summary]]

_PACKETS: Final = Unit("packets", 1.0)
_HOSTS: Final = Unit("of a run", 1.0)
_MESSAGES: Final = Unit("each time", 1.0)
JOULE: Final = Unit("mJ", 1e-3)
_FINE: Final = 10


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """`of` takes it from a protocol; `about` says it to newcomers. What has no `metric` of its own is not compared.
    `of_air`: in a static network, which has no air, there is none of it. `gain`: the more of it the better.
    """

    title: str
    of: Callable[[ProtocolSummary], Estimate]
    unit_of: Callable[[float], Unit]
    about: str = ""
    metric: str = ""
    of_air: bool = False
    gain: bool = False

    def unit(self, points: Points) -> Unit:
        return self.unit_of(max((self.of(each).mean or 0.0 for each in all_protocols(points)), default=0.0))

    def titled(self, unit: Unit) -> str:
        return f"{self.title} ({unit.name})" if unit.name else self.title


def all_protocols(points: Points) -> Iterator[ProtocolSummary]:
    return (protocol for _, summary in points for protocol in summary.protocols)


def protocol_names(points: Points) -> list[str]:
    """Of protocols, in the order of the sweep."""
    return list(dict.fromkeys(protocol.name for protocol in all_protocols(points)))


def without_unit(estimate: Estimate, unit: Unit) -> str:
    """A mean with half its interval, where the unit stands elsewhere."""
    return show_estimate(estimate, Unit("", unit.size)).rstrip()


def bytes_unit(most: float) -> Unit:
    """The same for small amounts too, so rather small."""
    return size_unit(most / _FINE)


def bytes_on_links(protocol: ProtocolSummary, purpose: str = "total") -> Estimate:
    """Bytes of all links for a delivery."""
    return summed([protocol[f"{medium}.{purpose}"] for medium in ("wired", "wireless")])


def _mean(title: str, metric: str, unit_of: Callable[[float], Unit], about: str = "", **rest: bool) -> MetricColumn:
    return MetricColumn(title, lambda protocol: protocol[metric], unit_of, about, metric, **rest)


def _died(protocol: ProtocolSummary) -> Estimate:
    """Nobody, where batteries last for ever."""
    found, runs = protocol["host.died"], protocol["delay"]
    if found.mean is not None or runs.mean is None:
        return found
    zeros = tuple(0.0 for _ in runs.replications)
    low, high = (None, None) if runs.low is None else (0.0, 0.0)
    return Estimate("host.died", len(zeros), 0.0, low, high, runs.interval_from, runs.replications, zeros)


def _within(protocol: ProtocolSummary) -> Estimate:
    """Exact, of all deliveries of all replications: there is no interval."""
    delay = protocol["delay"]
    return Estimate("delay.p95", delay.count, percentile(delay, 95))


DELAY: Final = _mean("mean delay", "delay", time_unit, "From the submission of a message to its delivery.")
INHIBITION: Final = _mean(
    "inhibition", "inhibition", time_unit, "How long a delivery is held although causality no longer asks for it."
)
HEADER: Final = _mean(
    "ordering header", "header_bytes", bytes_unit, "What the ordering adds to a message, in its largest packet."
)
BYTES: Final = MetricColumn(
    "bytes on all links for a delivery", bytes_on_links, bytes_unit, "Lost and sent again included."
)
AIR: Final = _mean("bytes on the air for a delivery", "wireless.total", bytes_unit, of_air=True)
WIRES: Final = _mean("bytes on wires for a delivery", "wired.total", bytes_unit)
ENERGY: Final = _mean(
    "energy of hosts per delivery",
    "host.energy",
    lambda _: JOULE,
    "Of all hosts and their whole time.",
    of_air=True,
)
HANDOFF: Final = _mean("hand-off", "move.time", time_unit, "From leaving a cell until the hand-off is over.")
LIFE: Final = _mean(
    "battery of a host, to the end at most",
    "host.life",
    time_unit,
    "How long it lasts; one that is not empty when the scenario ends counts until then.",
    gain=True,
)
DIED: Final = MetricColumn(
    "hosts that died",
    _died,
    lambda _: _HOSTS,
    "Of each run, those whose battery was empty.",
    "host.died",
    of_air=True,
)
_HANDOFFS: Final = (
    HANDOFF,
    _mean("messages per hand-off", "move.control_messages", lambda _: _PACKETS, "Packets that carry a hand-off out."),
    _mean(
        "messages waiting on return", "disconnection.waiting", lambda _: _MESSAGES, "What a host finds that was off."
    ),
)
SHOWN: Final = (
    DELAY,
    MetricColumn(
        "95 % of deliveries within", _within, time_unit, "Exact, of the deliveries of all replications together."
    ),
    INHIBITION,
    HEADER,
    BYTES,
    *_HANDOFFS,
    ENERGY,
    LIFE,
    DIED,
)
POSSIBLE: Final = (DELAY, INHIBITION, HEADER, AIR, WIRES, *_HANDOFFS, ENERGY, LIFE, DIED)
"""What variants are compared by."""


def present(points: Points) -> list[MetricColumn]:
    """Those of which there is something."""
    return [each for each in SHOWN if any(each.of(protocol).mean for protocol in all_protocols(points))]


def purposes(protocols: Iterable[ProtocolSummary]) -> list[str]:
    """What bytes were carried for."""
    several = list(protocols)
    return [purpose for purpose in PURPOSES if any(bytes_on_links(each, purpose).mean for each in several)]

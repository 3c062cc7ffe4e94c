"""The registry of summary metrics: a row for each metric of which a summary has an estimate.

Schemas, tables, sweeps, cost names, key figures and reports use these rows. A metric name without a row is an error.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from mobilesim.analysis.statistics.estimate import Estimate, sum_by_run
from mobilesim.analysis.summary.formatting import COUNT, ENERGY, SHARE, SIZE, TIME, Scale, Unit
from mobilesim.errors import UserError, did_you_mean
from mobilesim.results.quantities import (
    BYTE_PURPOSES,
    DELAY_PARTS,
    ENERGY_USES,
    HANDOFF_PACKETS,
    HANDOFF_STAGES,
    MARGIN,
    MEDIA,
    margin_reference,
)
from mobilesim.statistics.intervals import Method

DELIVERIES: Final = "deliveries"
"""The metric whose count is the number of rows in `deliveries`."""
CHECK: Final = "check"
"""The metric whose count is the number of deliveries whose parts do not add up."""
FAILED: Final = "failed"
"""The metric of a run that cannot be read. Its note is the reason."""

HANDOFF_KINDS: Final = ("move", "reconnection")
HANDOFF_SHARES: Final = ("inferred", "superseded")
HANDOFF_COUNTS: Final = (
    *("control_messages", "control_bytes"),
    *(f"{kind}_messages" for kind in HANDOFF_PACKETS),
    *(f"{kind}_bytes" for kind in HANDOFF_PACKETS),
    *("buffered", "forwarded", "retransmitted", "backlog"),
)
HANDOFF_MEANS: Final = ("time", "settling", *HANDOFF_STAGES, *HANDOFF_SHARES, *HANDOFF_COUNTS, "backlog_peak")
DELIVERY_MEANS: Final = ("header_bytes", "header_integers", "header_units", "forwards", "retransmissions")
CLOCK_ERRORS: Final = ("missed", "reversed", "spurious")
CLOCK_MEANS: Final = ("kept", "obs_set", "integers", "integers_of_vectors", "wrong")


TRANSIENT_METRICS: Final = ("delay", "inhibition", "header_bytes")
"""The metrics of which the initial transient is looked for."""


class Better(StrEnum):
    LESS = "less"
    MORE = "more"
    NEITHER = "neither"


class Estimates(Protocol):
    """An object with an estimate for every metric, such as the summary of a protocol."""

    def __getitem__(self, metric: str, /) -> Estimate: ...


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. `label`: the name on pages; `scale`: the units; `definition`: one sentence.

    `column`: the prefix of its columns in the table `protocols` of a summary, or ''. `derive`: the function that
    computes it from other metrics. `margin`: differences up to this share do not count in comparisons of protocols.
    """

    name: str
    label: str
    scale: Scale = COUNT
    definition: str = ""
    column: str = ""
    better: Better = Better.LESS
    derive: Callable[[Estimates], Estimate] | None = None
    margin: float = MARGIN

    def reference(self, estimates: Estimates) -> Estimate:
        """Return the estimate of which the margin is a share."""
        name = margin_reference(self.name)
        return self.value(estimates) if name == self.name else estimates[name]

    @property
    def margin_text(self) -> str:
        share = f"{100 * self.margin:g} %"
        name = margin_reference(self.name)
        return share if name == self.name else f"{share} of the {METRICS[name].label}"

    @property
    def wireless_only(self) -> bool:
        """Whether static networks lack this metric."""
        return self.name.startswith(("wireless.", "host."))

    def value(self, estimates: Estimates) -> Estimate:
        return estimates[self.name] if self.derive is None else self.derive(estimates)

    def unit(self, several: Iterable[Estimates]) -> Unit:
        """Return the common unit of several estimates."""
        return self.scale.common_unit(max((self.value(each).mean or 0.0 for each in several), default=0.0))

    def heading(self, unit: Unit) -> str:
        return f"{self.label} ({unit.name})" if unit.name else self.label

    def show(self, estimates: Estimates) -> str:
        """Return the mean with its interval, in the unit that fits it, and the number of runs if not all have it."""
        found, runs = self.value(estimates), estimates["delay"].replicated
        some = f" ({found.replicated} of {runs} runs)" if 0 < found.replicated < runs else ""
        return self.scale.show_estimate(found) + some


def bytes_on_links(estimates: Estimates, purpose: str = "total") -> Estimate:
    """Return the bytes of all links, wired and wireless, per delivery."""
    return sum_by_run([estimates[f"{medium}.{purpose}"] for medium in MEDIA])


def _p95_delay(estimates: Estimates) -> Estimate:
    """Return the 95th percentile of the delay, exact over the deliveries of all replications."""
    return estimates["delay"].estimate_of_percentile(95)


def _out_of_battery(estimates: Estimates) -> Estimate:
    """Return the hosts out of battery; zero in every run if no host has a battery."""
    found, runs = estimates["host.died"], estimates["delay"]
    if found.mean is not None or runs.mean is None:
        return found
    zeros = tuple(0.0 for _ in runs.replications)
    low, high, method = (None, None, Method.NONE) if len(zeros) == 1 else (0.0, 0.0, Method.EQUAL)
    return Estimate("host.died", len(zeros), 0.0, low, high, method, runs.replications, zeros)


def _handoffs(kind: str, what: str, columns: dict[str, str]) -> list[Metric]:
    """Return the metrics of hand-offs of one kind. `columns`: the columns of metrics in the table `protocols`."""

    def row(name: str, label: str, scale: Scale = COUNT, definition: str = "", better: Better = Better.LESS) -> Metric:
        return Metric(f"{kind}.{name}", label, scale, definition, columns.get(name, ""), better=better)

    return [
        row("time", what, TIME, f"From leaving a cell until the {what} is complete."),
        row("settling", f"{what}, from entering a cell", TIME, f"From entering a cell until the {what} is complete."),
        row("control_messages", f"packets per {what}", COUNT, f"Wired packets that carry out a {what}."),
        row("control_bytes", f"bytes per {what}", SIZE, f"Bytes of the wired packets that carry out a {what}."),
        *(row(f"{name}_messages", f"{each.label} packets per {what}") for name, each in _PACKET_ROWS),
        *(row(f"{name}_bytes", f"{each.label} bytes per {what}", SIZE) for name, each in _PACKET_ROWS),
        row("backlog", f"earlier hand-offs not complete at a {what}"),
        row("backlog_peak", f"maximum of earlier hand-offs not complete at a {what}"),
        row("forwarded", f"messages forwarded per {what}"),
        row("buffered", f"messages buffered per {what}"),
        row("retransmitted", f"frames retransmitted per {what}"),
        row("inferred", f"{what}: registration lost", SHARE),
        row("superseded", f"{what}: host left before completion", SHARE),
        row("finished", f"{what}: completed", SHARE, better=Better.MORE),
        *(row(stage.name, stage.label, TIME, stage.definition) for stage in HANDOFF_STAGES.values()),
    ]


_PACKET_ROWS: Final = tuple(HANDOFF_PACKETS.items())
_MOVE_COLUMNS: Final = {
    "time": "handoff",
    "control_messages": "handoff_messages",
    "control_bytes": "handoff_bytes",
    "state_transfer_bytes": "handoff_state_bytes",
    **{name: f"handoff_{name}" for name in ("settling", "backlog", "backlog_peak", "forwarded")},
}
_STATIONS: Final = (
    ("processing", "station processing per delivery", TIME),
    ("busy", "station utilisation", SHARE),
    ("busiest", "utilisation of the busiest station", SHARE),
    ("state_mean", "mean ordering state of a station", COUNT),
    ("state_peak", "peak ordering state of a station", COUNT),
    ("pending_peak", "peak pending packets of a station", COUNT),
    ("copies_peak", "peak message copies at a station", COUNT),
    ("copies_end", "message copies at a station at the end", COUNT),
    ("tombstones_peak", "peak tombstones at a station", COUNT),
    ("tombstones_end", "tombstones at a station at the end", COUNT),
)
_HOSTS: Final = (
    ("computing", "computing of hosts per delivery", TIME),
    ("state_mean", "mean state of a host", COUNT),
    ("state_peak", "peak state of a host", COUNT),
)
STATION_PEAKS: Final = tuple(name for name, *_ in _STATIONS if name.endswith(("_peak", "_end")))

_ROWS: Final = (
    Metric("delay", "mean delay", TIME, "From the submission of a message to its delivery.", "delay"),
    Metric(
        "header_bytes",
        "control information",
        SIZE,
        "The header that the ordering adds to a message, in its largest packet.",
        "header_bytes",
    ),
    Metric("header_integers", "header integers", COUNT, "The ordering header in integers.", "header_integers"),
    Metric("header_units", "header units", COUNT, "The ordering header as its paper counts it.", "header_units"),
    Metric("inhibition", "inhibition", TIME, DELAY_PARTS["inhibition"].definition, "inhibition"),
    Metric("inhibited", "deliveries with inhibition", SHARE, column="inhibited_share"),
    Metric("late", "delay of deliveries after the end of sending", SHARE, column="late_share", better=Better.NEITHER),
    Metric("wired.total", "bytes per delivery, wired", SIZE, "Bytes on all wired links.", "wired_bytes"),
    Metric("wireless.total", "bytes per delivery, wireless", SIZE, "Bytes on all wireless links.", "wireless_bytes"),
    Metric(
        "bytes_per_payload_byte",
        "overhead factor",
        COUNT,
        "Bytes on all links over the payload delivered.",
        "bytes_per_payload_byte",
    ),
    *_handoffs("move", "hand-off", _MOVE_COLUMNS),
    Metric("disconnection.time", "duration of a disconnection", TIME, column="disconnection", better=Better.NEITHER),
    Metric(
        "disconnection.waiting",
        "messages stored per disconnection",
        Scale((Unit("each", 1.0),)),
        "Messages that wait for a host when it reconnects.",
        "disconnection_waiting",
    ),
    Metric(
        "disconnection.draining",
        "delivery of stored messages",
        TIME,
        "From reconnection until the last stored message is delivered.",
        "disconnection_draining",
    ),
    Metric("disconnection.dropped", "messages dropped per disconnection", column="disconnection_dropped"),
    *(Metric(f"station.{name}", label, scale, column=f"station_{name}") for name, label, scale in _STATIONS),
    *(Metric(f"host.{name}", label, scale, column=f"host_{name}") for name, label, scale in _HOSTS),
    Metric(
        "host.energy",
        "energy per delivery",
        ENERGY,
        "The energy of all hosts in the measured time, divided by the number of deliveries in it.",
        "energy",
    ),
    Metric(
        "host.life",
        "battery lifetime, censored at the end",
        TIME,
        "The time until a battery is empty, or until the end of the scenario.",
        "life",
        better=Better.MORE,
    ),
    Metric(
        "host.died",
        "hosts out of battery",
        Scale((Unit("per run", 1.0),)),
        "Hosts of a run whose battery is empty.",
        "died",
        derive=_out_of_battery,
    ),
    Metric("host.first_death", "first host out of battery", TIME, column="first_death", better=Better.MORE),
    *(
        Metric(f"energy.{name}", f"energy per delivery: {use.label}", ENERGY, use.definition, f"energy_{name}")
        for name, use in ENERGY_USES.items()
    ),
    *(Metric(name, part.label, TIME, part.definition) for name, part in DELAY_PARTS.items() if name != "inhibition"),
    *_handoffs("reconnection", "reconnection", {}),
    *(
        Metric(f"{medium}.{name}", f"{medium} bytes per delivery: {purpose.label}", SIZE, purpose.definition)
        for medium in MEDIA
        for name, purpose in BYTE_PURPOSES.items()
    ),
    Metric("forwards", "forwards per delivery"),
    Metric("retransmissions", "retransmissions per delivery"),
    Metric(
        "delay.p95",
        "p95 delay",
        TIME,
        "The 95th percentile of the delay, exact over the deliveries of all replications.",
        derive=_p95_delay,
    ),
    Metric(
        "bytes",
        "bytes per delivery",
        SIZE,
        "Bytes on all links, including lost and retransmitted packets.",
        derive=bytes_on_links,
    ),
    Metric(DELIVERIES, "deliveries", better=Better.MORE),
    Metric(CHECK, "deliveries whose parts do not add up"),
    Metric(FAILED, "unreadable runs"),
)

METRICS: Final = {metric.name: metric for metric in _ROWS}

CLOCK_METRICS: Final = (
    *("claims_exact", "exact_sets", "processes", "links", "gateways", "arrivals"),
    *("kept", "kept_max", "obs_set", "obs_set_max"),
    *("integers", "integers_max", "integers_of_vectors", "wrong", *CLOCK_ERRORS),
)
"""The metrics of each passive clock: the last part of a name such as `clocks.FM.wrong`."""

MEANS: Final = {metric.column: metric.name for metric in _ROWS if metric.column}
"""The metrics by column of the table `protocols`, for the columns that are means with intervals."""


def _metrics(*names: str) -> tuple[Metric, ...]:
    return tuple(METRICS[name] for name in names)


_HANDOFFS: Final = ("move.time", "move.control_messages", "disconnection.waiting")
_ENERGY: Final = ("host.energy", "host.life", "host.died")
SWEEP_METRICS: Final = _metrics("delay", "delay.p95", "inhibition", "header_bytes", "bytes", *_HANDOFFS, *_ENERGY)
"""The metrics in the text and on the page of a sweep."""

VARIANT_METRICS: Final = _metrics(
    "delay", "inhibition", "header_bytes", "wireless.total", "wired.total", *_HANDOFFS, *_ENERGY
)
"""The metrics by which variants are compared."""

_COSTS: Final = {
    "delay": "delay",
    "header": "header_bytes",
    "inhibition": "inhibition",
    "wires": "wired.total",
    "air": "wireless.total",
    "handoff": "move.time",
    "joules": "host.energy",
    "died": "host.died",
    "bytes": "bytes",
}
COSTS: Final = {name: METRICS[metric] for name, metric in _COSTS.items()}
"""The metrics for comparisons of protocols, by short name."""


_KEY_FIGURES: Final = ("delay", "delay.p95", "inhibition", "header_bytes", "bytes_per_payload_byte")


def key_metrics(*, has_handoffs: bool, has_energy: bool) -> tuple[Metric, ...]:
    """Return the metrics of the key figures, for the terminal and the report."""
    energy = ("host.energy",) if has_energy else ()
    handoffs = ("move.time", "move.control_messages") if has_handoffs else ()
    return _metrics(*_KEY_FIGURES, *energy, *handoffs)


class UnknownMetricError(UserError, KeyError):
    """A metric that does not exist."""

    __str__ = Exception.__str__  # that of a KeyError shows its message in quotes


def require_known(name: str) -> None:
    """Raise an error for an unknown metric: a misspelt name must not look like a metric without observations."""
    if name not in METRICS and not (name.startswith("clocks.") and name.rpartition(".")[2] in CLOCK_METRICS):
        raise UnknownMetricError(f"there is no metric '{name}'{did_you_mean(name, METRICS)}")

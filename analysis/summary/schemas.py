"""What flows between the steps of a summary, and how a table that is not as it should be is told from one that is."""

from typing import Final

import pyarrow as pa

from mobilesim.results.run_table import difference
from mobilesim.results.schema import ENERGIES, KINDS, PURPOSES

# One row per run and metric: what a task makes of one run's tables.
OBSERVATIONS: Final = pa.schema(
    [
        pa.field("replication", pa.int32()),
        pa.field("metric", pa.string()),
        pa.field("count", pa.int64()),
        pa.field("mean", pa.float64()),
        pa.field("batches", pa.list_(pa.float64())),
        pa.field("note", pa.string()),
    ]
)

# One row per point of a sweep, protocol and metric: its runs taken together.
ESTIMATES: Final = pa.schema(
    [
        pa.field("metric", pa.string()),
        pa.field("count", pa.int64()),
        pa.field("mean", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("interval_from", pa.string()),
        pa.field("replications", pa.list_(pa.int32())),
        pa.field("run_means", pa.list_(pa.float64())),
        pa.field("percentiles", pa.list_(pa.int64())),
        pa.field("note", pa.string()),
    ]
)

HANDOFF_KINDS: Final = ("move", "reconnection")

# What a hand-off's time is made of: each stage ends with a phase, and begins with the one before it that there was.
STAGES: Final = {
    "to_registered": "registered",
    "to_begin": "begin",
    "to_enabled": "enabled",
    "to_last": "last",
    "to_over": "over",
}
HANDOFF_SHARES: Final = ("inferred", "superseded")
HANDOFF_COUNTS: Final = (
    *("control_messages", "control_bytes"),
    *(f"{kind}_messages" for kind in KINDS),
    *(f"{kind}_bytes" for kind in KINDS),
    *("buffered", "forwarded", "retransmitted", "backlog"),
)
HANDOFF_MEANS: Final = ("time", "settling", *STAGES, *HANDOFF_SHARES, *HANDOFF_COUNTS, "backlog_peak")
STATION_PEAKS: Final = (
    *("state_peak", "pending_peak"),
    *("copies_peak", "copies_end", "tombstones_peak", "tombstones_end"),
)
MEDIA: Final = ("wired", "wireless")
MISTAKES: Final = ("missed", "reversed", "invented")
SILENT: Final = tuple(part for part in ENERGIES if part not in {"transmit", "receive"})
"""What a radio spends on no bytes."""

SHOWN_PERCENTILES: Final = (50, 90, 95, 99)

# Columns of `summary/protocols` that are a mean with its interval, and the metric that each shows.
MEANS: Final = {
    "delay": "delay",
    "header_bytes": "header_bytes",
    "header_integers": "header_integers",
    "header_units": "header_units",
    "inhibition": "inhibition",
    "inhibited_share": "inhibited",
    "late_share": "late",
    "wired_bytes": "wired.total",
    "wireless_bytes": "wireless.total",
    "bytes_per_payload_byte": "bytes_per_payload_byte",
    "handoff": "move.time",
    "handoff_settling": "move.settling",
    "handoff_messages": "move.control_messages",
    "handoff_bytes": "move.control_bytes",
    "handoff_state_bytes": "move.state_bytes",
    "handoff_backlog": "move.backlog",
    "handoff_backlog_peak": "move.backlog_peak",
    "handoff_forwarded": "move.forwarded",
    "disconnection": "disconnection.time",
    "disconnection_waiting": "disconnection.waiting",
    "disconnection_draining": "disconnection.draining",
    "disconnection_dropped": "disconnection.dropped",
    "station_processing": "station.processing",
    "station_busy": "station.busy",
    "station_busiest": "station.busiest",
    "station_state_mean": "station.state_mean",
    **{f"station_{peak}": f"station.{peak}" for peak in STATION_PEAKS},
    "energy": "host.energy",
    "life": "host.life",
    "died": "host.died",
    "first_death": "host.first_death",
    **{f"energy_{purpose}": f"energy.{purpose}" for purpose in (*PURPOSES, *SILENT)},
}


def _names(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.string(), nullable=False) for name in names]


def _counts(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.int64(), nullable=False) for name in names]


def _perhaps(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.int64()) for name in names]


def interval(name: str) -> list[pa.Field]:
    return [pa.field(f"{name}_{end}", pa.float64()) for end in ("mean", "low", "high")]


PROTOCOLS: Final = pa.schema(
    [
        *_names("protocol", "placement", "ordering", "options"),
        pa.field("claims_causal", pa.bool_(), nullable=False),
        *_names("correctness", "verdicts"),
        *_counts("runs", "interrupted", "failed", "overloaded", "messages", "deliveries", "judged"),
        *_counts("lost", "stranded", "dropped", "duplicates", "causal_violations", "fifo_violations"),
        *_counts("handoffs", "disconnections"),
        *_names("interval_from"),
        *_perhaps(*(f"delay_p{percent}" for percent in SHOWN_PERCENTILES), "delay_max", "handoff_p95"),
        *(field for name in MEANS for field in interval(name)),
    ]
)

PART_ROWS: Final = pa.schema(
    [
        *_names("protocol", "part", "interval_from"),
        *interval("part"),
        pa.field("share", pa.float64()),
    ]
)

HANDOFF_ROWS: Final = pa.schema(
    [
        *_names("protocol", "kind", "interval_from"),
        *_counts("started", "finished"),
        *_perhaps("time_p50", "time_p95", "time_max"),
        *(field for name in HANDOFF_MEANS for field in interval(name)),
    ]
)

TRAFFIC_ROWS: Final = pa.schema(
    [*_names("protocol", "medium", "purpose", "interval_from"), *interval("bytes_per_delivery")]
)

CLOCK_MEANS: Final = ("clock_set", "obs_set", "integers", "integers_of_vectors", "wrong")

CLOCK_ROWS: Final = pa.schema(
    [
        *_names("protocol", "clock", "interval_from"),
        pa.field("exact", pa.bool_(), nullable=False),
        *_counts("processes", "links"),
        *_counts("clock_set_most"),
        *_perhaps("obs_set_most"),
        *_counts("compared", *MISTAKES),
        *(field for name in CLOCK_MEANS for field in interval(name)),
    ]
)

SUMMARY: Final = {
    "protocols": PROTOCOLS,
    "parts": PART_ROWS,
    "handoffs": HANDOFF_ROWS,
    "traffic": TRAFFIC_ROWS,
    "clocks": CLOCK_ROWS,
}

DELIVERY_MEANS: Final = ("header_bytes", "header_integers", "header_units", "forwards", "retransmissions")


def checked(table: pa.Table, expected: pa.Schema) -> pa.Table:
    """A table that this package made itself, on its way out: a difference is our own fault."""
    wrong = difference(table.schema, expected)
    if wrong:
        raise AssertionError(wrong)
    return table

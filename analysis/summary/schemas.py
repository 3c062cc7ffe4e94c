"""What flows between the steps of a summary, and how a table that is not as it should be is told from one that is."""

from typing import Final

import pyarrow as pa

from analysis.summary.metrics import CLOCK_ERRORS, CLOCK_MEANS, HANDOFF_MEANS, MEANS
from mobilesim.results.run_table import difference

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

SHOWN_PERCENTILES: Final = (50, 90, 95, 99)


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

CLOCK_ROWS: Final = pa.schema(
    [
        *_names("protocol", "clock", "interval_from"),
        pa.field("exact", pa.bool_(), nullable=False),
        *_counts("processes", "links"),
        *_counts("clock_set_max"),
        *_perhaps("obs_set_max"),
        *_counts("compared", *CLOCK_ERRORS),
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


def checked(table: pa.Table, expected: pa.Schema) -> pa.Table:
    """A table that this package made itself, on its way out: a difference is our own fault."""
    wrong = difference(table.schema, expected)
    if wrong:
        raise AssertionError(wrong)
    return table

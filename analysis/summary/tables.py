"""The tables of a summary: one fact per row, flat columns, every mean with its interval."""

from dataclasses import asdict
from typing import Any, Final

import pyarrow as pa

from analysis.statistics.estimate import Estimate
from analysis.summary.metrics import CLOCK_ERRORS, CLOCK_MEANS, HANDOFF_KINDS, HANDOFF_MEANS, MEANS
from analysis.summary.model import ClockResult, ProtocolSummary, Summary, clock_results
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, MEDIA, RUN_COUNTS
from mobilesim.results.run_table import difference

Row = dict[str, Any]

_FIELDS: Final = ("placement", "ordering", "options", "claims_causal", "runs", "interrupted", "failed")


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
        *_counts("runs", "interrupted", "failed", "overloaded", *RUN_COUNTS),
        *_counts("deliveries", "handoffs", "disconnections"),
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
    """Return the table; raise if its schema is not the expected one, which would be a defect of this package."""
    wrong = difference(table.schema, expected)
    if wrong:
        raise AssertionError(wrong)
    return table


def tables(summary: Summary) -> dict[str, pa.Table]:
    return {
        name: checked(pa.Table.from_pylist(each, SUMMARY[name]), SUMMARY[name]) for name, each in rows(summary).items()
    }


def rows(summary: Summary) -> dict[str, list[Row]]:
    return {
        "protocols": [_protocol_row(protocol) for protocol in summary.protocols],
        "parts": [_part_row(protocol, part) for protocol in summary.protocols for part in DELAY_PARTS],
        "handoffs": [_handoff_row(protocol, kind) for protocol in summary.protocols for kind in HANDOFF_KINDS],
        "traffic": [row for protocol in summary.protocols for row in _traffic_rows(protocol)],
        "clocks": [_clock_row(protocol, each) for protocol in summary.protocols for each in clock_results(protocol)],
    }


def _interval(name: str, estimate: Estimate) -> Row:
    return {f"{name}_mean": estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _protocol_row(protocol: ProtocolSummary) -> Row:
    delay = protocol["delay"]
    row: Row = {
        "protocol": protocol.name,
        "correctness": str(protocol.correctness),
        "verdicts": ", ".join(protocol.verdicts),
        "overloaded": len(protocol.overloads),
        "deliveries": protocol.deliveries,
        "handoffs": protocol["move.time"].count,
        "disconnections": protocol["disconnection.waiting"].count,
        "interval_from": delay.interval_from,
        "delay_max": delay.percentile(100),
        "handoff_p95": protocol["move.time"].percentile(95),
    }
    row |= {f"delay_p{percent}": delay.percentile(percent) for percent in SHOWN_PERCENTILES}
    row |= {name: getattr(protocol, name) for name in _FIELDS} | {**protocol.counts}
    for name, metric in MEANS.items():
        row |= _interval(name, protocol[metric])
    return row


def _part_row(protocol: ProtocolSummary, part: str) -> Row:
    estimate = protocol[part]
    return {
        "protocol": protocol.name,
        "part": part,
        "interval_from": estimate.interval_from,
        "share": protocol.share(part),
        **_interval("part", estimate),
    }


def _handoff_row(protocol: ProtocolSummary, kind: str) -> Row:
    time = protocol[f"{kind}.time"]
    row: Row = {
        "protocol": protocol.name,
        "kind": kind,
        "interval_from": time.interval_from,
        "started": protocol[f"{kind}.finished"].count,
        "finished": time.count,
        "time_p50": time.percentile(50),
        "time_p95": time.percentile(95),
        "time_max": time.percentile(100),
    }
    for name in HANDOFF_MEANS:
        row |= _interval(name, protocol[f"{kind}.{name}"])
    return row


def _traffic_rows(protocol: ProtocolSummary) -> list[Row]:
    rows = []
    for medium in MEDIA:
        for purpose in ("total", *BYTE_PURPOSES):
            estimate = protocol[f"{medium}.{purpose}"]
            about = {
                "protocol": protocol.name,
                "medium": medium,
                "purpose": purpose,
                "interval_from": estimate.interval_from,
            }
            rows.append({**about, **_interval("bytes_per_delivery", estimate)})
    return rows


def _clock_row(protocol: ProtocolSummary, each: ClockResult) -> Row:
    row: Row = {
        "protocol": protocol.name,
        "clock": each.name,
        "interval_from": each["wrong"].interval_from,
        "exact": each.exact,
        "processes": each.processes,
        "links": each.links,
        "clock_set_max": each.maximum("clock_set_max"),
        "obs_set_max": each.maximum("obs_set_max") if each["obs_set"].mean is not None else None,
        "compared": each.compared,
        **{kind: each[kind].count for kind in CLOCK_ERRORS},
    }
    for name in CLOCK_MEANS:
        row |= _interval(name, each[name])
    return row


def document(summary: Summary) -> Row:
    """Return the summary as a JSON document."""
    return {
        "results": str(summary.directory),
        "experiment": asdict(summary.experiment),
        "sound": summary.sound,
        "check": asdict(summary.check),
        "report": None if summary.report is None else str(summary.report),
        **{name: table.to_pylist() for name, table in tables(summary).items()},
    }

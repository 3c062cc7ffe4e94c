"""The tables of a summary. Columns are flat, and every mean has its interval."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from itertools import product
from typing import Any, Final

import pyarrow as pa

from mobilesim.analysis.statistics.estimate import Difference, Estimate
from mobilesim.analysis.summary.metrics import CLOCK_ERRORS, CLOCK_MEANS, HANDOFF_KINDS, HANDOFF_MEANS, MEANS
from mobilesim.analysis.summary.model import ClockResult, ProtocolSummary, Summary, clock_results
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, MEDIA, RUN_COUNTS, RUN_PERCENTILES
from mobilesim.statistics.intervals import Method

Row = dict[str, Any]

_FIELDS: Final = (
    *("placement", "ordering", "options", "claims_causal", "claims_fifo", "claims_violation_rate"),
    *("runs", "interrupted", "failed"),
)

_ENDS: Final = ("mean", "low", "high")
_COUNT, _METHOD = "replications", "interval"
"""The ends of the names of two columns: the number of observations of an interval, and how it is computed."""

SHOWN_PERCENTILES: Final = RUN_PERCENTILES
_PERCENTILES: Final = {
    **{f"delay_p{percent}": ("delay", percent) for percent in SHOWN_PERCENTILES},
    "handoff_p95": ("move.time", 95),
}
"""By column, the metric and the percent of a percentile with an interval."""


def fields(kind: pa.DataType, *names: str, nullable: bool = False) -> list[pa.Field]:
    return [pa.field(name, kind, nullable=nullable) for name in names]


def interval(*names: str) -> list[pa.Field]:
    """Return the columns of means with their intervals."""
    return [
        column
        for name in names
        for column in (
            *fields(pa.float64(), *(f"{name}_{end}" for end in _ENDS), nullable=True),
            *fields(pa.int64(), f"{name}_{_COUNT}"),
            *fields(pa.string(), f"{name}_{_METHOD}"),
        )
    ]


_names: Final = partial(fields, pa.string())
_flag: Final = partial(fields, pa.bool_())
_counts: Final = partial(fields, pa.int64())
_nullable_counts: Final = partial(fields, pa.int64(), nullable=True)

SUMMARY: Final = {
    "protocols": pa.schema(
        [
            *_names("protocol", "placement", "ordering", "options"),
            *_flag("claims_causal", "claims_fifo"),
            *fields(pa.float64(), "claims_violation_rate", nullable=True),
            *_names("correctness", "verdicts"),
            *_counts("runs", "interrupted", "failed", "overloaded", *RUN_COUNTS),
            *_counts("deliveries", "handoffs", "disconnections"),
            *_nullable_counts(*(f"delay_p{percent}" for percent in SHOWN_PERCENTILES), "delay_max", "handoff_p95"),
            *fields(pa.float64(), *(f"{name}_{end}" for name in _PERCENTILES for end in _ENDS[1:]), nullable=True),
            *interval(*MEANS),
        ]
    ),
    "parts": pa.schema([*_names("protocol", "part"), *interval("part"), *fields(pa.float64(), "share", nullable=True)]),
    "handoffs": pa.schema(
        [
            *_names("protocol", "kind"),
            *_counts("started", "finished"),
            *_nullable_counts("time_p50", "time_p95", "time_max"),
            *interval(*HANDOFF_MEANS),
        ]
    ),
    "traffic": pa.schema([*_names("protocol", "medium", "purpose"), *interval("bytes_per_delivery")]),
    "clocks": pa.schema(
        [
            *_names("protocol", "clock"),
            *_flag("claims_exact"),
            *_flag("exact_sets"),
            *_counts("processes", "links", "kept_max", "integers_max"),
            *_nullable_counts("obs_set_max"),
            *_counts("compared", *CLOCK_ERRORS),
            *interval(*CLOCK_MEANS),
        ]
    ),
}
"""The tables and their columns."""


def tables(summary: Summary) -> dict[str, pa.Table]:
    return {name: pa.Table.from_pylist(each, SUMMARY[name]) for name, each in rows(summary).items()}


def rows(summary: Summary) -> dict[str, list[Row]]:
    protocols, purposes = summary.protocols, ("total", *BYTE_PURPOSES)
    return {
        "protocols": [_protocol_row(protocol) for protocol in protocols],
        "parts": [_part_row(protocol, part) for protocol, part in product(protocols, DELAY_PARTS)],
        "handoffs": [_handoff_row(protocol, kind) for protocol, kind in product(protocols, HANDOFF_KINDS)],
        "traffic": [_traffic_row(*of) for of in product(protocols, MEDIA, purposes)],
        "clocks": [_clock_row(protocol, clock) for protocol in protocols for clock in clock_results(protocol)],
    }


def means(values: Mapping[str, Estimate | Difference | None]) -> Row:
    """Return the columns of means with their intervals, by the name of each mean."""
    row: Row = {}
    for name, value in values.items():
        row |= {f"{name}_{end}": getattr(value, end, None) for end in _ENDS}
        row[f"{name}_{_COUNT}"] = 0 if value is None else value.replicated
        row[f"{name}_{_METHOD}"] = str(Method.NONE if value is None else value.method)
    return row


def _protocol_row(protocol: ProtocolSummary) -> Row:
    delay = protocol["delay"]
    return {
        "protocol": protocol.name,
        **{name: getattr(protocol, name) for name in _FIELDS},
        "correctness": str(protocol.correctness),
        "verdicts": ", ".join(protocol.verdicts),
        "overloaded": len(protocol.overloads),
        **protocol.counts,
        "deliveries": protocol.deliveries,
        "handoffs": protocol["move.time"].count,
        "disconnections": protocol["disconnection.waiting"].count,
        **{f"delay_p{percent}": delay.percentile(percent) for percent in SHOWN_PERCENTILES},
        "delay_max": delay.percentile(100),
        "handoff_p95": protocol["move.time"].percentile(95),
        **{
            f"{name}_{end}": getattr(protocol[metric].estimate_of_percentile(percent), end)
            for name, (metric, percent) in _PERCENTILES.items()
            for end in _ENDS[1:]
        },
        **means({name: protocol[metric] for name, metric in MEANS.items()}),
    }


def _part_row(protocol: ProtocolSummary, part: str) -> Row:
    estimate = protocol[part]
    about = {"protocol": protocol.name, "part": part}
    return {**about, "share": protocol.share(part), **means({"part": estimate})}


def _handoff_row(protocol: ProtocolSummary, kind: str) -> Row:
    time = protocol[f"{kind}.time"]
    return {
        "protocol": protocol.name,
        "kind": kind,
        "started": protocol[f"{kind}.finished"].count,
        "finished": time.count,
        "time_p50": time.percentile(50),
        "time_p95": time.percentile(95),
        "time_max": time.percentile(100),
        **means({name: protocol[f"{kind}.{name}"] for name in HANDOFF_MEANS}),
    }


def _traffic_row(protocol: ProtocolSummary, medium: str, purpose: str) -> Row:
    estimate = protocol[f"{medium}.{purpose}"]
    about = {"protocol": protocol.name, "medium": medium, "purpose": purpose}
    return about | means({"bytes_per_delivery": estimate})


def _clock_row(protocol: ProtocolSummary, clock: ClockResult) -> Row:
    return {
        "protocol": protocol.name,
        "clock": clock.name,
        "claims_exact": clock.claims_exact,
        "exact_sets": clock.exact_sets,
        **{name: clock.maximum(name) for name in ("processes", "links", "kept_max", "integers_max")},
        "obs_set_max": clock.maximum("obs_set_max") if clock["obs_set"].mean is not None else None,
        "compared": clock.compared,
        **{kind: clock[kind].count for kind in CLOCK_ERRORS},
        **means({name: clock[name] for name in CLOCK_MEANS}),
    }


def document(summary: Summary) -> Row:
    return {
        "results": str(summary.directory),
        "experiment": asdict(summary.experiment),
        "sound": summary.sound,
        "check": asdict(summary.check),
        "report": None if summary.report is None else str(summary.report),
        **{name: table.to_pylist() for name, table in tables(summary).items()},
    }

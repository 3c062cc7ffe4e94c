"""Runs and estimates put together: one value per protocol, with what the oracle's counts mean for it."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from analysis.statistics.estimate import Estimate
from analysis.summary.metrics import CHECK
from analysis.summary.model import Correctness, DelayCheck, Experiment, ProtocolSummary, Summary
from analysis.summary.results_reader import Results

Row = Mapping[str, Any]

_INTERRUPTED: Final = "interrupted"
_FAILED: Final = "failed"
_FAULT: Final = "fault"
_UNJUDGED: Final = "unjudged"


def assemble(results: Results, estimates: Mapping[str, Mapping[str, Estimate]]) -> Summary:
    groups = groupby(results.rows, key=lambda row: str(row["protocol"]))
    protocols = [_protocol(name, list(rows), estimates.get(name, {})) for name, rows in groups]
    return Summary(results.directory, _experiment(results.rows), tuple(protocols), _check(protocols))


def correctness(rows: Sequence[Row]) -> Correctness:
    """The verdict knows all that the protocol claims; the counts tell whether one that claims less shows it."""
    verdicts = {row["verdict"] for row in rows}
    if _FAULT in verdicts:
        return Correctness.INCORRECT
    if _UNJUDGED in verdicts:
        return Correctness.NOT_CHECKED
    if rows[0]["claims_causal"]:
        return Correctness.CORRECT
    return Correctness.NOT_CAUSAL if _total(rows, "causal_violations") else Correctness.NOT_REORDERED


def _total(rows: Sequence[Row], column: str) -> int:
    return sum(row[column] for row in rows)


def _protocol(name: str, rows: Sequence[Row], estimates: Mapping[str, Estimate]) -> ProtocolSummary:
    first = rows[0]
    return ProtocolSummary(
        name=name,
        placement=first["placement"],
        ordering=first["ordering"],
        options=first["options"],
        claims_causal=first["claims_causal"],
        correctness=correctness(rows),
        verdicts=tuple(sorted({row["verdict"] for row in rows})),
        runs=len(rows),
        interrupted=sum(row["status"] == _INTERRUPTED for row in rows),
        failed=sum(row["status"] == _FAILED for row in rows),
        messages=_total(rows, "messages"),
        judged=_total(rows, "judged"),
        lost=_total(rows, "lost"),
        stranded=_total(rows, "stranded"),
        dropped=_total(rows, "dropped"),
        duplicates=_total(rows, "duplicates"),
        causal_violations=_total(rows, "causal_violations"),
        fifo_violations=_total(rows, "fifo_violations"),
        estimates=estimates,
        overloads=tuple(row["overload"] for row in rows if row["overload"]),
    )


def _experiment(rows: Sequence[Row]) -> Experiment:
    first = rows[0]
    return Experiment(
        scenario=first["scenario"],
        scenario_hash=first["scenario_hash"],
        seeds=tuple(sorted({row["seed"] for row in rows})),
        hosts=first["hosts"],
        stations=first["stations"],
        replications=len({row["replication"] for row in rows}),
        emulated=max(row["emulated"] for row in rows),
        version=first["version"],
        python=first["python"],
        wall_seconds=sum(row["wall_seconds"] for row in rows),
    )


def _check(protocols: Sequence[ProtocolSummary]) -> DelayCheck:
    checks = [protocol[CHECK] for protocol in protocols]
    example = next((check.note for check in checks if check.note), None)
    return DelayCheck(sum(protocol.deliveries for protocol in protocols), sum(check.count for check in checks), example)

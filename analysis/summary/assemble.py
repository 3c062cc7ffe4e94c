"""Assemble the summary of each protocol and of the experiment from runs and estimates."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from analysis.statistics.estimate import Estimate
from analysis.summary.metrics import CHECK
from analysis.summary.model import Correctness, DelayCheck, Experiment, ProtocolSummary, Summary
from analysis.summary.results_reader import Results
from mobilesim.results.quantities import RUN_COUNTS
from mobilesim.results.statuses import RunStatus, RunVerdict

Row = Mapping[str, Any]


def assemble(results: Results, estimates: Mapping[str, Mapping[str, Estimate]]) -> Summary:
    groups = groupby(results.rows, key=lambda row: str(row["protocol"]))
    protocols = [_protocol(name, list(rows), estimates.get(name, {})) for name, rows in groups]
    return Summary(results.directory, _experiment(results.rows), tuple(protocols), _check(protocols))


def correctness(rows: Sequence[Row]) -> Correctness:
    """Return whether a protocol kept its claims. Without a claim of causal order, the counts show violations."""
    verdicts = {row["verdict"] for row in rows}
    if RunVerdict.FAULT in verdicts:
        return Correctness.INCORRECT
    if RunVerdict.UNJUDGED in verdicts:
        return Correctness.NOT_CHECKED
    if rows[0]["claims_causal"]:
        return Correctness.CORRECT
    return Correctness.NOT_CAUSAL if any(row["causal_violations"] for row in rows) else Correctness.NOT_REORDERED


def _protocol(name: str, rows: Sequence[Row], estimates: Mapping[str, Estimate]) -> ProtocolSummary:
    about = {name: rows[0][name] for name in ("placement", "ordering", "options", "claims_causal")}
    return ProtocolSummary(
        name=name,
        correctness=correctness(rows),
        verdicts=tuple(sorted({row["verdict"] for row in rows})),
        runs=len(rows),
        interrupted=sum(row["status"] == RunStatus.INTERRUPTED for row in rows),
        failed=sum(row["status"] == RunStatus.FAILED for row in rows),
        counts={name: sum(row[name] for row in rows) for name in RUN_COUNTS},
        estimates=estimates,
        overloads=tuple(row["overload"] for row in rows if row["overload"]),
        **about,
    )


def _experiment(rows: Sequence[Row]) -> Experiment:
    same = ("scenario", "scenario_hash", "hosts", "stations", "version", "python")
    return Experiment(
        seeds=tuple(sorted({row["seed"] for row in rows})),
        replications=len({row["replication"] for row in rows}),
        simulated=max(row["simulated"] for row in rows),
        wall_seconds=sum(row["wall_seconds"] for row in rows),
        **{name: rows[0][name] for name in same},
    )


def _check(protocols: Sequence[ProtocolSummary]) -> DelayCheck:
    checks = [protocol[CHECK] for protocol in protocols]
    example = next((check.note for check in checks if check.note), None)
    return DelayCheck(sum(protocol.deliveries for protocol in protocols), sum(check.count for check in checks), example)

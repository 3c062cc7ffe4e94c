"""Comparison of two summaries of the same results: integers must be equal, means equal up to rounding."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import isclose
from typing import Any, Final, TypeAlias

from benchmarks.duckdb_summary import FINISHED, STARTED, SUMMED, DuckDbResults
from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.metrics import CHECK
from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.summary.run_metrics import BATCHES, observe
from mobilesim.statistics.intervals import Method

_MEAN_TOLERANCE: Final = 1e-12
_INTERVAL_TOLERANCE: Final = 1e-9

Key: TypeAlias = tuple[str, int, str]
"""Protocol, replication and metric."""


def differences(
    runs: Iterable[Run], estimates: dict[str, dict[str, Estimate]], answers: DuckDbResults
) -> Iterator[str]:
    """Yield the differences between mobilesim's summary and DuckDB's."""
    yield from _of_runs(runs, _sums_by_batch(answers))
    for row in answers.protocols:
        yield from _of_protocol(row["protocol"], estimates[row["protocol"]], row)
    for (protocol, metric), found in answers.percentiles.items():
        if estimates[protocol][metric].percentiles != found:
            yield f"percentiles of {metric} of {protocol}"
    if sum(row["faults"] for row in answers.batches) != sum(found[CHECK].count for found in estimates.values()):
        yield "the number of deliveries with a delay that is not the sum of its parts"
    for before, after in pairwise(answers.batches):
        if before["batch"] < after["batch"] and before["last"] > after["first"]:
            yield f"rows of {after['protocol']} are not in the order of time"


def _sums_by_batch(answers: DuckDbResults) -> dict[Key, list[tuple[int, int]]]:
    """Return a list for each protocol, replication and metric: the number of rows and the sum of each batch."""
    sums: dict[Key, list[tuple[int, int]]] = defaultdict(list)
    for row in answers.batches:
        _take(sums, row, (*SUMMED, "inhibited"), "")
    for row in answers.handoffs:
        kind = "reconnection" if row["reconnection"] else "move"
        _take(sums, row, STARTED if row["what"] == "started" else FINISHED, f"{kind}.")
    return sums


def _take(sums: dict[Key, list[tuple[int, int]]], row: dict[str, Any], names: Iterable[str], prefix: str) -> None:
    for name in names:
        sums[row["protocol"], row["replication"], f"{prefix}{name}"].append((row["count"], int(row[name])))


def _of_runs(runs: Iterable[Run], sums: dict[Key, list[tuple[int, int]]]) -> Iterator[str]:
    for run in runs:
        observed = {observation.metric: observation for observation in observe(run)}
        for (protocol, replication, metric), batches in sums.items():
            if (protocol, replication) != (run.protocol, run.replication):
                continue
            found, rows = observed[metric], sum(count for count, _ in batches)
            means = tuple(total / count for count, total in batches) if rows >= 2 * BATCHES else ()
            same = (found.count, found.batches) == (rows, means)
            if not same or found.mean is None or not isclose(found.mean, sum(s for _, s in batches) / rows):
                yield f"{metric} of replication {replication} of {protocol}"


def _of_protocol(protocol: str, found: dict[str, Estimate], row: dict[str, Any]) -> Iterator[str]:
    for metric in (*SUMMED, "inhibited"):
        ours = found[metric]
        same = (ours.count, len(ours.replications)) == (row["rows"], row["runs"])
        if not same or ours.mean is None or not isclose(ours.mean, row[metric], rel_tol=_MEAN_TOLERANCE):
            yield f"the mean of {metric} of {protocol}"
        low = max(0.0, row[metric] - row[f"{metric}_half"])
        tolerance = {"rel_tol": _INTERVAL_TOLERANCE, "abs_tol": _INTERVAL_TOLERANCE}
        if ours.method is Method.STUDENT and not isclose(ours.low or 0.0, low, **tolerance):
            yield f"the interval of {metric} of {protocol}"

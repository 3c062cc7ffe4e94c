"""Pool the runs of a protocol in a Spark task: means with intervals, percentiles over all rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from statistics import fmean
from typing import Any, Final

import pyarrow as pa

from analysis.statistics.estimate import Estimate
from analysis.statistics.percentiles import percentiles
from analysis.summary.metrics import CHECK, DELIVERIES, FAILED, HANDOFF_KINDS
from analysis.summary.results_reader import Run
from analysis.summary.run_metrics import Column, Observation, delays, handoff_times
from mobilesim.statistics.intervals import half_width

_ROWS: Final[dict[str, Callable[[Run], Iterator[Column]]]] = {
    "delay": delays,
    **{f"{kind}.time": partial(handoff_times, kind=kind) for kind in HANDOFF_KINDS},
}


def pool(observations: Iterable[dict[str, Any]], runs: Sequence[Run]) -> Iterator[Estimate]:
    """Yield an estimate per metric. Runs are the observations of a mean; a single run has its batches instead."""
    ordered = sorted(observations, key=lambda row: (row["metric"], row["replication"]))
    failed = [row for row in ordered if row["metric"] == FAILED]
    if failed:
        yield _notes(FAILED, failed)
        return
    counted = _counted(runs)
    replications = {run.replication for run in counted}
    for metric, group in groupby(ordered, key=lambda row: str(row["metric"])):
        rows = list(group)
        if metric in {CHECK, DELIVERIES}:
            yield _notes(metric, rows)
        else:
            yield _estimate(metric, [row for row in rows if row["replication"] in replications], counted)


def _counted(runs: Sequence[Run]) -> Sequence[Run]:
    """Return the complete runs, or all if none is: an interrupted run covers a different period."""
    return [run for run in runs if run.complete] or runs


def _notes(metric: str, rows: list[dict[str, Any]]) -> Estimate:
    first = next((row["note"] for row in rows if row["note"]), None)
    return Estimate(metric, sum(row["count"] for row in rows), note=first)


def _estimate(metric: str, rows: list[dict[str, Any]], runs: Sequence[Run]) -> Estimate:
    seen = [row for row in rows if row["mean"] is not None]
    count = sum(row["count"] for row in rows)
    if not seen:
        return Estimate(metric, count)
    means = tuple(row["mean"] for row in seen)
    mean = fmean(means)
    sample, source = (means, "replications") if len(means) > 1 else (tuple(seen[0]["batches"]), "batches")
    half = half_width(sample) if len(sample) > 1 else None
    low, high = (None, None) if half is None else (mean - half, mean + half)
    replications = tuple(row["replication"] for row in seen)
    source = "none" if half is None else source
    return Estimate(metric, count, mean, low, high, source, replications, means, _percentiles(metric, runs, count))


def _percentiles(metric: str, runs: Sequence[Run], count: int) -> tuple[int, ...]:
    if metric not in _ROWS:
        return ()
    return percentiles(lambda: (piece for run in runs for piece in _ROWS[metric](run)), count)


def as_row(of: Observation | Estimate) -> dict[str, Any]:
    """Return the fields as a row."""
    return {name: getattr(of, name) for name in type(of).__slots__}


def as_array(groups: Iterable[Iterable[dict[str, Any]]], schema: pa.Schema) -> pa.Array:
    """Return rows as the result of an Arrow UDF: a list of structures for each input row."""
    return pa.array([list(group) for group in groups], pa.list_(pa.struct(list(schema))))

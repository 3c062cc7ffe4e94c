"""The summary as a Spark job: runs -> observations -> estimates.

An observation is of one run, an estimate of a group: all runs of one protocol at one point. A task reads the Parquet
files of its runs with Arrow and numpy, so that only a few numbers per run are shuffled.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import Final, TypeAlias

from pyspark import RDD
from pyspark.sql import SparkSession

from mobilesim.analysis.spark.jobs import collect
from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.statistics.percentiles import percentiles
from mobilesim.analysis.summary.metrics import CHECK, DELIVERIES, FAILED, HANDOFF_KINDS
from mobilesim.analysis.summary.results_reader import Results, Run
from mobilesim.analysis.summary.run_metrics import Column, Observation, delays, handoff_times, observe
from mobilesim.errors import UserError
from mobilesim.results.location import Location
from mobilesim.statistics.intervals import half_width

_MAX_RUNS: Final = 200
"""The maximum number of runs of a task. Progress is reported after each task."""

Observer: TypeAlias = Callable[[Run], list[Observation]]
"""A function that computes the observations of a run, in a task; it raises a UserError if the run cannot be read."""

EstimatesByProtocol: TypeAlias = dict[str, dict[str, Estimate]]
"""Estimates by protocol and metric."""

Rows: TypeAlias = list[tuple[Run, Observation]]

_COLUMNS: Final[dict[str, Callable[[Run], Iterator[Column]]]] = {
    "delay": delays,
    **{f"{kind}.time": partial(handoff_times, kind=kind) for kind in HANDOFF_KINDS},
}


def estimates(spark: SparkSession, results: Results, progress: Callable[[str], None]) -> EstimatesByProtocol:
    """Return the estimates of the runs of one point."""
    (found,) = estimates_of_points(spark, results.directory, results.runs, progress).values()
    return found


def estimates_of_points(
    spark: SparkSession,
    directory: Location,
    runs: tuple[Run, ...],
    progress: Callable[[str], None],
    observer: Observer = observe,
) -> dict[str, EstimatesByProtocol]:

    def show(done: int, total: int) -> None:
        progress(f"summarizing: {done} of {total} tasks")

    estimated = collect(spark, directory, "summarize", lambda: _estimated(spark, runs, observer), show)
    by_point: dict[str, EstimatesByProtocol] = {}
    for run, by_metric in estimated:
        if FAILED in by_metric:
            raise UserError(str(by_metric[FAILED].note))
        by_point.setdefault(run.point, {})[run.protocol] = by_metric
    return by_point


def _estimated(spark: SparkSession, runs: tuple[Run, ...], observer: Observer) -> RDD[tuple[Run, dict[str, Estimate]]]:
    """Return the estimates of each group, with one run of the group."""
    tasks = 3 * spark.sparkContext.defaultParallelism
    groups: dict[tuple[str, str], int] = {}
    numbered = [(groups.setdefault((run.point, run.protocol), len(groups)), run) for run in runs]

    def observed(run: Run) -> tuple[Run, list[Observation]]:
        try:
            return run, observer(run)
        except UserError as error:
            return run, [Observation(FAILED, 0, None, note=str(error))]

    def pooled(group: Iterable[tuple[Run, list[Observation]]]) -> tuple[Run, dict[str, Estimate]]:
        ordered = sorted(group, key=lambda each: each[0].replication)
        return ordered[0][0], {estimate.metric: estimate for estimate in _pooled(ordered)}

    observations = spark.sparkContext.parallelize(numbered, min(len(runs), max(tasks, len(runs) // _MAX_RUNS)))
    return observations.mapValues(observed).groupByKey(min(len(groups), tasks)).mapValues(pooled).values()


def _pooled(group: Sequence[tuple[Run, list[Observation]]]) -> Iterator[Estimate]:
    """Yield an estimate per metric. The sample of a mean has one value per run; for a single run, one per batch."""
    by_metric: defaultdict[str, Rows] = defaultdict(list)
    for run, observations in group:
        for observation in observations:
            by_metric[observation.metric].append((run, observation))
    if FAILED in by_metric:
        yield _notes(FAILED, by_metric[FAILED])
        return
    # An interrupted run covers a shorter period. It counts only if no run is complete.
    counted = [run for run, _ in group if run.complete] or [run for run, _ in group]
    for metric, rows in by_metric.items():
        if metric in {CHECK, DELIVERIES}:
            yield _notes(metric, rows)
        else:
            yield _estimate(metric, [row for row in rows if row[0] in counted], counted)


def _notes(metric: str, rows: Rows) -> Estimate:
    first = next((observation.note for _, observation in rows if observation.note), None)
    return Estimate(metric, sum(observation.count for _, observation in rows), note=first)


def _estimate(metric: str, rows: Rows, runs: Sequence[Run]) -> Estimate:
    seen = [(run, float(each.mean), each.batches) for run, each in rows if each.mean is not None]
    count = sum(observation.count for _, observation in rows)
    if not seen:
        return Estimate(metric, count)
    replications, means = tuple(run.replication for run, _, _ in seen), tuple(mean for _, mean, _ in seen)
    mean = fmean(means)
    sample, source = (means, "replications") if len(means) > 1 else (seen[0][2], "batches")
    half = half_width(sample) if len(sample) > 1 else None
    low, high, source = (None, None, "none") if half is None else (mean - half, mean + half, source)
    exact: tuple[int, ...] = ()
    if (column := _COLUMNS.get(metric)) is not None:
        exact = percentiles(lambda: (piece for run in runs for piece in column(run)), count)
    return Estimate(metric, count, mean, low, high, source, replications, means, exact)

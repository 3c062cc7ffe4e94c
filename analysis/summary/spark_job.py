"""The summary as a Spark job: runs -> observations -> estimates, one record for each run, then for each cell.

A cell is the set of runs of one protocol at one point. A task reads the Parquet files of its runs with Arrow and numpy,
so that only a few numbers per run are shuffled.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from pyspark import RDD
from pyspark.sql import SparkSession

from analysis.spark.jobs import collect
from analysis.statistics.estimate import Estimate
from analysis.summary.metrics import FAILED
from analysis.summary.pooling import pool
from analysis.summary.results_reader import Results, Run
from analysis.summary.run_metrics import Observation, observe
from mobilesim.errors import UserError
from mobilesim.results.location import Location

_TASKS_PER_CORE: Final = 3
_MOST_RUNS: Final = 200
"""The most runs of a task: progress is reported after each task."""

Observer: TypeAlias = Callable[[Run], list[Observation]]
"""Computes the observations of a run, in a task; raises a UserError if the run cannot be read."""

EstimatesByProtocol: TypeAlias = dict[str, dict[str, Estimate]]
"""Estimates by protocol and metric."""


def estimates(spark: SparkSession, results: Results, progress: Callable[[str], None]) -> EstimatesByProtocol:
    """Return the estimates of runs of one point."""
    (found,) = estimates_of_points(spark, results.directory, results.runs, progress).values()
    return found


def estimates_of_points(
    spark: SparkSession,
    directory: Location,
    runs: tuple[Run, ...],
    progress: Callable[[str], None],
    observer: Observer = observe,
) -> dict[str, EstimatesByProtocol]:
    """Return the estimates by point of a sweep."""
    estimated = collect(spark, directory, "summarize", lambda: _estimated(spark, runs, observer), progress)
    by_point: dict[str, EstimatesByProtocol] = {}
    for run, by_metric in estimated:
        if FAILED in by_metric:
            raise UserError(str(by_metric[FAILED].note))
        by_point.setdefault(run.point, {})[run.protocol] = by_metric
    return by_point


def _estimated(spark: SparkSession, runs: tuple[Run, ...], observer: Observer) -> RDD[tuple[Run, dict[str, Estimate]]]:
    """Return the estimates of each cell, with one of its runs."""
    tasks = _TASKS_PER_CORE * spark.sparkContext.defaultParallelism
    cells: dict[tuple[str, str], int] = {}
    numbered = [(cells.setdefault((run.point, run.protocol), len(cells)), run) for run in runs]

    def observed(run: Run) -> tuple[Run, list[Observation]]:
        try:
            return run, observer(run)
        except UserError as error:
            return run, [Observation(FAILED, 0, None, note=str(error))]

    def pooled(group: Iterable[tuple[Run, list[Observation]]]) -> tuple[Run, dict[str, Estimate]]:
        ordered = sorted(group, key=lambda each: each[0].replication)
        return ordered[0][0], {estimate.metric: estimate for estimate in pool(ordered)}

    observations = spark.sparkContext.parallelize(numbered, min(len(runs), max(tasks, len(runs) // _MOST_RUNS)))
    return observations.mapValues(observed).groupByKey(min(len(cells), tasks)).mapValues(pooled).values()

"""The estimates of a summary as a Spark job (`analysis.summary.pooling` defines them).

A task reads the Parquet files of its runs with Arrow and numpy, so that only a few numbers per run are shuffled.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from pyspark import RDD
from pyspark.sql import SparkSession

from mobilesim.analysis.spark.jobs import collect
from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.metrics import FAILED
from mobilesim.analysis.summary.pooling import EstimatesByPoint, Observer, Progress, pooled
from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.summary.run_metrics import Observation, observe
from mobilesim.errors import UserError
from mobilesim.results.location import Location

_MAX_RUNS: Final = 200
"""The maximum number of runs of a task. Progress is reported after each task."""


def estimates_in_spark(
    spark: SparkSession, directory: Location, runs: Sequence[Run], progress: Progress, observer: Observer = observe
) -> EstimatesByPoint:

    def show(done: int, total: int) -> None:
        progress(f"summarizing: {done} of {total} tasks")

    estimated = collect(spark, directory, "summarize", lambda: _estimated(spark, runs, observer), show)
    by_point: EstimatesByPoint = {}
    for run, by_metric in estimated:
        if FAILED in by_metric:
            raise UserError(str(by_metric[FAILED].note))
        by_point.setdefault(run.point, {})[run.protocol] = by_metric
    return by_point


def _estimated(spark: SparkSession, runs: Sequence[Run], observer: Observer) -> RDD[tuple[Run, dict[str, Estimate]]]:
    """Return the estimates of each group, with one run of the group."""
    tasks = 3 * spark.sparkContext.defaultParallelism
    groups: dict[tuple[str, str], int] = {}
    numbered = [(groups.setdefault((run.point, run.protocol), len(groups)), run) for run in runs]

    def observed(run: Run) -> tuple[Run, list[Observation]]:
        try:
            return run, observer(run)
        except UserError as error:
            return run, [Observation(FAILED, 0, None, note=str(error))]

    def estimated(group: Iterable[tuple[Run, list[Observation]]]) -> tuple[Run, dict[str, Estimate]]:
        members = list(group)
        return members[0][0], pooled(members)

    observations = spark.sparkContext.parallelize(numbered, min(len(runs), max(tasks, len(runs) // _MAX_RUNS)))
    return observations.mapValues(observed).groupByKey(min(len(groups), tasks)).mapValues(estimated).values()

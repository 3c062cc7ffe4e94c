"""The summary as a Spark job: runs -> observations -> estimates, with a row for each run, then for each cell.

A cell is the set of runs of one protocol at one point. A task reads the Parquet files of its runs with Arrow and numpy,
so that only a few numbers per run are shuffled. The list of runs is broadcast, once per worker. The functions are Arrow
UDFs, because `mapInArrow` would require pandas.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import collect_list
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type

from analysis.spark.wait import collect_rows
from analysis.statistics.estimate import Estimate
from analysis.summary.metrics import FAILED
from analysis.summary.pooling import as_row, pool
from analysis.summary.results_reader import Results, Run
from analysis.summary.run_metrics import Observation, observe
from mobilesim.errors import UserError
from mobilesim.results.location import Location

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
"""One row per run and metric."""

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
"""One row per cell and metric."""

_TASKS_PER_CORE: Final = 3
_MOST_RUNS: Final = 200
"""The most runs of a task: progress is reported after each task."""

# The stubs of arrow_udf require a function type, but passing one makes it warn that annotations are preferred.
_vectorised: Callable[..., Callable[..., Column]] = arrow_udf


Observer: TypeAlias = Callable[[Run], list[Observation]]
"""Computes the observations of a run, in a task."""

EstimatesByProtocol: TypeAlias = dict[str, dict[str, Estimate]]
"""Estimates by protocol and metric."""

Cells: TypeAlias = tuple[tuple[Run, ...], ...]


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
    several = runs_by_cell(runs)

    def frame() -> DataFrame:
        shared = spark.sparkContext.broadcast(several)
        return pooled(observations(spark, shared, observer), shared)

    return _by_point(collect_rows(spark, directory, "summarize", frame, progress), several)


def runs_by_cell(runs: Sequence[Run]) -> Cells:
    found: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        found.setdefault((run.point, run.protocol), []).append(run)
    return tuple(map(tuple, found.values()))


def observations(spark: SparkSession, shared: Broadcast[Cells], observer: Observer = observe) -> DataFrame:
    """Return a frame with the observations of each run."""
    many = sum(map(len, shared.value))
    tasks = min(many, max(_task_count(spark), many // _MOST_RUNS))

    def observed(indices: pa.Array) -> pa.Array:
        runs = [(number, run) for number, cell in enumerate(shared.value) for run in cell]
        return pa.array(
            [_observed(*runs[index], observer=observer) for index in indices.to_pylist()], _rows_of(OBSERVATIONS)
        )

    return _explode(spark.range(0, many, 1, tasks), observed, OBSERVATIONS, "id")


def pooled(observed: DataFrame, shared: Broadcast[Cells]) -> DataFrame:
    """Return a frame with the estimates of each cell."""

    def estimated(numbers: pa.Array, groups: pa.Array) -> pa.Array:
        several = zip(numbers.to_pylist(), groups.to_pylist(), strict=True)
        return pa.array([_pooled(number, rows, shared.value[number]) for number, rows in several], _rows_of(ESTIMATES))

    tasks = min(len(shared.value), _task_count(observed.sparkSession))
    groups = observed.repartition(tasks, "cell").groupBy("cell").agg(collect_list("rows").alias("rows"))
    return _explode(groups, estimated, ESTIMATES, "cell", "rows")


def _task_count(spark: SparkSession) -> int:
    return _TASKS_PER_CORE * spark.sparkContext.defaultParallelism


def _explode(frame: DataFrame, work: Callable[..., pa.Array], schema: pa.Schema, *columns: str) -> DataFrame:
    made = _vectorised(work, from_arrow_type(_rows_of(schema)))
    return frame.select(made(*columns).alias("found")).select("found.*")


def _rows_of(schema: pa.Schema) -> pa.DataType:
    return pa.struct([("cell", pa.int32()), ("rows", pa.list_(pa.struct(list(schema))))])


def _observed(number: int, run: Run, *, observer: Observer) -> dict[str, Any]:
    return {
        "cell": number,
        "rows": [{"replication": run.replication, **as_row(observation)} for observation in observer(run)],
    }


def _pooled(number: int, groups: Sequence[Sequence[dict[str, Any]]], runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "cell": number,
        "rows": [as_row(estimate) for estimate in pool((row for rows in groups for row in rows), runs)],
    }


def _by_point(table: list[dict[str, Any]], cells: Cells) -> dict[str, EstimatesByProtocol]:
    found: dict[str, EstimatesByProtocol] = {}
    for cell in table:
        run = cells[cell["cell"]][0]
        found.setdefault(run.point, {})[run.protocol] = {row["metric"]: _estimate(row) for row in cell["rows"]}
    return found


def _estimate(row: dict[str, Any]) -> Estimate:
    if row["metric"] == FAILED:
        raise UserError(str(row["note"]))
    lists = {key: tuple(value) for key, value in row.items() if isinstance(value, list)}
    return Estimate(**{**row, **lists})

"""The summary as Spark sees it: runs -> observations -> estimates, with a row for each run, then for each cell.

A cell is the runs of one protocol at one point. A task reads its runs' Parquet files itself, with Arrow and numpy, so
that nothing is shuffled but a few numbers per run; workers keep what they are told of runs from task to task. Arrow
functions stand where `mapInArrow` could, which insists on pandas and makes no use of it.
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
"""Of a task, where there are very many: who waits wants to see how far it is."""

# Its stubs ask for a function type, and when it gets one it warns that it prefers to go by annotations.
_vectorised: Callable[..., Callable[..., Column]] = arrow_udf


Observer: TypeAlias = Callable[[Run], list[Observation]]
"""What a task does with a run."""

EstimatesByProtocol: TypeAlias = dict[str, dict[str, Estimate]]
"""Estimates by protocol and metric."""

Cells: TypeAlias = tuple[tuple[Run, ...], ...]


def estimates(spark: SparkSession, results: Results, progress: Callable[[str], None]) -> EstimatesByProtocol:
    """All runs are of one point."""
    (found,) = estimates_of_points(spark, results.directory, results.runs, progress).values()
    return found


def estimates_of_points(
    spark: SparkSession,
    directory: Location,
    runs: tuple[Run, ...],
    progress: Callable[[str], None],
    look: Observer = observe,
) -> dict[str, EstimatesByProtocol]:
    """By point of a sweep, as `runs` has it."""
    several = runs_by_cell(runs)

    def frame() -> DataFrame:
        shared = spark.sparkContext.broadcast(several)
        return pooled(observations(spark, shared, look), shared)

    return _by_point(collect_rows(spark, directory, "summarize", frame, progress), several)


def runs_by_cell(runs: Sequence[Run]) -> Cells:
    found: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        found.setdefault((run.point, run.protocol), []).append(run)
    return tuple(map(tuple, found.values()))


def observations(spark: SparkSession, shared: Broadcast[Cells], look: Observer = observe) -> DataFrame:
    """Of each run."""
    many = sum(map(len, shared.value))
    tasks = min(many, max(_at_once(spark), many // _MOST_RUNS))

    def observed(indices: pa.Array) -> pa.Array:
        runs = [(number, run) for number, cell in enumerate(shared.value) for run in cell]
        return pa.array([_observed(*runs[index], look=look) for index in indices.to_pylist()], _rows_of(OBSERVATIONS))

    return _unfolded(spark.range(0, many, 1, tasks), observed, OBSERVATIONS, "id")


def pooled(observed: DataFrame, shared: Broadcast[Cells]) -> DataFrame:
    """Of each cell."""

    def estimated(numbers: pa.Array, groups: pa.Array) -> pa.Array:
        several = zip(numbers.to_pylist(), groups.to_pylist(), strict=True)
        return pa.array([_pooled(number, rows, shared.value[number]) for number, rows in several], _rows_of(ESTIMATES))

    tasks = min(len(shared.value), _at_once(observed.sparkSession))
    groups = observed.repartition(tasks, "cell").groupBy("cell").agg(collect_list("rows").alias("rows"))
    return _unfolded(groups, estimated, ESTIMATES, "cell", "rows")


def _at_once(spark: SparkSession) -> int:
    return _TASKS_PER_CORE * spark.sparkContext.defaultParallelism


def _unfolded(frame: DataFrame, work: Callable[..., pa.Array], schema: pa.Schema, *columns: str) -> DataFrame:
    made = _vectorised(work, from_arrow_type(_rows_of(schema)))
    return frame.select(made(*columns).alias("found")).select("found.*")


def _rows_of(schema: pa.Schema) -> pa.DataType:
    return pa.struct([("cell", pa.int32()), ("rows", pa.list_(pa.struct(list(schema))))])


def _observed(number: int, run: Run, *, look: Observer) -> dict[str, Any]:
    return {"cell": number, "rows": [{"replication": run.replication, **as_row(each)} for each in look(run)]}


def _pooled(number: int, groups: Sequence[Sequence[dict[str, Any]]], runs: Sequence[Run]) -> dict[str, Any]:
    return {"cell": number, "rows": [as_row(each) for each in pool((row for rows in groups for row in rows), runs)]}


def _by_point(table: list[dict[str, Any]], cells: Cells) -> dict[str, EstimatesByProtocol]:
    found: dict[str, EstimatesByProtocol] = {}
    for each in table:
        run = cells[each["cell"]][0]
        found.setdefault(run.point, {})[run.protocol] = {row["metric"]: _estimate(row) for row in each["rows"]}
    return found


def _estimate(row: dict[str, Any]) -> Estimate:
    if row["metric"] == FAILED:
        raise UserError(str(row["note"]))
    lists = {key: tuple(value) for key, value in row.items() if isinstance(value, list)}
    return Estimate(**{**row, **lists})

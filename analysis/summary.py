"""The summary as Spark sees it: runs -> observations -> estimates, each a DataFrame with a schema of its own.

A task reads its runs' Parquet files itself, with Arrow and numpy: one file is one run, so that nothing is shuffled but
a few numbers per run. Arrow functions stand where `mapInArrow` could, which insists on pandas and makes no use of it.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final, TypeAlias

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, collect_list, inline, struct
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import DataType

from analysis.observe import FAILED, Observation, observe
from analysis.pool import Estimate, as_array, pool
from analysis.read import Results, Run
from analysis.schemas import ESTIMATES, OBSERVATIONS, checked
from analysis.session import one_line
from analysis.watch import watched
from mobilesim.errors import UserError
from mobilesim.folder import Location

_TASKS_PER_CORE: Final = 3
_MOST_RUNS: Final = 100
"""Of a task, where there are very many: who waits wants to see how far it is."""
_MOST_GROUPS: Final = 64
"""Of tasks that pool: there may be thousands of points, and a task costs more than a small point."""

_GROUP: Final = ("point", "protocol")

# Its stubs ask for a function type, and when it gets one it warns that it prefers to go by annotations.
_vectorised: Callable[..., Callable[..., Column]] = arrow_udf


Look: TypeAlias = Callable[[Run], list[Observation]]
"""What a task does with a run."""

ByProtocol: TypeAlias = dict[str, dict[str, Estimate]]
"""Estimates by protocol and metric."""


def estimates(spark: SparkSession, results: Results, progress: Callable[[str], None]) -> ByProtocol:
    """All runs are of one point."""
    (found,) = estimates_of_points(spark, results.directory, results.runs, progress).values()
    return found


def estimates_of_points(
    spark: SparkSession,
    directory: Location,
    runs: tuple[Run, ...],
    progress: Callable[[str], None],
    look: Look = observe,
) -> dict[str, ByProtocol]:
    """By point of a sweep, as `runs` has it."""
    try:
        table = watched(spark, lambda: pooled(observations(spark, runs, look), runs).toArrow(), progress)
    except PySparkException as error:
        raise UserError(f"{directory}: Spark could not summarise this: {one_line(error)}") from None
    return _by_point(checked(table.cast(ESTIMATES), ESTIMATES))


def observations(spark: SparkSession, runs: tuple[Run, ...], look: Look = observe) -> DataFrame:
    wanted = max(_TASKS_PER_CORE * spark.sparkContext.defaultParallelism, len(runs) // _MOST_RUNS)
    tasks = min(len(runs), wanted)

    def observed(indices: pa.Array) -> pa.Array:
        return as_array((_rows(runs[index], look) for index in indices.to_pylist()), OBSERVATIONS)

    numbers = spark.range(0, len(runs), 1, tasks)
    return numbers.select(inline(_vectorised(observed, _lists_of(OBSERVATIONS))("id")))


def pooled(observed: DataFrame, runs: tuple[Run, ...]) -> DataFrame:
    def estimated(points: pa.Array, protocols: pa.Array, groups: pa.Array) -> pa.Array:
        several = zip(points.to_pylist(), protocols.to_pylist(), groups.to_pylist(), strict=True)
        return as_array((_pooled_rows(point, name, rows, runs) for point, name, rows in several), ESTIMATES)

    tasks = min(len({(run.point, run.protocol) for run in runs}), _MOST_GROUPS)
    groups = (
        observed.repartition(tasks, *_GROUP)
        .groupBy(*_GROUP)
        .agg(collect_list(struct(*map(col, OBSERVATIONS.names))).alias("rows"))
    )
    return groups.select(inline(_vectorised(estimated, _lists_of(ESTIMATES))(*_GROUP, "rows")))


def _rows(run: Run, look: Look) -> list[dict[str, Any]]:
    constants = {"point": run.point, "protocol": run.protocol, "replication": run.replication}
    return [{**constants, **asdict(observation)} for observation in look(run)]


def _pooled_rows(point: str, protocol: str, rows: list[dict[str, Any]], runs: tuple[Run, ...]) -> list[dict[str, Any]]:
    own = [run for run in runs if (run.point, run.protocol) == (point, protocol)]
    return [{"point": point, "protocol": protocol, **asdict(estimate)} for estimate in pool(rows, own)]


def _lists_of(schema: pa.Schema) -> DataType:
    return from_arrow_type(pa.list_(pa.struct(list(schema))))


def _by_point(table: pa.Table) -> dict[str, ByProtocol]:
    found: dict[str, ByProtocol] = {}
    for row in table.to_pylist():
        point, name = row.pop("point"), row.pop("protocol")
        lists = {key: tuple(value or ()) for key, value in row.items() if isinstance(value, list)}
        estimate = Estimate(**{**row, **lists})
        if estimate.metric == FAILED:
            raise UserError(str(estimate.note))
        found.setdefault(point, {}).setdefault(name, {})[estimate.metric] = estimate
    return found

"""The summary as Spark sees it: runs -> observations -> estimates, each a DataFrame with a schema of its own.

A task reads its runs' Parquet files itself, with Arrow and numpy: one file is one run, so that nothing is shuffled but
a few numbers per run. Arrow functions stand where `mapInArrow` could, which insists on pandas and makes no use of it.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, collect_list, inline, struct
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import DataType

from analysis.observe import FAILED, observe
from analysis.pool import Estimate, as_array, pool
from analysis.read import Results, Run
from analysis.schemas import ESTIMATES, OBSERVATIONS, checked
from analysis.session import one_line
from analysis.watch import watched
from mobilesim.errors import UserError

_TASKS_PER_CORE: Final = 3

# Its stubs ask for a function type, and when it gets one it warns that it prefers to go by annotations.
_vectorised: Callable[..., Callable[..., Column]] = arrow_udf


def estimates(spark: SparkSession, results: Results, progress: Callable[[str], None]) -> dict[str, dict[str, Estimate]]:
    """By protocol and metric."""
    try:
        table = watched(spark, lambda: pooled(observations(spark, results.runs), results.runs).toArrow(), progress)
    except PySparkException as error:
        raise UserError(f"{results.directory}: Spark could not summarise this: {one_line(error)}") from None
    return _by_protocol(checked(table.cast(ESTIMATES), ESTIMATES))


def observations(spark: SparkSession, runs: tuple[Run, ...]) -> DataFrame:
    tasks = min(len(runs), _TASKS_PER_CORE * spark.sparkContext.defaultParallelism)

    def observed(indices: pa.Array) -> pa.Array:
        return as_array((_rows(runs[index]) for index in indices.to_pylist()), OBSERVATIONS)

    numbers = spark.range(0, len(runs), 1, tasks)
    return numbers.select(inline(_vectorised(observed, _lists_of(OBSERVATIONS))("id")))


def pooled(observed: DataFrame, runs: tuple[Run, ...]) -> DataFrame:
    def estimated(protocols: pa.Array, groups: pa.Array) -> pa.Array:
        pairs = zip(protocols.to_pylist(), groups.to_pylist(), strict=True)
        return as_array((_pooled_rows(name, rows, runs) for name, rows in pairs), ESTIMATES)

    protocols = len({run.protocol for run in runs})
    groups = (
        observed.repartition(protocols, "protocol")
        .groupBy("protocol")
        .agg(collect_list(struct(*map(col, OBSERVATIONS.names))).alias("rows"))
    )
    return groups.select(inline(_vectorised(estimated, _lists_of(ESTIMATES))("protocol", "rows")))


def _rows(run: Run) -> list[dict[str, Any]]:
    constants = {"protocol": run.protocol, "replication": run.replication}
    return [{**constants, **asdict(observation)} for observation in observe(run)]


def _pooled_rows(protocol: str, rows: list[dict[str, Any]], runs: tuple[Run, ...]) -> list[dict[str, Any]]:
    own = [run for run in runs if run.protocol == protocol]
    return [{"protocol": protocol, **asdict(estimate)} for estimate in pool(rows, own)]


def _lists_of(schema: pa.Schema) -> DataType:
    return from_arrow_type(pa.list_(pa.struct(list(schema))))


def _by_protocol(table: pa.Table) -> dict[str, dict[str, Estimate]]:
    found: dict[str, dict[str, Estimate]] = {}
    for row in table.to_pylist():
        name = row.pop("protocol")
        lists = {key: tuple(value or ()) for key, value in row.items() if isinstance(value, list)}
        estimate = Estimate(**{**row, **lists})
        if estimate.metric == FAILED:
            raise UserError(str(estimate.note))
        found.setdefault(name, {})[estimate.metric] = estimate
    return found

"""Spark sessions of Python programs, and executors that start one for their first job."""

import atexit
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mobilesim.api.table import Table
    from mobilesim.experiments.executors import Executor


def lasting_session() -> "SparkSession":
    """Return the running session. If there is none, start a local one, which ends with the program."""
    from mobilesim.analysis.spark.session import session

    stack = ExitStack()
    running = stack.enter_context(session())
    atexit.register(stack.close)
    return running


def register_views(tables: Iterable["Table"]) -> "SparkSession":
    """Register each table as a temporary view of its name, with the point of its run; return the session. The first of
    the tables is `runs`. The other views get the column `point` by a join with it, which is small.
    """
    from pyspark.sql.functions import broadcast, col, from_json

    spark = lasting_session()
    runs, *others = tables
    placed = runs.spark().withColumn("point", from_json(col("point"), "map<string, string>"))
    placed.createOrReplaceTempView(runs.name)
    points = broadcast(placed.select("run_id", "point"))
    for table in others:
        table.spark().join(points, "run_id").createOrReplaceTempView(table.name)
    return spark


@contextmanager
def spark_executor(
    master: str | None,
    progress: Callable[[str], None],
    during_jobs: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> "Iterator[Executor]":
    """Yield an executor, which starts Spark for its first jobs. Jobs run in the block `during_jobs`."""
    with ExitStack() as stack:
        started: list[Any] = []

        def execute(jobs: Any, work: Any, **options: Any) -> Iterator[Any]:  # noqa: ANN401 - as an Executor has it
            from mobilesim.analysis.spark.distribute import distribute
            from mobilesim.analysis.spark.session import session
            from mobilesim.extensions.plugin_files import LOADED

            if not started:
                started.append(stack.enter_context(session(master, progress=progress)))
                for file in LOADED.values():
                    started[0].sparkContext.addPyFile(str(file))
            with during_jobs():
                yield from distribute(started[0], jobs, work, **options)

        yield execute

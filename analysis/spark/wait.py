"""Run Spark jobs with progress messages and errors of one line."""

from collections.abc import Callable
from contextlib import suppress
from tempfile import gettempdir
from typing import Any, Final, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from analysis.spark.background_job import BackgroundJob
from analysis.spark.cluster_watchdog import ClusterWatchdog, spark_failure_as_user_error
from analysis.spark.deferred_interrupt import DeferInterrupt
from analysis.spark.session import one_line
from mobilesim.errors import UserError
from mobilesim.results.location import Location

T = TypeVar("T")

_INTERVAL: Final = 0.25
_GRACE: Final = 5.0


def collect_rows(
    spark: SparkSession, directory: Location, verb: str, frame: Callable[[], DataFrame], progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Return the rows of a frame; errors of Spark become one line."""
    try:
        rows: list[dict[str, Any]] = run_with_progress(spark, lambda: frame().toArrow(), progress).to_pylist()
    except PySparkException as error:
        raise UserError(f"{directory}: Spark could not {verb} this: {one_line(error)}") from None
    except OSError as error:
        room = f"no room to work in below {gettempdir()} ({error.strerror or error})"
        raise UserError(f"{directory}: Spark has {room}; set TMPDIR to where there is some") from None
    return rows


def run_with_progress(spark: SparkSession, work: Callable[[], T], progress: Callable[[str], None]) -> T:
    """Run the work in a thread, so that this one can watch it and Ctrl-C is handled at once."""
    with spark_failure_as_user_error(spark.sparkContext):
        errand = BackgroundJob(work)
        try:
            errand.start()
            _wait(spark, errand, progress)
        except BaseException:
            with DeferInterrupt(), suppress(Exception):  # Java may be dead, which is told by what is raised here
                spark.sparkContext.cancelAllJobs()
            if errand.is_alive():
                errand.join(_GRACE)
            raise
        return errand.outcome.result()


def _wait(spark: SparkSession, errand: BackgroundJob[T], progress: Callable[[str], None]) -> None:
    said = ""
    workers = ClusterWatchdog(spark)
    while errand.is_alive():
        errand.join(_INTERVAL)
        workers.look()
        with DeferInterrupt():
            now = _tasks_done(spark)
        if now not in {"", said}:
            progress(now)
            said = now


def _tasks_done(spark: SparkSession) -> str:
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    known = [stage for stage in stages if stage is not None]
    done, total = sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
    return f"summarizing: {done} of {total} tasks" if total else ""

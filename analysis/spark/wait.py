"""Run Spark jobs with progress messages and errors of one line."""

from collections.abc import Callable
from contextlib import suppress
from tempfile import gettempdir
from typing import Final, TypeVar

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]  # py4j has no types
from pyspark import RDD
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from analysis.spark.background_job import BackgroundJob
from analysis.spark.cluster_watchdog import ClusterWatchdog, spark_failure_as_user_error
from analysis.spark.deferred_interrupt import DeferInterrupt
from analysis.spark.session import one_line
from mobilesim.errors import UserError
from mobilesim.results.location import Location

T = TypeVar("T")

_POLL_SECONDS: Final = 0.25
_GRACE: Final = 5.0


def collect(
    spark: SparkSession, directory: Location, verb: str, work: Callable[[], RDD[T]], progress: Callable[[str], None]
) -> list[T]:
    """Return the elements of the set that `work` makes; turn errors of Spark into a UserError of one line."""
    try:
        return run_with_progress(spark, lambda: work().collect(), progress)
    except (PySparkException, Py4JJavaError) as error:
        raise UserError(f"{directory}: Spark could not {verb} this: {one_line(error)}") from None
    except OSError as error:
        cause = f"no room to work in below {gettempdir()} ({error.strerror or error})"
        raise UserError(f"{directory}: Spark has {cause}; set TMPDIR to where there is some") from None


def run_with_progress(spark: SparkSession, work: Callable[[], T], progress: Callable[[str], None]) -> T:
    """Run the work in a background thread; the calling thread reports progress and handles Ctrl-C at once."""
    with spark_failure_as_user_error(spark.sparkContext):
        thread = BackgroundJob(work)
        try:
            thread.start()
            _wait(spark, thread, progress)
        except BaseException:
            with DeferInterrupt(), suppress(Exception):  # Java may have ended, which the raised error reports
                spark.sparkContext.cancelAllJobs()
            if thread.is_alive():
                thread.join(_GRACE)
            raise
        return thread.outcome.result()


def _wait(spark: SparkSession, thread: BackgroundJob[T], progress: Callable[[str], None]) -> None:
    reported = ""
    watchdog = ClusterWatchdog(spark)
    while thread.is_alive():
        thread.join(_POLL_SECONDS)
        watchdog.check()
        with DeferInterrupt():
            now = _tasks_done(spark)
        if now not in {"", reported}:
            progress(now)
            reported = now


def _tasks_done(spark: SparkSession) -> str:
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    known = [stage for stage in stages if stage is not None]
    done, total = sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
    return f"summarizing: {done} of {total} tasks" if total else ""

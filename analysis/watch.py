"""Waiting for Spark while saying how far it is."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Final, TypeVar

from pyspark import InheritableThread
from pyspark.sql import SparkSession

from analysis.interrupts import Deferred
from analysis.workers import Workers, mourned

T = TypeVar("T")

_INTERVAL: Final = 0.25
_GRACE: Final = 5.0


def watched(spark: SparkSession, work: Callable[[], T], progress: Callable[[str], None]) -> T:
    """Run the work in a thread of its own, so that this one can look after it and Ctrl-C reaches it at once."""
    outcome: Future[T] = Future()
    thread = InheritableThread(target=_settle, args=(outcome, work), daemon=True)
    thread.start()
    with mourned(spark.sparkContext):
        try:
            _wait(spark, thread, progress)
        except BaseException:
            with Deferred(), suppress(Exception):  # Java may be dead, which is told by what is raised here
                spark.sparkContext.cancelAllJobs()
            thread.join(_GRACE)
            raise
        return outcome.result()


def _wait(spark: SparkSession, thread: InheritableThread, progress: Callable[[str], None]) -> None:
    said = ""
    workers = Workers(spark)
    while thread.is_alive():
        thread.join(_INTERVAL)
        workers.look()
        with Deferred():
            now = _tasks_done(spark)
        if now not in {"", said}:
            progress(now)
            said = now


def _settle(outcome: Future[T], work: Callable[[], T]) -> None:
    try:
        outcome.set_result(work())
    except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
        outcome.set_exception(error)


def _tasks_done(spark: SparkSession) -> str:
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    known = [stage for stage in stages if stage is not None]
    done, total = sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
    return f"summarising: {done} of {total} tasks" if total else ""

"""Run Spark jobs in background threads. Ctrl-C cancels the jobs, and an error is reported in one line.

The cluster is watched while a job runs: without workers, the Spark driver would wait forever without a message.
"""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from tempfile import gettempdir
from time import monotonic
from typing import Any, Final, Generic, TypeVar

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]  # py4j has no types
from pyspark import RDD, InheritableThread, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from mobilesim.analysis.spark.deferred_interrupt import DeferInterrupt
from mobilesim.analysis.spark.session import answers, is_gone, is_local, one_line
from mobilesim.errors import UserError, parameter
from mobilesim.results.location import Location

T = TypeVar("T")

_GRACE: Final = 5.0
_UNANSWERED: Final = 3
"""A master counts as gone after so many consecutive failed connections. After fewer, it may be restarting."""


class BackgroundJob(InheritableThread, Generic[T]):
    """A thread with an `outcome`: the result or the error, even if the Java process ends before the work is done."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.outcome: Future[T] = Future()
        super().__init__(target=lambda: self.outcome.set_result(work()), daemon=True)

    def start(self) -> None:
        with DeferInterrupt():
            super().start()

    def run(self) -> None:
        try:
            super().run()
        except BaseException as error:  # noqa: BLE001 - raised again by `outcome.result()`
            self.outcome.set_exception(error)


class ClusterWatchdog:
    """Checks the workers of a cluster; call `check` repeatedly while waiting."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._master = str(context.master)
        self._checked = self._last_seen = monotonic()
        self._reported = False
        self._unanswered = 0

    def check(self) -> None:
        """Report once that there is no worker; raise a UserError if the master does not answer either."""
        now = monotonic()
        if is_local(self._master) or now - self._checked < 1.0:
            return
        self._checked = now
        with DeferInterrupt():
            known: int = _java(self._context).getExecutorMemoryStatus().size()
        if known > 1:  # the driver is one of them
            self._last_seen, self._reported, self._unanswered = now, False, 0
        elif now - self._last_seen > _GRACE:
            self._report_missing_workers()

    def _report_missing_workers(self) -> None:
        self._unanswered = 0 if answers(self._master) else self._unanswered + 1
        if self._unanswered >= _UNANSWERED:
            raise UserError(
                f"{parameter('master', self._master)}: the master does not answer any more, and has no workers"
            )
        if not self._reported:
            sys.stderr.write(f"mobilesim: waiting for workers of {self._master}…\n")
            sys.stderr.flush()
            self._reported = True


def collect(
    spark: SparkSession, directory: Location, verb: str, work: Callable[[], RDD[T]], show: Callable[[int, int], None]
) -> list[T]:
    """Return the elements of the RDD that `work` returns; convert errors of Spark into a UserError of one line.

    `show` is called with the number of finished tasks and the number of all tasks, both in the active stages.
    """
    context = spark.sparkContext
    thread = BackgroundJob(lambda: work().collect())
    try:
        with spark_failure_as_user_error(context):
            try:
                thread.start()
                _wait(context, thread, show)
            except BaseException:
                with DeferInterrupt(), suppress(Exception):  # fails if Java has ended; the raised error reports this
                    context.cancelAllJobs()
                if thread.is_alive():
                    thread.join(5.0)
                raise
            return thread.outcome.result()
    except (PySparkException, Py4JJavaError) as error:
        raise UserError(f"{directory}: Spark could not {verb} this: {one_line(error)}") from None
    except OSError as error:
        cause = f"cannot write temporary files below {gettempdir()} ({error.strerror or error})"
        raise UserError(f"{directory}: Spark {cause}; set TMPDIR to a directory with free space") from None


def _wait(context: SparkContext, thread: BackgroundJob[T], show: Callable[[int, int], None]) -> None:
    reported = (0, 0)
    watchdog = ClusterWatchdog(context)
    while thread.is_alive():
        thread.join(0.25)
        watchdog.check()
        with DeferInterrupt():
            now = _tasks_done(context)
        if now[1] and now != reported:
            show(*now)
            reported = now


def _tasks_done(context: SparkContext) -> tuple[int, int]:
    tracker = context.statusTracker()
    stages = [stage for number in tracker.getActiveStageIds() if (stage := tracker.getStageInfo(number)) is not None]
    return sum(stage.numCompletedTasks for stage in stages), sum(stage.numTasks for stage in stages)


@contextmanager
def spark_failure_as_user_error(context: SparkContext) -> Iterator[None]:
    """If Spark has ended, convert the resulting error into a UserError of one line."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        with DeferInterrupt():
            ended = has_ended(context)
        if not ended:
            raise
        gone = is_gone(context._gateway)  # noqa: SLF001 - PySpark has no public name for it
        cause = "its Java process has ended; did it run out of memory?" if gone else one_line(error)
        raise UserError(f"Spark ended before its jobs were finished: {cause}") from None


def has_ended(context: SparkContext) -> bool:
    """Whether the Java process has ended or the cluster has removed the application."""
    try:
        return bool(_java(context).isStopped())
    except Exception:  # noqa: BLE001 - py4j raises various errors after Java has ended
        return True


def _java(context: SparkContext) -> Any:  # noqa: ANN401 - py4j has no types
    return context._jsc.sc()  # noqa: SLF001 - PySpark has no public name for either

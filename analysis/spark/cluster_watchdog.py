"""Detect a cluster without workers: the Spark driver alone would wait forever without a message."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final

from pyspark import SparkContext
from pyspark.sql import SparkSession

from analysis.spark.deferred_interrupt import DeferInterrupt
from analysis.spark.session import answers, is_gone, is_local, one_line
from mobilesim.errors import UserError

_INTERVAL: Final = 1.0
_GRACE: Final = 5.0
_UNANSWERED: Final = 3
"""Failed connections in a row after which a master counts as gone; a restart takes a moment."""


class ClusterWatchdog:
    """Checks the workers of a cluster; call `check` repeatedly while waiting."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        self._master = str(self._context.master)
        self._checked = self._last_seen = monotonic()
        self._reported = False
        self._unanswered = 0

    def check(self) -> None:
        """Report once that there is no worker; raise if the master is gone, too."""
        now = monotonic()
        if is_local(self._master) or now - self._checked < _INTERVAL:
            return
        self._checked = now
        if self._has_workers():
            self._last_seen, self._reported, self._unanswered = now, False, 0
        elif now - self._last_seen > _GRACE:
            self._report_missing_workers()

    def _has_workers(self) -> bool:
        with DeferInterrupt():
            known: int = _java(self._context).getExecutorMemoryStatus().size()
        return known > 1  # one of them is the driver

    def _report_missing_workers(self) -> None:
        self._unanswered = 0 if answers(self._master) else self._unanswered + 1
        if self._unanswered >= _UNANSWERED:
            raise UserError(f"--master {self._master}: nothing answers there any more, and no worker of it is left")
        if not self._reported:
            sys.stderr.write(f"mobilesim: waiting for workers of {self._master}…\n")
            sys.stderr.flush()
            self._reported = True


@contextmanager
def spark_failure_as_user_error(context: SparkContext) -> Iterator[None]:
    """Turn any error caused by the end of Spark into a UserError of one line."""
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
        cause = "its Java process has gone; did it run out of memory?" if gone else one_line(error)
        raise UserError(f"Spark has ended before its work was done: {cause}") from None


def has_ended(context: SparkContext) -> bool:
    """Whether the Java process has ended or the cluster has removed the application."""
    try:
        return bool(_java(context).isStopped())
    except Exception:  # noqa: BLE001 - py4j raises various errors after Java has ended
        return True


def _java(context: SparkContext) -> Any:  # noqa: ANN401 - py4j has no types
    return context._jsc.sc()  # noqa: SLF001 - PySpark has no public name for either

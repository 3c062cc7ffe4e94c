"""Detect a cluster without workers: the Spark driver would wait for ever without a message."""

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

_EVERY: Final = 1.0
_LONG: Final = 5.0
_UNANSWERED: Final = 3
"""Times in a row, after which a master has gone for good: one that is started anew may take a moment."""


class ClusterWatchdog:
    """Checks the workers of a cluster; call `look` repeatedly while waiting."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        self._master = str(self._context.master)
        self._asked = self._alone_since = monotonic()
        self._told = False
        self._unanswered = 0

    def look(self) -> None:
        """Report once that no worker is there; raise if the master is gone too."""
        now = monotonic()
        if is_local(self._master) or now - self._asked < _EVERY:
            return
        self._asked = now
        if self._are_there():
            self._alone_since, self._told, self._unanswered = now, False, 0
        elif now - self._alone_since > _LONG:
            self._worry()

    def _are_there(self) -> bool:
        with DeferInterrupt():
            known: int = _java(self._context).getExecutorMemoryStatus().size()
        return known > 1  # one is the driver's own

    def _worry(self) -> None:
        self._unanswered = 0 if answers(self._master) else self._unanswered + 1
        if self._unanswered >= _UNANSWERED:
            raise UserError(f"--master {self._master}: nothing answers there any more, and no worker of it is left")
        if not self._told:
            sys.stderr.write(f"mobilesim: waiting for workers of {self._master}…\n")
            sys.stderr.flush()
            self._told = True


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
        gone = is_gone(context._gateway)  # noqa: SLF001 - which `session` has started
        said = "its Java process has gone; did it run out of memory?" if gone else one_line(error)
        raise UserError(f"Spark has ended before its work was done: {said}") from None


def has_ended(context: SparkContext) -> bool:
    """Whether the Java process has ended or the cluster has removed the application."""
    try:
        return bool(_java(context).isStopped())
    except Exception:  # noqa: BLE001 - py4j has many ways to say that nobody is there
        return True


def _java(context: SparkContext) -> Any:  # noqa: ANN401 - py4j has no types
    return context._jsc.sc()  # noqa: SLF001 - PySpark tells neither

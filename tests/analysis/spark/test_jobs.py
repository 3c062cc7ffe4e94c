"""Threads that work for Spark: what came of them is known, in whatever way they end."""

import pytest
from pyspark import InheritableThread

from analysis.spark.jobs import BackgroundJob
from tests.support.subprocesses import PATIENCE

pytestmark = pytest.mark.usefixtures("spark")


def test_an_errand_has_what_its_work_returns() -> None:
    errand = BackgroundJob(lambda: 7)
    errand.start()
    assert errand.outcome.result(PATIENCE) == 7


def test_what_its_work_raises_is_its_outcome() -> None:
    def work() -> int:
        raise MemoryError

    errand = BackgroundJob(work)
    errand.start()
    assert isinstance(errand.outcome.exception(PATIENCE), MemoryError)


def test_a_java_that_goes_before_its_work_begins_is_its_outcome_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """PySpark's own code runs first in the thread, and asks Java."""

    def broken(_: object) -> None:
        raise ConnectionResetError

    monkeypatch.setattr(InheritableThread, "run", broken)
    errand = BackgroundJob(lambda: 7)
    errand.start()
    assert isinstance(errand.outcome.exception(PATIENCE), ConnectionResetError)

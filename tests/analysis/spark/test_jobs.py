"""The threads of Spark jobs have an outcome in all cases."""

import pytest
from pyspark import InheritableThread

from mobilesim.analysis.spark.jobs import BackgroundJob
from tests.support.subprocesses import TIMEOUT

pytestmark = pytest.mark.usefixtures("spark")


def test_the_outcome_of_a_job_is_its_result() -> None:
    thread = BackgroundJob(lambda: 7)
    thread.start()
    assert thread.outcome.result(TIMEOUT) == 7


def test_the_outcome_of_a_job_is_its_exception() -> None:
    def work() -> int:
        raise MemoryError

    thread = BackgroundJob(work)
    thread.start()
    assert isinstance(thread.outcome.exception(TIMEOUT), MemoryError)


def test_the_end_of_java_before_the_start_of_a_job_is_its_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code of PySpark runs first in the thread. It calls Java, which fails."""

    def broken(_: object) -> None:
        raise ConnectionResetError

    monkeypatch.setattr(InheritableThread, "run", broken)
    thread = BackgroundJob(lambda: 7)
    thread.start()
    assert isinstance(thread.outcome.exception(TIMEOUT), ConnectionResetError)

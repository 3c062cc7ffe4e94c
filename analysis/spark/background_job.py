"""A thread that runs one Spark job and keeps its outcome."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from pyspark import InheritableThread

from analysis.spark.deferred_interrupt import DeferInterrupt

T = TypeVar("T")


class BackgroundJob(InheritableThread, Generic[T]):
    """`outcome` is the result or the error; it is set even if the work cannot begin because Java has ended."""

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

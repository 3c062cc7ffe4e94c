"""Start a Spark session while other work goes on."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager

from pyspark.sql import SparkSession

from mobilesim.analysis.spark.session import check_master, session

Started = Callable[[Callable[[str], None]], SparkSession]
"""Waits for the session and returns it, or raises the error of a failed start. Its argument shows what it waits for."""


@contextmanager
def early_session(master: str | None = None) -> Iterator[Started]:
    """Start a session in a thread, and end it after the block. A wrong master is refused at once."""
    if SparkSession.getActiveSession() is not None:
        with session(master) as active:
            yield lambda _: active
        return
    check_master(master)
    ready: Future[SparkSession] = Future()

    def start() -> None:
        try:
            ready.set_result(running.enter_context(session(master)))
        except BaseException as error:  # noqa: BLE001 - raised again by `started`
            ready.set_exception(error)

    def started(progress: Callable[[str], None]) -> SparkSession:
        if not ready.done():
            progress("starting Spark…")
        return ready.result()

    with ExitStack() as running:
        thread = threading.Thread(target=start, daemon=True)
        thread.start()
        try:
            yield started
        finally:
            thread.join()

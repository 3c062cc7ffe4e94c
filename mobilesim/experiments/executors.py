"""Executors of independent jobs, in this process or in worker processes. `analysis.spark.distribute` uses Spark.

A long job calls `stop_requested` repeatedly. If the answer is true, the job returns None, and has no result.
"""

import signal
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Final, Protocol, TypeVar

from mobilesim.errors import UserError

J = TypeVar("J", bound=Hashable)
R = TypeVar("R")
J_co = TypeVar("J_co", covariant=True)

_JOBS_PER_WORKER: Final = 3
"""The number of jobs per worker that are submitted in advance, so that workers need not wait for a job."""

_stop: Callable[[], bool] = bool
"""The stop condition of the jobs in this process."""


def never() -> bool:
    return False


class LostJob(Protocol[J_co]):
    """Replaces the result of a job whose worker died repeatedly."""

    @property
    def job(self) -> J_co: ...

    @property
    def reason(self) -> str: ...


class Executor(Protocol):
    """Calls `work` for every job and yields the results in any order, until `stop` returns true.

    `kind`: jobs of one kind take about the same time.
    """

    def __call__(
        self, jobs: Sequence[J], work: Callable[[J], R], /, *, kind: Callable[[J], Hashable], stop: Callable[[], bool]
    ) -> Iterator[R | LostJob[J]]: ...


def stop_requested() -> bool:
    """Return whether the present job should end without a result."""
    return _stop()


def in_process(
    jobs: Sequence[J],
    work: Callable[[J], R],
    *,
    kind: Callable[[J], Hashable] = hash,  # noqa: ARG001 - a parameter of every Executor
    stop: Callable[[], bool] = never,
) -> Iterator[R]:
    """Execute one job after another in this process. This function is an Executor."""
    with _stopped_by(stop):
        for job in jobs:
            if stop():
                return
            if (result := work(job)) is not None:
                yield result


def process_pool(workers: int) -> Executor:
    """Return an executor with this number of worker processes. Its `work` must be importable."""
    return partial(_in_processes, workers)


def _in_processes(
    workers: int,
    jobs: Sequence[J],
    work: Callable[[J], R],
    *,
    kind: Callable[[J], Hashable] = hash,
    stop: Callable[[], bool] = never,
) -> Iterator[R]:
    if workers == 1 or len(jobs) < _JOBS_PER_WORKER:
        yield from in_process(jobs, work, kind=kind, stop=stop)
        return
    stopped = get_context("spawn").Event()
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (stopped,))
    waiting = iter(jobs)

    def submit(count: int) -> set[Future[R | None]]:
        return {pool.submit(work, job) for job in islice(waiting, count)}

    try:
        with _ignored_interrupts():
            submitted = submit(workers * _JOBS_PER_WORKER)
        while submitted and not stop():
            done, submitted = wait(submitted, 0.2, FIRST_COMPLETED)
            submitted |= submit(len(done))
            yield from _results(done)
        stopped.set()
        yield from _results(submitted)
    except BrokenProcessPool:
        raise UserError(
            "a worker process was killed, perhaps because the memory was full; finished runs are kept: try again with "
            "fewer --workers"
        ) from None
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


def _results(futures: set[Future[R | None]]) -> Iterator[R]:
    begun = [future for future in futures if not future.cancel()]
    yield from (result for future in begun if (result := future.result()) is not None)


@contextmanager
def _ignored_interrupts() -> Iterator[None]:
    """Let new processes ignore Ctrl-C, which a terminal sends to all processes. Workers are stopped by `stop`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _stopped_by(stop: Callable[[], bool]) -> Iterator[None]:
    global _stop  # noqa: PLW0603 - shared by all jobs of a process
    before, _stop = _stop, stop
    try:
        yield
    finally:
        _stop = before


def _start_worker(stopped: Event) -> None:
    global _stop  # noqa: PLW0603 - shared by all jobs of a process
    _stop = stopped.is_set

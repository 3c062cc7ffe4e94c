"""Executors of independent jobs, in this process or in worker processes. `analysis.spark.distribute` uses Spark.

A long job calls `stop_requested` repeatedly. If the answer is true, the job ends early, and may return None for no
result.
"""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from mobilesim.errors import UserError
from mobilesim.extensions.plugin_files import LOADED, load_plugins

J = TypeVar("J", bound=Hashable)
R = TypeVar("R")
J_co = TypeVar("J_co", covariant=True)

Listener: TypeAlias = Callable[[object], None]

SECONDS_ALONE: Final = 1.0
"""The time after which `process_pool` starts other processes. The start of one takes some 0.4 s of processor time."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def never() -> bool:
    return False


def _ignore(_: object) -> None: ...


_stop: Callable[[], bool] = never
"""The stop condition of the jobs in this process."""

_report: Listener = _ignore
"""The receiver of reports of the jobs in this process."""


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


def report(event: object) -> None:
    """Report the progress of the present job to the listener of its executor."""
    _report(event)


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


def process_pool(workers: int, listen: Listener = _ignore, environment: Mapping[str, str] | None = None) -> Executor:
    """Return an executor that uses this number of processes, including this one. Its `work` must be importable.

    This process begins alone. The other processes start when the jobs have taken `SECONDS_ALONE`, so that a few short
    jobs do not wait for new processes. `listen` gets what the jobs `report`, one call at a time. `environment`: the
    environment variables of the other processes; by default, those of this process when they start.
    """
    return partial(_in_processes, workers, listen, environment)


def _in_processes(
    workers: int,
    listen: Listener,
    environment: Mapping[str, str] | None,
    jobs: Sequence[J],
    work: Callable[[J], R],
    *,
    kind: Callable[[J], Hashable] = hash,  # noqa: ARG001 - a parameter of every Executor
    stop: Callable[[], bool] = never,
) -> Iterator[R]:
    lock = threading.Lock()

    def heard(event: object) -> None:
        with lock:
            listen(event)

    def asked() -> bool:
        others.feed()
        return stop()

    others = _OtherProcesses(workers - 1, jobs, work, heard, environment)
    try:
        with others, _stopped_by(asked), _reported_to(heard):
            while not stop() and (taken := others.take()):
                others.feed()
                if (result := work(taken[0])) is not None:
                    yield result
                yield from others.finished()
            yield from others.rest(stop)
    except BrokenProcessPool:
        raise UserError(
            "a worker process was killed, perhaps because the memory was full; finished runs are kept: try again with "
            "fewer --workers"
        ) from None


class _OtherProcesses(ExitStack, Generic[J, R]):
    """Worker processes beside this process. At the exit of the block, all of them have ended.

    A job is submitted when a process is idle. The others wait here, so that this process can take them as well.
    """

    def __init__(
        self,
        number: int,
        jobs: Sequence[J],
        work: Callable[[J], R],
        heard: Listener,
        environment: Mapping[str, str] | None,
    ) -> None:
        super().__init__()
        self._number, self._work, self._heard, self._environment = number, work, heard, environment
        self._waiting = deque(jobs)
        self._submitted: set[Future[R | None]] = set()
        self._pool: ProcessPoolExecutor | None = None
        self._began = monotonic()
        self._stopped: Event | None = None
        self._error: Exception | None = None

    def feed(self) -> None:
        """Submit jobs. The processes start if there are jobs for them, and the jobs so far took long."""
        if self._number and self._waiting and monotonic() - self._began >= SECONDS_ALONE:
            pool = self._pool or self._start()
            with _ignored_interrupts(), _without_main():
                while self._waiting and sum(not future.done() for future in self._submitted) < self._number:
                    self._submitted.add(pool.submit(self._work, self._waiting.popleft()))

    def _start(self) -> ProcessPoolExecutor:
        context = get_context("spawn")
        self._stopped, events = context.Event(), context.SimpleQueue()
        listener = threading.Thread(target=self._listen, args=(events,), daemon=True)
        listener.start()
        self.callback(self._raise_error)  # after the join: a result can be here before the report of its job
        self.callback(listener.join)
        self.callback(events.put, None)
        given = (self._stopped, events, list(LOADED.values()), self._environment)
        pool = ProcessPoolExecutor(self._number, context, _start_worker, given)
        self.callback(pool.shutdown, cancel_futures=True)
        self.callback(self._stopped.set)
        self._pool = pool
        return pool

    def _listen(self, events: "SimpleQueue[object]") -> None:
        for event in iter(events.get, None):
            try:
                self._heard(event)
            except Exception as error:  # noqa: BLE001 - raised again when the block ends; jobs must not wait
                if self._error is None:
                    self._error = error

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def take(self) -> tuple[J] | None:
        """Return the next job for this process, in a tuple; None if no job is left, or the listener has failed."""
        return (self._waiting.popleft(),) if self._waiting and self._error is None else None

    def finished(self) -> Iterator[R]:
        """Yield the results that are there."""
        done = {future for future in self._submitted if future.done()}
        self._submitted -= done
        yield from (result for future in done if (result := future.result()) is not None)

    def rest(self, stop: Callable[[], bool]) -> Iterator[R]:
        """Yield the other results. If `stop` returns true, end the jobs."""
        while self._submitted and self._error is None and not stop():
            wait(self._submitted, 0.2, FIRST_COMPLETED)
            yield from self.finished()
        if self._stopped is not None:
            self._stopped.set()
        begun = [future for future in self._submitted if not future.cancel()]
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


@contextmanager
def _reported_to(listen: Listener) -> Iterator[None]:
    global _report  # noqa: PLW0603 - shared by all jobs of a process
    before, _report = _report, listen
    try:
        yield
    finally:
        _report = before


@contextmanager
def _without_main() -> Iterator[None]:
    """Let new processes not import the main module: a script without `if __name__ == "__main__"` would start again."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _start_worker(
    stopped: Event, events: "SimpleQueue[object]", plugins: Sequence[Path], environment: Mapping[str, str] | None
) -> None:
    if environment is not None:
        os.environ.clear()
        os.environ.update(environment)
    load_plugins(plugins)
    global _stop, _report
    _stop, _report = stopped.is_set, events.put

"""All runs of a figure, in worker processes, replication by replication: what there is can be compared early."""

import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any, Final, TypeAlias

from mobilesim.errors import UserError
from mobilesim.experiments.paper_figures.measure import Measurement, measure
from mobilesim.experiments.run import Run

InHand: TypeAlias = "Future[Measurement | None]"

_AHEAD: Final = 3
"""Runs in hand for each worker: none of them waits for the next."""
_PATIENCE: Final = 0.2

_ended: Any = None
"""In a worker: the event that says that nobody wants its run any more."""


def measured(runs: Sequence[Run], workers: int, stop: Callable[[], bool]) -> Iterator[Measurement]:
    """As they are finished. Once `stop` says so, those that are not are given up."""
    if workers == 1 or len(runs) < _AHEAD:
        yield from _alone(runs, stop)
        return
    ended = get_context("spawn").Event()
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (ended,))
    try:
        left = yield from _together(pool, runs, workers, stop)
        ended.set()
        yield from _finished(left)
    except BrokenProcessPool:
        raise UserError(
            "a worker process was ended from outside, perhaps for want of memory; "
            "what is finished is kept: try again with fewer --workers"
        ) from None
    finally:
        ended.set()
        pool.shutdown(cancel_futures=True)


def _alone(runs: Sequence[Run], stop: Callable[[], bool]) -> Iterator[Measurement]:
    for run in runs:
        found = None if stop() else measure(run, stop)
        if found is None:
            return
        yield found


def _together(
    pool: ProcessPoolExecutor, runs: Sequence[Run], workers: int, stop: Callable[[], bool]
) -> Generator[Measurement, None, set[InHand]]:
    """What is still in hand when it has to stop."""
    waiting = iter(runs)
    with _deaf():
        pending = _submitted(pool, waiting, workers * _AHEAD)
    while pending and not stop():
        done, pending = wait(pending, _PATIENCE, FIRST_COMPLETED)
        pending |= _submitted(pool, waiting, len(done))
        yield from _finished(done)
    return pending


def _finished(futures: set[InHand]) -> Iterator[Measurement]:
    begun = [future for future in futures if not future.cancel()]
    yield from filter(None, (future.result() for future in begun))


def _submitted(pool: ProcessPoolExecutor, waiting: Iterator[Run], number: int) -> set[InHand]:
    return {pool.submit(_work, run) for run in islice(waiting, number)}


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that start meanwhile go on ignoring Ctrl-C, which a terminal sends to all: `stop` speaks for it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _begin(ended: Event) -> None:
    global _ended  # noqa: PLW0603 - a worker gets what it shares when it starts, and has no other place for it
    _ended = ended


def _work(run: Run) -> Measurement | None:
    return measure(run, _ended.is_set)

"""Work spread over Spark's tasks: what comes out of each piece is handed on as soon as its task is over.

Pieces are taken together to batches that last some seconds, by how long others of their kind have taken. Every batch is
a Spark job of one task; a few more of them than there are cores are under way, so that no core waits for the next.
"""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter
from typing import Any, Final, Generic, TypeAlias, TypeVar
from uuid import uuid4

from pyspark import SparkContext
from pyspark.sql import SparkSession

from analysis.spark.background_job import BackgroundJob
from analysis.spark.cluster_watchdog import ClusterWatchdog, has_ended, spark_failure_as_user_error
from analysis.spark.deferred_interrupt import DeferInterrupt
from analysis.spark.session import one_line
from mobilesim.errors import UserError

J = TypeVar("J", bound=Hashable)
R = TypeVar("R")

SECONDS: Final = 2.0

_PATIENCE: Final = 0.2
_GRACE: Final = 10.0
_MOST: Final = 1_000
"""Pieces of a batch, however short they are."""
_SHARE: Final = 4
"""A batch is at most so small a part of what is left for a core: all of them end at about the same time."""
_TRIES: Final = 2

_MISSING: Final = re.compile(r"No module named '(analysis|mobilesim|protocols)[.']")

_GROUP: Final = "spark.jobGroup.id"


@dataclass(frozen=True, slots=True)
class LostJob(Generic[J]):
    """A piece that took its worker with it, twice: for want of memory, as a rule."""

    job: J
    reason: str


@dataclass(frozen=True, slots=True)
class _BatchOutcome:
    """From a task: what came of some pieces, with the seconds that each took, and what ended it early."""

    results: list[tuple[Any, float]]
    raised: str | None = None


_FinishedBatch: TypeAlias = tuple[tuple[J, ...], Future[_BatchOutcome]]


def distribute(
    spark: SparkSession,
    jobs: Sequence[J],
    play: Callable[[J], R],
    *,
    kind: Callable[[J], Hashable],
    stop: Callable[[], bool] = lambda: False,
    seconds: float = SECONDS,
) -> Iterator[R | LostJob[J]]:
    """What `play` makes of each, in no order. `kind`: jobs of one kind take about as long as each other.

    `play` must be importable where the workers are. What it raises ends everything, as a UserError. Once `stop` says
    so, what is under way is given up.
    """
    context = spark.sparkContext
    before = context.getLocalProperty(_GROUP)
    group = f"spread-{uuid4().hex}"
    context.setJobGroup(group, "runs of a sweep")
    hands = _TaskSlots(context, partial(_play_all, play), group)
    workers = ClusterWatchdog(spark)
    try:
        with spark_failure_as_user_error(context):
            yield from _handed_out(_JobQueue(deque(jobs), kind, seconds), hands, workers, stop)
    finally:
        with DeferInterrupt():
            if not has_ended(context):
                hands.drop()
                context.setLocalProperty(_GROUP, before)  # type: ignore[arg-type]  # None removes it


def _handed_out(
    pile: "_JobQueue[J]", hands: "_TaskSlots[J]", workers: ClusterWatchdog, stop: Callable[[], bool]
) -> Iterator[Any]:
    while (pile.waiting or hands.busy) and not stop():
        while pile.waiting and hands.free:
            hands.take(pile.batch(hands.cores))
        workers.look()
        for batch, outcome in hands.returned():
            if (error := outcome.exception()) is not None:
                yield from pile.back(batch, one_line(error))
                continue
            found = outcome.result()
            if found.raised is not None:
                raise UserError(found.raised)
            for job, (result, took) in zip(batch, found.results, strict=True):
                pile.learn(job, took)
                yield result


@dataclass(slots=True)
class _JobQueue(Generic[J]):
    waiting: deque[J]
    kind: Callable[[J], Hashable]
    seconds: float
    took: defaultdict[Hashable, list[float]] = field(default_factory=lambda: defaultdict(list))
    total: list[float] = field(default_factory=lambda: [0.0, 0])
    tries: defaultdict[J, int] = field(default_factory=lambda: defaultdict(int))

    def batch(self, cores: int) -> tuple[J, ...]:
        """Of a kind that nobody has seen yet, at first one alone."""
        found = [self.waiting.popleft()]
        mean = self.total[0] / self.total[1] if self.total[1] else self.seconds
        most = min(self.seconds, mean * (len(self.waiting) + 1) / (cores * _SHARE))
        lasts = self._guess(found[0], mean)
        while self.waiting and len(found) < _MOST and not self.tries[found[0]]:
            lasts += self._guess(self.waiting[0], mean)
            if lasts > most or self.tries[self.waiting[0]]:
                break
            found.append(self.waiting.popleft())
        return tuple(found)

    def back(self, batch: tuple[J, ...], reason: str) -> Iterator[LostJob[J]]:
        """Each by itself, to find the one that does it."""
        for job in reversed(batch):
            self.tries[job] += 1
            if len(batch) == 1 and self.tries[job] >= _TRIES:
                yield LostJob(job, reason)
            else:
                self.waiting.appendleft(job)

    def learn(self, job: J, took: float) -> None:
        self.took[self.kind(job)].append(took)
        self.total[0] += took
        self.total[1] += 1

    def _guess(self, job: J, mean: float) -> float:
        known = self.took.get(self.kind(job))
        return sum(known) / len(known) if known else mean


class _TaskSlots(Generic[J]):
    """The batches that are under way, each with a thread which waits for it."""

    def __init__(self, context: SparkContext, work: Callable[[tuple[J, ...]], _BatchOutcome], group: str) -> None:
        self._context, self._work, self._group = context, work, group
        self._errands: dict[tuple[J, ...], BackgroundJob[_BatchOutcome]] = {}
        self._arrived: SimpleQueue[_FinishedBatch[J]] = SimpleQueue()

    @property
    def cores(self) -> int:
        """Of a cluster they may come later, or go."""
        return max(1, self._context.defaultParallelism)

    @property
    def busy(self) -> bool:
        return bool(self._errands)

    @property
    def free(self) -> bool:
        cores = self.cores
        return len(self._errands) < cores + max(1, cores // 4)

    def take(self, batch: tuple[J, ...]) -> None:
        errand = BackgroundJob(partial(self._play, batch))
        errand.outcome.add_done_callback(lambda outcome: self._arrived.put((batch, outcome)))
        self._errands[batch] = errand  # first of all: Ctrl-C strikes as soon as it has started
        errand.start()

    def returned(self) -> Iterator[_FinishedBatch[J]]:
        """What has come by now; the first is waited for a little."""
        try:
            batch, outcome = self._arrived.get(timeout=_PATIENCE)
        except Empty:
            return
        self._errands.pop(batch)
        if (error := outcome.exception()) is not None:
            self._judge(error)
        yield batch, outcome

    def _judge(self, found: BaseException) -> None:
        """What every piece would meet is the fault of none."""
        told = one_line(found)
        if _MISSING.search(told):
            raise UserError(f"a worker of {self._context.master} has no mobilesim, which it needs ({told})")
        with DeferInterrupt():
            if has_ended(self._context):
                raise found

    def drop(self) -> None:
        """Give up what is under way, also what begins at this very moment."""
        since = monotonic()
        while any(errand.is_alive() for errand in self._errands.values()) and monotonic() - since < _GRACE:
            self._context.cancelJobGroup(self._group)
            for errand in self._errands.values():
                if errand.is_alive():  # one that could not be started has nothing to wait for
                    errand.join(_PATIENCE)

    def _play(self, batch: tuple[J, ...]) -> _BatchOutcome:
        return self._context.parallelize([batch], 1).map(self._work).collect()[0]


def _play_all(play: Callable[[J], object], batch: Sequence[J]) -> _BatchOutcome:
    """In a task. What is finished when something is raised is not forgotten where `play` keeps it."""
    results: list[tuple[Any, float]] = []
    for job in batch:
        start = perf_counter()
        try:
            result = play(job)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told as one line
            told = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
            return _BatchOutcome(results, told)
        results.append((result, perf_counter() - start))
    return _BatchOutcome(results)

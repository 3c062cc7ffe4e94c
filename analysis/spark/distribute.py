"""Distribute jobs over Spark tasks, and yield the results of each task when it ends.

Jobs are grouped into batches of up to two seconds, estimated from finished jobs of the same kind. Every batch is a
Spark job with one task, which costs some hundredths of a second. So batches become shorter towards the end, but not too
short. A few more batches than cores are submitted, so that no core waits for the next batch.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from statistics import fmean
from time import monotonic, perf_counter
from typing import Any, Final, Generic, TypeAlias, TypeVar
from uuid import uuid4

from pyspark import SparkContext
from pyspark.sql import SparkSession

from mobilesim.analysis.spark.deferred_interrupt import DeferInterrupt
from mobilesim.analysis.spark.jobs import BackgroundJob, ClusterWatchdog, has_ended, spark_failure_as_user_error
from mobilesim.analysis.spark.session import one_line
from mobilesim.errors import UserError

J = TypeVar("J", bound=Hashable)
R = TypeVar("R")

_SECONDS: Final = 2.0
"""The longest duration of a batch with several jobs."""
_LEAST_SECONDS: Final = 0.3
"""The shortest duration, some ten times the cost of a batch, if there is enough work."""
_POLL_SECONDS: Final = 0.2
_GRACE: Final = 10.0
_MAX_BATCH: Final = 1_000
"""The maximum number of jobs in a batch."""
_SHARE: Final = 4
"""A batch has at most 1 / `_SHARE` of the remaining work per core, so that all cores finish at about the same time."""
_REMEMBERED: Final = 100
"""The estimate uses the durations of this number of the latest finished jobs, in total and for each kind."""

_GROUP: Final = "spark.jobGroup.id"


@dataclass(frozen=True, slots=True)
class LostJob(Generic[J]):
    """A job whose worker crashed twice, usually for lack of memory."""

    job: J
    reason: str


@dataclass(frozen=True, slots=True)
class _BatchOutcome:
    """The results of a batch with their durations in seconds, and the error that ended the batch early, if any."""

    results: list[tuple[Any, float]]
    raised: str | None = None


_FinishedBatch: TypeAlias = tuple[tuple[J, ...], Future[_BatchOutcome]]


def distribute(
    spark: SparkSession,
    jobs: Sequence[J],
    work: Callable[[J], R],
    *,
    kind: Callable[[J], Hashable],
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[R | LostJob[J]]:
    """Call `work` for each job in Spark tasks, and yield the results in any order.

    `kind` returns the kind of a job; jobs of one kind have similar durations.

    The workers must be able to import `work`. An exception in `work` ends all jobs with a UserError. When `stop`
    returns true, unfinished jobs are cancelled.
    """
    context = spark.sparkContext
    before = context.getLocalProperty(_GROUP)
    group = f"spread-{uuid4().hex}"
    context.setJobGroup(group, "runs of a sweep")
    slots = _TaskSlots(context, partial(_run_batch, work), group)
    try:
        with spark_failure_as_user_error(context):
            yield from _run_queue(_JobQueue(deque(jobs), kind), slots, ClusterWatchdog(context), stop)
    finally:
        with DeferInterrupt():
            if not has_ended(context):
                slots.drop()
                context.setLocalProperty(_GROUP, before)  # type: ignore[arg-type]  # None removes it


def _run_queue(
    queue: "_JobQueue[J]", slots: "_TaskSlots[J]", watchdog: ClusterWatchdog, stop: Callable[[], bool]
) -> Iterator[Any]:
    while (queue.waiting or slots.threads) and not stop():
        while queue.waiting and slots.free:
            slots.take(queue.batch(slots.cores))
        watchdog.check()
        for batch, outcome in slots.returned():
            if (error := outcome.exception()) is not None:
                yield from queue.back(batch, one_line(error))
                continue
            finished = outcome.result()
            if finished.raised is not None:
                raise UserError(finished.raised)
            for job, (result, took) in zip(batch, finished.results, strict=True):
                queue.learn(job, took)
                yield result


def batch_seconds(left: float, cores: int) -> float:
    """Return the duration of the next batch. `left`: the duration of all waiting jobs, one after another."""
    longest = max(_LEAST_SECONDS, min(_SECONDS, left / (cores * _SHARE)))
    return left / max(1, round(left / longest))


def _durations() -> deque[float]:
    return deque(maxlen=_REMEMBERED)


@dataclass(slots=True)
class _JobQueue(Generic[J]):
    """The waiting jobs. `took` and `took_by_kind`: the durations of finished jobs."""

    waiting: deque[J]
    kind: Callable[[J], Hashable]
    took: deque[float] = field(default_factory=_durations)
    took_by_kind: defaultdict[Hashable, deque[float]] = field(default_factory=lambda: defaultdict(_durations))
    tries: Counter[J] = field(default_factory=Counter)

    def batch(self, cores: int) -> tuple[J, ...]:
        """Remove the next batch from the queue, and return it. A job that is tried again is alone in its batch."""
        batch = [self.waiting.popleft()]
        mean = fmean(self.took or (_SECONDS,))
        limit = batch_seconds(mean * (len(self.waiting) + 1), cores)
        duration = self._guess(batch[0], mean)
        while self.waiting and len(batch) < _MAX_BATCH and not self.tries[batch[0]]:
            duration += self._guess(self.waiting[0], mean)
            if duration > limit or self.tries[self.waiting[0]]:
                break
            batch.append(self.waiting.popleft())
        return tuple(batch)

    def _guess(self, job: J, mean: float) -> float:
        return fmean(self.took_by_kind[self.kind(job)] or (mean,))

    def back(self, batch: tuple[J, ...], reason: str) -> Iterator[LostJob[J]]:
        """Put the jobs of a failed batch back into the queue. Yield a job that has failed again, alone in its batch."""
        for job in reversed(batch):
            self.tries[job] += 1
            if len(batch) == 1 and self.tries[job] >= 2:
                yield LostJob(job, reason)
            else:
                self.waiting.appendleft(job)

    def learn(self, job: J, took: float) -> None:
        self.took_by_kind[self.kind(job)].append(took)
        self.took.append(took)


class _TaskSlots(Generic[J]):
    """The submitted batches. A thread waits for each batch."""

    def __init__(self, context: SparkContext, work: Callable[[tuple[J, ...]], _BatchOutcome], group: str) -> None:
        self._context, self._work, self._group = context, work, group
        self.threads: dict[tuple[J, ...], BackgroundJob[_BatchOutcome]] = {}
        self._finished: SimpleQueue[_FinishedBatch[J]] = SimpleQueue()

    @property
    def cores(self) -> int:
        """The current number of cores. It changes with the workers of a cluster."""
        return max(1, self._context.defaultParallelism)

    @property
    def free(self) -> bool:
        cores = self.cores
        return len(self.threads) < cores + max(1, cores // 4)

    def take(self, batch: tuple[J, ...]) -> None:
        thread = BackgroundJob(lambda: self._context.parallelize([batch], 1).map(self._work).collect()[0])
        thread.outcome.add_done_callback(lambda outcome: self._finished.put((batch, outcome)))
        self.threads[batch] = thread  # before the start, so that `drop` knows the thread if Ctrl-C interrupts the start
        thread.start()

    def returned(self) -> Iterator[_FinishedBatch[J]]:
        """Yield the next batch if it finishes within a short time."""
        try:
            batch, outcome = self._finished.get(timeout=_POLL_SECONDS)
        except Empty:
            return
        self.threads.pop(batch)
        if (error := outcome.exception()) is not None:
            self._raise_if_fatal(error)
        yield batch, outcome

    def _raise_if_fatal(self, error: BaseException) -> None:
        """Raise the error if its cause is not a job of the batch: every other batch would also fail."""
        line = one_line(error)
        if re.search(r"No module named '(analysis|mobilesim|protocols)[.']", line):
            raise UserError(f"a worker of {self._context.master} cannot import mobilesim ({line})")
        with DeferInterrupt():
            if has_ended(self._context):
                raise error

    def drop(self) -> None:
        """Cancel all batches, repeatedly: a batch that is just starting is not cancelled by the first call."""
        since = monotonic()
        while any(thread.is_alive() for thread in self.threads.values()) and monotonic() - since < _GRACE:
            self._context.cancelJobGroup(self._group)
            for thread in self.threads.values():
                if thread.is_alive():  # a thread that never started cannot be joined
                    thread.join(_POLL_SECONDS)


def _run_batch(work: Callable[[J], object], batch: Sequence[J]) -> _BatchOutcome:
    """Run a batch in a Spark task. After an exception, return the earlier results and the error."""
    results: list[tuple[Any, float]] = []
    for job in batch:
        start = perf_counter()
        try:
            result = work(job)
        except Exception as error:  # noqa: BLE001 - any error is reported as one line
            line = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
            return _BatchOutcome(results, line)
        results.append((result, perf_counter() - start))
    return _BatchOutcome(results)

"""Jobs that are distributed over Spark tasks have results even if workers crash."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from time import sleep

import pytest
from pyspark import TaskContext
from pyspark.sql import SparkSession

from mobilesim.analysis.spark.distribute import LostJob, batch_seconds, distribute
from mobilesim.analysis.spark.jobs import BackgroundJob
from mobilesim.errors import UserError

pytestmark = pytest.mark.full

Job = tuple[str, int]


def double(job: Job) -> int:
    return 2 * job[1]


def record_worker(job: Job) -> int:
    """Append the process id of the worker to the file of the job."""
    with (Path(job[0]) / f"{job[1]}").open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    return job[1]


def task(_: Job) -> int:
    context = TaskContext.get()
    assert context is not None
    return context.taskAttemptId()


def die_at_three(job: Job) -> int:
    """Kill the worker at job 3."""
    if job[1] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return record_worker(job)


def die_once(job: Job) -> int:
    if job[1] == 3 and not (Path(job[0]) / "died").exists():
        (Path(job[0]) / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job[1]


def fail_at_three(job: Job) -> int:
    if job[1] == 3:
        raise UserError("results: cannot be written: No space left on device")
    return record_worker(job)


def linger(job: Job) -> int:
    record_worker(job)
    sleep(60)
    return job[1]


class Unknown:
    """A job that a worker cannot unpickle, because the worker lacks its module."""

    def __reduce__(self) -> tuple[object, ...]:
        return import_module, ("mobilesim.nowhere",)


def jobs(folder: Path, count: int) -> list[Job]:
    return [(str(folder), number) for number in range(count)]


def distributed(spark: SparkSession, work: list[Job], function: object) -> Iterator[object]:

    return distribute(spark, work, function, kind=lambda job: job[0])  # type: ignore[arg-type]


def test_every_job_has_one_result(spark: SparkSession, tmp_path: Path) -> None:
    work = jobs(tmp_path, 300)
    assert Counter(distributed(spark, work, record_worker)) == Counter(range(300))
    assert all(len(path.read_text().splitlines()) == 1 for path in tmp_path.iterdir())
    assert sorted(distributed(spark, work[:9], double)) == list(range(0, 18, 2))  # type: ignore[type-var]
    assert list(distributed(spark, [], record_worker)) == []


@pytest.mark.parametrize(
    ("left", "cores", "batches"),
    (
        (4.0, 2, [0.5, 0.44, 0.38, 0.33, 0.29, 0.29, 0.29, 0.29, 0.29, 0.29, 0.29, 0.29]),
        (1.0, 2, [0.33, 0.33, 0.33]),
        (0.1, 4, [0.1]),
        (5.0, 1, [1.25, 0.94, 0.7, 0.53, 0.4, 0.3, 0.3, 0.3, 0.3]),
    ),
)
def test_batches_become_shorter_but_not_too_short(left: float, cores: int, batches: list[float]) -> None:
    found = []
    while left > 1e-9:
        found.append(batch_seconds(left, cores))
        left -= found[-1]
    assert [round(each, 2) for each in found] == batches


def test_short_jobs_are_grouped_into_batches(spark: SparkSession, tmp_path: Path) -> None:
    assert len(set(distributed(spark, jobs(tmp_path, 400), task))) < 100
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


def test_only_a_job_that_kills_its_worker_is_lost(spark: SparkSession, tmp_path: Path) -> None:
    found = list(distributed(spark, jobs(tmp_path, 12), die_at_three))
    (lost,) = [each for each in found if isinstance(each, LostJob)]
    assert lost.job == (str(tmp_path), 3)
    assert lost.reason
    assert "\n" not in lost.reason
    assert sorted(each for each in found if isinstance(each, int)) == [number for number in range(12) if number != 3]


def test_jobs_of_a_worker_that_crashes_once_are_repeated(spark: SparkSession, tmp_path: Path) -> None:
    assert Counter(distributed(spark, jobs(tmp_path, 8), die_once)) == Counter(range(8))


def test_an_exception_of_a_job_is_raised_in_one_line(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^results: cannot be written: No space left on device$"):
        list(distributed(spark, jobs(tmp_path, 2000), fail_at_three))
    assert len(list(tmp_path.iterdir())) < 2000


def test_a_worker_without_mobilesim_is_reported_in_one_line(spark: SparkSession) -> None:
    with pytest.raises(UserError) as caught:
        list(distribute(spark, [Unknown()], hash, kind=hash))
    cause = "ModuleNotFoundError: No module named 'mobilesim.nowhere'"
    assert str(caught.value) == f"a worker of {spark.sparkContext.master} cannot import mobilesim ({cause})"


def test_a_stop_does_not_wait_for_running_jobs(spark: SparkSession, tmp_path: Path) -> None:
    begun = iter(lambda: any(tmp_path.iterdir()), None)
    found = distribute(spark, jobs(tmp_path, 9), linger, kind=hash, stop=lambda: next(begun))
    assert list(found) == []
    assert len(list(tmp_path.iterdir())) < 9


def test_a_closed_iterator_ends_the_remaining_jobs(spark: SparkSession, tmp_path: Path) -> None:
    results = distribute(spark, jobs(tmp_path, 500), record_worker, kind=hash)
    assert len(list(islice(results, 3))) == 3
    results.close()  # type: ignore[attr-defined]
    assert spark.sparkContext.parallelize([1, 2, 3], 1).count() == 3


def test_ctrl_c_at_the_start_of_a_batch_cancels_the_batch(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt is deferred until the thread has started, and then raised."""
    start = BackgroundJob.start
    started: list[BackgroundJob[object]] = []

    def interrupted(thread: BackgroundJob[object]) -> None:
        start(thread)
        started.append(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(BackgroundJob, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(distribute(spark, jobs(tmp_path, 9), linger, kind=hash))
    (thread,) = started
    assert not thread.is_alive()

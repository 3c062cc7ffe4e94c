"""Work spread over tasks of Spark: all of it comes back, whatever becomes of the workers."""

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

from analysis.spark.distribute import LostJob, distribute
from analysis.spark.jobs import BackgroundJob
from mobilesim.errors import UserError

pytestmark = pytest.mark.full

Job = tuple[str, int]


def double(job: Job) -> int:
    return 2 * job[1]


def note(job: Job) -> int:
    """Leave a file, with this worker's task in it."""
    with (Path(job[0]) / f"{job[1]}").open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    return job[1]


def task(_: Job) -> int:
    context = TaskContext.get()
    assert context is not None
    return context.taskAttemptId()


def die_at_three(job: Job) -> int:
    """The third one takes its worker with it."""
    if job[1] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return note(job)


def die_once(job: Job) -> int:
    if job[1] == 3 and not (Path(job[0]) / "died").exists():
        (Path(job[0]) / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job[1]


def complain_at_three(job: Job) -> int:
    if job[1] == 3:
        raise UserError("results: cannot be written: No space left on device")
    return note(job)


def linger(job: Job) -> int:
    note(job)
    sleep(60)
    return job[1]


class Unknown:
    """What a worker gets that has no such module."""

    def __reduce__(self) -> tuple[object, ...]:
        return import_module, ("mobilesim.nowhere",)


def jobs(folder: Path, count: int) -> list[Job]:
    return [(str(folder), number) for number in range(count)]


def spread_(spark: SparkSession, work: list[Job], play: object) -> Iterator[object]:
    return distribute(spark, work, play, kind=lambda job: job[0])  # type: ignore[arg-type]


def test_every_piece_is_played_once_and_comes_back(spark: SparkSession, tmp_path: Path) -> None:
    work = jobs(tmp_path, 300)
    assert Counter(spread_(spark, work, note)) == Counter(range(300))
    assert all(len(path.read_text().splitlines()) == 1 for path in tmp_path.iterdir())
    assert sorted(spread_(spark, work[:9], double)) == list(range(0, 18, 2))  # type: ignore[type-var]
    assert list(spread_(spark, [], note)) == []


def test_short_pieces_go_together(spark: SparkSession, tmp_path: Path) -> None:
    assert len(set(spread_(spark, jobs(tmp_path, 400), task))) < 100
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


def test_a_piece_that_kills_its_worker_is_lost_and_no_other(spark: SparkSession, tmp_path: Path) -> None:
    found = list(spread_(spark, jobs(tmp_path, 12), die_at_three))
    (lost,) = [each for each in found if isinstance(each, LostJob)]
    assert lost.job == (str(tmp_path), 3)
    assert lost.reason
    assert "\n" not in lost.reason
    assert sorted(each for each in found if isinstance(each, int)) == [number for number in range(12) if number != 3]


def test_a_worker_that_dies_once_costs_nothing(spark: SparkSession, tmp_path: Path) -> None:
    assert Counter(spread_(spark, jobs(tmp_path, 8), die_once)) == Counter(range(8))


def test_what_is_raised_ends_everything_in_one_line(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^results: cannot be written: No space left on device$"):
        list(spread_(spark, jobs(tmp_path, 2000), complain_at_three))
    assert len(list(tmp_path.iterdir())) < 2000


def test_a_worker_without_mobilesim_ends_everything_in_one_line_and_is_no_fault_of_a_run(spark: SparkSession) -> None:
    with pytest.raises(UserError) as caught:
        list(distribute(spark, [Unknown()], hash, kind=hash))
    told = "ModuleNotFoundError: No module named 'mobilesim.nowhere'"
    assert str(caught.value) == f"a worker of {spark.sparkContext.master} has no mobilesim, which it needs ({told})"


def test_who_stops_does_not_wait_for_what_is_under_way(spark: SparkSession, tmp_path: Path) -> None:
    begun = iter(lambda: any(tmp_path.iterdir()), None)
    found = distribute(spark, jobs(tmp_path, 9), linger, kind=hash, stop=lambda: next(begun))
    assert list(found) == []
    assert len(list(tmp_path.iterdir())) < 9


def test_who_has_enough_leaves_the_rest(spark: SparkSession, tmp_path: Path) -> None:
    results = distribute(spark, jobs(tmp_path, 500), note, kind=hash)
    assert len(list(islice(results, 3))) == 3
    results.close()  # type: ignore[attr-defined]
    assert spark.sparkContext.parallelize([1, 2, 3], 1).count() == 3


def test_ctrl_c_as_work_begins_leaves_none_of_it_behind(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It strikes when the thread has started: so late is what it was held back for."""
    start = BackgroundJob.start
    started: list[BackgroundJob[object]] = []

    def interrupted(errand: BackgroundJob[object]) -> None:
        start(errand)
        started.append(errand)
        raise KeyboardInterrupt

    monkeypatch.setattr(BackgroundJob, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(distribute(spark, jobs(tmp_path, 9), linger, kind=hash))
    (errand,) = started
    assert not errand.is_alive()

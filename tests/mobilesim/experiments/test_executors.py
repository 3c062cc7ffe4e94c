"""Executors yield the same results with any number of processes, and cancel unfinished jobs when stopped."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import active_children
from pathlib import Path
from typing import Final

import pytest

from mobilesim.errors import UserError
from mobilesim.experiments import executors
from mobilesim.experiments.executors import never, process_pool, report, stop_requested
from mobilesim.experiments.paper_figures.figure_runs import measure
from mobilesim.experiments.run import Run
from mobilesim.results.sweeps.manifest import RunRecord
from mobilesim.scenario.loader import loads
from tests.house.tree import ROOT

SMALL = "hosts: 4\ncells: 4\nmessages: 40\nprotocols: [av1, fifo]\nmobility: {dwell: exponential 200 ms}\n"

WITNESS: Final = """\
import json
import os
from pathlib import Path

from mobilesim.contract.models import WorkloadRow, all_others, declares


@declares(WorkloadRow(None, "messages to all, and a file with the environment variables of the process"))
def witness(settings, traffic):
    Path(os.environ["SEEN"], f"{os.getpid()}.json").write_text(json.dumps(dict(os.environ)))
    traffic.address = lambda: (all_others(traffic.hosts, traffic.host), -1, 10)
"""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the other processes at once."""
    monkeypatch.setattr(executors, "SECONDS_ALONE", 0.0)


def first_runs(number: int) -> list[Run]:
    scenario = loads(SMALL)
    return [Run(scenario, scenario.protocols[index % 2], index // 2) for index in range(number)]


def measured(runs: list[Run], workers: int, stop: Callable[[], bool] = never) -> Iterator[RunRecord]:
    for record in process_pool(workers)(runs, measure, kind=id, stop=stop):
        assert isinstance(record, RunRecord)
        yield record


@pytest.mark.full
def test_two_processes_yield_the_same_outcomes_as_one() -> None:
    runs = first_runs(6)
    alone, together = ({each.run: each.means for each in measured(runs, workers)} for workers in (1, 2))
    assert set(alone) == {run.id for run in runs}
    assert together == alone


@pytest.mark.full
@pytest.mark.parametrize("workers", (1, 2))
def test_unfinished_tasks_are_cancelled(workers: int) -> None:
    runs, found = first_runs(60), list[RunRecord]()
    for record in measured(runs, workers, lambda: len(found) >= 2):
        found.append(record)
    assert 2 <= len(found) < 60


@pytest.mark.full
def test_a_killed_worker_causes_one_error_line() -> None:
    found = measured(first_runs(60), 2)
    next(found)
    active_children()[0].kill()
    with pytest.raises(UserError, match=r"^a worker process was killed, .* fewer --workers$"):
        list(found)
    assert active_children() == []


def report_and_wait(job: int) -> tuple[int, int]:
    """A job that reports itself, and lasts until jobs should end if its number is 99."""
    report((job, os.getpid()))
    while job == 99 and not stop_requested():
        time.sleep(0.005)
    return job, os.getpid()


def outcomes(
    workers: int,
    jobs: Sequence[int],
    listen: Callable[[object], None] = lambda _: None,
    stop: Callable[[], bool] = never,
) -> list[tuple[int, int]]:
    found = list(process_pool(workers, listen)(jobs, report_and_wait, kind=hash, stop=stop))
    return [each for each in found if isinstance(each, tuple)]


def report_with_another(folder: str) -> str:
    """A job that lasts until two processes have reported."""
    report((folder, os.getpid()))
    Path(folder, str(os.getpid())).touch()
    while len(list(Path(folder).iterdir())) < 2 and not stop_requested():
        time.sleep(0.005)
    return folder


@pytest.mark.full
def test_both_processes_report_to_one_listener_and_take_every_job_once() -> None:
    heard: list[object] = []
    found = outcomes(2, range(40), heard.append)
    assert sorted(heard) == sorted(found)  # type: ignore[type-var]
    assert sorted(job for job, _ in found) == list(range(40))


@pytest.mark.full
def test_stopping_ends_the_jobs_of_all_processes_with_their_results() -> None:
    heard: list[object] = []
    found = outcomes(3, [99] * 3, heard.append, lambda: len(heard) == 3)
    assert len({process for _, process in found}) == len(found) == 3
    assert active_children() == []


def variables_of_another(folder: str) -> dict[str, str]:
    """A job that lasts until two processes have it, and returns the environment variables of its process."""
    Path(folder, str(os.getpid())).touch()
    while len(list(Path(folder).iterdir())) < 2 and not stop_requested():
        time.sleep(0.005)
    return {"process": str(os.getpid()), **os.environ}


@pytest.mark.full
def test_other_processes_have_the_given_environment_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "before")
    environment = dict(os.environ)
    monkeypatch.setenv("KEPT", "after")
    monkeypatch.setenv("SPARK_HOME", "/elsewhere")
    jobs, execute = [str(tmp_path)] * 2, process_pool(2, environment=environment)
    found = [each for each in execute(jobs, variables_of_another, kind=hash, stop=never) if isinstance(each, dict)]
    (other,) = (each for each in found if each["process"] != str(os.getpid()))
    assert other == {**environment, "process": other["process"]}


def test_few_short_jobs_start_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SECONDS_ALONE", 1e9)
    found = outcomes(2, range(5))
    assert found == [(job, os.getpid()) for job in range(5)]


@pytest.mark.full
def test_a_script_without_a_guard_of_its_main_part_is_not_run_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from mobilesim.experiments import executors\n"
        "from tests.mobilesim.experiments.test_executors import report_and_wait\n"
        "executors.SECONDS_ALONE = 0\n"
        "print('once')\n"
        "jobs = range(9)\n"
        "found = executors.process_pool(2)(jobs, report_and_wait, kind=hash, stop=executors.never)\n"
        "print(sorted(job for job, _ in found))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(script)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"once\n{list(range(9))}\n", "")


@pytest.mark.full
@pytest.mark.parametrize("delay", (0, 0.5))  # after 0.5 s all jobs have ended before the listener fails
def test_an_error_of_the_listener_ends_the_jobs_and_is_raised(tmp_path: Path, delay: float) -> None:
    def fail(event: object) -> None:
        if isinstance(event, tuple) and event[1] != os.getpid():
            time.sleep(delay)
            raise RuntimeError("the display failed")

    with pytest.raises(RuntimeError, match="the display failed"):
        list(process_pool(2, fail)([str(tmp_path)] * 2, report_with_another, kind=hash, stop=never))
    assert active_children() == []


@pytest.mark.full
def test_workers_that_start_together_with_spark_have_the_environment_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "witnessing.py").write_text(WITNESS, encoding="utf-8")
    (tmp_path / "seen").mkdir()
    start = "from mobilesim.experiments import executors; from mobilesim.cli.main import main; import sys"
    start = f"{start}; executors.SECONDS_ALONE = 0.3; print(__import__('os').getpid()); sys.exit(main())"
    words = ["run", "quickstart", "--set", "hosts=4", "--set", "workload.model=witnessing:witness"]
    words += ["--plugin", "witnessing.py", "--workers", "2", "--replications", "8", "--no-report", "--out", "out"]
    environment = {**os.environ, "SEEN": str(tmp_path / "seen"), "PYTHONPATH": str(ROOT)}
    command = (sys.executable, "-c", start, *words)
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    own = done.stdout.split()[0]
    (worker,) = (path for path in (tmp_path / "seen").iterdir() if path.stem != own)
    variables = json.loads(worker.read_text())
    assert [name for name in variables if "SPARK" in name and name not in environment] == []
    assert variables["PYTHONPATH"] == str(ROOT)

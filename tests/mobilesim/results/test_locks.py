"""The workers of a sweep may outlive their command. A later command waits for them before it removes files."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from threading import Thread
from typing import Final

import pytest

from mobilesim.errors import UserError
from mobilesim.results.sweeps.locks import admit_workers, worker_lock
from tests.house.tree import ROOT
from tests.support.subprocesses import TIMEOUT, nothing_unfinished

WORKER: Final = """
import sys
from pathlib import Path
from mobilesim.results.sweeps.locks import worker_lock

with worker_lock(Path()):
    for number, _ in enumerate(sys.stdin):
        Path(f".run-{number}.part").mkdir()
        print(flush=True)
"""


@contextmanager
def worker(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Yield a process that acts as a worker. For each line of input it begins a run and prints a line."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    arguments = [sys.executable, "-c", WORKER]
    with subprocess.Popen(arguments, cwd=folder, env=environment, stdin=PIPE, stdout=PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def start_run(child: "subprocess.Popen[str]") -> None:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write("\n")
    child.stdin.flush()
    assert child.stdout.readline()


@pytest.mark.full
def test_an_ending_sweep_waits_for_its_workers_and_removes_incomplete_runs(tmp_path: Path) -> None:
    place = admit_workers(tmp_path)
    place.__enter__()
    with worker(tmp_path) as child:
        start_run(child)
        leaving = Thread(target=place.__exit__, args=(None, None, None))
        leaving.start()
        leaving.join(0.2)
        assert leaving.is_alive()
        with pytest.raises(UserError), worker_lock(tmp_path):
            pass
        start_run(child)
        child.kill()
        leaving.join(TIMEOUT)
    assert not leaving.is_alive()
    assert nothing_unfinished(tmp_path)


def test_a_new_sweep_waits_for_the_workers_of_a_killed_command(tmp_path: Path) -> None:
    place = admit_workers(tmp_path)
    place.__enter__()  # a killed command never calls __exit__
    with worker(tmp_path) as child:
        start_run(child)
        coming = Thread(target=admit_workers(tmp_path).__enter__)
        coming.start()
        coming.join(0.2)
        assert coming.is_alive()
        child.kill()
        coming.join(TIMEOUT)
    assert not coming.is_alive()


def test_a_worker_does_not_start_a_run_of_an_ended_sweep(tmp_path: Path) -> None:
    with admit_workers(tmp_path), worker_lock(tmp_path), worker_lock(tmp_path):
        pass
    with pytest.raises(UserError, match=r": the sweep of this worker has ended$"), worker_lock(tmp_path):
        pass


def test_an_exception_of_a_worker_is_not_reported_as_an_ended_sweep(tmp_path: Path) -> None:
    with admit_workers(tmp_path), pytest.raises(FileNotFoundError, match=r"^gone$"), worker_lock(tmp_path):
        raise FileNotFoundError("gone")

"""A worker that is lost once its run was over takes nothing with it."""

import os
import signal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from mobilesim.cli.experiments.sweep import _Rounds
from mobilesim.cli.progress_lines import Aloud
from mobilesim.experiments.sweep import task
from mobilesim.experiments.sweep.plan import plan
from mobilesim.results.manifest import Record
from mobilesim.results.sweep_directory import opened, peek
from mobilesim.scenario.sweeps.sweep_file import loads

SWEEP = "scenario: {messages: 20, hosts: 4, cells: 4}\nprotocols: [av1, fifo]\nreplications: 1"

play = task.play


def play_and_die(job: task.Job) -> Record:
    """It tells nobody but the disk."""
    record = play(job)
    if job.protocol == "av1":
        os.kill(os.getpid(), signal.SIGKILL)
    return record


@pytest.mark.full
def test_a_run_that_was_over_counts_though_its_worker_never_said_so(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "play", play_and_die)
    planned = plan(loads(SWEEP))
    with opened(tmp_path, planned.settled, planned.possible(), fresh=False) as store:
        rounds = _Rounds(store, Aloud(quiet=True), quiet=True)
        assert not rounds.play(spark, planned.jobs(store, set(), max), "lost")
    found = peek(tmp_path, planned.possible()).records
    assert sorted((record.protocol, record.status) for record in found.values()) == [
        ("av1", "complete"),
        ("fifo", "complete"),
    ]
    assert store.records == found

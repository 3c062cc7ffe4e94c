"""A run counts although its worker is lost after the end of the run."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from mobilesim.analysis.spark.distribute import distribute
from mobilesim.api.progress import Progress
from mobilesim.experiments.executors import never
from mobilesim.experiments.sweep import task
from mobilesim.experiments.sweep.engine import run_missing
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.sweeps.manifest import RunRecord
from mobilesim.results.sweeps.sweep_directory import open_sweep, view_sweep
from mobilesim.scenario.sweeps.sweep_file import loads

SWEEP = "scenario: {messages: 20, hosts: 4, cells: 4}\nprotocols: [av1, fifo]\nreplications: 1"


def run_and_die(job: task.Job) -> RunRecord:
    """Write the results of the run, and kill the worker before it returns to Spark."""
    record = task.run_job(job)
    if job.protocol == "av1":
        os.kill(os.getpid(), signal.SIGKILL)
    return record


@pytest.mark.full
def test_a_complete_run_counts_although_its_worker_did_not_return(spark: SparkSession, tmp_path: Path) -> None:
    def execute(jobs: Any, _: object, **options: Any) -> Iterator[Any]:  # noqa: ANN401 - as an Executor has it
        return distribute(spark, jobs, run_and_die, **options)

    planned = make_plan(loads(SWEEP))
    with open_sweep(tmp_path, planned.resolved_text, planned.all_runs()) as store:
        run_missing(planned, store, execute, stop=never, display=Progress(quiet=True))
    found = view_sweep(tmp_path, planned.all_runs()).records
    assert sorted((record.protocol, record.status) for record in found.values()) == [
        ("av1", "complete"),
        ("fifo", "complete"),
    ]
    assert store.records == found

"""A run of a sweep as a job for any worker: its parameters, its execution and its record."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter
from typing import Any, TypeAlias

from mobilesim.errors import UserError
from mobilesim.experiments.assemble import WORLDS
from mobilesim.experiments.execute import execute
from mobilesim.experiments.run import Run
from mobilesim.experiments.sweep.points import Settings, scenario_at
from mobilesim.extensions.exception_text import described
from mobilesim.results.layout import SWEEP
from mobilesim.results.location import Location, location, remove_unfinished
from mobilesim.results.run_directory import RunFiles, remove_tables
from mobilesim.results.run_table import TableRows
from mobilesim.results.schema import TABLES
from mobilesim.results.statuses import RunStatus
from mobilesim.results.sweeps.locks import worker_lock
from mobilesim.results.sweeps.manifest import RunRecord, read_manifest, write_manifest
from mobilesim.results.version import __version__
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sweeps.sweep_file import Sweep, fingerprint, loads


@dataclass(frozen=True, slots=True)
class Job:
    """`sweep`: the fingerprint of the sweep file's text. `index`: the index of the protocol in the scenario.
    `extensions`: the parts of other packages that the run uses.
    """

    directory: str
    sweep: str
    run: str
    label: Settings
    settings: Settings
    index: int
    protocol: str
    replication: int
    seed: int
    extensions: str = ""


Reduce: TypeAlias = Callable[[Callable[[str], TableRows]], str]
"""Returns what a summary needs from the tables of a run, as text. Its argument returns the rows of a table."""


def run_job(job: Job, reduce: Reduce | None = None) -> RunRecord:
    """Simulate the run, unless it is already complete, and return its record.

    Errors of the directory (OSError, UserError) are raised, because they concern all runs, as are missing packages of
    extensions. Other errors are recorded.
    """
    directory = location(job.directory)
    with worker_lock(directory):
        return _complete_record(directory, job) or _simulate(directory, job, reduce)


def _simulate(directory: Location, job: Job, reduce: Reduce | None) -> RunRecord:
    start = perf_counter()
    if job.extensions:
        _check_extensions(job)
    remove_tables(directory, job.run)
    remove_unfinished(directory, f"{job.run}-")
    try:
        found: dict[str, Any] = {}

        def written(files: RunFiles) -> None:
            found["rows"] = {table: len(files.rows(table)) for table in TABLES}
            found["reduction"] = None if reduce is None else reduce(files.rows)

        outcome = execute(_run(job), directory, worlds=WORLDS, written=written)
        record = replace(
            failed_record(job, outcome.fault, perf_counter() - start),
            status=RunStatus.COMPLETE,
            verdict=outcome.verdict,
            overload=str(outcome.overload or "") or None,
            **found,
        )
    except Exception as error:
        if isinstance(error, OSError) or isinstance(error.__cause__, OSError):
            raise
        record = failed_record(job, _one_line(error), perf_counter() - start)
    write_manifest(directory, record)
    return record


def _check_extensions(job: Job) -> None:
    """Raise a UserError if this worker does not have the same extensions as the process that planned the sweep."""
    needed = f"the sweep uses {job.extensions}; every worker needs the same packages"
    try:
        own = _planned_run(job).extensions
    except UserError as error:
        raise UserError(f"a worker cannot import an extension: {_one_line(error)}; {needed}") from None
    if own != job.extensions:
        raise UserError(f"a worker has {own}; {needed}")


def record_lost_run(job: Job, reason: str) -> RunRecord:
    """Return the record of a run whose worker died, possibly after the run was complete."""
    directory = location(job.directory)
    record = _complete_record(directory, job) or failed_record(job, reason)
    if not record.complete:
        write_manifest(directory, record)
    return record


def _complete_record(directory: Location, job: Job) -> RunRecord | None:
    record = read_manifest(directory, job.run, RunRecord)
    return record if record is not None and record.complete and record.label == job.label else None


def failed_record(job: Job, error: str | None, seconds: float = 0.0) -> RunRecord:
    return RunRecord(
        run=job.run,
        point=dict(job.label),
        protocol=job.protocol,
        replication=job.replication,
        seed=job.seed,
        status=RunStatus.FAILED,
        error=error,
        seconds=round(seconds, 3),
    )


def _planned_run(job: Job) -> Run:
    scenario = _scenario(job.directory, job.sweep, job.settings)
    point = json.dumps(dict(job.label), ensure_ascii=False)
    return Run(scenario, scenario.protocols[job.index], job.replication, point)


def _run(job: Job) -> Run:
    run = _planned_run(job)
    if run.id != job.run:
        raise UserError(f"the run of this worker differs; the worker needs mobilesim {__version__} and the same files")
    return run


@lru_cache(maxsize=64)
def _scenario(directory: str, mark: str, settings: Settings) -> Scenario:
    return scenario_at(_sweep(directory, mark), settings)


@lru_cache(maxsize=4)
def _sweep(directory: str, mark: str) -> Sweep:
    path = location(directory) / SWEEP
    text = path.read_text(encoding="utf-8")
    if fingerprint(text) != mark:
        raise UserError(f"{path}: changed while the sweep was running; start the sweep again")
    return loads(text, str(path))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) if isinstance(error, UserError) else described(error)

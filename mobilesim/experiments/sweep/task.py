"""One run of a sweep, wherever it is played: what a worker needs to know of it, and what is said of it afterwards."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from traceback import extract_tb

from mobilesim.errors import UserError
from mobilesim.experiments.run import Outcome, Run, execute
from mobilesim.experiments.sweep.points import Settings, at
from mobilesim.results.layout import MANIFEST, SWEEP
from mobilesim.results.location import Location, location
from mobilesim.results.locks import at_work
from mobilesim.results.manifest import Record, read_record, write_record
from mobilesim.results.statuses import RunStatus
from mobilesim.results.sweep_directory import remove_tables, rows
from mobilesim.results.version import __version__
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sweeps import sweep_file as sweep
from mobilesim.simulation.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Job:
    """`sweep`: what its file's text comes to; `place`: of the protocol in its scenario."""

    directory: str
    sweep: str
    run: str
    label: Settings
    settings: Settings
    place: int
    protocol: str
    replication: int
    seed: int


class _Nobody:
    """Progress is told run by run."""

    def started(self, run: Run) -> None: ...

    def advanced(self, simulation: Simulation) -> None: ...

    def finished(self, outcome: Outcome) -> None: ...


def play(job: Job) -> Record:
    """Nothing twice that is done. It raises where nothing can be written: all runs would meet that."""
    directory = location(job.directory)
    with at_work(directory):
        return _done(directory, job) or _played(directory, job)


def _played(directory: Location, job: Job) -> Record:
    start = perf_counter()
    remove_tables(directory, job.run)
    try:
        outcome = execute(_run(job), directory, _Nobody())
        record = _record(job, perf_counter() - start, outcome, rows(directory, job.run))
    except Exception as error:
        if isinstance(error, OSError) or isinstance(error.__cause__, OSError):
            raise
        record = failure(job, _one_line(error), perf_counter() - start)
    write_record(directory, record)
    return record


def lost(job: Job, reason: str) -> Record:
    """Its worker has gone, maybe after it was over."""
    directory = location(job.directory)
    record = _done(directory, job) or failure(job, reason)
    if not record.complete:
        write_record(directory, record)
    return record


def _done(directory: Location, job: Job) -> Record | None:
    found = read_record(directory / MANIFEST / f"{job.run}.json")
    return found if found is not None and found.complete and found.label == job.label else None


def failure(job: Job, error: str, seconds: float = 0.0) -> Record:
    return Record(
        job.run,
        dict(job.label),
        job.protocol,
        job.replication,
        job.seed,
        RunStatus.FAILED,
        None,
        error,
        round(seconds, 3),
        {},
    )


def _record(job: Job, seconds: float, outcome: Outcome, counts: dict[str, int]) -> Record:
    return Record(
        run=job.run,
        point=dict(job.label),
        protocol=job.protocol,
        replication=job.replication,
        seed=job.seed,
        status=RunStatus.COMPLETE,
        verdict=outcome.verdict,
        error=outcome.fault,
        seconds=round(seconds, 3),
        rows=counts,
        overload=str(outcome.simulation.overload or "") or None,
    )


def _run(job: Job) -> Run:
    scenario = _scenario(job.directory, job.sweep, job.settings)
    point = json.dumps(dict(job.label), ensure_ascii=False)
    run = Run(scenario, scenario.protocols[job.place], job.replication, point)
    if run.id != job.run:
        raise UserError(f"this worker would make another run of it: is its mobilesim not {__version__}, or a file new?")
    return run


@lru_cache(maxsize=64)
def _scenario(directory: str, fingerprint: str, settings: Settings) -> Scenario:
    return at(_sweep(directory, fingerprint), settings)


@lru_cache(maxsize=4)
def _sweep(directory: str, fingerprint: str) -> sweep.Sweep:
    """Once for all runs of a worker."""
    path = location(directory) / SWEEP
    text = path.read_text(encoding="utf-8")
    if sweep.fingerprint(text) != fingerprint:
        raise UserError(f"{path}: somebody has changed it while the sweep was at work")
    return sweep.loads(text, str(path))


def _one_line(error: Exception) -> str:
    said = " ".join(str(error).split())
    if isinstance(error, UserError):
        return said
    last = extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    return f"{': '.join(filter(None, (type(error).__name__, said)))} ({place})"

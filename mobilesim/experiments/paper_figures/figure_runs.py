"""The runs of a figure. They are simulated in memory. Records with their means are written to the results directory.

A run with a record is not repeated, so an interrupted figure can be continued.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Final

from mobilesim.errors import UserError
from mobilesim.experiments import clock_comparison
from mobilesim.experiments.assemble import world_of
from mobilesim.experiments.execute import paused_garbage_collector, simulated
from mobilesim.experiments.executors import Executor, stop_requested
from mobilesim.experiments.paper_figures.figure import FigurePoint, PaperFigure
from mobilesim.experiments.run import Run
from mobilesim.experiments.sweep.engine import Display
from mobilesim.recording import delivery_record, link_counters
from mobilesim.recording.recorder import RunRecorder
from mobilesim.recording.sinks import RecordBuffer
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import remove_tree
from mobilesim.results.quantities import BYTE_PURPOSES
from mobilesim.results.run_directory import clear_errors
from mobilesim.results.statuses import RunStatus
from mobilesim.results.sweeps.locks import exclusive_lock
from mobilesim.results.sweeps.manifest import RunRecord, read_manifest, write_manifest
from mobilesim.scenario.bundled import find
from mobilesim.scenario.loader import load
from mobilesim.scenario.sweeps.replications import METRICS
from mobilesim.simulation.simulation import Simulation

LINK_METRICS: Final = ("packets", "bytes", *(f"{purpose}_bytes" for purpose in BYTE_PURPOSES))
"""The totals of all links, per delivery. In records, their names have the prefix `link_`."""
MESSAGE_METRICS: Final = ("message_header_integers", "message_header_units")
"""The means over the messages that are sent in the measurement window, delivered or not."""
UTILISATION: Final = "station_utilisation"
"""The utilisation of the busiest station."""
STATION_STATE: Final = "station_state"
"""The integers that a station stores: the mean over time and stations."""


@dataclass(frozen=True, slots=True)
class FigureRun:
    point: FigurePoint
    record: RunRecord


def run_figure(
    figure: PaperFigure,
    directory: Path,
    executor: Executor,
    *,
    fresh: bool,
    stop: Callable[[], bool],
    display: Display,
) -> list[FigureRun]:
    """Execute the missing runs, until `stop` returns true. Return all complete runs."""
    runs = figure_runs(figure)
    with _locked(directory, fresh=fresh):
        found = (read_manifest(directory, run.id, RunRecord) for _, run in runs)
        records = {record.run: record for record in found if record is not None}
        missing = {run.id: run for _, run in runs if run.id not in records}
        with display.count_runs(figure.name, len(missing)) as counted:
            work = partial(_run_and_record, directory)
            for record in executor(list(missing.values()), work, kind=lambda run: run.choice.label, stop=stop):
                if isinstance(record, RunRecord):
                    records[record.run] = record
                    counted()
    return [FigureRun(point, records[run.id]) for point, run in runs if run.id in records]


def figure_runs(figure: PaperFigure) -> list[tuple[FigurePoint, Run]]:
    """Return all runs, replication by replication, so that an interrupted figure can be evaluated."""
    path = find(figure.scenario)
    scenarios = [(point, load(path, point.settings)) for point in figure.points()]
    return [
        (point, Run(scenario, scenario.protocols[0], replication, json.dumps(point.settings)))
        for replication in range(figure.replications)
        for point, scenario in scenarios
    ]


@contextmanager
def _locked(directory: Path, *, fresh: bool) -> Iterator[None]:
    if (directory / "runs").is_dir():
        raise UserError(f"{directory}: holds the tables of runs; name another directory with --out")
    with ExitStack() as stack:
        with clear_errors(directory):
            directory.mkdir(parents=True, exist_ok=True)
            stack.enter_context(exclusive_lock(directory))
            if fresh:
                remove_tree(directory / MANIFEST)
            (directory / MANIFEST).mkdir(exist_ok=True)
        yield


def _run_and_record(directory: Path, run: Run) -> RunRecord | None:
    record = measure(run)
    if record is not None:
        write_manifest(directory, record)
    return record


@paused_garbage_collector()
def measure(run: Run) -> RunRecord | None:
    """Simulate a run. Return None if it was stopped, because the means of a part of a run would be wrong."""
    buffer = RecordBuffer()
    simulation, outcome = simulated(run, world_of(run), lambda: buffer, stop=stop_requested)
    if outcome.status is RunStatus.INTERRUPTED:
        return None
    messages, deliveries = outcome.measured
    return RunRecord(
        run=run.id,
        point=json.loads(run.point),
        protocol=run.choice.label,
        replication=run.replication,
        seed=run.scenario.seed,
        status=RunStatus.COMPLETE,
        verdict=outcome.verdict,
        error=outcome.fault,
        seconds=round(outcome.wall_seconds, 3),
        rows={"messages": messages, "deliveries": deliveries},
        means={**_means(run, buffer, simulation), UTILISATION: outcome.busiest},
    )


def _means(run: Run, records: RecordBuffer, simulation: Simulation) -> dict[str, float]:
    numbers, headers = records.deliveries.take(), records.headers.take().reshape(-1, len(MESSAGE_METRICS))
    if not len(numbers) or not len(headers):
        return {}
    fields = numbers.reshape(-1, len(delivery_record.FIELDS)).T
    columns = delivery_record.columns(fields, at_host=run.at_host, integer=run.scenario.sizes.integer)
    means = {name: float(columns[name].mean()) for name in METRICS}
    means |= dict(zip(MESSAGE_METRICS, headers.mean(axis=0).tolist(), strict=True))
    links = link_counters.joined(simulation.final_links())
    means |= {f"link_{name}": int(links[name].sum()) / fields.shape[1] for name in LINK_METRICS}
    recorder = simulation.recorder
    if isinstance(recorder, RunRecorder) and recorder.measured_loads:
        means[STATION_STATE] = fmean(load.mean for load in recorder.measured_loads)
    return means | clock_comparison.means(simulation.oracle, run.scenario.clocks)

"""Execute a run of a results directory again, and record it on a tape.

A run gives the same events whenever it is executed, so nothing about single packets needs to be stored. A run of
another version, or with measured processing times, would differ, and is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mobilesim.drawing.layout import cell_layout
from mobilesim.errors import UserError
from mobilesim.experiments.assemble import Worlds, station_count
from mobilesim.experiments.execute import Progress, ignore, paused_garbage_collector, simulated
from mobilesim.experiments.executors import never
from mobilesim.experiments.run import Run, RunOutcome, runs
from mobilesim.recording.sinks import Sink
from mobilesim.results.layout import MANIFEST, SCENARIO
from mobilesim.results.statuses import RunStatus
from mobilesim.results.version import __version__
from mobilesim.scenario.loader import load
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.simulation import Simulation
from mobilesim.simulation.tape_recorder import TapeRecorder
from mobilesim.tape.events import ENDLESS, Tape, TapeHeader
from mobilesim.tape.tape_builder import TapeBuilder
from mobilesim.world.replication import World


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a run: the events between two times."""

    since: int = 0
    until: int = ENDLESS


WHOLE: Final = Part()


def recorded_scenario(directory: Path) -> Scenario:
    """Return the scenario of a results directory. The directory of a sweep is refused."""
    path = directory / SCENARIO
    if (directory / MANIFEST).is_dir():
        raise UserError(f"{directory}: holds the runs of a sweep; run the scenario of one point, and replay this run")
    if not path.is_file():
        raise UserError(f"{directory}: no results of a run: there is no file {SCENARIO}")
    return load(path)


def recorded_run(scenario: Scenario, recorded: Mapping[str, Any]) -> Run:
    """Return the run of a scenario that has this row in the table `runs`. A run that cannot be executed as before is
    refused.
    """
    label = recorded["protocol"]
    run = next((run for run in runs(scenario) if run.id == recorded["run_id"]), None)
    if run is None:
        raise UserError(f"{label}: cannot be replayed: the copy of its scenario in the results was changed")
    if scenario.processing.model == "measured":
        raise UserError(f"{label}: cannot be replayed: its processing times were measured, and differ every time")
    if not (scenario.oracle and scenario.trace):
        raise UserError(f"{label}: cannot be replayed: its scenario needs 'oracle: true' and 'trace: true'")
    if recorded["version"] != __version__:
        made = f"the run was made by mobilesim {recorded['version']}, and this is {__version__}"
        raise UserError(f"{label}: cannot be replayed: {made}; run the scenario again")
    return run


def replay(
    run: Run,
    recorded: Mapping[str, Any],
    part: Part = WHOLE,
    progress: Callable[[Simulation], None] = ignore,
    stop: Callable[[], bool] = never,
) -> Tape:
    """Execute a run again and return its tape. `recorded`: its row in `runs`. After a part, the rest of the run is not
    executed.
    """
    world = Worlds().of(run)
    tape = TapeBuilder(part.since, part.until)
    watch = _Watch(part.until, progress, stop)
    with paused_garbage_collector():
        simulation, outcome = simulated(run, world, Sink, watch, watch.over, tape=tape)
    if watch.stopped:
        raise KeyboardInterrupt
    assert isinstance(simulation.recorder, TapeRecorder)
    simulation.recorder.finish_tape(simulation.engine.time)
    if outcome.status is RunStatus.COMPLETE:
        _compare(outcome, recorded)
    return tape.tape(header_of(run, world))


def header_of(run: Run, world: World) -> TapeHeader:
    scenario, stations = run.scenario, station_count(run, world)
    return TapeHeader(
        source="run",
        unit="ns",
        network=scenario.network,
        hosts=scenario.hosts,
        stations=stations,
        cells=tuple(world.starting_cells) if stations else (),
        run={
            "scenario": scenario.name,
            "protocol": run.choice.label,
            "replication": run.replication,
            "id": run.id,
            "version": __version__,
        },
        positions=tuple((x, y) for x, y in cell_layout(scenario.cells).stations) if stations else (),
    )


class _Watch(Progress):
    """Ends a replay after its part, or when `stop` returns true."""

    def __init__(self, until: int, progress: Callable[[Simulation], None], stop: Callable[[], bool]) -> None:
        self._until, self._progress, self._stop = until, progress, stop
        self._time, self.stopped = 0, False

    def started(self, run: Run) -> None: ...

    def advanced(self, simulation: Simulation) -> None:
        self._time = simulation.engine.time
        self._progress(simulation)

    def finished(self, outcome: RunOutcome) -> None: ...

    def over(self) -> bool:
        self.stopped = self._stop()
        return self.stopped or self._time > self._until


def _compare(outcome: RunOutcome, recorded: Mapping[str, Any]) -> None:
    """Refuse a run that was not executed as before, for example because a plug-in has changed."""
    messages, deliveries = outcome.measured
    judged = outcome.judged
    found = {
        "events": outcome.events,
        "simulated": outcome.simulated,
        "messages": messages,
        "deliveries": deliveries,
        "causal_violations": 0 if judged is None else judged.causal,
        "duplicates": 0 if judged is None else judged.duplicates,
    }
    for name, number in found.items():
        if number != recorded[name]:
            what = f"{name} is {number:,}, and was {recorded[name]:,}"
            raise UserError(f"{recorded['protocol']}: is not executed as before: {what}; run the scenario again")

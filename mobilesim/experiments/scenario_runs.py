"""Execute all runs of a scenario on the cores of this machine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final, Protocol, cast

from mobilesim.experiments.assemble import WORLDS
from mobilesim.experiments.execute import dry_run, execute
from mobilesim.experiments.executors import never, process_pool, report, stop_requested
from mobilesim.experiments.run import Run, RunOutcome, runs
from mobilesim.results.layout import SCENARIO
from mobilesim.results.location import Location
from mobilesim.results.run_directory import prepare_directory, write_files
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.referenced_files import record
from mobilesim.simulation.simulation import Simulation

_SECONDS_BETWEEN_REPORTS: Final = 0.2


@dataclass(frozen=True, slots=True)
class RunState:
    """`done`: the finished fraction of the scenario. `time`: the simulated time. `sent`: the number of messages."""

    done: float
    time: int
    sent: int

    @classmethod
    def of(cls, simulation: Simulation) -> "RunState":
        return cls(simulation.progress, simulation.engine.time, simulation.sent)


class RunsProgress(Protocol):
    """Shows the progress of runs, which may overlap in time."""

    def started(self, run: Run) -> None: ...

    def advanced(self, run: Run, state: RunState) -> None: ...

    def finished(self, outcome: RunOutcome) -> None: ...


class _NoProgress:
    def started(self, run: Run) -> None: ...

    def advanced(self, run: Run, state: RunState) -> None: ...

    def finished(self, outcome: RunOutcome) -> None: ...


NO_PROGRESS: Final = _NoProgress()


def prepare(scenario: Scenario, directory: Location) -> list[str]:
    """Make the results directory with copies of the scenario and its files; return warnings about the scenario.

    Wrong input is refused before earlier results are removed.
    """
    warnings = dry_run(scenario, WORLDS)
    text, files = record(scenario)
    prepare_directory(directory)
    write_files(directory, {**files, SCENARIO: text.encode()})
    return warnings


def run_scenario(
    scenario: Scenario,
    directory: Location,
    *,
    workers: int,
    progress: RunsProgress = NO_PROGRESS,
    stop: Callable[[], bool] = never,
    environment: Mapping[str, str] | None = None,
) -> list[RunOutcome]:
    """Execute the runs and write their tables. Return the outcomes in the order of the runs. `environment`: as for
    `process_pool`.
    """
    jobs = list(runs(scenario))

    def show(event: object) -> None:
        method, *arguments = cast("tuple[str, ...]", event)
        getattr(progress, method)(*arguments)

    try:
        execute_jobs = process_pool(workers, show, environment)
        outcomes = list(execute_jobs(jobs, partial(_job, directory=directory), kind=hash, stop=stop))
    finally:
        WORLDS.forget()
    order = {run.id: index for index, run in enumerate(jobs)}
    # An executor of this machine has no lost jobs.
    return sorted(cast("list[RunOutcome]", outcomes), key=lambda outcome: order[outcome.run.id])


def _job(run: Run, directory: Location) -> RunOutcome:
    return execute(run, directory, _Reporter(), stop_requested, WORLDS)


class _Reporter:
    """Reports the progress of one run to the process that shows it: the name of a method, and its arguments."""

    def started(self, run: Run) -> None:
        self._run, self._last = run, monotonic()
        report(("started", run))

    def advanced(self, simulation: Simulation) -> None:
        if monotonic() - self._last > _SECONDS_BETWEEN_REPORTS:
            self._last = monotonic()
            report(("advanced", self._run, RunState.of(simulation)))

    def finished(self, outcome: RunOutcome) -> None:
        report(("finished", outcome))

"""The short forms (`--quick`) of shipped scenarios with one replication, run by the command line in this process."""

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.cli.main import main
from mobilesim.experiments import scenario_runs
from mobilesim.experiments.execute import Progress, execute
from mobilesim.experiments.run import Run, RunOutcome
from mobilesim.simulation.simulation import Simulation
from tests.support.simulations import FinishedRun

SHORTER: Final = {"stress/hand-off-storm": ("--set", "duration=2 s")}
"""Settings of the scenario whose short form takes longest."""
WHOLE: Final = {"campus": ("--set", "measure=null")}
"""Settings with which tables cover the whole run, so that they can be compared with one another."""


@dataclass(frozen=True)
class ShortForm:
    """`runs`: the run of each protocol, by the protocol's place in the scenario. `directory`: the results."""

    code: int
    out: str
    directory: Path
    runs: dict[int, FinishedRun]


class KeepRuns:
    """Passes the progress on to `shown`, and stores each run with its simulation."""

    simulation: Simulation

    def __init__(self, shown: Progress, directory: Path, runs: dict[int, FinishedRun]) -> None:
        self.shown = shown
        self.directory = directory
        self.runs = runs

    def started(self, run: Run) -> None:
        self.shown.started(run)

    def advanced(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.shown.advanced(simulation)

    def finished(self, outcome: RunOutcome) -> None:
        self.shown.finished(outcome)
        place = outcome.run.scenario.protocols.index(outcome.run.choice)
        self.runs[place] = FinishedRun(outcome, self.simulation, self.directory)


def run_short_form(name: str, directory: Path) -> ShortForm:
    runs: dict[int, FinishedRun] = {}

    def kept(run: Run, at: Path, progress: Progress, *others: Any) -> RunOutcome:  # noqa: ANN401 - as execute
        return execute(run, at, KeepRuns(progress, directory, runs), *others)

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
        patch.setattr(scenario_runs, "execute", kept)
        options = ("--quick", "--no-summary", "--replications", "1", *SHORTER.get(name, ()), *WHOLE.get(name, ()))
        code = main(["run", name, *options, "--out", str(directory)])
    return ShortForm(code, out.getvalue(), directory, runs)

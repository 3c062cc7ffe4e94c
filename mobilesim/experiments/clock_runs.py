"""Runs that compare passive clocks. They are simulated in memory and write no tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError, counted
from mobilesim.experiments.assemble import Worlds
from mobilesim.experiments.execute import simulated
from mobilesim.experiments.run import Run, RunOutcome
from mobilesim.recording.sinks import Sink
from mobilesim.scenario.loader import Change, Overrides, load
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.clocks import ALL

_KEY: Final = "clocks"


def load_with_clocks(path: Path, changes: Overrides) -> Scenario:
    """Return a scenario with all clocks, or with those that the changes name."""
    named = any(key.partition(".")[0] == _KEY for key in changes)
    return load(path, changes if named else {**changes, _KEY: Change(ALL, "clocks: all")})


def compared(scenario: Scenario, replication: int) -> Iterator[RunOutcome]:
    """Yield the outcome of each protocol in one replication."""
    if scenario.clocks is None:
        raise UserError(f"--set {_KEY}=null: there are no clocks to compare; leave it out to compare all")
    if not 0 <= replication < scenario.replications:
        many = counted(scenario.replications, "replication")
        raise UserError(f"--replication {replication}: the scenario has {many}; write 0 to {scenario.replications - 1}")
    worlds = Worlds()
    for choice in scenario.protocols:
        run = Run(scenario.model_copy(update={"trace": False}), choice, replication)
        _, outcome = simulated(run, worlds.of(run), Sink)
        yield outcome

"""After a run, no part of its simulation stays in memory. Runs of one replication share their world."""

import gc
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.experiments.assemble import Worlds
from mobilesim.experiments.execute import dry_run, execute
from mobilesim.experiments.paper_figures.figure_runs import measure
from mobilesim.experiments.run import runs
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.experiments.sweep.task import run_job
from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.machine import Host, Station
from mobilesim.recording.message_timeline import MessageTimeline
from mobilesim.recording.message_trace import MessageTrace
from mobilesim.recording.null_recorder import Recorder
from mobilesim.recording.recorder import RunRecorder
from mobilesim.results.run_directory import prepare_directory
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sweeps.sweep_file import loads
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.simulation import Simulation
from mobilesim.world.replication import World, build_world

PARTS: Final = (
    *(Simulation, Engine, Oracle, RunRecorder, Recorder, MessageTimeline, MessageTrace),
    *(Host, Station, World),
)

SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "cells": {"hosts": 4, "cells": 3, "protocols": ("av1", "rst")},
    "batteries": {"hosts": 4, "cells": 3, "protocols": "av1", "energy": {"battery": "1000 J"}},
    "a flood": {"hosts": 4, "cells": 3, "protocols": "prs"},
    "untraced": {"hosts": 4, "cells": 3, "protocols": "av1", "trace": False},
    "static": {"network": "static", "hosts": 4, "protocols": "rst", "links": {"delay": "1 ms"}},
}


def parts_in_memory() -> set[int]:
    return {id(found) for found in gc.get_objects() if isinstance(found, PARTS)}


@pytest.fixture(params=SETTINGS)
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return Scenario.model_validate({"messages": 30, "duration": None, **SETTINGS[request.param]})


def test_outcomes_keep_no_part_of_their_simulations_in_memory(scenario: Scenario, tmp_path: Path) -> None:
    prepare_directory(tmp_path)
    gc.collect()
    before = parts_in_memory()
    outcomes = [execute(run, tmp_path) for run in runs(scenario)]
    assert parts_in_memory() - before == set()
    assert {outcome.messages for outcome in outcomes} == {30}


def test_a_dry_run_keeps_only_the_world(scenario: Scenario) -> None:
    gc.collect()
    before, worlds = parts_in_memory(), Worlds()
    dry_run(scenario, worlds)
    first = next(runs(scenario))
    assert parts_in_memory() - before == {id(worlds.of(first))}


def test_a_measurement_keeps_no_part_of_its_simulation_in_memory() -> None:
    scenario = Scenario.model_validate({"messages": 30, "duration": None, **SETTINGS["cells"]})
    gc.collect()
    before = parts_in_memory()
    measurement = measure(next(runs(scenario)))
    assert parts_in_memory() - before == set()
    assert measurement is not None
    assert measurement.rows["messages"] == 30


def test_the_runs_of_a_replication_share_their_world(scenario: Scenario) -> None:
    both = scenario.model_copy(update={"replications": 2})
    worlds = Worlds()
    found = {(run.replication, id(worlds.of(run))) for run in runs(both)}
    assert len(found) == 2


def test_the_runs_of_a_replication_share_their_world_in_a_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[int] = []

    def counted(scenario: Scenario, replication: int) -> World:
        built.append(replication)
        return build_world(scenario, replication)

    monkeypatch.setattr("mobilesim.experiments.assemble.build_world", counted)
    plan = make_plan(loads("scenario: {messages: 20, hosts: 5}\nprotocols: [av1, fifo]\nreplications: 2"))
    with open_sweep(tmp_path, plan.resolved_text, plan.all_runs()) as store:
        records = [run_job(job) for job in plan.jobs(plan.rule(store))]
    assert [record.complete for record in records] == [True] * 4
    assert built == [0, 1]

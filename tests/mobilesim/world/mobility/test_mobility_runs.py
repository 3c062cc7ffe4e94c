"""Complete runs with every mobility model: protocols keep their claims, and runs end."""

from pathlib import Path
from typing import Any

import pytest

from mobilesim.cli.main import main
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.mobility_models import SECTIONS
from mobilesim.world.mobility import host_actions
from mobilesim.world.mobility.actions import Departure
from mobilesim.world.replication import build_world
from tests.support.plane_worlds import S, moves, plane
from tests.support.simulations import FinishedRun, simulate

MODELS = [model for model in SECTIONS if model != "track"]
HOLES = {"rows": 3, "columns": 3, "spacing": "60 m", "radius": "28 m"}


def run(directory: Path, model: str, **settings: Any) -> FinishedRun:  # noqa: ANN401 - settings
    defaults: dict[str, Any] = {"hosts": 10, "duration": "60 s", "cells": {**HOLES, "radius": None}, "protocols": "av1"}
    own: dict[str, Any] = {"trips": {"rest": "exponential 2 s", "passage": "1 s"}, "group": {"radius": "20 m"}}
    own["stampede"], own["commuter"] = {"start_time": "5 s"}, {"rush": "30 s"}
    mobility = {"model": model, **({model: own[model]} if model in own else {}), **settings.pop("mobility", {})}
    return simulate(Scenario.model_validate({**defaults, **settings, "mobility": mobility}), directory)


@pytest.mark.full
@pytest.mark.parametrize("protocol", ("av1", "rst", "av2", "ab"))
@pytest.mark.parametrize("model", MODELS)
def test_every_protocol_delivers_every_message_under_every_model(model: str, protocol: str, tmp_path: Path) -> None:
    disconnect = {"probability": 0.2, "duration": "exponential 2 s"}
    cells = HOLES if model != "trips" else 9
    played = run(tmp_path, model, cells=cells, protocols=protocol, mobility={"disconnect": disconnect, "gap": "20 ms"})
    (row,) = played.rows("runs")
    assert (row["verdict"], row["lost"], row["deliveries"]) == ("ok", 0, row["messages"])
    assert row["messages"] > 400


@pytest.mark.full
@pytest.mark.parametrize("model", [model for model in MODELS if model != "stampede"])
def test_hosts_of_every_model_change_cells(model: str, tmp_path: Path) -> None:
    played = run(tmp_path, model, duration="120 s")
    assert len({row["host"] for row in played.rows("handoffs")}) >= 4


def test_static_hosts_stay_in_their_first_cells(tmp_path: Path) -> None:
    played = run(tmp_path, "static", hosts=30)
    where = build_world(played.outcome.run.scenario, 0)
    assert host_actions(where) == []
    assert len(set(where.starting_cells)) > 5
    assert played.rows("handoffs") == played.rows("disconnections") == []
    assert {row["moves"] for row in played.rows("hosts")} == {0}
    for row in played.deliveries:
        assert (row["source_station"], row["station"]) == (
            where.starting_cells[row["source"]],
            where.starting_cells[row["destination"]],
        )


def test_hand_offs_depend_on_the_movement_and_not_on_the_protocol(tmp_path: Path) -> None:
    crossed = {}
    for protocol in ("av1", "rst"):
        rows = run(tmp_path / protocol, "waypoint", protocols=protocol, mobility={"gap": "5 ms"}).rows("handoffs")
        crossed[protocol] = [(row["host"], row["left"], row["entered"], row["to_station"]) for row in rows]
    assert crossed["av1"] == crossed["rst"]
    where = build_world(run(tmp_path / "again", "waypoint", mobility={"gap": "5 ms"}).outcome.run.scenario, 0)
    expected = [(host, step.left, step.entered, step.target) for host, step in moves(where, 60 * S)]
    assert sorted(crossed["av1"]) == sorted(expected)


def test_a_host_outside_coverage_is_disconnected_until_it_is_covered(tmp_path: Path) -> None:
    played = run(tmp_path, "waypoint", cells=HOLES, duration="300 s")
    gone = played.rows("disconnections")
    assert len(gone) > 20
    where = build_world(played.outcome.run.scenario, 0)
    assert where.plane is not None
    share = 3.14159 * 28**2 / 60**2
    away = sum(min(row["returned"], 300 * S) - row["left"] for row in gone) / (10 * 300 * S)
    assert away == pytest.approx(1 - share, abs=0.12)


def test_a_host_starting_outside_coverage_leaves_the_nearest_cell_at_once() -> None:
    where = plane("waypoint", hosts=60, cells=HOLES)
    assert where.plane is not None
    firsts = [next(walker) for walker in host_actions(where)]
    out = [step for step in firsts if isinstance(step, Departure) and step.left == 0]
    assert all(step.disconnects for step in out)
    assert len(out) == pytest.approx(60 * (1 - 3.14159 * 28**2 / 60**2), abs=15)


def test_hosts_without_coverage_reconnect_at_the_end(tmp_path: Path) -> None:
    """The hosts never move, and are out of reach of all stations."""
    nowhere = {"model": "stampede", "stampede": {"share": 0.0}}
    cells = {"rows": 2, "columns": 2, "spacing": "1 km", "radius": "10 m"}
    played = run(tmp_path, "stampede", cells=cells, mobility=nowhere, duration="30 s", hosts=6)
    assert played.outcome.verdict == "ok"
    assert len(played.rows("disconnections")) == 6
    assert 30 * S <= played.simulation.engine.time < 60 * S


@pytest.mark.parametrize("radius", (None, "10 m"))
def test_runs_without_a_duration_end_even_without_movement(radius: str | None, tmp_path: Path) -> None:
    cells = {"rows": 2, "columns": 2, "spacing": "1 km", "radius": radius}
    still = {"model": "stampede", "stampede": {"share": 0.0}}
    played = run(tmp_path, "stampede", cells=cells, mobility=still, duration=None, messages=300)
    assert (played.outcome.verdict, played.simulation.sent) == ("ok", 300)
    assert played.simulation.engine.processed < 10_000


@pytest.mark.full
def test_a_stampede_causes_many_hand_offs_at_its_time(tmp_path: Path) -> None:
    settings = {"start_time": "40 s", "reaction": "1 s", "stay": "30 s", "min_speed": "10 m/s", "max_speed": "10 m/s"}
    played = run(tmp_path, "stampede", hosts=40, duration="120 s", mobility={"stampede": settings})
    entered = [row["entered"] / S for row in played.rows("handoffs")]
    away = [home for home in build_world(played.outcome.run.scenario, 0).starting_cells if home != 4]
    there, back = (sum(begin <= time < begin + 20 for time in entered) for begin in (41, 71))
    assert len(entered) == there + back
    assert min(there, back) >= len(away) > 25


def test_one_cell_is_enough_for_models_on_a_plane(tmp_path: Path) -> None:
    played = run(tmp_path, "waypoint", cells={"rows": 1, "columns": 1, "spacing": "60 m", "radius": "28 m"})
    assert played.outcome.verdict == "ok"
    assert len(played.rows("disconnections")) > 5


@pytest.mark.full
@pytest.mark.parametrize(("radius", "lines"), (("20 m", 1), ("110 m", 0)))
def test_a_run_notes_a_plane_with_little_coverage(
    radius: str, lines: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = f"{{shape: hex, rows: 3, columns: 3, spacing: 150 m, radius: {radius}}}"
    file = tmp_path / "holes.yaml"
    file.write_text(f"hosts: 8\nprotocols: fifo\nduration: 60 s\ncells: {cells}\nmobility: {{model: waypoint}}\n")
    assert main(["run", str(file), "--no-summary", "--out", str(tmp_path / "r")]) == 0
    output = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip().startswith("reach: ")]
    assert len(output) == lines
    assert all(line.startswith("reach: hosts were out of reach or switched off for ") for line in output)

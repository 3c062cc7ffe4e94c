"""The same seed gives the same bytes in every process, and all protocols have the same movement and traffic."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from mobilesim.protocols import catalogue
from mobilesim.results.schema import TABLES
from mobilesim.scenario.model import Scenario
from tests.house.tree import ROOT
from tests.support.simulations import FinishedRun, Row, simulate

LIVELY: Final[dict[str, Any]] = {
    "seed": 5,
    "hosts": 12,
    "cells": 6,
    "duration": "3 s",
    "backbone": {"jitter": "exponential 10 ms"},
    "wireless": {"beacon": "20 ms"},
    "mobility": {"dwell": "exponential 300 ms", "disconnect": {"probability": 0.2, "duration": "exponential 200 ms"}},
    "workload": {"kind": "multicast", "destinations": 3, "interval": "exponential 100 ms"},
}

COMMAND: Final = (
    *("--set", "backbone.jitter=exponential 20 ms", "--set", "mobility.dwell=exponential 300 ms", "--set", "hosts=15"),
    *("--quick", "--no-summary", "--replications", "1", "--protocol", "av1", "rst", "proxy+unordered", "av3", "ab"),
)


def in_a_process(directory: Path, hash_seed: str, seed: str) -> dict[str, bytes]:
    """Run the command in a new process, and return the bytes of every table, without the column of wall time."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}
    arguments = ("run", "quickstart", "--out", str(directory), "--seed", seed, *COMMAND)
    subprocess.run([sys.executable, "-m", "mobilesim", *arguments], env=environment, check=True, capture_output=True)
    files = {f"{path.parent.name}/{path.name}": path for path in directory.glob("*/*.parquet")}
    assert len(files) == 5 * len(TABLES)
    return {name: runs_row(path) if name.startswith("runs/") else path.read_bytes() for name, path in files.items()}


def runs_row(path: Path) -> bytes:
    return repr(pq.ParquetFile(path).read().drop_columns("wall_seconds").to_pylist()).encode()


@pytest.mark.full
def test_only_the_same_seed_gives_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    once = in_a_process(tmp_path / "once", "1", "3")
    again = in_a_process(tmp_path / "again", "2", "3")
    assert once.keys() == again.keys()
    assert [name for name in once if once[name] != again[name]] == []
    other = in_a_process(tmp_path / "other", "1", "4")
    assert {content for name, content in once.items() if "runs" not in name}.isdisjoint(other.values())


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> list[FinishedRun]:
    """Return a run of every protocol in `ROWS`, and of `av1` with lazy locations, with equal movement and traffic."""
    protocols = (*catalogue.ROWS, {"name": "av1", "location": "lazy"})
    scenario = Scenario.model_validate({**LIVELY, "protocols": protocols})
    directory = tmp_path_factory.mktemp("compared")
    return [simulate(scenario, directory, place) for place in range(len(protocols))]


def sent(run: FinishedRun) -> list[Row]:
    columns = ("message", "source", "destinations", "submitted", "payload_bytes", "group")
    rows = ({column: row[column] for column in columns} for row in run.rows("messages"))
    return sorted(rows, key=lambda row: int(row["message"]))


def moves(run: FinishedRun) -> list[tuple[int, ...]]:
    columns = ("host", "visit", "from_station", "to_station", "entered", "reconnection")
    return [tuple(row[column] for column in columns) for row in run.rows("handoffs")]


@pytest.mark.full
def test_every_protocol_carries_the_same_messages(compared: list[FinishedRun]) -> None:
    first, *others = map(sent, compared)
    assert len(first) > 200
    assert all(other == first for other in others)


@pytest.mark.full
def test_hosts_have_the_same_trajectories_under_every_protocol(compared: list[FinishedRun]) -> None:
    """A host that announces its disconnection leaves when the station has received this, so `left` may differ."""
    first, *others = map(moves, compared)
    assert len(first) > 50
    assert all(other == first for other in others)
    away = [[(row["host"], row["returned"]) for row in run.rows("disconnections")] for run in compared]
    assert away[0]
    assert all(rows == away[0] for rows in away)


@pytest.mark.full
def test_protocols_have_different_results_for_the_same_world(compared: list[FinishedRun]) -> None:
    delays = {tuple(row["delay"] for row in run.deliveries) for run in compared}
    assert len(delays) == len(compared)


def test_more_hosts_do_not_change_movement_and_messages_of_others(tmp_path: Path) -> None:
    few, many = (
        simulate(Scenario.model_validate({**LIVELY, "hosts": hosts, "protocols": ("fifo",)}), tmp_path / str(hosts))
        for hosts in (12, 17)
    )
    assert [move for move in moves(many) if move[0] < 12] == moves(few)
    output = {(row["source"], row["submitted"]) for row in sent(few)}
    assert output == {(row["source"], row["submitted"]) for row in sent(many) if row["source"] < 12}


def test_replications_and_seeds_give_different_worlds(tmp_path: Path) -> None:
    scenario = Scenario.model_validate({**LIVELY, "replications": 2})
    other = scenario.model_copy(update={"seed": 6})
    worlds = [simulate(scenario, tmp_path), simulate(scenario, tmp_path, replication=1), simulate(other, tmp_path)]
    assert len({run.outcome.run.id for run in worlds}) == 3
    assert len({tuple(row["submitted"] for row in sent(run)) for run in worlds}) == 3
    assert len({tuple(moves(run)) for run in worlds}) == 3


def test_observers_do_not_change_a_run(tmp_path: Path) -> None:
    scenario = Scenario.model_validate(LIVELY)
    watched = simulate(scenario, tmp_path / "watched").simulation
    judged = simulate(scenario.model_copy(update={"trace": False}), tmp_path / "judged").simulation
    alone = simulate(scenario.model_copy(update={"trace": False, "oracle": False}), tmp_path / "alone").simulation
    runs = (watched, judged, alone)
    assert len({(run.engine.time, run.engine.processed, run.sent, run.delivered_copies) for run in runs}) == 1
    assert not list((tmp_path / "alone" / "deliveries").iterdir())

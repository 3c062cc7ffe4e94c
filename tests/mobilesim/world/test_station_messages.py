"""Stations that send messages are separate sources, for the oracle and in the tables."""

from pathlib import Path
from typing import Any

import pytest

from mobilesim.protocols.catalogue import PLACEMENTS, pair
from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.scenario.model import Scenario
from tests.support.simulations import FinishedRun, simulate

ORIGINATORS = [
    pair(row.name, ordering) for row in PLACEMENTS.values() if row.originates for ordering in ("rst", "unordered")
]
HOSTS = 6


def run_with_sending_stations(directory: Path, protocol: str, **settings: Any) -> FinishedRun:  # noqa: ANN401 - settings
    known = {
        "protocols": protocol,
        "hosts": HOSTS,
        "cells": 4,
        "duration": "3 s",
        "backbone": {"jitter": "uniform 0 ms 30 ms"},
        "mobility": {"dwell": "exponential 300 ms"},
        "workload": {
            "interval": "exponential 200 ms",
            "stations": {"interval": "exponential 100 ms", "destinations": 3},
        },
    }
    return simulate(Scenario.model_validate({**known, **settings}), directory)


named = pytest.mark.parametrize("name", [row.name for row in ORIGINATORS])


@named
@pytest.mark.parametrize("processing", ("fixed", "measured"))
def test_messages_of_stations_are_delivered_and_checked(name: str, processing: str, tmp_path: Path) -> None:
    run = run_with_sending_stations(tmp_path, name, processing={"model": processing})
    assert run.outcome.verdict == "ok"
    sources = {row["source"]: row for row in run.rows("messages")}
    assert sources.keys() == set(range(HOSTS + 4))
    assert {row["copies"] for source, row in sources.items() if source >= HOSTS} == {3}
    assert sum(row["submitted"] for row in run.rows("hosts")) < run.simulation.sent


@named
def test_messages_of_stations_cause_no_uplink_frames(name: str, tmp_path: Path) -> None:
    rows = [row for row in run_with_sending_stations(tmp_path, name).deliveries if row["source"] >= HOSTS]
    assert len(rows) > 100
    for row in rows:
        assert row["source_station"] == row["source"] - HOSTS
        assert row["uplink_started"] == row["accepted"] == row["submitted"]
        assert (row["uplink_queue"], row["uplink_air"], row["source_hold"]) == (0, 0, 0)
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"]
        assert min(row[part] for part in DELAY_PARTS) >= 0
        assert row["retransmissions"] >= 0


@named
def test_messages_of_stations_count_for_the_limit_of_messages(name: str, tmp_path: Path) -> None:
    run = run_with_sending_stations(tmp_path, name, messages=100)
    assert run.simulation.sent == len(run.rows("messages")) == 100


@named
def test_messages_of_stations_do_not_change_messages_of_hosts(name: str, tmp_path: Path) -> None:
    loud = run_with_sending_stations(tmp_path / "loud", name)
    still = run_with_sending_stations(tmp_path / "still", name, workload={"interval": "exponential 200 ms"})

    def output(run: FinishedRun) -> list[tuple[int, int, tuple[int, ...]]]:
        rows = [row for row in run.rows("messages") if row["source"] < HOSTS]
        return sorted((row["source"], row["submitted"], tuple(row["destinations"])) for row in rows)

    assert output(loud) == output(still) != []

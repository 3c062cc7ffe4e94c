"""The number of transmissions of a frame, computed from the times of its message on the wireless channel."""

from pathlib import Path
from typing import Any

import pytest

from mobilesim.scenario.model import Scenario
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.simulation.links.shared_lossy_wireless import LossyAir
from tests.support.radio_ledgers import Attempts, assert_verified, busy_scenario
from tests.support.simulations import MS, US, FinishedRun, simulate

LATENCY = 500 * US


def static_run(directory: Path, protocol: str = "av1", **wireless: Any) -> FinishedRun:  # noqa: ANN401 - settings
    return simulate(
        Scenario.model_validate(
            {
                "protocols": protocol,
                "hosts": 6,
                "cells": 2,
                "duration": "10 s",
                "mobility": {"model": "static", "start": "spread"},
                "wireless": wireless,
                "workload": {"kind": "multicast", "destinations": 2},
            }
        ),
        directory,
    )


def air(done: FinishedRun) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the total transmission times on the uplink and on the downlink, by message and host."""
    return {
        (row["message"], row["destination"]): (row["uplink_air"] - LATENCY, row["downlink_air"] - LATENCY)
        for row in done.deliveries
    }


@pytest.mark.parametrize("settings", ({"loss": 0.3}, {"bit_error_rate": 1e-4}, {"loss": 0.3, "medium": "shared"}))
def test_every_repeated_transmission_is_a_retransmission(settings: dict[str, Any], tmp_path: Path) -> None:
    lossy, once = static_run(tmp_path / "lossy", **settings), air(static_run(tmp_path / "once"))
    assert len(lossy.deliveries) == len(once) > 50
    for row, (up, down) in zip(lossy.deliveries, air(lossy).values(), strict=True):
        first_up, first_down = once[row["message"], row["destination"]]
        assert (up % first_up, down % first_down) == (0, 0)
        assert row["retransmissions"] == up // first_up - 1 + down // first_down - 1
    assert sum(row["retransmissions"] for row in lossy.deliveries) > 20
    assert_verified(lossy)


def test_the_time_between_attempts_counts_as_wireless_time(tmp_path: Path) -> None:
    lossy = static_run(tmp_path / "lossy", loss=0.3, retry="20 ms")
    again = [row for row in lossy.deliveries if row["retransmissions"]]
    assert again
    assert all(row["uplink_air"] + row["downlink_air"] > 20 * MS * row["retransmissions"] for row in again)


def test_departed_hosts_cause_fewer_retransmissions_than_a_lossy_channel(tmp_path: Path) -> None:
    def sent_again(**wireless: object) -> int:
        done = simulate(busy_scenario("av1", 1, **wireless), tmp_path)
        assert_verified(done)
        return sum(row["retransmissions"] for row in done.deliveries)

    assert 0 < sent_again() < sent_again(loss=0.3) / 2


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("medium", ("dedicated", "shared"))
@pytest.mark.parametrize("seed", range(3))
def test_a_frame_not_transmitted_before_its_host_left_is_not_counted(
    medium: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Attempts(monkeypatch)
    done = simulate(busy_scenario("av1", seed, loss=0.8, retry="60 ms", medium=medium), tmp_path)
    assert isinstance(done.simulation, CellularSimulation)
    air = done.simulation.air
    assert isinstance(air, LossyAir)
    assert sum(log.check(link, host) for link in (air.uplinks, air.downlinks) for host in range(6)) > 1_000
    assert_verified(done)
    for row in done.rows("links"):
        assert row["lost_packets"] <= row["packets"]
        assert row["lost_bytes"] <= row["bytes"]


def test_the_retransmissions_of_a_message_fit_into_its_time(tmp_path: Path) -> None:
    done = simulate(busy_scenario("av1", 1, loss=0.9, retry="1 s"), tmp_path)
    rows = done.deliveries
    assert rows
    for row in rows:
        assert row["retransmissions"] <= row["forwards"] + 2 * (row["delivered"] - row["submitted"]) / (1_000 * MS) + 20


def test_without_losses_each_frame_is_sent_once(tmp_path: Path) -> None:
    assert {row["retransmissions"] for row in static_run(tmp_path).deliveries} == {0}

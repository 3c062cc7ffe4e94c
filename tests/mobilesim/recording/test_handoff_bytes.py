"""Bytes of hand-offs and registrations have the purpose `handoff`. Numbers and addresses of messages are `control`."""

from pathlib import Path
from typing import Any

import pytest

from mobilesim.scenario.model import Scenario
from tests.support.simulations import MS, FinishedRun, Play, Script, simulate

FRAMING = 20


def carried(run: FinishedRun, purpose: str) -> dict[tuple[str, int, int], int]:
    """Return the bytes of a purpose by link, without zeros."""
    rows = run.rows("links")
    name = f"{purpose}_bytes"
    return {(row["kind"], row["source"], row["target"]): row[name] for row in rows if row[name]}


def moving(protocol: str, **mobility: object) -> Scenario:
    about: dict[str, Any] = {
        "protocols": protocol,
        "hosts": 8,
        "cells": 4,
        "duration": "6 s",
        "mobility": {"dwell": "exponential 1 s", **mobility},
        "workload": {"interval": "exponential 200 ms"},
    }
    return Scenario.model_validate(about)


def test_a_move_without_messages_causes_only_hand_off_traffic(play: Play) -> None:
    """The uplink carries four numbers: registration, visit, last received frame, and one cell of the trail. The
    downlink carries the number of the registration.
    """
    run = play(Script(moves=[(100 * MS, 1, 2)]))
    assert carried(run, "handoff") == {
        ("uplink", -1, 2): 4 * 4,
        ("downlink", 2, -1): 4,
        ("wired", 2, 1): 4 * 4,
        ("wired", 1, 2): 4 * (4 + 2 * 2 + 2),
    }
    assert carried(run, "control") == {}
    host = run.rows("hosts")[1]
    assert (host["sent_handoff_bytes"], host["received_handoff_bytes"]) == (16, 4)


@pytest.mark.parametrize("protocol", ("av1", "av2", "av3", "ab", "rst", "fifo"))
def test_static_hosts_cause_no_hand_off_traffic(protocol: str, tmp_path: Path) -> None:
    """No host registers in its initial cell."""
    scenario = Scenario.model_validate(
        {
            "protocols": protocol,
            "hosts": 6,
            "cells": 3,
            "duration": "2 s",
            "mobility": {"model": "static"},
            "workload": {"interval": "exponential 100 ms"},
        }
    )
    run = simulate(scenario, tmp_path)
    assert carried(run, "handoff") == {}
    assert sum(carried(run, "control").values()) > 0


@pytest.mark.full
@pytest.mark.parametrize("protocol", ("av1", "av2", "av3", "ab", "rst", "proxy+prs"))
def test_hand_off_bytes_on_wired_links_are_the_sum_of_all_hand_offs(protocol: str, tmp_path: Path) -> None:
    """Every pair of stations has a link, so every packet between stations crosses exactly one link."""
    run = simulate(moving(protocol, disconnect={"probability": 0.2, "duration": "500 ms"}), tmp_path)
    rows = run.rows("handoffs")
    bodies = sum(row["control_bytes"] - FRAMING * row["control_messages"] for row in rows)
    wired = [size for (kind, _, _), size in carried(run, "handoff").items() if kind == "wired"]
    assert sum(wired) == bodies > 0


def test_the_notification_of_switching_off_counts_as_hand_off_traffic(play: Play) -> None:
    """The host returns to its cell, so its station sends no request to another station."""
    ways: dict[str, dict[str, object]] = {
        "cut off": {"announced": False},
        "store": {"policy": "store"},
        "drop": {"policy": "drop"},
    }
    found = {}
    for way, settings in ways.items():
        mobility = {"start": "spread", "disconnect": {"probability": 0.5, "duration": "100 ms", **settings}}
        run = play(Script(moves=[(100 * MS, 1, 1)], gap=100 * MS, off=True), mobility=mobility)
        found[way] = carried(run, "handoff")
    assert found["cut off"] == {("uplink", -1, 1): 3 * 4, ("downlink", 1, -1): 4}
    assert found["store"] == found["drop"] == {("uplink", -1, 1): 3 * 4 + 8, ("downlink", 1, -1): 4}


def test_a_location_update_after_a_forwarded_message_counts_for_the_message(play: Play) -> None:
    """Station 1 forwards the message, and informs station 0."""
    run = play(Script([(100 * MS, 0, 1)], [(50 * MS, 1, 2)]), {"name": "av1", "location": "lazy"})
    assert run.delivery(0)["forwards"] == 1
    assert ("wired", 1, 0) not in carried(run, "handoff")
    assert carried(run, "location")["wired", 1, 0] == 3 * 4


@pytest.mark.parametrize("hosts", (2, 4, 8, 16, 32))
def test_a_hand_off_of_algorithm_1_moves_a_matrix_of_all_hosts_and_one_of_algorithm_2_does_not(
    hosts: int, play: Play
) -> None:
    """Alagar and Venkatesan (1994), section 4.3: O(1) messages with O(n_h^2) numbers."""
    integers = {}
    for protocol in ("av1", "av2"):
        (row,) = play(Script(moves=[(100 * MS, 1, 2)]), protocol, hosts=hosts).rows("handoffs")
        integers[protocol] = (row["state_transfer_bytes"] - FRAMING * row["state_transfer_messages"]) // 4
    assert integers == {"av1": hosts**2 + hosts + 4, "av2": 3**2 + 4}

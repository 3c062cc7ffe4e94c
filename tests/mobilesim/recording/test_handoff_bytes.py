"""What hand-offs, registrations and goodbyes cost is told apart from the numbers and addresses of messages."""

from pathlib import Path
from typing import Any

import pytest

from mobilesim.scenario.model import Scenario
from tests.support.simulations import MS, FinishedRun, Play, Script, simulate

FRAMING = 20


def carried(run: FinishedRun, purpose: str) -> dict[tuple[str, int, int], int]:
    """By link, where there is anything."""
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


def test_a_move_without_messages_is_a_hand_off_and_nothing_else(play: Play) -> None:
    """Up: registration, visit, what was heard last, and one cell of its way. Down: the registration."""
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
def test_where_nobody_moves_there_is_nothing_of_hand_offs(protocol: str, tmp_path: Path) -> None:
    """Nobody registers where it starts."""
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
def test_on_wires_it_is_what_all_hand_offs_took(protocol: str, tmp_path: Path) -> None:
    """Every two stations have a link, so that no packet crosses a second one."""
    run = simulate(moving(protocol, disconnect={"probability": 0.2, "duration": "500 ms"}), tmp_path)
    rows = run.rows("handoffs")
    bodies = sum(row["control_bytes"] - FRAMING * row["control_messages"] for row in rows)
    wired = [size for (kind, _, _), size in carried(run, "handoff").items() if kind == "wired"]
    assert sum(wired) == bodies > 0


def test_a_goodbye_that_wants_nothing_stored_belongs_to_hand_offs(play: Play) -> None:
    """Back in the same cell, a host asks nobody to hand anything over."""
    policies = {}
    for policy in ("store", "drop"):
        mobility = {"start": "spread", "disconnect": {"probability": 0.5, "duration": "100 ms", "policy": policy}}
        run = play(Script(moves=[(100 * MS, 1, 1)], gap=100 * MS, off=True), mobility=mobility)
        policies[policy] = carried(run, "handoff")
    assert policies["store"] == {("uplink", -1, 1): 3 * 4, ("downlink", 1, -1): 4}
    assert policies["drop"] == {("uplink", -1, 1): 3 * 4 + 4, ("downlink", 1, -1): 4}


def test_news_of_where_a_message_found_its_host_is_paid_for_by_the_message(play: Play) -> None:
    """It is sent on from station 1, which tells station 0."""
    run = play(Script([(100 * MS, 0, 1)], [(50 * MS, 1, 2)]), {"name": "av1", "location": "lazy"})
    assert run.delivery(0)["forwards"] == 1
    assert ("wired", 1, 0) not in carried(run, "handoff")
    assert carried(run, "control")["wired", 1, 0] == 3 * 4

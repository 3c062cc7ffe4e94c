"""Frames that are given up after some attempts: how often, and what happens to their hosts."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.protocols.catalogue import ROWS
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from tests.support.radio_ledgers import STATES, SharedChannelLog, assert_verified, busy_scenario
from tests.support.simulations import MS, FinishedRun, simulate

BURSTS: Final = {"length": "50 ms", "every": "200 ms", "loss": 0.9}
FORMS: Final[dict[str, dict[str, Any]]] = {
    "dedicated": {"loss": 0.4, "retries": 2, "rejoin": "0 s"},
    "shared": {"medium": "shared", "loss": 0.4, "retries": 2, "retry": "1 ms"},
    "csma": {"medium": "csma", "loss": 0.3, "retries": 2, "uplink": "500 kbit/s", "downlink": "500 kbit/s"},
    "bursts": {"bursts": BURSTS, "retries": 3, "beacon_frames": {}, "rejoin": "30 ms"},
    "dozing": {"doze": {"after": "5 ms"}, "beacon_frames": {}, "loss": 0.3, "retries": 2, "medium": "shared"},
}


def cut_offs(done: FinishedRun) -> int:
    return sum(row["cut_offs"] for row in done.rows("hosts"))


@pytest.mark.parametrize("medium", ("dedicated", "shared", "csma"))
@pytest.mark.parametrize(("loss", "retries"), ((0.3, 1), (0.5, 3), (0.4, 2)))
def test_a_frame_is_given_up_with_the_probability_that_all_attempts_are_lost(
    medium: str, loss: float, retries: int, tmp_path: Path
) -> None:
    scenario = Scenario.model_validate(
        {
            "protocols": ("unordered",),
            "hosts": 4,
            "cells": 4,
            "duration": "400 s",
            "mobility": {"model": "static", "start": "spread"},
            "wireless": {"medium": medium, "loss": loss, "retries": retries, "rejoin": "10 ms"},
            "workload": {"interval": "exponential 1 s"},
        }
    )
    done = simulate(scenario, tmp_path)
    assert done.outcome.verdict == "ok"
    links = [row for row in done.rows("links") if row["kind"] in {"uplink", "downlink"}]
    attempts = sum(row["packets"] for row in links)
    # A frame has (1 - p^n) / (1 - p) attempts on average.
    frames = attempts * (1 - loss) / (1 - loss**retries)
    assert cut_offs(done) / frames == pytest.approx(loss**retries, rel=0.1)
    assert frames > 3_000
    assert_verified(done)


def test_a_host_that_was_cut_off_registers_after_the_stated_time(tmp_path: Path) -> None:
    """Each time that it is cut off, a host is out of reach for this time and that of its registration."""
    waits = []
    for rejoin in (1, 2):
        scenario = Scenario.model_validate(
            {
                "protocols": ("unordered",),
                "hosts": 2,
                "cells": 2,
                "duration": "2000 s",
                "mobility": {"model": "static", "start": "spread"},
                "wireless": {"loss": 0.1, "retries": 1, "rejoin": f"{rejoin} s"},
                "workload": {"interval": "exponential 5 s"},
            }
        )
        done = simulate(scenario, tmp_path / str(rejoin))
        waits.append(sum(row["unreachable"] for row in done.rows("hosts")) / cut_offs(done) / 1e9)
    assert waits[1] - waits[0] == pytest.approx(1, rel=0.01)


@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("protocol", ROWS)
def test_the_oracle_finds_no_fault_when_hosts_are_cut_off(form: str, protocol: str, tmp_path: Path) -> None:
    done = simulate(busy_scenario(protocol, 3, **FORMS[form]), tmp_path)
    assert done.outcome.verdict == "ok"
    assert cut_offs(done) > 20
    assert_verified(done)
    for row in done.rows("hosts"):
        assert min(row[state] for state in STATES) >= 0


@pytest.mark.interpreted
@pytest.mark.parametrize("form", ("dedicated", "shared", "dozing"))
def test_the_states_of_a_radio_agree_with_a_log_of_its_frames(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SharedChannelLog(monkeypatch)
    done = simulate(busy_scenario("av1", 1, **{**FORMS[form], "beacon_frames": None}), tmp_path)
    for row in done.rows("hosts"):
        log.check(row, done.simulation.engine.time)


def test_hosts_move_at_the_same_times_with_and_without_retries(tmp_path: Path) -> None:
    limits = (None, 2)
    runs = [simulate(busy_scenario("av1", 5, loss=0.4, retries=most), tmp_path / str(most)) for most in limits]
    moves = [{(row["host"], row["to_station"], row["entered"]) for row in run.rows("handoffs")} for run in runs]
    assert len(moves[0] ^ moves[1]) < 0.1 * len(moves[0])
    assert moves[0] & moves[1]
    assert all(row["entered"] - row["left"] < 10_000 * MS for row in runs[1].rows("handoffs"))


@pytest.mark.parametrize(
    ("air", "output"),
    (
        ("{retries: 3}", "without losses, no frame is given up; write a loss too, or leave this key out"),
        ("{rejoin: 3 s}", "without 'retries', no host is cut off; write it too, or leave this key out"),
        ("{loss: 0.1, retries: 0}", "0 is too little"),
    ),
)
def test_invalid_retries_cause_one_error_line(air: str, output: str) -> None:
    with pytest.raises(UserError) as found:
        loads(f"wireless: {air}\n")
    assert output in str(found.value)
    assert "\n" not in str(found.value)

"""The radio states of a host add up to the simulated time, and agree with a log of all frames."""

from pathlib import Path

import pytest

from mobilesim.experiments import execute
from mobilesim.results.run_directory import prepare_directory
from mobilesim.scenario.model import Scenario
from tests.support.radio_ledgers import STATES, OwnChannelLog, busy_scenario
from tests.support.simulations import simulate


def slow(protocol: str, seed: int) -> Scenario:
    return busy_scenario(protocol, seed, uplink="40 kbit/s", downlink="64 kbit/s")


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("protocol", ("av1", "av2", "ab", "rst"))
@pytest.mark.parametrize("seed", range(3))
def test_the_states_of_a_radio_agree_with_a_log_of_its_frames(
    protocol: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = OwnChannelLog(monkeypatch)
    done = simulate(slow(protocol, seed), tmp_path)
    rows = done.rows("hosts")
    for row in rows:
        log.check(row, done.simulation.engine.time)
    assert sum(row["duplex"] for row in rows) > 0
    assert sum(row["disconnected"] for row in rows) > 0


@pytest.mark.parametrize("steps", range(500, 1_500, 100))
def test_the_radio_states_add_up_in_an_interrupted_run(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute, "_STEPS", steps)
    prepare_directory(tmp_path)
    chosen = slow("av1", 1)
    done = simulate(chosen, tmp_path, stop=lambda: True)
    assert done.outcome.status == "interrupted"
    for row in done.rows("hosts"):
        assert all(row[state] >= 0 for state in STATES)
        once = row["transmitting"] + row["receiving"] - row["duplex"]
        assert once + row["idle"] + row["disconnected"] == done.simulation.engine.time

"""Cells that overlap: a host keeps its last station until it has detected the new one."""

from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.protocols.catalogue import ROWS
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from tests.support.radio_ledgers import STATES, SharedChannelLog, assert_verified, busy_scenario
from tests.support.simulations import MS, FinishedRun, simulate

BEACON: Final = 100 * MS
FORMS: Final[dict[str, dict[str, Any]]] = {
    "dedicated": {},
    "shared": {"medium": "shared", "loss": 0.2, "beacon_frames": {}},
    "broadcast": {"medium": "shared", "broadcast": True},
    "csma": {"medium": "csma", "uplink": "500 kbit/s", "downlink": "500 kbit/s"},
    "cut off": {"loss": 0.4, "retries": 2, "rejoin": "30 ms"},
    "dozing": {"doze": {"after": "5 ms"}, "beacon_frames": {}},
}


def storm(protocol: object, seed: int, overlap: str, **wireless: object) -> Scenario:
    """Return a scenario with slow channels, whose hosts move before many of their frames have arrived."""
    plain = busy_scenario(protocol, seed, None, **wireless).model_dump(mode="json", exclude_unset=True)
    mobility = {key: value for key, value in plain["mobility"].items() if key != "gap"}
    return Scenario.model_validate(
        {**plain, "mobility": mobility, "wireless": {**plain["wireless"], "overlap": overlap}}
    )


def calm(overlap: str, directory: Path, **wireless: object) -> FinishedRun:
    """Run a scenario with few messages, and with beacons every 100 ms."""
    scenario = {
        "protocols": ("av1",),
        "hosts": 20,
        "cells": 4,
        "duration": "300 s",
        "mobility": {"dwell": "exponential 5 s"},
        "wireless": {"beacon": "100 ms", "overlap": overlap, **wireless},
        "workload": {"interval": "exponential 10 s"},
    }
    done = simulate(Scenario.model_validate(scenario), directory)
    assert done.outcome.verdict == "ok"
    assert_verified(done)
    return done


def waits(done: FinishedRun) -> list[int]:
    """Return the times from the loss of a station until the next one has received the registration."""
    return [row["registered"] - row["left"] for row in done.rows("handoffs") if not row["superseded"]]


@pytest.mark.parametrize("overlap", (0, 25, 60, 100, 250))
def test_a_host_is_without_station_for_the_part_of_the_wait_that_exceeds_the_overlap(
    overlap: int, tmp_path: Path
) -> None:
    """The wait W for a beacon is uniform in (0, B). So the mean of W - o, if it is positive, is (B - o)^2 / 2B."""
    found = waits(calm(f"{overlap} ms", tmp_path))
    registration = min(found)  # of a host that detects its station when it loses the last one
    expected = max(0, BEACON - overlap * MS) ** 2 / (2 * BEACON)
    assert len(found) > 1_000
    assert fmean(wait - registration for wait in found) == pytest.approx(expected, rel=0.08, abs=MS / 2)


def test_a_host_changes_its_station_at_a_beacon_within_the_overlap(tmp_path: Path) -> None:
    done = calm("100 ms", tmp_path)
    rows, first = done.rows("handoffs"), done.cells.air.phases
    on_beacon = [(row["left"] - first[row["to_station"]]) % BEACON == 0 for row in rows]
    assert fmean(on_beacon) > 0.97  # the others had a frame in transit
    assert all(row["left"] == row["entered"] for row in rows)


def test_frames_of_hosts_arrive_before_the_station_changes(tmp_path: Path) -> None:
    """On slow uplinks hosts often move while they send. With enough overlap none of these frames is lost."""

    def lost(overlap: str) -> int:
        scenario = storm(("av2",), 2, overlap, beacon="0 s", uplink="20 kbit/s").model_dump(
            mode="json", exclude_unset=True
        )
        without_disconnections = {**scenario["mobility"], "disconnect": {}}
        done = simulate(Scenario.model_validate({**scenario, "mobility": without_disconnections}), tmp_path / overlap)
        assert done.outcome.verdict == "ok"
        return sum(row["lost_packets"] for row in done.rows("links") if row["kind"] == "uplink")

    assert lost("0 s") > 10
    assert lost("10 s") == 0


def test_without_beacons_and_frames_an_overlap_changes_nothing(tmp_path: Path) -> None:
    """Hosts then detect a station when they enter its cell."""
    quiet = {"beacon": "0 s", "bandwidth": "1 Gbit/s", "latency": "0 s"}
    runs = [calm(overlap, tmp_path / overlap, **quiet) for overlap in ("0 s", "1 s")]
    for table in ("deliveries", "handoffs", "links"):
        first, second = ([{**row, "run_id": ""} for row in run.rows(table)] for run in runs)
        assert first == second


@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("protocol", ROWS)
def test_the_oracle_finds_no_fault_in_cells_that_overlap(form: str, protocol: str, tmp_path: Path) -> None:
    for seed, overlap in enumerate(("5 ms", "50 ms", "2 s")):
        done = simulate(storm(protocol, seed, overlap, **FORMS[form]), tmp_path / overlap)
        assert done.outcome.verdict == "ok"
        assert_verified(done)
        for row in done.rows("hosts"):
            assert min(row[state] for state in STATES) >= 0


@pytest.mark.interpreted
@pytest.mark.parametrize("form", ("dedicated", "cut off"))
def test_the_states_of_a_radio_agree_with_a_log_of_its_frames(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SharedChannelLog(monkeypatch)
    done = simulate(storm("av1", 1, "50 ms", medium="shared", **FORMS[form]), tmp_path)
    for row in done.rows("hosts"):
        log.check(row, done.simulation.engine.time)


def test_an_overlap_with_a_gap_causes_one_error_line() -> None:
    with pytest.raises(UserError) as found:
        loads("wireless: {overlap: 1 s}\nmobility: {gap: 1 s}\n")
    assert "with 'mobility.gap', cells do not overlap; leave one of them out" in str(found.value)
    assert "\n" not in str(found.value)

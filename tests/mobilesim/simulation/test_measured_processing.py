"""Processing at stations takes measured CPU time. The durations are unknown, but the order of events is fixed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.scenario.model import Scenario
from mobilesim.simulation import measured_processing
from tests.support.durations import AGAIN
from tests.support.simulations import FREE_HOSTS, US, FinishedRun, Script, simulate

STILL = {"model": "static", "start": "spread"}
AV1 = {"name": "av1", "location": "free"}
MEASURED = {"model": "measured", "fixed": "1 s", "per_integer": "1 s", "hosts": FREE_HOSTS}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the CPU time: every input of a station takes 10 us."""
    ticks: Iterator[int] = iter(range(0, 1 << 60, 10 * US))
    monkeypatch.setattr(measured_processing, "thread_time_ns", lambda: next(ticks))


def busy_run(tmp_path: Path, protocol: str, **settings: Any) -> FinishedRun:  # noqa: ANN401
    scenario = Scenario.model_validate(
        {
            "protocols": protocol,
            "hosts": 12,
            "duration": "5 s",
            "mobility": {"dwell": "exponential 300 ms", "disconnect": {"probability": 0.1, "duration": "200 ms"}},
            "workload": {"interval": "exponential 30 ms", "kind": "multicast", "destinations": 2},
            "backbone": {"jitter": "exponential 10 ms"},
            "processing": {"model": "measured"},
            **settings,
        }
    )
    return simulate(scenario, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("protocol", ("av1", "av2", "av3", "ab", "rst", "fifo"))
def test_a_run_with_measured_processing_keeps_its_protocols_claims(protocol: str, tmp_path: Path) -> None:
    run = busy_run(tmp_path, protocol)
    assert run.outcome.verdict == "ok"
    assert run.deliveries
    for row in run.deliveries:
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"]
        assert min(row[part] for part in DELAY_PARTS) >= 0
    assert all(row["processing"] > 0 for row in run.rows("stations"))


@pytest.mark.usefixtures("clock")
def test_the_outputs_of_a_station_leave_at_the_end_of_its_processing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script([(1_000 * US, 0, 1)])
    still = script.play(monkeypatch, tmp_path / "fixed", AV1, processing={"fixed": "0 s", "per_integer": "0 s"})
    worked = Script([(1_000 * US, 0, 1)]).play(monkeypatch, tmp_path / "measured", AV1, processing=MEASURED)
    assert worked.parts(0) == {**still.parts(0), "processing": 20 * US}
    # Station 0 processes the uplink frame, station 1 the packet and the host's acknowledgement.
    assert [row["processing"] for row in worked.rows("stations")] == [10 * US, 20 * US, 0]


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("protocol", ("av2", "ab"))
def test_a_local_message_arrives_at_the_end_of_its_stamping(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The arrival is at this time even if the station sends copies to the other station first."""
    script = Script([(1_000 * US, 0, 2)])
    run = script.play(monkeypatch, tmp_path, protocol, hosts=3, cells=2, mobility=STILL, processing=MEASURED)
    row = run.delivery(0)
    assert run.parts(0)["processing"] == 10 * US
    assert row["sent"] == row["arrived"] == row["released"] == row["accepted"] + 10 * US


@pytest.mark.usefixtures("clock")
def test_a_station_processes_one_packet_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script([(1_000 * US, 0, 2), (1_000 * US, 1, 2)])
    run = script.play(monkeypatch, tmp_path, "av1", hosts=3, cells=1, mobility={"model": "static"}, processing=MEASURED)
    # Both frames arrive at the same time. They are stamped after 10 us and 20 us, and read after 30 us and 40 us.
    assert [run.parts(message)["processing"] for message in (0, 1)] == [30 * US, 40 * US]


@pytest.mark.full
@pytest.mark.parametrize("protocol", ("proxy+transport", "proxy+ks-serialised", "resident+transport"))
def test_a_message_counts_as_held_from_its_arrival_at_a_busy_station(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The condition for the release of a message may be met before the station has processed the message."""
    ticks: Iterator[int] = iter(range(0, 1 << 60, 1_000 * US))
    monkeypatch.setattr(measured_processing, "thread_time_ns", lambda: next(ticks))
    run = busy_run(tmp_path, protocol, workload={"interval": "exponential 60 ms"})
    assert run.outcome.verdict == "ok"
    assert max(row["inhibition"] for row in run.deliveries) > 0
    for row in run.deliveries:
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"]
        assert min(row[part] for part in DELAY_PARTS) >= 0


@pytest.mark.full
@pytest.mark.usefixtures("clock")
def test_without_a_trace_processing_takes_the_same_time(tmp_path: Path) -> None:
    watched, alone = busy_run(tmp_path / "watched", "av1"), busy_run(tmp_path / "alone", "av1", trace=False)
    ends = [(run.simulation.engine.time, run.cells.wired.worked) for run in (watched, alone)]
    assert ends[0] == ends[1]


@pytest.mark.usefixtures("clock")
def test_an_answer_to_the_registration_of_an_earlier_visit_is_lost_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host leaves and returns while the station processes the first registration."""
    first = 100_000 * US
    heard = first + AGAIN + 5 * US
    script = Script(moves=[(first, 1, 1), (heard, 1, 1)])
    run = script.play(monkeypatch, tmp_path, "av1", processing=MEASURED)
    (link,) = (row for row in run.rows("links") if (row["kind"], row["source"]) == ("downlink", 1))
    assert (link["packets"], link["lost_packets"], link["lost_bytes"]) == (2, 1, 24)
    assert run.rows("hosts")[1]["received_handoff_bytes"] == 4


HASTE: dict[str, Any] = {
    "hosts": 60,
    "cells": 2,
    "duration": None,
    "messages": 400,
    "mobility": {"dwell": "exponential 300 us"},
    "backbone": {"latency": "100 us"},
    "wireless": {"latency": "0 s", "bandwidth": "100 Mbit/s"},
    "workload": {"interval": "exponential 10 ms"},
}


@pytest.mark.full
def test_hosts_that_leave_during_processing_lose_no_message(tmp_path: Path) -> None:
    run = busy_run(tmp_path, "av1", **HASTE)
    assert (run.outcome.status, run.outcome.verdict) == ("complete", "ok")
    assert len(run.deliveries) == 400

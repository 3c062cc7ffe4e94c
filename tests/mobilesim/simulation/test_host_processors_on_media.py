"""The work of hosts on every wireless medium and under every placement."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.protocols.packets import Packet
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, RADIO_ENERGIES, RADIO_STATES
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.dispatch import DownlinkReceiver, SimHostOutbox
from mobilesim.simulation.links.host_processors import HostProcessors, Job
from mobilesim.simulation.links.wireless import Air
from tests.support.radio_ledgers import assert_verified, broadcast_scenario, busy_scenario, priced
from tests.support.simulations import MS, US, FinishedRun, Play, Row, Script, simulate

FIXED, PER_INTEGER = 500 * US, 50 * US
PRICE: Final = {"fixed": "500 us", "per_integer": "50 us"}
FAST: Final = {"uplink": "500 kbit/s", "downlink": "500 kbit/s"}

MEDIA: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "shared": {"medium": "shared"},
    "lossy": {"loss": 0.3, "retry": "2 ms", "cells": [{"cell": 0, "bandwidth": "30 kbit/s"}]},
    "csma": {"medium": "csma", "loss": 0.1, **FAST},
    "dozing": {"doze": {"after": "5 ms"}, "beacon_frames": {}},
    "dozing, shared, lossy": {"doze": {"after": "5 ms"}, "beacon_frames": {}, "medium": "shared", "loss": 0.2},
    "retries": {"medium": "shared", "loss": 0.4, "retries": 2, "beacon_frames": {}},
    "retries, csma": {"medium": "csma", "loss": 0.3, "retries": 2, "beacon_frames": {}, **FAST},
}
PLACEMENTS: Final = {"proxy": "av1", "station": "av2", "logical": "av3", "flood": "prs", "resident": "rst"}


def work(frame: Packet) -> int:
    return FIXED + PER_INTEGER * (frame.header + frame.control)


class WorkLog:
    """The frames that hosts send and receive, and the times at which the machines of hosts get frames."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.inputs: dict[int, list[tuple[int, bool, int]]] = defaultdict(list)
        """By host, for each frame: when it is sent or arrives, whether it is sent, and the work on it."""
        self.left: dict[int, list[int]] = defaultdict(list)
        self.given: dict[int, list[int]] = defaultdict(list)
        transmit, expect = SimHostOutbox.transmit, HostProcessors.expect
        leave, received = Air.leave, DownlinkReceiver.received

        def transmitted(outbox: SimHostOutbox, frame: Packet) -> None:
            if outbox._radio.cell >= 0:
                self.inputs[outbox.host].append((outbox._engine.time, True, work(frame)))
            transmit(outbox, frame)

        def expected(processors: HostProcessors, host: int, frame: Packet, came: int) -> Job:
            self.coming[host].append((came, False, work(frame)))
            return expect(processors, host, frame, came)

        def gone(air: Air, host: int) -> None:
            now = air.engine.time
            self.left[host].append(now)
            self.inputs[host] += [entry for entry in self.coming.pop(host, ()) if entry[0] <= now]
            leave(air, host)

        def got(receiver: DownlinkReceiver, host: int, *frame: Any) -> None:  # noqa: ANN401 - a frame and its times
            self.given[host].append(receiver.engine.time)
            received(receiver, host, *frame)

        self.coming: dict[int, list[tuple[int, bool, int]]] = defaultdict(list)
        """The frames to a host since it entered its cell. Those that arrive after it has left are lost."""
        monkeypatch.setattr(SimHostOutbox, "transmit", transmitted)
        monkeypatch.setattr(HostProcessors, "expect", expected)
        monkeypatch.setattr(Air, "leave", gone)
        monkeypatch.setattr(DownlinkReceiver, "received", got)

    def check(self, row: Row, end: int) -> None:
        """Compare a host's row with a computation, in which the host works on one frame after another."""
        host, computing, free, given = row["host"], 0, 0, []
        left = [*self.left[host], end]
        for since, sends, needed in sorted(self.inputs[host] + self.coming[host], key=lambda entry: entry[:2]):
            leaves = min(moment for moment in left if moment >= since)
            begin = min(max(since, free), leaves)
            free = min(begin + needed, leaves)
            computing += free - begin
            if not sends and begin + needed <= leaves:
                given.append(free)
        assert computing == row["computing"]
        assert Counter(given) == Counter(self.given[host])


def assert_ledger_balances(done: FinishedRun, scenario: Scenario) -> None:
    """Check that times and energies of radios and processors follow from the states."""
    run = done.rows("runs")[0]
    for row in done.rows("hosts"):
        times = {state.name: row[state.name] * state.counts for state in RADIO_STATES if state.name}
        assert sum(times.values()) == run["measured_to"] - run["measured_from"]
        assert min(row[name] for name in times) >= 0
        assert row["energy_compute"] == pytest.approx(scenario.energy.compute * row["computing"] / 1e9)
        if row["battery"] is not None:
            spent = sum(row[f"energy_{name}"] for name in RADIO_ENERGIES)
            assert 1000 - row["battery"] == pytest.approx(spent)


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("medium", MEDIA)
def test_hosts_work_on_all_their_frames_on_every_medium(
    medium: str, placement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = WorkLog(monkeypatch)
    energy = None if medium == "plain" else {"battery": "1 kJ", "compute": "5 W", "switch": "1 mJ"}
    check_work(priced(busy_scenario(PLACEMENTS[placement], 3, energy, **MEDIA[medium]), **PRICE), log, tmp_path)


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_hosts_work_on_frames_that_they_share(placement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame of a flood contains the number of a registration, and is not shared."""
    log = WorkLog(monkeypatch)
    scenario = priced(broadcast_scenario(PLACEMENTS[placement], 3, loss=0.2, beacon_frames={}), **PRICE)
    done = check_work(scenario, log, tmp_path)
    assert (sum(row["shared_bytes"] for row in done.rows("links")) > 0) == (placement != "flood")


def check_work(scenario: Scenario, log: WorkLog, directory: Path) -> FinishedRun:
    """Run a scenario, and check the work of its hosts, its delays and its ledgers."""
    done = simulate(scenario, directory)
    assert done.outcome.verdict == "ok"
    for row in done.rows("hosts"):
        log.check(row, done.simulation.engine.time)
    for row in done.deliveries:
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"]
        assert min(row[part] for part in DELAY_PARTS) >= 0
        assert min(row["sender_processing"], row["receiver_processing"]) >= FIXED + PER_INTEGER
    searching = done.outcome.run.choice.placement in {"proxy", "resident"}
    assert (sum(row["search"] for row in done.deliveries) > 0) == searching
    assert_ledger_balances(done, scenario)
    assert_verified(done)
    return done


@pytest.mark.parametrize("protocol", PLACEMENTS.values())
@pytest.mark.parametrize("medium", ("plain", "shared", "dozing"))
def test_the_work_is_the_price_of_all_integers_that_were_sent_and_received(
    medium: str, protocol: str, tmp_path: Path
) -> None:
    """Without losses and moves, the counters of bytes have all frames and integers once."""
    scenario = priced(busy_scenario(protocol, 3, **MEDIA[medium]), **PRICE)
    still = Scenario.model_validate({"mobility": {"model": "static"}}).mobility
    done = simulate(scenario.model_copy(update={"mobility": still}), tmp_path)
    packets = sum(row["packets"] for row in done.rows("links") if row["kind"] in {"uplink", "downlink"})
    numbers = [purpose for purpose in BYTE_PURPOSES if purpose not in {"payload", "framing"}]
    size = sum(
        row[f"{way}_{name}_bytes"] for row in done.rows("hosts") for way in ("sent", "received") for name in numbers
    )
    assert packets > 500
    assert sum(row["computing"] for row in done.rows("hosts")) == FIXED * packets + PER_INTEGER * size // 4


SLOW: Final = {"fixed": "10 us", "per_integer": "1 us", "hosts": {"fixed": "5 ms", "per_integer": "0 s"}}


def test_a_frame_contends_when_the_host_has_processed_it(play: Play) -> None:
    """The medium is idle: a frame waits for less than a slot of 50 us."""
    run = play(Script([(100 * MS, 0, 1)]), wireless={"medium": "csma"}, processing=SLOW)
    row = run.delivery(0)
    assert (row["sender_processing"], row["receiver_processing"]) == (5 * MS, 5 * MS)
    assert 0 <= row["uplink_started"] - 105 * MS < 50 * US
    assert row["delivered"] == row["downlink_started"] + row["downlink_air"] + 5 * MS


@pytest.mark.parametrize("medium", ("shared", "csma"))
def test_a_frame_of_another_host_may_go_first_while_a_host_works(medium: str, play: Play) -> None:
    """Hosts 0 and 3 are in one cell. Host 3 submits a message when host 0 works on its second one."""
    says = [(100 * MS, 0, 1), (100 * MS, 0, 1), (104 * MS, 3, 1)]
    run = play(Script(says), hosts=4, wireless={"medium": medium}, processing=SLOW)
    first, second, other = (run.delivery(message) for message in range(3))
    assert first["uplink_started"] < other["uplink_started"] < second["uplink_started"]
    assert (second["sender_processing"], other["sender_processing"]) == (10 * MS, 5 * MS)


@pytest.mark.parametrize("medium", ("dedicated", "shared", "csma"))
def test_a_host_that_switches_off_leaves_after_its_frames_are_processed_and_received(medium: str, play: Play) -> None:
    says = [(99 * MS + place, 1, 0) for place in range(20)]
    script = Script(says, [(100 * MS, 1, 2)], 400 * MS, off=True)
    drop = {"start": "spread", "disconnect": {"policy": "drop"}}
    run = play(script, wireless={"medium": medium}, mobility=drop, processing=SLOW)
    (gone,) = run.rows("disconnections")
    assert len(run.deliveries) == 20
    assert 199 * MS < max(row["accepted"] for row in run.deliveries) < gone["left"] < 320 * MS


@pytest.mark.parametrize("medium", ("dedicated", "shared"))
def test_a_dozing_host_wakes_up_when_it_begins_to_work_on_a_frame(medium: str, play: Play) -> None:
    """Host 0 works from 130 ms to 170 ms. A message for it comes to its station meanwhile, and does not wait."""
    wireless = {"medium": medium, "beacon": "100 ms", "doze": {"after": "10 ms"}}
    slow = {**SLOW, "hosts": {"fixed": "40 ms", "per_integer": "0 s"}}
    says = [(85 * MS, 1, 0), (130 * MS, 0, 1)]
    assert play(Script(says[:1]), wireless=wireless, processing=slow).delivery(0)["downlink_started"] == 200 * MS
    row = play(Script(says), wireless=wireless, processing=slow).delivery(0)
    assert 130 * MS < row["released"] == row["downlink_started"] < 140 * MS


@pytest.mark.parametrize("medium", ("plain", "shared", "csma"))
@pytest.mark.parametrize("steps", (500, 900, 1_300))
def test_times_add_up_in_an_interrupted_run(
    steps: int, medium: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mobilesim.experiments.execute._STEPS", steps)
    scenario = priced(busy_scenario("av1", 1, **MEDIA[medium]), **PRICE)
    done = simulate(scenario, tmp_path, stop=lambda: True)
    assert done.outcome.status == "interrupted"
    assert_ledger_balances(done, scenario)
    assert all(row["computing"] <= done.simulation.engine.time for row in done.rows("hosts"))

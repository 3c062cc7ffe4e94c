"""A medium with contention, compared with Bianchi's model and with a simulation of single slots."""

from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.packets import Packet
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.engine import new_engine
from mobilesim.simulation.links.csma import CsmaAir
from mobilesim.simulation.links.wireless import FrameReceiver
from mobilesim.world.replication import build_world
from tests.support.plain_frames import PlainFrame
from tests.support.radio_ledgers import STATES, assert_verified, busy_scenario
from tests.support.simulations import MS, US, Play, Script, simulate

SLOT, SIFS, DIFS, PREAMBLE, ACK = 50 * US, 28 * US, 128 * US, 128 * US, 240 * US
DATA: Final = 1023
"""The payload of 8184 bits, and the header of 272 bits, of Bianchi's table II."""
SUCCESS: Final = PREAMBLE + (DATA + 34) * 8 * US + SIFS + ACK + DIFS
COLLISION: Final = PREAMBLE + (DATA + 34) * 8 * US + DIFS


class Cell(FrameReceiver):
    """The medium of a cell, without protocols. `saturated`: each received frame is followed by another."""

    def __init__(self, hosts: int, *, saturated: bool = False, seed: int = 1, **wireless: Any) -> None:  # noqa: ANN401
        scenario = Scenario.model_validate(
            {
                "seed": seed,
                "hosts": hosts,
                "cells": 2,
                "mobility": {"model": "static"},
                "sizes": {"header": "34 B"},
                "wireless": {"latency": "0 s", "medium": "csma", **wireless},
            }
        )
        self.engine, self.saturated = new_engine(), saturated
        self.world = build_world(scenario, 0)
        self.air = CsmaAir(self.engine, self.world, counted=True)
        self.air.up.receiver = self.air.down.receiver = self
        for radio in self.air.radios:
            radio.cell = 0
        self.heard: list[tuple[int, int, int]] = []
        """Tuples of a host, the start of the first attempt, and the arrival of the frame."""

    def received(self, host: int, station: int, frame: Packet, started: int, work: int) -> None:
        self.heard.append((host, started, self.engine.time))
        if self.saturated:
            self.air.up.transmit(host, 0, PlainFrame(DATA))

    def repeated(self, host: int, frame: Packet, times: int) -> None:
        pass

    def send(self, host: int) -> None:
        self.air.up.transmit(host, self.air.radios[host].cell, PlainFrame(DATA))


def saturation_throughput(hosts: int, window: int, doublings: int) -> float:
    """Return the normalised throughput of Bianchi (2000), equations 7, 9 and 13, without propagation time."""

    def tau_of(p: float) -> float:
        return 2 / (1 + window + p * window * sum((2 * p) ** stage for stage in range(doublings)))

    low, high = 0.0, 1.0
    for _ in range(100):
        p = (low + high) / 2
        low, high = (p, high) if 1 - (1 - tau_of(p)) ** (hosts - 1) > p else (low, p)
    tau = tau_of(low)
    some = 1 - (1 - tau) ** hosts
    one = hosts * tau * (1 - tau) ** (hosts - 1)
    return one * DATA * 8 * US / ((1 - some) * SLOT + one * SUCCESS + (some - one) * COLLISION)


@pytest.mark.parametrize("doublings", (3, 5))
@pytest.mark.parametrize("hosts", (5, 10, 20, 50))
def test_the_saturation_throughput_is_that_of_bianchi(hosts: int, doublings: int) -> None:
    cell = Cell(hosts, saturated=True, contention={"window_max": 32 << doublings})
    for host in range(hosts):
        cell.send(host)
        cell.send(host)
    while len(cell.heard) < 12_000:
        cell.engine.advance(1_000)
    measured = len(cell.heard) * DATA * 8 * US / cell.engine.time
    assert measured == pytest.approx(saturation_throughput(hosts, 32, doublings), rel=0.02)


def by_slots(cell: Cell, ready: list[tuple[int, int]], end: int) -> list[tuple[int, int]]:
    """Simulate contention slot by slot; return the host and the arrival of each frame. `ready`: by time, the hosts that
    get a frame.
    """
    hosts = range(len(cell.air.radios))
    random = [cell.world.streams.stream("backoff", host) for host in hosts]
    waiting, counter, failures = [0 for _ in hosts], [0 for _ in hosts], [0 for _ in hosts]
    coming, heard, now = list(ready), [], 0

    def draw(host: int) -> int:
        return int(random[host].random() * min(1024, 32 << failures[host]))

    def come(until: int, *, busy: bool) -> None:
        while coming and coming[0][0] <= until:
            _, host = coming.pop(0)
            waiting[host] += 1
            if waiting[host] == 1 and busy and counter[host] == 0:
                counter[host] = draw(host)

    while now < end:
        come(now, busy=False)
        sending = [host for host in hosts if waiting[host] and counter[host] == 0]
        if not sending:
            now += SLOT
            counter = [max(0, left - 1) for left in counter]
            continue
        data = now + PREAMBLE + (DATA + 34) * 8 * US
        free = data + (SIFS + ACK if len(sending) == 1 else 0)
        come(free - 1, busy=True)
        for host in sending:
            failures[host] += 1
            if len(sending) == 1:
                heard.append((host, data))
                failures[host], waiting[host] = 0, waiting[host] - 1
            counter[host] = draw(host)
        now = free + DIFS
        come(now - 1, busy=True)
    return heard


@pytest.mark.parametrize("seed", range(12))
def test_frames_arrive_as_in_a_simulation_of_single_slots(seed: int) -> None:
    random, hosts = Random(seed), 6
    ready, moment = [], 0
    for _ in range(300):
        moment += int(random.expovariate(1 / (4 * MS if seed % 2 else 12 * MS)))
        ready.append((moment, random.randrange(hosts)))
    cell = Cell(hosts, seed=seed)
    for when, host in ready:
        cell.engine.call_at(when, cell.send, host)
    cell.engine.advance(100_000)
    expected = by_slots(cell, ready, 40_000 * MS)
    assert [(host, came) for host, _, came in cell.heard] == expected
    assert len(expected) == 300


def test_a_frame_that_finds_the_medium_idle_is_sent_in_the_next_slot() -> None:
    cell = Cell(2)
    cell.engine.call_at(1000 * SLOT + 7, cell.send, 0)
    cell.engine.advance(10)
    assert [start for _, start, _ in cell.heard] == [1001 * SLOT]


def test_hosts_of_other_cells_do_not_contend() -> None:
    cell = Cell(2)
    cell.air.radios[1].cell = 1
    for host in (0, 1):
        cell.send(host)
    cell.engine.advance(10)
    assert [start for _, start, _ in cell.heard] == [0, 0]


def test_a_host_that_leaves_its_cell_no_longer_contends() -> None:
    cell = Cell(3, saturated=True)
    for host in range(3):
        cell.send(host)
    cell.engine.call_at(100 * MS + 1, cell.air.leave, 1)
    cell.engine.advance(400)
    assert {host for host, _, came in cell.heard if came <= 100 * MS} == {0, 1, 2}
    assert {host for host, _, came in cell.heard if came > 100 * MS} == {0, 2}
    # Two contenders are left: the throughput is that of two.
    late = [came for _, _, came in cell.heard if came > 100 * MS]
    assert len(late) * DATA * 8 * US / (late[-1] - 100 * MS) == pytest.approx(saturation_throughput(2, 32, 5), rel=0.05)


def test_a_station_sends_a_frame_once_to_a_host_that_has_left() -> None:
    cell = Cell(2)
    for _ in range(3):
        cell.air.down.transmit(0, 0, PlainFrame(DATA))
    cell.air.down.transmit(1, 0, PlainFrame(DATA))
    cell.engine.call_at(DIFS, cell.air.leave, 0)
    cell.engine.advance(100)
    assert [host for host, _, _ in cell.heard] == [1]
    counter = cell.air.down.links[0, 0]
    one = PREAMBLE + (DATA + 34) * 8 * US
    assert (counter.packets, counter.lost().packets, counter.busy, counter.received) == (3, 3, 3 * one, DIFS)


def test_lost_frames_are_repeated_after_a_longer_backoff() -> None:
    cell = Cell(2, saturated=True, loss=0.3)
    cell.send(0)
    while len(cell.heard) < 8_000:
        cell.engine.advance(100)
    counter = cell.air.up.links[0, 0]
    assert counter.packets / len(cell.heard) == pytest.approx(1 / 0.7, rel=0.03)
    assert counter.packets - counter.lost().packets == len(cell.heard)
    one, window = PREAMBLE + (DATA + 34) * 8 * US, [min(1024, 32 << stage) for stage in range(60)]
    backoffs = [0.3**stage * (size - 1) / 2 * SLOT for stage, size in enumerate(window)]
    mean = sum(backoffs) + one / 0.7 + DIFS / 0.7 + SIFS + ACK
    assert cell.engine.time / len(cell.heard) == pytest.approx(mean, rel=0.03)


def test_radios_send_and_receive_frames_and_acknowledgements() -> None:
    cell = Cell(2)
    cell.send(0)
    cell.engine.advance(10)
    one = PREAMBLE + (DATA + 34) * 8 * US
    assert [cell.air.so_far(host) for host in (0, 1)] == [(one, ACK, 0), (0, 0, 0)]
    cell.air.down.transmit(1, 0, PlainFrame(DATA))
    cell.engine.advance(10)
    assert [cell.air.so_far(host) for host in (0, 1)] == [(one, ACK, 0), (ACK, one, 0)]


def test_beacons_go_before_waiting_frames_and_are_not_sent_during_frames() -> None:
    cell = Cell(3, saturated=True, beacon="10 ms", beacon_frames={"size": "91 B"})
    for host in range(3):
        cell.send(host)
        cell.send(host)
    while len(cell.heard) < 1_000:
        cell.engine.advance(100)
    assert cell.air.beacons is not None
    times = cell.air.beacons.stations[0]
    length = times.length
    assert length == MS
    begin = PREAMBLE + (DATA + 34) * 8 * US
    frames = [(came - begin, came) for _, _, came in cell.heard]
    last = times.passed(cell.engine.time - 10 * MS)
    sent = [(times.start(beacon), times.due(beacon)) for beacon in range(last)]
    for start, due in sent:
        assert all(start >= end or start + length + DIFS <= first for first, end in frames)
        assert due <= start <= due + begin + SIFS + ACK + length
    assert sum(start > due for start, due in sent) > len(sent) / 2


FORMS: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "lossy": {"loss": 0.2},
    "beacons": {"beacon_frames": {}, "loss": 0.1},
    "other cells": {"cells": [{"cell": 0, "bandwidth": "30 kbit/s"}], "latency": "0 s"},
}


@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("protocol", ROWS)
def test_the_oracle_finds_no_fault_and_radios_add_up(form: str, protocol: str, tmp_path: Path) -> None:
    scenario = busy_scenario(
        protocol, 3, medium="csma", uplink=None, downlink=None, bandwidth="500 kbit/s", **FORMS[form]
    )
    done = simulate(scenario, tmp_path)
    assert done.outcome.verdict == "ok"
    assert_verified(done)
    for row in done.rows("hosts"):
        assert min(row[state] for state in STATES) >= 0 == row["duplex"]
    assert sum(row["lost_packets"] for row in done.rows("links")) > 0


def test_the_parts_of_a_delay_have_contention_in_the_queue_and_attempts_in_the_air(play: Play) -> None:
    script = Script([(100 * MS, 0, 1)])
    parts = play(script, wireless={"medium": "csma"}).parts(0)
    assert parts["uplink_air"] == PREAMBLE + 128 * 8 * US + 500 * US
    assert parts.get("uplink_queue", 0) < SLOT


def test_a_host_that_switches_off_leaves_after_its_frames(play: Play) -> None:
    script = Script([(99 * MS + place, 1, 0) for place in range(20)], [(100 * MS, 1, 2)], 400 * MS, off=True)
    drop = {"start": "spread", "disconnect": {"policy": "drop"}}
    run = play(script, wireless={"medium": "csma"}, mobility=drop)
    (gone,) = run.rows("disconnections")
    assert len(run.deliveries) == 20
    assert 115 * MS < max(row["accepted"] for row in run.deliveries) < gone["left"] < 200 * MS


@pytest.mark.parametrize("steps", range(500, 1_500, 200))
def test_the_radio_states_add_up_in_an_interrupted_run(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mobilesim.experiments.execute._STEPS", steps)
    done = simulate(busy_scenario("av1", 1, medium="csma"), tmp_path, stop=lambda: True)
    assert done.outcome.status == "interrupted"
    for row in done.rows("hosts"):
        once = row["transmitting"] + row["receiving"] - row["duplex"]
        assert once + row["idle"] + row["disconnected"] == done.simulation.engine.time


@pytest.mark.parametrize(
    ("air", "output"),
    (
        ("{contention: {slot: 9 us}}", "only 'medium: csma' has contention; write it too, or leave this key out"),
        ("{medium: csma, loss: 0.1, retry: 1 ms}", "a lost frame is repeated after a backoff; leave this key out"),
        ("{medium: csma, beacon: 1 s, doze: {}}", "power save is not simulated with 'medium: csma'; leave one of them"),
        ("{medium: csma, contention: {window_max: 16}}", "the window starts with 32 slots; write as many or more"),
        ("{medium: csma, contention: {slot: 0 s}}", "expected more than 0 s"),
    ),
)
def test_invalid_contention_causes_one_error_line(air: str, output: str) -> None:
    with pytest.raises(UserError) as found:
        loads(f"wireless: {air}\n")
    assert output in str(found.value)
    assert "\n" not in str(found.value)

"""Beacons that are frames: phases, air time, energy and losses, compared with closed forms and a second simulation."""

from collections import defaultdict
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.protocols.catalogue import ROWS
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.links.beacons import Beacons, BeaconTimes
from mobilesim.simulation.links.power_save import PowerSave
from mobilesim.simulation.links.shared_lossy_wireless import LossyAir
from tests.support.radio_ledgers import SharedChannelLog, assert_verified, busy_scenario
from tests.support.simulations import MS, US, FinishedRun, simulate

INTERVAL: Final = 100 * MS
BEACON: Final = (20 + 37) * 8 * US
"""The air time of a beacon at 1 Mbit/s."""
FRAMES: Final[dict[str, Any]] = {"beacon": "100 ms", "beacon_frames": {}}


def beacon_air(done: FinishedRun) -> LossyAir:
    air = done.cells.air
    assert isinstance(air, LossyAir)
    assert air.beacons is not None
    return air


def static(directory: Path, **settings: Any) -> FinishedRun:  # noqa: ANN401 - of a scenario
    """Run a scenario without moves, with free processing."""
    still = {"protocols": ("unordered",), "cells": 1, "mobility": {"model": "static", "start": "spread"}}
    free = {"fixed": "0 s", "per_integer": "0 s"}
    return simulate(Scenario.model_validate({**still, "processing": free, **settings}), directory)


# The times of beacons on a downlink


def stepped(times: BeaconTimes, frames: list[tuple[int, int]], end: int) -> tuple[list[int], list[int]]:
    """Simulate a downlink on which a beacon goes before all waiting frames, step by step. Return the starts of beacons
    and of frames. `frames`: when each frame is ready, and its duration, in this order.
    """
    beacons, starts, waiting = list(range(times.phase, end, times.interval)), [], list(frames)
    sent: list[int] = []
    busy = 0
    for now in range(end):
        if now < busy:
            continue
        if beacons and beacons[0] <= now:
            beacons.pop(0)
            sent.append(now)
            busy = now + times.length
        elif waiting and waiting[0][0] <= now:
            starts.append(now)
            busy = now + waiting.pop(0)[1]
    return sent, starts


@pytest.mark.parametrize("seed", range(40))
def test_beacons_and_frames_have_the_times_of_a_simulation_step_by_step(seed: int) -> None:
    random = Random(seed)
    interval = random.randrange(8, 30)
    phase, length = random.randrange(interval), random.randrange(1, 7)
    ready = sorted(random.randrange(300) for _ in range(random.randrange(20)))
    frames = [(moment, random.randrange(1, 25)) for moment in ready]
    times = BeaconTimes(phase, interval, length)
    sent, starts = stepped(times, frames, 1500)
    found, queries = [], iter(sorted(random.randrange(400) for _ in range(30)))
    asked: int | None = next(queries)
    for moment, lasts in frames:
        while asked is not None and asked <= moment:
            assert times.sent(asked) == sum(start <= asked for start in sent)
            assert times.air(asked) == sum(max(0, min(length, asked - start)) for start in sent)
            asked = next(queries, None)
        start = times.begin(moment)
        times.free = start + lasts
        found.append(start)
    assert found == starts[: len(found)]
    for past in range(0, 1000, 7):
        assert times.air(past) == sum(max(0, min(length, past - start)) for start in sent)


def test_a_dozing_host_is_awake_until_it_has_heard_a_late_beacon() -> None:
    times = BeaconTimes(10, 100, 4)
    dozing = PowerSave(loads("wireless: {beacon: 1 s, doze: {after: 20 ns, listen: 2 ns}}").wireless.doze, [times])  # type: ignore[arg-type]
    times.begin(95)
    times.free = 130  # a frame to another host delays the beacon that is due at 110
    assert dozing.asleep(0, 109)
    assert not dozing.asleep(0, 133)
    assert dozing.asleep(0, 134)
    # Awake until 20 and from 110 to 134. At 209 it has dozed for the rest.
    assert dozing.so_far(0, 209) == (209 - 20 - 24, 1)
    assert times.air(209) == 8


# Runs


def test_stations_have_phases_that_do_not_depend_on_the_protocol(tmp_path: Path) -> None:
    common = {"hosts": 8, "cells": 4, "duration": "5 s", "wireless": FRAMES, "mobility": {"dwell": "exponential 1 s"}}
    scenario = Scenario.model_validate({"protocols": ("av1", "rst", "proxy+ks"), **common})
    runs = [simulate(scenario, tmp_path, index) for index in range(3)]
    moves = [
        [(row["host"], row["left"], row["entered"], row["to_station"]) for row in run.rows("handoffs")] for run in runs
    ]
    assert moves[0] == moves[1] == moves[2]
    phases = {tuple(times.phase for times in beacon_air(run).beacons.stations) for run in runs}  # type: ignore[union-attr]
    assert len(phases) == 1
    assert len(set(*phases)) == 4


@pytest.mark.parametrize("wireless", ({"beacon": "100 ms"}, FRAMES), ids=("ideal", "frames"))
def test_hosts_of_different_cells_do_not_register_at_the_same_time(wireless: dict[str, Any], tmp_path: Path) -> None:
    common = {"hosts": 30, "cells": 9, "duration": "10 s", "mobility": {"dwell": "exponential 1 s"}}
    done = simulate(Scenario.model_validate({"protocols": ("av1",), "wireless": wireless, **common}), tmp_path)
    stations, hosts = defaultdict(set), defaultdict(set)
    for row in done.rows("handoffs"):
        stations[row["registered"]].add(row["to_station"])
        hosts[row["registered"]].add(row["host"])
    assert {len(each) for each in stations.values()} == {1}
    assert max(len(each) for each in hosts.values()) > 1  # of one cell


@pytest.mark.parametrize("loss", (0.0, 0.4))
def test_a_host_detects_a_cell_at_the_end_of_the_first_beacon_that_is_not_lost(loss: float, tmp_path: Path) -> None:
    """The beacon is due after T/2 on average, and after T more for each lost beacon, of which there are p/(1-p)."""
    scenario = Scenario.model_validate(
        {
            "protocols": ("unordered",),
            "hosts": 40,
            "cells": 16,
            "duration": "100 s",
            "wireless": {**FRAMES, "latency": "0 s", "loss": loss},
            "mobility": {"dwell": "exponential 3 s"},
            "workload": {"interval": "1000 s"},
        }
    )
    done = simulate(scenario, tmp_path)
    rows = done.rows("handoffs")
    sizes = scenario.sizes
    register = (sizes.header + 4 * sizes.integer) * 8 * US
    waits = [row["registered"] - row["entered"] for row in rows if not row["inferred"]]
    assert min(waits) >= BEACON + register
    mean = INTERVAL / 2 + loss / (1 - loss) * INTERVAL + BEACON + register / (1 - loss)
    assert len(waits) > 1_000
    assert fmean(waits) == pytest.approx(mean, rel=0.07)


def test_an_idle_host_receives_every_beacon_of_its_cell(tmp_path: Path) -> None:
    energy = {"receive": "1 W", "idle": "0.5 W"}
    silent = {"interval": "1000 s", "senders": 1}
    done = static(tmp_path, hosts=3, duration="20 s", wireless=FRAMES, workload=silent, energy=energy)
    (cell,) = (row for row in done.rows("links") if row["kind"] == "beacon")
    now = done.simulation.engine.time
    phase = beacon_air(done).beacons.stations[0].phase  # type: ignore[union-attr]
    sent = len(range(phase, now + 1, INTERVAL))
    assert (cell["source"], cell["target"], cell["packets"]) == (0, -1, sent)
    assert (cell["bytes"], cell["framing_bytes"], cell["control_bytes"]) == (sent * 57, sent * 20, sent * 37)
    for row in done.rows("hosts"):
        assert row["beacon"] == cell["busy"]
        assert row["beacon"] + row["idle"] == now
        assert row["energy_beacon"] == pytest.approx(row["beacon"] / 1e9)
        assert row["energy_idle"] == pytest.approx(0.5 * row["idle"] / 1e9)
    assert_verified(done)


def test_on_a_shared_downlink_a_frame_waits_for_beacons_as_computed(tmp_path: Path) -> None:
    """With few frames, the mean wait is B^2 / 2T: the rest of a beacon that the frame finds on the downlink."""
    workload = {"interval": "exponential 50 ms", "senders": 1, "payload": "10 B"}
    wireless = {"medium": "shared", "beacon": "10 ms", "beacon_frames": {"size": "355 B"}, "uplink": "100 Mbit/s"}
    done = static(tmp_path, hosts=2, duration="400 s", wireless=wireless, workload=workload)
    length, interval = 3 * MS, 10 * MS
    waits = [row["downlink_queue"] for row in done.deliveries]
    assert len(waits) > 5_000
    # The acknowledgement to the sender enters the downlink immediately before the message.
    behind = 24 * 8 * US
    assert fmean(waits) == pytest.approx(behind + length**2 / 2 / interval, rel=0.12)
    assert max(waits) <= length + behind + length


def test_with_dedicated_channels_each_downlink_carries_the_beacons(tmp_path: Path) -> None:
    workload = {"interval": "exponential 50 ms", "senders": 1, "payload": "10 B"}
    wireless = {"beacon": "10 ms", "beacon_frames": {"size": "355 B"}, "uplink": "100 Mbit/s"}
    done = static(tmp_path, hosts=2, duration="400 s", wireless=wireless, workload=workload)
    waits = [row["downlink_queue"] for row in done.deliveries]
    assert fmean(waits) == pytest.approx((3 * MS) ** 2 / 2 / (10 * MS), rel=0.1)


def test_the_battery_of_a_dozing_host_lasts_as_its_mean_power_with_beacons_predicts(tmp_path: Path) -> None:
    energy = {"battery": "10 J", "idle": "0.8 W", "receive": "2 W", "doze": "0.1 W", "switch": "500 uJ"}
    wireless = {**FRAMES, "doze": {"after": "50 ms", "listen": "3 ms"}}
    done = static(
        tmp_path,
        hosts=2,
        duration="200 s",
        wireless=wireless,
        workload={"interval": "1000 s", "senders": 1},
        energy=energy,
    )
    listen = 3 * MS
    period = (0.1 * (INTERVAL - listen) + 0.8 * (listen - BEACON) + 2 * BEACON) / 1e9 + 500e-6
    lasts = 50 * MS + (10 - 0.8 * 0.05) / period * INTERVAL
    for row in done.rows("hosts"):
        assert row["died"] == pytest.approx(lasts, abs=2 * INTERVAL)


def test_a_frame_for_a_dozing_host_waits_for_the_end_of_the_beacon_that_it_receives(tmp_path: Path) -> None:
    """A lost beacon costs one more interval: with loss p, the wait is longer by T p/(1-p) on average."""
    workload = {"interval": "exponential 2 s", "senders": 1}
    means = []
    for loss in (0.0, 0.5):
        wireless = {**FRAMES, "doze": {"after": "1 ms", "listen": "0 s"}, "loss": loss}
        done = static(tmp_path / str(loss), hosts=2, duration="4000 s", wireless=wireless, workload=workload)
        means.append(fmean(row["downlink_queue"] for row in done.deliveries))
    assert means[0] == pytest.approx(INTERVAL / 2 + BEACON, rel=0.05)
    assert means[1] - means[0] == pytest.approx(INTERVAL, rel=0.15)


class StayLog:
    """The downlinks of hosts with their beacons, and the times at which the hosts entered and left."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stays: dict[int, list[tuple[BeaconTimes, int, int]]] = defaultdict(list)
        self.entered: dict[int, int] = defaultdict(int)
        enter, leave = Beacons.enter, Beacons.leave

        def entered(beacons: Beacons, host: int, station: int, now: int) -> None:
            enter(beacons, host, station, now)
            self.entered[host] = now

        def left(beacons: Beacons, host: int, now: int) -> None:
            self._end(beacons, host, now)
            leave(beacons, host, now)

        monkeypatch.setattr(Beacons, "enter", entered)
        monkeypatch.setattr(Beacons, "leave", left)

    def _end(self, beacons: Beacons, host: int, now: int) -> None:
        if (since := self.entered.pop(host, None)) is not None:
            self.stays[host].append((beacons.downlinks[host], since, now))

    def heard(self, air: LossyAir, host: int, sends: list[tuple[int, int]]) -> int:
        assert air.beacons is not None
        self._end(air.beacons, host, air.engine.time)
        total = 0
        for times, since, until in self.stays[host]:
            for beacon in range(times.passed(until) + 1):
                start, end = max(since, times.start(beacon)), min(until, times.end(beacon))
                sent = sum(max(0, min(end, last) - max(start, first)) for first, last in sends)
                total += max(0, end - start) - (sent if end > start else 0)
        return total


FORMS: Final[dict[str, dict[str, Any]]] = {
    "dedicated": {},
    "shared": {"medium": "shared"},
    "lossy": {"medium": "shared", "loss": 0.3, "retry": "1 ms"},
    "dozing": {"doze": {"after": "5 ms", "listen": "3 ms"}, "medium": "shared", "loss": 0.2},
    "dozing alone": {"doze": {"after": "20 ms", "listen": "0 s"}},
}


@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("protocol", ROWS)
def test_the_oracle_finds_no_fault_with_beacon_frames(form: str, protocol: str, tmp_path: Path) -> None:
    scenario = busy_scenario(protocol, 3, {"switch": "1 mJ"}, beacon_frames={}, **FORMS[form])
    done = simulate(scenario, tmp_path)
    assert done.outcome.verdict == "ok"
    assert_verified(done)
    assert all(min(row["beacon"], row["idle"]) > 0 for row in done.rows("hosts"))


@pytest.mark.interpreted
@pytest.mark.parametrize("form", FORMS)
def test_the_time_of_beacons_agrees_with_a_log_of_frames_and_stays(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host hears the beacons on its downlink while it is in a cell, except while it sends."""
    log, stays = SharedChannelLog(monkeypatch), StayLog(monkeypatch)
    scenario = busy_scenario("av1", 4, None, beacon_frames={"size": "200 B"}, **FORMS[form])
    done = simulate(scenario, tmp_path)
    air = beacon_air(done)
    for row in done.rows("hosts"):
        log_spans = log.spans[id(air.up), row["host"]]
        assert row["beacon"] == stays.heard(air, row["host"], log_spans)


@pytest.mark.parametrize(
    ("air", "output"),
    (
        ("{beacon_frames: {}}", "there are no beacons; write 'beacon: 100 ms'"),
        (
            "{beacon: 1 ms, beacon_frames: {size: 1 kB}}",
            "a beacon of 1020 B takes 8.16 ms at 1 Mbit/s",
        ),
    ),
)
def test_invalid_beacon_frames_cause_one_error_line(air: str, output: str) -> None:
    with pytest.raises(UserError) as found:
        loads(f"wireless: {air}\n")
    assert output in str(found.value)
    assert "\n" not in str(found.value)

"""Runs are compared with independent simulations of a few lines.
These simulations share only the sizes of frames with the simulator, and agree with it to the nanosecond.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import pairwise
from math import exp
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from mobilesim.scenario.model import Scenario
from tests.support.simulations import MS, FinishedRun, Row, simulate

AIR: Final = 500_000
"""The latency of the wireless channel."""

SECOND: Final = 1000 * MS

UP, DOWN, ACK = 133, 129, 24
"""Bytes of the uplink and the downlink frame of a message of 105 bytes, and of an acknowledgement."""

BEACON, LISTEN, AFTER = 100 * MS, 3 * MS, 50 * MS
DOZING: Final = {"beacon": "100 ms", "doze": {"after": "50 ms", "listen": "3 ms"}}


def completed_run(directory: Path, **settings: Any) -> FinishedRun:  # noqa: ANN401 - of a scenario
    """Run a scenario with static hosts, and with stations that need no processing time."""
    free = {"fixed": "0 s", "per_integer": "0 s"}
    still = {
        "protocols": ({"name": "unordered", "location": "free"},),
        "cells": 1,
        "mobility": {"model": "static", "start": "spread"},
    }
    return simulate(Scenario.model_validate({**still, "processing": free, **settings}), directory)


def frame(size: int, bandwidth: int) -> int:
    return -(size * 8 * SECOND // -bandwidth)


def in_order(rows: list[Row], stamp: str) -> list[Row]:
    return sorted(rows, key=lambda row: (row[stamp], row["message"]))


class Queues:
    """Queues that each serve one item at a time, in the order of arrival."""

    def __init__(self) -> None:
        self.free: dict[object, int] = {}

    def through(self, queue: object, now: int, length: int) -> int:
        self.free[queue] = max(now, self.free.get(queue, 0)) + length
        return self.free[queue]


def over_the_air(rows: list[Row], up: int, down: int, *, shared: bool) -> Iterator[tuple[int, int]]:
    """Simulate the uplink frame, its acknowledgement, the downlink frame, and its acknowledgement.
    Yield messages with their delivery times.
    """
    queues = Queues()
    coming = [(row["submitted"], place, "speaks", row) for place, row in enumerate(in_order(rows, "submitted"))]
    number = len(coming)
    while coming:
        now, _, what, row = heappop(coming)
        source, destination = (0, 0) if shared else (row["source"], row["destination"])
        number += 1
        if what == "speaks":
            came = queues.through(("up", source), now, frame(UP, up)) + AIR
            heappush(coming, (came, number, "comes", row))
        elif what == "comes":
            queues.through(("down", source), now, frame(ACK, down))
            got = queues.through(("down", destination), now, frame(DOWN, down)) + AIR
            heappush(coming, (got, number, "gets", row))
        else:
            queues.through(("up", destination), now, frame(ACK, up))
            yield row["message"], now


@pytest.mark.full
@pytest.mark.parametrize("medium", ("dedicated", "shared"))
@pytest.mark.parametrize(("up", "down"), ((1_000_000, 1_000_000), (700_000, 2_000_000), (500_000, 500_000)))
def test_deliveries_in_a_cell_have_the_independently_computed_times(
    medium: str, up: int, down: int, tmp_path: Path
) -> None:
    wireless = {"uplink": f"{up} bit/s", "downlink": f"{down} bit/s", "medium": medium}
    workload = {"interval": "exponential 40 ms", "payload": "105 B"}
    done = completed_run(tmp_path, hosts=10, duration="10 s", wireless=wireless, workload=workload)
    rows = done.deliveries
    assert len(rows) > 2_000
    assert max(row["uplink_queue"] for row in rows) > 0
    expected = dict(over_the_air(rows, up, down, shared=medium == "shared"))
    assert {row["message"]: row["delivered"] for row in rows} == expected


def over_a_star(rows: list[Row], length: int, latency: int) -> Iterator[tuple[int, int]]:
    """Simulate a star with station 0 in its centre. Yield messages with their arrival times."""
    queues = Queues()
    coming: list[tuple[int, int, list[int], Row]] = []
    for place, row in enumerate(in_order(rows, "sent")):
        ends = [row["source_station"], row["station"]]
        heappush(coming, (row["sent"], place, ends if 0 in ends else [ends[0], 0, ends[1]], row))
    number = len(coming)
    while coming:
        now, _, (here, *rest), row = heappop(coming)
        number += 1
        if rest:
            heappush(coming, (queues.through((here, rest[0]), now, length) + latency, number, rest, row))
        else:
            yield row["message"], now


@pytest.mark.full
def test_packets_of_a_star_have_the_independently_computed_times(tmp_path: Path) -> None:
    backbone = {"topology": "star", "bandwidth": "1 Mbit/s", "latency": "7 ms", "jitter": "0 s"}
    workload = {"interval": "exponential 4 ms", "payload": "105 B"}
    done = completed_run(tmp_path, hosts=4, cells=4, duration="6 s", backbone=backbone, workload=workload)
    rows = done.deliveries
    assert {row["arrived"] - row["sent"] for row in rows} > {frame(UP, 1_000_000) + 7 * MS}
    assert {row["message"]: row["arrived"] for row in rows} == dict(over_a_star(rows, frame(UP, 1_000_000), 7 * MS))


def waits(rows: list[Row], phases: list[int]) -> Iterator[int]:
    """Yield the waiting time of each frame for a host that dozes when it is idle, and listens after each beacon."""
    over = beacon = free = 0
    for row in rows:
        now = row["arrived"]
        since = over + AFTER
        if now >= beacon:
            phase = (now - phases[row["station"]]) % BEACON
            heard = now - phase > since and phase < LISTEN
            beacon = now if now <= since or heard else now + BEACON - phase
        start = max(beacon, free)
        free = start + frame(DOWN, 1_000_000)
        over = max(over, free + AIR + frame(ACK, 1_000_000))
        yield start - now


def test_messages_for_dozing_hosts_wait_for_the_computed_beacon(tmp_path: Path) -> None:
    """If the host dozes, a message arrives at a random time between two beacons. This determines the mean wait."""
    workload = {"interval": "exponential 2 s", "senders": 1, "payload": "105 B"}
    done = completed_run(tmp_path, hosts=2, duration="4000 s", wireless=DOZING, workload=workload)
    rows = in_order(done.deliveries, "arrived")
    waited = [row["downlink_queue"] for row in rows]
    assert waited == list(waits(rows, done.cells.air.phases))
    asleep = exp(-AFTER / (2 * SECOND))
    assert fmean(waited) == pytest.approx(asleep * (BEACON - LISTEN) ** 2 / (2 * BEACON), rel=0.06)


def test_the_battery_of_a_dozing_host_lasts_as_its_mean_power_predicts(tmp_path: Path) -> None:
    energy = {"battery": "10 J", "idle": "0.8 W", "doze": "0.1 W", "switch": "500 uJ"}
    workload = {"interval": "1000 s", "senders": 1}
    done = completed_run(tmp_path, hosts=2, duration="200 s", wireless=DOZING, workload=workload, energy=energy)
    period = 0.1 * (BEACON - LISTEN) / SECOND + 0.8 * LISTEN / SECOND + 500e-6
    awake = 0.8 * AFTER / SECOND
    lasts = AFTER + (10 - awake) / period * BEACON
    for row in done.rows("hosts"):
        assert row["died"] == pytest.approx(lasts, abs=BEACON)


def test_replies_are_sent_after_the_configured_think_time(tmp_path: Path) -> None:
    """The think times are compared with their distribution by a Kolmogorov-Smirnov test at level 0.001."""
    replies = {"think_time": "exponential 100 ms"}
    workload = {"interval": "exponential 10 s", "senders": 1, "replies": replies}
    done = completed_run(tmp_path, hosts=2, duration="6000 s", workload=workload)
    request = sorted(row["delivered"] for row in done.deliveries if row["source"] == 0)
    output = sorted(row["submitted"] for row in done.rows("messages") if row["source"] == 1)
    apart = [later - earlier > SECOND for earlier, later in pairwise([*request, request[-1] + 2 * SECOND])]
    thought = sorted(
        answer - came for came, answer, alone in zip(request, output, apart, strict=False) if alone and answer > came
    )
    assert len(thought) > 400
    steps = [1 - exp(-one / (100 * MS)) for one in thought]
    distance = max(max((place + 1) / len(steps) - step, step - place / len(steps)) for place, step in enumerate(steps))
    assert distance < 1.95 / len(steps) ** 0.5

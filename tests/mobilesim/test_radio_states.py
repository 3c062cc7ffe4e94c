"""What a host's radio does adds up to the time that was emulated, and is what a log of all frames says."""

from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim import runner
from mobilesim.results import prepare
from mobilesim.runner import Run, execute
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.air import NOWHERE, Air, Direction
from tests.mobilesim.emulation import Emulation, Row, Silence, emulate

STATES: Final = ("transmitting", "receiving", "duplex", "idle", "disconnected")

Span = tuple[int, int]


class Log:
    """Every stretch of time in which a frame was on the air between a host and the station of its cell."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.spans: dict[tuple[bool, int], list[Span]] = defaultdict(list)
        transmit, stop = Direction.transmit, Air.stop

        def transmitted(link: Direction, host: int, station: int, frame: Any) -> None:  # noqa: ANN401 - a packet
            start = max(link.free[host], link.engine.time)
            there = link.cells[host] == station
            transmit(link, host, station, frame)
            if there:
                self.spans[self.up(link), host].append((start, link.free[host]))

        def stopped(air: Air, host: int) -> None:
            if air.cells[host] != NOWHERE:
                for way in (True, False):
                    spans = self.spans[way, host]
                    spans[:] = [(one, min(end, air.engine.time)) for one, end in spans if one < air.engine.time]
            stop(air, host)

        monkeypatch.setattr(Direction, "transmit", transmitted)
        monkeypatch.setattr(Air, "stop", stopped)
        self.air: Air | None = None
        made = Air.__init__

        def remembered(air: Air, *arguments: Any) -> None:  # noqa: ANN401 - as they come
            self.air = air
            made(air, *arguments)

        monkeypatch.setattr(Air, "__init__", remembered)

    def up(self, link: Direction) -> bool:
        assert self.air is not None
        return link is self.air.up

    def busy(self, host: int, *, up: bool) -> int:
        return sum(end - start for start, end in self.spans[up, host])

    def both(self, host: int) -> int:
        sends, gets = self.spans[True, host], self.spans[False, host]
        return sum(max(0, min(end, last) - max(start, first)) for start, end in sends for first, last in gets)


def scenario(protocol: str, seed: int) -> Scenario:
    """Slow air and restless hosts: links are busy both ways, and cut in the middle."""
    return Scenario.model_validate(
        {
            "protocols": protocol,
            "seed": seed,
            "hosts": 6,
            "cells": 4,
            "duration": "6 s",
            "wireless": {"uplink": "40 kbit/s", "downlink": "64 kbit/s", "beacon": "20 ms"},
            "mobility": {
                "dwell": "exponential 800 ms",
                "gap": "exponential 20 ms",
                "disconnect": {"probability": 0.2, "duration": "exponential 500 ms"},
            },
            "workload": {"interval": "exponential 200 ms"},
        }
    )


def assert_whole(done: Emulation) -> None:
    for row in done.rows("hosts"):
        assert all(row[state] >= 0 for state in STATES)
        once = row["transmitting"] + row["receiving"] - row["duplex"]
        assert once + row["idle"] + row["disconnected"] == done.simulation.engine.time


@pytest.mark.parametrize("protocol", ("av1", "av2", "ab", "rst"))
@pytest.mark.parametrize("seed", range(3))
def test_the_states_of_a_radio_are_those_of_a_log_of_its_frames(
    protocol: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log(monkeypatch)
    done = emulate(scenario(protocol, seed), tmp_path)
    rows: list[Row] = done.rows("hosts")
    for row in rows:
        host = row["host"]
        assert row["transmitting"] == log.busy(host, up=True)
        assert row["receiving"] == log.busy(host, up=False)
        assert row["duplex"] == log.both(host)
    assert_whole(done)
    assert sum(row["duplex"] for row in rows) > 0
    assert sum(row["disconnected"] for row in rows) > 0


@pytest.mark.parametrize("steps", range(500, 1_500, 100))
def test_they_add_up_in_a_run_that_was_cut_short(steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_STEPS", steps)
    prepare(tmp_path)
    chosen = scenario("av1", 1)
    run = Run(chosen, chosen.protocols[0], 0)
    done = Emulation(execute(run, tmp_path, Silence(), lambda: True), tmp_path)
    assert done.outcome.status == "interrupted"
    assert_whole(done)

"""Scenarios with busy wireless channels, and logs of their frames. The tests recompute the states of the radios from
these logs.
"""

from collections import defaultdict
from typing import Any, Final

import pytest

from mobilesim.analysis.summary import results_reader
from mobilesim.analysis.verify.checks import RunChecks
from mobilesim.analysis.verify.verify_run import verify_run
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.links.lossy_channel import LossyChannel
from mobilesim.simulation.links.shared_lossy_wireless import LossyAir
from mobilesim.simulation.links.wireless import NOWHERE, Air, Direction
from tests.support.simulations import FinishedRun, Row

FORMS: Final[dict[str, dict[str, Any]]] = {
    "shared": {"medium": "shared"},
    "lossy": {"loss": 0.3, "retry": "2 ms"},
    "bits": {"bit_error_rate": 1e-4, "medium": "shared"},
    "all": {"loss": 0.2, "retry": "1 ms", "medium": "shared", "cells": [{"cell": 0, "bandwidth": "30 kbit/s"}]},
}

STATES: Final = ("transmitting", "receiving", "duplex", "idle", "dozing", "disconnected")


def busy_scenario(protocol: object, seed: int, energy: object = None, **wireless: object) -> Scenario:
    """Return a scenario with slow channels: both directions are busy, and moves of hosts interrupt transmissions."""
    return Scenario.model_validate(
        {
            "protocols": protocol,
            "seed": seed,
            "hosts": 6,
            "cells": 4,
            "duration": "6 s",
            "wireless": {"uplink": "60 kbit/s", "downlink": "100 kbit/s", "beacon": "20 ms", **wireless},
            "energy": energy,
            "mobility": {
                "dwell": "exponential 800 ms",
                "gap": "exponential 20 ms",
                "disconnect": {"probability": 0.2, "duration": "exponential 500 ms"},
            },
            "workload": {"interval": "exponential 200 ms"},
        }
    )


def broadcast_scenario(protocol: object, seed: int, **wireless: object) -> Scenario:
    """Return a busy scenario with messages for several hosts, and with transmissions for several hosts."""
    plain = busy_scenario(protocol, seed, None, medium="shared", broadcast=True, **wireless).model_dump(mode="json")
    workload = {"kind": "multicast", "destinations": 3, "interval": "exponential 400 ms"}
    return Scenario.model_validate({**plain, "cells": 2, "workload": workload})


def priced(scenario: Scenario, **hosts: str) -> Scenario:
    """Return the scenario with other processing times of hosts."""
    processing = Scenario.model_validate({"processing": {"hosts": hosts}}).processing
    return scenario.model_copy(update={"processing": processing})


def assert_verified(done: FinishedRun) -> None:
    """Check that the energies in a run's tables agree with the logs."""
    run = done.outcome.run
    now = done.simulation.engine.time
    files = results_reader.Run(
        *(str(done.directory), run.id, run.choice.label, run.replication, now, now),
        complete=True,
        counts=(("deliveries", done.rows("runs")[0]["deliveries"]),),
    )
    found = verify_run(files, done.rows("runs")[0])
    assert isinstance(found, RunChecks), found
    wrong = {name: result.examples for name, result in found.results.items() if result.faults}
    assert wrong == {}, wrong


class _Log:
    """The start and the end of each transmission, by direction and host."""

    def __init__(self) -> None:
        self.spans: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        self.air: Air

    def _cut(self, air: Air, host: int) -> None:
        self.air, now = air, air.engine.time
        if air.radios[host].cell != NOWHERE:
            for link in (air.up, air.down):
                spans = self.spans[id(link), host]
                spans[:] = [(start, min(end, now)) for start, end in spans if start < now]

    def check(self, row: Row, simulated: int) -> None:
        sends, gets = (self.spans[id(link), row["host"]] for link in (self.air.up, self.air.down))
        both = sum(max(0, min(end, last) - max(start, first)) for start, end in sends for first, last in gets)
        assert row["transmitting"] == sum(end - start for start, end in sends)
        assert row["receiving"] == sum(end - start for start, end in gets)
        assert row["duplex"] == both
        assert all(row.get(state, 0) >= 0 for state in STATES)
        once = row["transmitting"] + row["receiving"] - both
        assert once + row["idle"] + row.get("dozing", 0) + row["disconnected"] == simulated


class OwnChannelLog(_Log):
    """The log for hosts with a channel of their own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        transmit, stop = Direction.transmit, Air.stop

        def transmitted(link: Direction, host: int, station: int, frame: Any, work: int = 0) -> None:  # noqa: ANN401 - a packet
            channel = link.channels[host]
            start, there = max(channel.free, link.engine.time + work), channel.radio.cell == station
            transmit(link, host, station, frame, work)
            if there:
                self.spans[id(link), host].append((start, channel.free))

        def stopped(air: Air, host: int) -> None:
            self._cut(air, host)
            stop(air, host)

        monkeypatch.setattr(Direction, "transmit", transmitted)
        monkeypatch.setattr(Air, "stop", stopped)


class SharedChannelLog(_Log):
    """The log for hosts that share the channel of their cell."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        keep, stop, leave = LossyChannel._keep_spans, LossyAir.stop, LossyAir.leave

        def kept(link: LossyChannel, host: int, spans: list[tuple[int, int]]) -> None:
            keep(link, host, spans)
            self.spans[id(link), host] += spans

        def stopped(air: LossyAir, host: int) -> None:
            self._cut(air, host)
            stop(air, host)

        def left(air: LossyAir, host: int) -> None:
            self._cut(air, host)
            leave(air, host)

        monkeypatch.setattr(LossyChannel, "_keep_spans", kept)
        monkeypatch.setattr(LossyAir, "stop", stopped)
        monkeypatch.setattr(LossyAir, "leave", left)


class Attempts:
    """The number of transmissions by direction and host.

    A frame counts as one transmission if its host left before the transmission, or if no host receives the frame.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: dict[tuple[int, int], int] = defaultdict(int)
        self.pending: dict[tuple[int, int], list[list[tuple[int, int]]]] = defaultdict(list)
        keep, miss, break_off = LossyChannel._keep_spans, LossyChannel.miss, LossyChannel.break_off

        def kept(link: LossyChannel, host: int, spans: list[tuple[int, int]]) -> None:
            keep(link, host, spans)
            self.pending[id(link), host].append(list(spans))

        def missed(link: LossyChannel, host: int, station: int, frame: Any) -> None:  # noqa: ANN401 - a packet
            miss(link, host, station, frame)
            self.made[id(link), host] += 1

        def broken_off(link: LossyChannel, host: int, station: int, *, sends_on: bool) -> None:
            break_off(link, host, station, sends_on=sends_on)
            now = None if sends_on else link.engine.time
            self._settle(id(link), host, now)

        monkeypatch.setattr(LossyChannel, "_keep_spans", kept)
        monkeypatch.setattr(LossyChannel, "miss", missed)
        monkeypatch.setattr(LossyChannel, "break_off", broken_off)

    def _settle(self, link: int, host: int, now: int | None) -> None:
        for spans in self.pending.pop((link, host), []):
            self.made[link, host] += max(1, sum(now is None or start < now for start, _ in spans))

    def check(self, link: LossyChannel, host: int) -> int:
        self._settle(id(link), host, None)
        counters = [counter for (one, _), counter in link.links.items() if one == host]
        assert sum(counter.packets for counter in counters) == self.made[id(link), host]
        return self.made[id(link), host]

"""Whom the proxy holds back without need: nobody, as far as the stations can know.

A station updates a host's state when it transmits a message to it. What the host has sent by then, without having
heard that message, is stamped afterwards all the same, and depends on it falsely. Judged by what stations stamp and
hand over, instead of by what hosts say and hear, no message is held back at all.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim import watch
from mobilesim.journeys import Journeys
from mobilesim.oracle import Oracle
from mobilesim.scenario.model import Scenario
from protocols.machine import Copy, Message
from tests.mobilesim.emulation import Emulation, emulate

RESTLESS: Final[dict[str, Any]] = {
    "hosts": 15,
    "cells": 6,
    "duration": "6 s",
    "backbone": {"jitter": "exponential 40 ms"},
    "wireless": {"latency": "5 ms"},
    "mobility": {"dwell": "exponential 400 ms", "disconnect": {"probability": 0.1, "duration": "exponential 300 ms"}},
    "workload": {"kind": "multicast", "destinations": 3, "interval": "exponential 100 ms"},
}


class AsStationsSeeIt(Journeys):
    """Judges every wait for order once more: a message is sent when it is stamped, delivered when it is handed over."""

    seen: list["AsStationsSeeIt"]

    def __init__(self, *words: Any, **names: Any) -> None:  # noqa: ANN401 - whatever Journeys takes
        super().__init__(*words, **names)
        self.judge = Oracle(len(self.open))
        self.stamped: set[int] = set()
        self.came: dict[tuple[int, int], tuple[int, int]] = {}
        self.given: list[list[tuple[int, int, int, int]]] = [[] for _ in self.open]
        self.necessary = 0
        self.needless: list[int] = []
        self.seen.append(self)

    def dispatched(self, copy: Copy, station: int, now: int, done: int) -> None:  # type: ignore[override]
        message = copy.message
        if message.id not in self.stamped:
            self.stamped.add(message.id)
            self.judge.submitted(message.id, message.source, message.destinations)
        super().dispatched(copy, station, now, done)

    def landed(self, copy: Copy, station: int, came: int, now: int) -> None:
        super().landed(copy, station, came, now)
        for host in copy.targets:
            self.came[copy.message.id, host] = now, self.reach.total(host, now)

    def handed(self, message: Message, host: int, station: int, now: int) -> None:
        super().handed(message, host, station, now)
        came = self.came.pop((message.id, host), None)
        if came is not None:
            self._judge(message, host, came, (now, self.reach.total(host, now)))

    def _judge(self, message: Message, host: int, came: tuple[int, int], given: tuple[int, int]) -> None:
        """The wait while the host could be reached, less the wait for its last cause."""
        wait = (given[0] - came[0]) - (given[1] - came[1])
        causes = [(moment, away) for moment, away in self._causes(message, host) if moment > came[0]]
        moment, away = max(causes, default=came)
        necessary = max(0, (moment - came[0]) - (away - came[1]))
        self.necessary += bool(wait)
        self.needless.append(wait - necessary)
        number = self.judge.number(message.id)
        self.judge.delivered(message.id, message.source, host)
        self.given[host].append((*given, message.source, number))

    def _causes(self, message: Message, host: int) -> Iterator[tuple[int, int]]:
        for moment, away, source, number in self.given[host]:
            if self.judge.precedes(source, number, message.id):
                yield moment, away


def judged_twice(
    monkeypatch: pytest.MonkeyPatch, directory: Path, protocol: object
) -> tuple[Emulation, AsStationsSeeIt]:
    monkeypatch.setattr(AsStationsSeeIt, "seen", [], raising=False)
    monkeypatch.setattr(watch, "Journeys", AsStationsSeeIt)
    run = emulate(Scenario.model_validate({**RESTLESS, "protocols": (protocol,)}), directory)
    (stations,) = AsStationsSeeIt.seen
    return run, stations


@pytest.mark.parametrize("protocol", ("av1", {"name": "av1", "location": "lazy"}))
def test_av1_holds_nothing_back_that_its_stations_could_have_known_to_be_free(
    protocol: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, stations = judged_twice(monkeypatch, tmp_path, protocol)
    assert stations.judge.causal == stations.judge.duplicates == 0
    assert set(stations.needless) == {0}
    assert len(stations.needless) == len(run.deliveries) > 1000
    assert stations.necessary > 100


def test_its_inhibition_is_the_exception_and_ends_with_the_release_of_another_message(tmp_path: Path) -> None:
    run = emulate(Scenario.model_validate({**RESTLESS, "protocols": ("av1",)}), tmp_path)
    inhibited = [row for row in run.deliveries if row["inhibition"]]
    assert 0 < len(inhibited) < sum(row["causal_wait"] > 0 for row in run.deliveries)
    released = Counter((row["destination"], row["released"]) for row in run.deliveries)
    assert all(released[row["destination"], row["released"]] > 1 for row in inhibited)


@pytest.mark.parametrize("protocol", ("rst", "fifo", "unordered"))
def test_no_other_protocol_inhibits(protocol: str, tmp_path: Path) -> None:
    run = emulate(Scenario.model_validate({**RESTLESS, "protocols": (protocol,)}), tmp_path)
    waits = {row["inhibition"] for row in run.deliveries}
    if protocol == "fifo":
        assert any(row["causal_wait"] for row in run.deliveries)
    assert waits == {0}


def test_without_order_nobody_waits_for_causes(tmp_path: Path) -> None:
    run = emulate(Scenario.model_validate({**RESTLESS, "protocols": ("unordered",)}), tmp_path)
    assert {row["causal_wait"] for row in run.deliveries} == {0}
    assert any(row["overtaken"] >= 0 for row in run.deliveries)

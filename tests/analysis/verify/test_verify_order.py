"""The order reconstructed from tables, compared with the oracle: random runs, with and without ties."""

from random import Random

import numpy as np
import pytest

from mobilesim.analysis.verify.deliveries import Deliveries
from mobilesim.analysis.verify.messages import Messages, Network
from mobilesim.analysis.verify.order_checks import happened_before
from mobilesim.analysis.verify.order_checks.order import (
    Violations,
    causal_violations,
    fifo_violations,
    histories,
    out_of_order,
)
from mobilesim.oracle.causal_order import Oracle

HOSTS = 5
APART = (1, 9)
TIED = (0, 1)


class RandomRun:
    """A random run: hosts receive messages in any order; some are lost. `pause`: the range of times between steps."""

    def __init__(self, seed: int, pause: tuple[int, int], length: int = 120) -> None:
        draw = Random(seed)
        self.oracle = Oracle(HOSTS + 1)
        self.sent: list[tuple[int, int, tuple[int, ...]]] = []
        self.made: list[tuple[int, int, int]] = []
        self.overtook: dict[int, int] = {}
        self.fifo: set[int] = set()
        due: list[tuple[int, int]] = []
        now = 0
        for _ in range(length):
            now += draw.randint(*pause)
            if not due or draw.random() < 0.4:
                due += self._send(draw, now)
            elif draw.random() < 0.95:
                self._deliver(*due.pop(draw.randrange(min(len(due), 6))), now)
            else:
                due.pop()

    def _send(self, draw: Random, now: int) -> list[tuple[int, int]]:
        source, message = draw.randrange(HOSTS + 1), len(self.sent)
        others = [host for host in range(HOSTS) if host != source]
        destinations = tuple(sorted(draw.sample(others, draw.randint(1, 3))))
        self.sent.append((source, now, destinations))
        self.oracle.submitted(message, source, destinations)
        return [(message, host) for host in destinations]

    def _deliver(self, message: int, host: int, now: int) -> None:
        before = self.oracle.fifo
        overtaken = self.oracle.delivered(message, self.sent[message][0], host)
        if self.oracle.fifo > before:
            self.fifo.add(len(self.made))
        if overtaken >= 0:
            self.overtook[len(self.made)] = overtaken
        self.made.append((message, host, now))

    def messages(self) -> Messages:
        keys = [rank * HOSTS + host for rank, (_, _, hosts) in enumerate(self.sent) for host in hosts]
        zero = np.zeros(len(self.sent), np.int64)
        return Messages(
            network=Network(HOSTS, 1, windowed=False),
            early=0,
            number=np.arange(len(self.sent)),
            source=np.array([source for source, _, _ in self.sent]),
            submitted=np.array([moment for _, moment, _ in self.sent]),
            payload=zero,
            header=zero,
            units=zero,
            keys=np.array(keys),
        )

    def deliveries(self, sent: Messages) -> Deliveries:
        copy = np.searchsorted(sent.keys, [message * HOSTS + host for message, host, _ in self.made])
        row = np.full(len(sent.keys), -1)
        row[copy] = np.arange(len(copy))
        delivered = np.array([now for _, _, now in self.made])
        return Deliveries(copy, delivered, row, self.overtook, np.zeros(HOSTS, np.int64), delivered)

    def read(self) -> tuple[list[Violations], set[int]]:
        """Return the violations of causal order in each history, and the rows that violate FIFO order."""
        sent = self.messages()
        made = self.deliveries(sent)
        crossed = out_of_order(sent, made, np.ones(len(sent.keys), np.bool_))
        readings = [causal_violations(history, crossed, self.overtook) for history in histories(sent, made)]
        return readings, set(fifo_violations(sent, crossed))


@pytest.mark.full
@pytest.mark.parametrize("at_once", (1, 7, happened_before.AT_ONCE))
def test_without_ties_the_violations_equal_those_of_the_oracle(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(happened_before, "AT_ONCE", at_once)
    found = 0
    for seed in range(200):
        run = RandomRun(seed, APART)
        (reading,), fifo = run.read()
        assert reading.by_row.keys() == run.overtook.keys() == reading.confirmed
        assert fifo == run.fifo
        found += len(reading.by_row)
    assert found > 1_000


def test_with_ties_the_violations_are_between_those_of_the_two_histories() -> None:
    differ = 0
    for seed in range(120):
        run = RandomRun(seed, TIED)
        readings, fifo = run.read()
        most, least = readings[0], readings[-1]
        assert least.by_row.keys() <= run.overtook.keys() <= most.by_row.keys()
        assert run.overtook.keys() == most.confirmed
        assert fifo == run.fifo
        differ += len(most.by_row) - len(least.by_row)
    assert differ > 0


def test_a_run_in_order_needs_no_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    run = RandomRun(3, APART, 4)
    run.sent, run.made = [(0, 1, (1, 2)), (1, 5, (2,))], [(0, 1, 3), (0, 2, 6), (1, 2, 7)]
    monkeypatch.setattr(happened_before, "groups", None)
    run.overtook = {}
    assert run.read() == ([Violations({}, frozenset())], set())


def test_happened_before_is_transitive_over_a_third_host() -> None:
    """Host 1 receives message 0 before it sends message 1, which host 2 receives before message 0."""
    run = RandomRun(0, APART, 0)
    run.sent, run.made = [(0, 1, (1, 2)), (1, 5, (2,))], [(0, 1, 3), (1, 2, 6), (0, 2, 7)]
    (reading,), fifo = run.read()
    assert reading.by_row == {1: 0}
    assert not fifo
    run.made[0], run.made[1] = (1, 2, 6), (0, 1, 6)
    assert run.read()[0][0].by_row == {}

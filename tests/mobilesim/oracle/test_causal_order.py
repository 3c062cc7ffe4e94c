"""The oracle, compared with an explicit happened-before relation, the transitive closure over all events."""

from random import Random
from typing import Self

import pytest

from mobilesim.oracle.causal_order import Oracle

Event = tuple[str, int, int]


class BruteForce:
    """The relation between `submit` and `deliver` events. `past` has all causes of an event, and the event itself."""

    def __init__(self) -> None:
        self.past: dict[Event, frozenset[Event]] = {}
        self.latest: dict[int, Event] = {}
        self.due: set[tuple[int, int]] = set()
        self.sources: dict[int, int] = {}

    def _happens(self, event: Event, host: int, *causes: Event) -> None:
        before = [cause for cause in (self.latest.get(host), *causes) if cause]
        self.past[event] = frozenset({event}).union(*(self.past[cause] for cause in before))
        self.latest[host] = event

    def submitted(self, message: int, source: int, destinations: tuple[int, ...]) -> None:
        self._happens(("submit", message, source), source)
        self.sources[message] = source
        self.due |= {(message, host) for host in destinations}

    def delivered(self, message: int, host: int) -> set[int] | None:
        """Return the overtaken messages, or None if the host was not an open destination."""
        if (message, host) not in self.due:
            return None
        self.due.remove((message, host))
        overtaken = {other for other, target in self.due if target == host and self.precedes(other, message)}
        self._happens(("deliver", message, host), host, self._submission(message))
        return overtaken

    def dropped(self, message: int, host: int) -> bool:
        """Drop a message, and return whether the host was an open destination. A drop is not an event of the host."""
        was_due = (message, host) in self.due
        self.due.discard((message, host))
        return was_due

    def precedes(self, other: int, message: int) -> bool:
        return other != message and self._submission(other) in self.past[self._submission(message)]

    def precedes_shortly(self, other: int, message: int) -> bool:
        """Return whether a chain of one or two messages leads from one message to the other."""
        return other != message and (
            self._locally(other, message)
            or any(
                self._locally(other, through, equal=True) and self._delivered_before(through, message)
                for through in self.sources
            )
        )

    def _locally(self, other: int, message: int, *, equal: bool = False) -> bool:
        """Return whether both messages have the same source, and the first one was sent before (or is) the second."""
        same = self.sources[other] == self.sources[message]
        return same and (equal or other != message) and self._submission(other) in self.past[self._submission(message)]

    def _delivered_before(self, through: int, message: int) -> bool:
        """Return whether the source of a message had delivered another message before it sent this one."""
        return ("deliver", through, self.sources[message]) in self.past[self._submission(message)]

    def _submission(self, message: int) -> Event:
        return ("submit", message, self.sources[message])


class OracleAndBruteForce:
    def __init__(self, hosts: int) -> None:
        self.hosts = hosts
        self.oracle, self.brute = Oracle(hosts), BruteForce()
        self.oracle.judge_short_chains()
        self.causal = self.fifo = self.duplicates = self.deliveries = self.drops = self.short = 0

    def submitted(self, message: int, source: int, destinations: tuple[int, ...]) -> Self:
        self.oracle.submitted(message, source, destinations)
        self.brute.submitted(message, source, destinations)
        return self

    def delivered(self, message: int, host: int) -> Self:
        source = self.brute.sources[message]
        found, expected = self.oracle.delivered(message, source, host), self.brute.delivered(message, host)
        if expected is None:
            self.duplicates += 1
            assert found == -1
        else:
            self.deliveries += 1
            self.causal += bool(expected)
            self.fifo += source in {self.brute.sources[other] for other in expected}
            assert found in expected if expected else found == -1
            near = {other for other in expected if self.brute.precedes_shortly(other, message)}
            self.short += bool(near)
            assert found in near or not near
        assert self.oracle.short == self.short
        assert self.counts == (self.causal, self.fifo, self.duplicates, self.deliveries)
        assert set(self.oracle.lost()) == self.brute.due
        return self

    def dropped(self, message: int, host: int) -> Self:
        was_due = self.brute.dropped(message, host)
        assert self.oracle.dropped(message, self.brute.sources[message], host) == was_due
        self.drops += was_due
        self.duplicates += not was_due
        assert (*self.counts, self.oracle.dropped_copies) == (
            self.causal,
            self.fifo,
            self.duplicates,
            self.deliveries,
            self.drops,
        )
        assert set(self.oracle.lost()) == self.brute.due
        return self

    @property
    def counts(self) -> tuple[int, int, int, int]:
        oracle = self.oracle
        return oracle.causal, oracle.fifo, oracle.duplicates, oracle.delivered_copies


def history(seed: int, order: float, drops: float = 0.0) -> OracleAndBruteForce:
    """Draw submissions, deliveries and some drops; `order` is the probability that the oldest message is next."""
    random = Random(seed)
    judges = OracleAndBruteForce(random.randint(2, 6))
    for message in range(random.randint(1, 40)):
        source = random.randrange(judges.hosts)
        others = [host for host in range(judges.hosts) if host != source]
        destinations = tuple(random.sample(others, random.randint(1, len(others))))
        judges.submitted(message, source, destinations)
        for _ in range(random.randint(0, 5)):
            _deliver_something(judges, random, order, drops)
    return judges


def _deliver_something(judges: OracleAndBruteForce, random: Random, order: float, drops: float) -> None:
    due = sorted(judges.brute.due)
    if drops and due and random.random() < drops:
        judges.dropped(*random.choice(due))
    elif random.random() < 0.1 or not due:
        judges.delivered(random.choice(list(judges.brute.sources)), random.randrange(judges.hosts))
    else:
        judges.delivered(*(due[0] if random.random() < order else random.choice(due)))


@pytest.mark.full
@pytest.mark.parametrize("order", (0.0, 0.5, 1.0))
def test_the_oracle_agrees_with_the_transitive_closure(order: float) -> None:
    judged = [history(seed, order) for seed in range(200)]
    totals = [sum(counts) for counts in zip(*(judges.counts for judges in judged), strict=True)]
    assert all(total > 0 for total in totals)
    short, (causal, fifo, *_) = sum(judges.short for judges in judged), totals
    assert fifo <= short <= causal
    assert fifo < short < causal or order == 1.0


@pytest.mark.full
def test_the_oracle_agrees_with_the_closure_if_messages_are_dropped() -> None:
    judged = [history(seed, 0.5, 0.3) for seed in range(200)]
    assert sum(judges.drops for judges in judged) > 500
    assert all(sum(judges.counts[place] for judges in judged) > 0 for place in range(4))


def test_no_message_waits_for_a_dropped_message() -> None:
    judges = (
        OracleAndBruteForce(3)
        .submitted(0, 0, (1, 2))
        .delivered(0, 1)
        .submitted(1, 1, (2,))
        .dropped(0, 2)
        .delivered(1, 2)
    )
    assert judges.counts == (0, 0, 0, 2)
    assert list(judges.oracle.lost()) == []
    assert not any(judges.oracle.due)


def test_a_delivery_or_a_drop_after_a_drop_counts_as_a_duplicate() -> None:
    judges = OracleAndBruteForce(2).submitted(0, 0, (1,)).dropped(0, 1).delivered(0, 1).dropped(0, 1)
    assert judges.counts == (0, 0, 2, 0)


def test_a_source_may_be_a_station() -> None:
    """Process 2 is a station, because there are only two hosts. Its messages are delivered in the wrong order."""
    oracle = Oracle(3)
    oracle.submitted(0, 2, (0, 1))
    oracle.submitted(1, 2, (0,))
    assert oracle.delivered(1, 2, 0) == 0
    assert (oracle.causal, oracle.fifo) == (1, 1)


def test_the_oracle_keeps_the_causes_of_an_undelivered_message() -> None:
    compared = 0
    for seed in range(100):
        judges = history(seed, 0.7)
        oracle, brute = judges.oracle, judges.brute
        sent = {message: oracle.outstanding(message, brute.sources[message], host) for message, host in brute.due}
        for message, later in sent.items():
            for other, earlier in sent.items():
                assert later is not None
                assert earlier is not None
                before = later.follows(earlier.source, earlier.number)
                assert before == (other == message or brute.precedes(other, message))
                compared += other != message
    assert compared > 1000


def test_a_message_that_overtakes_one_of_the_same_source_violates_both_orders() -> None:
    judges = OracleAndBruteForce(2).submitted(0, 0, (1,)).submitted(1, 0, (1,)).delivered(1, 1)
    assert judges.counts == (1, 1, 0, 1)


def test_a_message_that_overtakes_its_cause_violates_only_causal_order() -> None:
    judges = OracleAndBruteForce(3).submitted(0, 0, (1, 2)).delivered(0, 1).submitted(1, 1, (2,)).delivered(1, 2)
    assert judges.counts == (1, 0, 0, 2)


def test_a_second_delivery_only_counts_as_a_duplicate() -> None:
    judges = OracleAndBruteForce(2).submitted(0, 0, (1,)).delivered(0, 1).delivered(0, 1)
    assert judges.counts == (0, 0, 1, 1)


def test_a_delivery_at_a_wrong_destination_counts_as_a_duplicate() -> None:
    judges = OracleAndBruteForce(3).submitted(0, 0, (1,)).delivered(0, 2)
    assert judges.counts == (0, 0, 1, 0)


def test_concurrent_messages_may_be_delivered_in_any_order() -> None:
    judges = OracleAndBruteForce(3).submitted(0, 0, (2,)).submitted(1, 1, (2,)).delivered(1, 2).delivered(0, 2)
    assert judges.counts == (0, 0, 0, 2)


def test_an_undelivered_message_is_lost() -> None:
    oracle = Oracle(3)
    oracle.submitted(0, 0, (1, 2))
    oracle.delivered(0, 0, 1)
    assert list(oracle.lost()) == [(0, 2)]


def test_the_oracle_forgets_messages_that_have_been_delivered_everywhere() -> None:
    oracle = Oracle(2)
    for message in range(10):
        oracle.submitted(message, 0, (1,))
        oracle.delivered(message, 0, 1)
    assert not any(oracle.due)


def test_the_clocks_count_more_messages_than_fit_into_two_bytes() -> None:
    """The counters stay exact beyond 65,535, and the oracle still finds a message that was overtaken."""
    oracle = Oracle(3)
    oracle.submitted(0, 0, (1, 2))
    oracle.delivered(0, 0, 1)
    for message in range(1, 70_000):
        oracle.submitted(message, 0, (1,))
        assert oracle.delivered(message, 0, 1) == -1
    assert oracle.submitted(70_000, 1, (2,)).follows(0, 70_000)
    assert oracle.delivered(70_000, 1, 2) == 0
    assert (oracle.causal, oracle.fifo, oracle.duplicates) == (1, 0, 0)
    last = oracle.submitted(70_001, 2, (0,))
    assert last.follows(0, 70_000)
    assert not last.follows(0, 70_001)


def chained(length: int) -> Oracle:
    """Return the oracle of an execution in which p0 sends to the last process, and then starts a chain of messages to
    it. The message at the end of the chain overtakes the first one.
    """
    oracle = Oracle(length + 1)
    oracle.judge_short_chains()
    oracle.submitted(0, 0, (length,))
    for number in range(length):
        oracle.submitted(number + 1, number, (number + 1,))
        oracle.delivered(number + 1, number, number + 1)
    return oracle


@pytest.mark.parametrize(("length", "short"), ((1, 1), (2, 1), (3, 0), (4, 0)))
def test_a_short_chain_has_at_most_two_messages(length: int, short: int) -> None:
    oracle = chained(length)
    assert (oracle.causal, oracle.short) == (1, short)


def test_short_chains_are_counted_only_on_request() -> None:
    oracle = Oracle(2)
    oracle.submitted(0, 0, (1,))
    oracle.submitted(1, 0, (1,))
    oracle.delivered(1, 0, 1)
    assert (oracle.fifo, oracle.short) == (1, 0)

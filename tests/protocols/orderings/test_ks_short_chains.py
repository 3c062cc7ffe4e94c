"""Lemma 8 of Kshemkalyani and Singhal: causal order along chains of two messages, and not along longer chains."""

from collections.abc import Iterator

import pytest

from mobilesim.conformance.causality import (
    Causality,
    CheckedRun,
    OvertakenError,
    ShortChains,
    checked_run,
    executions,
    overtaking_triangle,
)
from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.orderings.fifo import Fifo
from mobilesim.protocols.orderings.ks_short_chains import KsShortChains, LatestMessages
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.packets import Message
from mobilesim.protocols.state import key, restore, snapshot
from tests.support.orderings.dense_short_chains import (
    BeforeSend,
    DenseProcess,
    DenseShortChains,
    TwoVectors,
    Unheard,
    short_chains,
)

SLOW = pytest.param(range(200, 20_000), marks=pytest.mark.slow)


def chain(length: int) -> Iterator[Event]:
    """p0 sends m0 to the last process, and then m1 to p1. Each process answers by a message to the next one. The last
    message arrives before m0.
    """
    late = Message(0, 0, (length,), 1)
    yield Sent(late)
    for number in range(length):
        message = Message(number + 1, number, (number + 1,), 1)
        yield Sent(message)
        yield Arrived(message, number + 1)
    yield Arrived(late, length)


def outcome(ordering: type[KsShortChains | Fifo | Rst], length: int) -> list[int]:
    """Return the messages that the last two arrivals of a chain release, in this order."""
    size = length + 1
    run = CheckedRun(ordering(size), size, Unjudged())
    return [number for event in chain(length) for number in run.apply(event)][-2:]


class Unjudged(Causality):
    def allows(self, message: int, target: int) -> bool:
        return True


@pytest.mark.parametrize(
    ("ordering", "kept"), ((Fifo, [1]), (KsShortChains, [1, 2]), (Rst, [1, 2, 3, 4])), ids=("fifo", "chains", "rst")
)
def test_each_ordering_keeps_the_order_along_chains_up_to_its_length(
    ordering: type[KsShortChains | Fifo | Rst], kept: list[int]
) -> None:
    in_order = [length for length in (1, 2, 3, 4) if outcome(ordering, length) == [0, length]]
    overtaken = [length for length in (1, 2, 3, 4) if outcome(ordering, length) == [length, 0]]
    assert (in_order, overtaken) == (kept, [length for length in (1, 2, 3, 4) if length not in kept])


def test_the_numbers_of_the_triangle_follow_from_the_proof_of_the_lemma() -> None:
    run = CheckedRun(KsShortChains(3), 3)
    assert [run.apply(event) for event in overtaking_triangle()] == [[], [], [1], [], [], [0, 2]]
    stamps = [run.stamps[copy] for copy in ((0, 2), (1, 1), (2, 2))]
    assert [vectors(stamp) for stamp in stamps] == [
        ([0, 0, 1], [0, 0, 0]),
        ([0, 2, 1], [0, 0, 0]),
        ([0, 0, 1], [1, 0, 0]),
    ]
    assert {stamp.integers for stamp in stamps} == {6}
    assert run.inboxes[2].process.integers == 13


def vectors(stamp: object) -> tuple[list[int], list[int]]:
    assert isinstance(stamp, LatestMessages)
    return stamp.latest.tolist(), stamp.awaited.tolist()


@pytest.mark.parametrize("seeds", (pytest.param(range(200), marks=pytest.mark.full), SLOW), ids=("some", "thousands"))
def test_messages_wait_exactly_for_chains_of_two_messages(seeds: range) -> None:
    """The oracle of short chains finds no violation and no unnecessary wait; that of all chains finds violations."""
    violations = 0
    for seed in seeds:
        ((size, events),) = executions((seed,))
        run, twin = (CheckedRun(make(size), size, ShortChains()) for make in (KsShortChains, DenseShortChains))
        judge = Causality()
        for event in events:
            released = run.apply(event)
            assert released == twin.apply(event)
            violations += _judged(judge, event, released)
        assert (run.inhibited, run.causality.missing) == (0, [])
        for copy, stamp in run.stamps.items():
            printed = twin.stamps[copy]
            assert isinstance(printed, TwoVectors)
            mine, yours = vectors(stamp)
            assert (_sparse(mine), _sparse(yours)) == (dict(printed.mine), dict(printed.yours))
            assert stamp.integers == 2 * size
    assert violations > 0


def _sparse(numbers: list[int]) -> dict[int, int]:
    return {process: number for process, number in enumerate(numbers) if number}


def _judged(judge: Causality, event: Event, released: list[int]) -> int:
    """Return the number of violations of causal order, along chains of any length."""
    if isinstance(event, Sent):
        judge.sent(event.message)
        return 0
    judge.arrived(event.message.id, event.target)
    count = 0
    for number in released:
        count += not judge.allows(number, event.target)
        judge.due[event.target] &= ~(1 << number)
        judge.past[event.target] = judge.past.get(event.target, 0) | judge.learnt(number)
    return count


def test_an_answer_to_a_multicast_waits_for_the_other_copies() -> None:
    question, answer = Message(0, 0, (1, 2), 1), Message(1, 1, (2,), 1)
    run = CheckedRun(KsShortChains(3), 3)
    story = (Sent(question), Arrived(question, 1), Sent(answer), Arrived(answer, 2), Arrived(question, 2))
    assert [run.apply(event) for event in story] == [[], [0], [], [], [0, 1]]


def test_a_restored_process_has_the_state_of_the_original() -> None:
    ((size, events),) = executions((4,))
    for inbox in checked_run(KsShortChains(size), size, events, ShortChains()).inboxes:
        assert key(restore(snapshot(inbox.process))) == key(inbox.process)


@pytest.mark.parametrize(("kind", "broken"), ((DenseProcess, False), (BeforeSend, True), (Unheard, True)))
def test_broken_variants_violate_the_order_along_chains_of_two_messages(
    kind: type[DenseProcess],
    broken: bool,  # noqa: FBT001
) -> None:
    overtaken = 0
    for size, events in executions(range(40)):
        try:
            checked_run(short_chains(kind, size), size, events, ShortChains())
        except OvertakenError:
            overtaken += 1
    assert (overtaken > 0) == broken

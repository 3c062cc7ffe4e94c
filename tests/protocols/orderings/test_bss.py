"""BSS compared with its printed algorithm and with causality."""

from random import Random

import pytest

from mobilesim.conformance.causality import CheckedRun, checked_run
from mobilesim.conformance.executions import Arrived, Sent
from mobilesim.protocols.orderings.vectors.bss import Bss, Vector
from mobilesim.protocols.packets import Message
from tests.support.orderings.dense_vectors import DenseBss, Printed
from tests.support.orderings.multicasts import multicasts


def lockstep_run(seed: int, size: int, messages: int) -> CheckedRun:
    optimised, printed = CheckedRun(Bss(size), size), CheckedRun(DenseBss(size), size)
    for event in multicasts(Random(seed), (tuple(range(size)),), messages, fifo=bool(seed % 2)):
        assert sorted(optimised.apply(event)) == sorted(printed.apply(event))
    for copy, stamp in optimised.stamps.items():
        assert_same(stamp, printed.stamps[copy])
    assert optimised.causality.missing == []
    return optimised


def assert_same(optimised: object, printed: object) -> None:
    assert isinstance(optimised, Vector)
    assert isinstance(printed, Printed)
    counts = dict(printed.counts)
    counts[0, printed.sender] -= 1
    assert optimised.counts == sum(count << 32 * member for (_, member), count in counts.items())
    assert optimised.integers == printed.integers


@pytest.mark.full
def test_bss_releases_the_same_messages_as_the_printed_algorithm() -> None:
    assert sum(lockstep_run(seed, 2 + seed % 5, 25).inhibited for seed in range(500)) == 0


@pytest.mark.slow
def test_bss_inhibits_no_message_in_thousands_of_executions() -> None:
    assert sum(lockstep_run(seed, 2 + seed % 5, 25).inhibited for seed in range(500, 6_000)) == 0


def test_bss_agrees_with_the_printed_algorithm_among_fifty_processes() -> None:
    assert lockstep_run(1, 50, 60).inhibited == 0


def test_a_broadcast_waits_for_the_broadcast_that_its_sender_delivered_before() -> None:
    question, answer = Message(0, 0, (1, 2), 1), Message(1, 1, (0, 2), 1)
    run = CheckedRun(Bss(3), 3)
    story = (Sent(question), Arrived(question, 1), Sent(answer), Arrived(answer, 2), Arrived(question, 2))
    assert [run.apply(event) for event in story] == [[], [0], [], [], [0, 1]]
    assert run.inboxes[2].process.integers == run.stamps[0, 1].integers == 3


def test_bss_orders_broadcasts_of_two_processes() -> None:
    message = Message(0, 1, (0,), 1)
    checked_run(Bss(2), 2, [Sent(message), Arrived(message, 0)])


def test_a_message_that_is_not_a_broadcast_raises_an_exception() -> None:
    with pytest.raises(ValueError, match=r"^bss orders broadcasts to 4 other processes, not to 2$"):
        Bss(5).process(0).send((1, 3), -1)

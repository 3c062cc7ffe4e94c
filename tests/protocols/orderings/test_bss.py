"""BSS against its printed vectors, and against causality."""

from random import Random

import pytest

from protocols.machine import Message
from protocols.orderings.bss import Bss, Vector
from tests.support.orderings.causality import Trial, judged
from tests.support.orderings.dense_vectors import DenseBss, Printed
from tests.support.orderings.multicasts import multicasts
from tests.support.protocols.network import Arrived, Sent


def lock_step(seed: int, size: int, messages: int) -> Trial:
    clever, printed = Trial(Bss(size), size), Trial(DenseBss(size), size)
    for happening in multicasts(Random(seed), (tuple(range(size)),), messages, fifo=bool(seed % 2)):
        assert sorted(clever.happens(happening)) == sorted(printed.happens(happening))
    for copy, stamp in clever.stamps.items():
        assert_same(stamp, printed.stamps[copy])
    assert clever.causality.missing == []
    return clever


def assert_same(clever: object, printed: object) -> None:
    assert isinstance(clever, Vector)
    assert isinstance(printed, Printed)
    counts = dict(printed.counts)
    counts[0, printed.sender] -= 1
    assert clever.counts == sum(count << 32 * member for (_, member), count in counts.items())
    assert clever.integers == printed.integers


@pytest.mark.full
def test_it_releases_everything_at_once_as_printed() -> None:
    assert sum(lock_step(seed, 2 + seed % 5, 25).inhibited for seed in range(500)) == 0


@pytest.mark.slow
def test_it_holds_nothing_back_in_thousands_of_executions() -> None:
    assert sum(lock_step(seed, 2 + seed % 5, 25).inhibited for seed in range(500, 6_000)) == 0


def test_it_does_as_printed_among_fifty_processes() -> None:
    assert lock_step(1, 50, 60).inhibited == 0


def test_the_answer_to_a_broadcast_waits_for_it() -> None:
    question, answer = Message(0, 0, (1, 2), 1), Message(1, 1, (0, 2), 1)
    trial = Trial(Bss(3), 3)
    story = (Sent(question), Arrived(question, 1), Sent(answer), Arrived(answer, 2), Arrived(question, 2))
    assert [trial.happens(happening) for happening in story] == [[], [0], [], [], [0, 1]]
    assert trial.inboxes[2].process.integers == trial.stamps[0, 1].integers == 3


def test_two_processes_that_only_broadcast_to_each_other_need_no_third() -> None:
    message = Message(0, 1, (0,), 1)
    judged(Bss(2), 2, [Sent(message), Arrived(message, 0)])


def test_a_message_that_is_not_for_everybody_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^bss orders broadcasts, to all 4 other processes, and not to 2$"):
        Bss(5).process(0).send((1, 3), -1)

"""SES against its printed lists, against RST, and against causality."""

from random import Random

import pytest

from protocols.machine import Message
from protocols.orderings.rst import Rst
from protocols.orderings.ses import Listed, Ses
from tests.support.orderings.causality import OvertakenError, Trial, executions, judged, triangle
from tests.support.orderings.dense_ses import DenseSes, DenseSesProcess, Forgetful, Pairs, Ticking
from tests.support.protocols.network import Arrived, Happening, Sent, execution


def lock_step(size: int, happenings: list[Happening], *others: Trial) -> Trial:
    """The printed lists and all others release what the fast one does; which of several comes first is left open."""
    clever, printed = Trial(Ses(size), size), Trial(DenseSes(size), size)
    for happening in happenings:
        released = sorted(clever.happens(happening))
        for other in (printed, *others):
            assert sorted(other.happens(happening)) == released
        for quick, slow in zip(clever.inboxes, printed.inboxes, strict=True):
            assert quick.process.integers == slow.process.integers
    for copy, stamp in clever.stamps.items():
        assert_same(stamp, printed.stamps[copy])
    assert clever.causality.missing == []
    return clever


def assert_same(clever: object, printed: object) -> None:
    assert isinstance(clever, Listed)
    assert isinstance(printed, Pairs)
    time = clever.versions.tolist()
    time[clever.sender] += 1
    assert tuple(time) == printed.time
    assert clever.listed == sum(1 << process for process, _ in printed.pairs)
    assert clever.addressed == sum(1 << process for process in printed.destinations)
    assert clever.integers == printed.integers


def test_the_triangle_step_by_step() -> None:
    trial = Trial(DenseSes(3), 3)
    p0, p1, p2 = (inbox.process for inbox in trial.inboxes)
    assert isinstance(p0, DenseSesProcess)
    assert isinstance(p1, DenseSesProcess)
    assert isinstance(p2, DenseSesProcess)
    first, second, heard, third, early, late = triangle()
    trial.happens(first)
    assert trial.stamps[0, 2] == Pairs(0, (1, 0, 0), (), (2,))
    trial.happens(second)
    assert trial.stamps[1, 1] == Pairs(0, (2, 0, 0), ((2, (1, 0, 0)),), (1,))
    assert p0.pairs == {1: (2, 0, 0), 2: (1, 0, 0)}
    assert trial.happens(heard) == [1]
    assert (p1.time, p1.pairs) == ((2, 0, 0), {2: (1, 0, 0)})
    trial.happens(third)
    assert trial.stamps[2, 2] == Pairs(1, (2, 1, 0), ((2, (1, 0, 0)),), (2,))
    assert trial.happens(early) == []
    assert trial.happens(late) == [0, 2]
    assert (p2.time, p2.pairs) == ((2, 1, 0), {})


def test_in_the_triangle_it_does_as_printed() -> None:
    trial = lock_step(3, triangle())
    assert [trial.stamps[copy].integers for copy in ((0, 2), (1, 1), (2, 2))] == [3, 3 + 4, 3 + 4]


@pytest.mark.full
def test_it_releases_everything_at_once_as_printed_and_as_rst_does() -> None:
    for size, happenings in executions(range(1_000)):
        assert lock_step(size, happenings, Trial(Rst(size), size)).inhibited == 0


@pytest.mark.slow
def test_it_holds_nothing_back_in_thousands_of_executions() -> None:
    for size, happenings in executions(range(1_000, 8_000)):
        assert lock_step(size, happenings, Trial(Rst(size), size)).inhibited == 0


@pytest.mark.full
@pytest.mark.parametrize("widest", (1, 19))
def test_it_does_as_printed_among_twenty_processes(widest: int) -> None:
    lock_step(20, list(execution(Random(widest), 20, 200, widest, fifo=False)))


@pytest.mark.full
def test_it_makes_no_difference_whether_deliveries_tick() -> None:
    for size, happenings in executions(range(100)):
        ticking = Trial(Ticking(size), size)
        trial = lock_step(size, happenings, ticking)
        assert {copy: stamp.integers for copy, stamp in ticking.stamps.items()} == {
            copy: stamp.integers for copy, stamp in trial.stamps.items()
        }


def test_a_receiver_has_to_note_for_whom_else_a_multicast_is() -> None:
    both, reply = Message(0, 0, (1, 2), 1), Message(1, 1, (2,), 1)
    happenings: list[Happening] = [Sent(both), Arrived(both, 1), Sent(reply), Arrived(reply, 2), Arrived(both, 2)]
    assert judged(DenseSes(3), 3, happenings).inhibited == 0
    with pytest.raises(OvertakenError, match="m1 is delivered to p2 too early"):
        judged(Forgetful(3), 3, happenings)


def echoed(happenings: list[Happening]) -> list[Happening]:
    """Every message is for its sender too, whose copy is the last one to come."""
    own: dict[int, Message] = {}
    story: list[Happening] = []
    for happening in happenings:
        message = happening.message
        if isinstance(happening, Sent):
            own[message.id] = Message(message.id, message.source, (message.source, *message.destinations), 1)
            story.append(Sent(own[message.id]))
        else:
            story.append(Arrived(own[message.id], happening.target))
    return [*story, *(Arrived(message, message.source) for message in own.values())]


def test_a_sender_that_does_not_have_its_own_copy_at_the_send_hears_the_answer_first() -> None:
    question, answer = Message(0, 0, (1,), 1), Message(1, 1, (0,), 1)
    happenings: list[Happening] = [Sent(question), Arrived(question, 1), Sent(answer), Arrived(answer, 0)]
    judged(DenseSes(2), 2, happenings)
    with pytest.raises(OvertakenError, match="m1 is delivered to p0 too early"):
        judged(DenseSes(2), 2, echoed(happenings))


def test_most_executions_catch_who_does_not_have_its_own_copy_at_the_send() -> None:
    caught = 0
    for size, happenings in executions(range(50)):
        try:
            judged(DenseSes(size), size, echoed(happenings))
        except OvertakenError:
            caught += 1
    assert caught > 40

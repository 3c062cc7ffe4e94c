"""SES compared with its printed lists, with RST and with causality."""

from random import Random

import pytest

from mobilesim.conformance.causality import CheckedRun, OvertakenError, checked_run, executions, overtaking_triangle
from mobilesim.conformance.executions import Arrived, Event, Sent, execution
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.orderings.ses import Listed, Ses
from mobilesim.protocols.packets import Message
from tests.support.orderings.dense_ses import DenseSes, DenseSesProcess, Forgetful, Pairs, Ticking


def lockstep_run(size: int, events: list[Event], *others: CheckedRun) -> CheckedRun:
    """Run SES, the printed lists and other orderings together; each arrival must release the same messages, in any
    order.
    """
    optimised, printed = CheckedRun(Ses(size), size), CheckedRun(DenseSes(size), size)
    for event in events:
        released = sorted(optimised.apply(event))
        for other in (printed, *others):
            assert sorted(other.apply(event)) == released
        for quick, slow in zip(optimised.inboxes, printed.inboxes, strict=True):
            assert quick.process.integers == slow.process.integers
    for copy, stamp in optimised.stamps.items():
        assert_same(stamp, printed.stamps[copy])
    assert optimised.causality.missing == []
    return optimised


def assert_same(optimised: object, printed: object) -> None:
    assert isinstance(optimised, Listed)
    assert isinstance(printed, Pairs)
    time = optimised.versions.tolist()
    time[optimised.sender] = optimised.version
    assert tuple(time) == printed.time
    assert optimised.listed == sum(1 << process for process, _ in printed.pairs)
    assert optimised.addressed == sum(1 << process for process in printed.destinations)
    assert optimised.integers == printed.integers


def test_every_step_of_the_triangle_has_the_printed_times() -> None:
    run = CheckedRun(DenseSes(3), 3)
    p0, p1, p2 = (inbox.process for inbox in run.inboxes)
    assert isinstance(p0, DenseSesProcess)
    assert isinstance(p1, DenseSesProcess)
    assert isinstance(p2, DenseSesProcess)
    first, second, heard, third, early, late = overtaking_triangle()
    run.apply(first)
    assert run.stamps[0, 2] == Pairs(0, (1, 0, 0), (), (2,))
    run.apply(second)
    assert run.stamps[1, 1] == Pairs(0, (2, 0, 0), ((2, (1, 0, 0)),), (1,))
    assert p0.pairs == {1: (2, 0, 0), 2: (1, 0, 0)}
    assert run.apply(heard) == [1]
    assert (p1.time, p1.pairs) == ((2, 0, 0), {2: (1, 0, 0)})
    run.apply(third)
    assert run.stamps[2, 2] == Pairs(1, (2, 1, 0), ((2, (1, 0, 0)),), (2,))
    assert run.apply(early) == []
    assert run.apply(late) == [0, 2]
    assert (p2.time, p2.pairs) == ((2, 1, 0), {})


def test_ses_agrees_with_the_printed_algorithm_in_the_triangle() -> None:
    run = lockstep_run(3, overtaking_triangle())
    assert [run.stamps[copy].integers for copy in ((0, 2), (1, 1), (2, 2))] == [3, 3 + 4, 3 + 4]


@pytest.mark.full
def test_ses_releases_messages_as_the_printed_algorithm_and_rst_do() -> None:
    for size, events in executions(range(1_000)):
        assert lockstep_run(size, events, CheckedRun(Rst(size), size)).inhibited == 0


@pytest.mark.slow
def test_ses_inhibits_no_message_in_thousands_of_executions() -> None:
    for size, events in executions(range(1_000, 8_000)):
        assert lockstep_run(size, events, CheckedRun(Rst(size), size)).inhibited == 0


@pytest.mark.full
@pytest.mark.parametrize("widest", (1, 19))
def test_ses_agrees_with_the_printed_algorithm_among_twenty_processes(widest: int) -> None:
    lockstep_run(20, list(execution(Random(widest), 20, 200, widest, fifo=False)))


@pytest.mark.full
def test_advancing_the_time_at_deliveries_does_not_change_the_order() -> None:
    for size, events in executions(range(100)):
        ticking = CheckedRun(Ticking(size), size)
        run = lockstep_run(size, events, ticking)
        assert {copy: stamp.integers for copy, stamp in ticking.stamps.items()} == {
            copy: stamp.integers for copy, stamp in run.stamps.items()
        }


def test_a_receiver_must_record_the_other_destinations_of_a_multicast() -> None:
    both, reply = Message(0, 0, (1, 2), 1), Message(1, 1, (2,), 1)
    events: list[Event] = [Sent(both), Arrived(both, 1), Sent(reply), Arrived(reply, 2), Arrived(both, 2)]
    assert checked_run(DenseSes(3), 3, events).inhibited == 0
    with pytest.raises(OvertakenError, match="m1 is delivered to p2 too early"):
        checked_run(Forgetful(3), 3, events)


def with_own_copies(events: list[Event]) -> list[Event]:
    """Return the events with an additional copy of each message to its sender, which arrives last."""
    own: dict[int, Message] = {}
    story: list[Event] = []
    for event in events:
        message = event.message
        if isinstance(event, Sent):
            own[message.id] = Message(message.id, message.source, (message.source, *message.destinations), 1)
            story.append(Sent(own[message.id]))
        else:
            story.append(Arrived(own[message.id], event.target))
    return [*story, *(Arrived(message, message.source) for message in own.values())]


def test_a_sender_whose_own_copy_is_in_transit_delivers_a_later_message_first() -> None:
    question, answer = Message(0, 0, (1,), 1), Message(1, 1, (0,), 1)
    events: list[Event] = [Sent(question), Arrived(question, 1), Sent(answer), Arrived(answer, 0)]
    checked_run(DenseSes(2), 2, events)
    with pytest.raises(OvertakenError, match="m1 is delivered to p0 too early"):
        checked_run(DenseSes(2), 2, with_own_copies(events))


def test_random_executions_find_the_fault_of_own_copies_in_transit() -> None:
    caught = 0
    for size, events in executions(range(50)):
        try:
            checked_run(DenseSes(size), size, with_own_copies(events))
        except OvertakenError:
            caught += 1
    assert caught > 40

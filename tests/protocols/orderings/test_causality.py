"""The check of orderings against causality: RST passes the check, and orderings without causal order fail it."""

from collections.abc import Callable

import pytest

from mobilesim.conformance.causality import (
    Causality,
    CheckedRun,
    OvertakenError,
    checked_run,
    executions,
    overtaking_triangle,
)
from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.orderings.fifo import Fifo
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.orderings.unordered import Unordered
from mobilesim.protocols.packets import Message
from tests.support.protocols.dense_rst import Dense


@pytest.mark.full
@pytest.mark.parametrize("ordering", (Rst, Dense))
def test_a_causal_ordering_passes_the_check_without_inhibition(ordering: Callable[[int], Ordering]) -> None:
    for size, events in executions(range(200)):
        assert checked_run(ordering(size), size, events).inhibited == 0


@pytest.mark.parametrize("ordering", (Fifo, Unordered))
def test_an_ordering_without_causal_order_fails_the_check_in_the_triangle(ordering: Callable[[int], Ordering]) -> None:
    with pytest.raises(OvertakenError, match="m2 is delivered to p2 too early"):
        checked_run(ordering(3), 3, overtaking_triangle())


def test_in_the_triangle_the_last_message_waits_for_the_first() -> None:
    run = CheckedRun(Rst(3), 3)
    assert [run.apply(event) for event in overtaking_triangle()] == [[], [], [1], [], [], [0, 2]]


def test_unnecessary_waiting_is_counted_at_every_arrival() -> None:
    causality = Causality()
    for number, source in enumerate((0, 1)):
        causality.sent(Message(number, source, (2,), 1))
        causality.arrived(number, 2)
    assert causality.ready(2) == [0, 1]
    causality.delivered(1, 2)
    assert causality.ready(2) == [0]
    assert causality.missing == [(0, 2)]


def test_messages_of_one_sender_are_ordered_for_any_other_destinations() -> None:
    causality = Causality()
    causality.sent(Message(0, 0, (1, 2), 1))
    causality.sent(Message(1, 0, (2,), 1))
    causality.arrived(1, 2)
    assert causality.ready(2) == []
    with pytest.raises(OvertakenError):
        causality.delivered(1, 2)


def test_random_executions_have_every_property_that_orderings_depend_on() -> None:
    seen = {(size, len(event.message.destinations)) for size, run in executions(range(64)) for event in run}
    assert seen == {(size, width) for size in range(3, 7) for width in range(1, size)}
    assert {overtakes(run) for _, run in executions(range(8))} == {False, True}


def overtakes(run: list[Event]) -> bool:
    """Return whether a message arrives before an earlier message of the same channel."""
    numbers: dict[tuple[int, int], int] = {}
    for event in run:
        if isinstance(event, Sent):
            continue
        assert isinstance(event, Arrived)
        channel = event.message.source, event.target
        if numbers.get(channel, -1) > event.message.id:
            return True
        numbers[channel] = event.message.id
    return False

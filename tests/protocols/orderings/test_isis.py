"""ISIS, with a vector for each group, compared with its printed algorithm and with causality."""

from collections.abc import Callable
from random import Random

import pytest

from mobilesim.conformance.causality import CheckedRun, OvertakenError, checked_run
from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.ordering import Groups, Ordering
from mobilesim.protocols.orderings.mr import Mr
from mobilesim.protocols.orderings.vectors.isis import Isis, Vectors
from mobilesim.protocols.packets import Message
from tests.support.orderings.dense_vectors import DenseIsis, OwnGroupsOnly, Printed, WaitingForOthers
from tests.support.orderings.multicasts import CYCLE, multicasts, overlapping


def execution(seed: int) -> tuple[int, Groups, list[Event]]:
    random = Random(seed)
    size = 3 + seed % 4
    groups = overlapping(random, size, random.randint(1, 5))
    return size, groups, list(multicasts(random, groups, 30, fifo=bool(seed >> 2 & 1)))


def lockstep_run(size: int, groups: Groups, events: list[Event]) -> CheckedRun:
    optimised, printed = CheckedRun(Isis(size, groups), size), CheckedRun(DenseIsis(size, groups), size)
    for event in events:
        assert sorted(optimised.apply(event)) == sorted(printed.apply(event))
    for copy, stamp in optimised.stamps.items():
        assert_same(stamp, printed.stamps[copy])
    for quick, slow in zip(optimised.inboxes, printed.inboxes, strict=True):
        assert quick.process.integers == slow.process.integers
    assert optimised.causality.missing == []
    return optimised


def assert_same(optimised: object, printed: object) -> None:
    assert isinstance(optimised, Vectors)
    assert isinstance(printed, Printed)
    places = [place for place, _ in printed.counts]
    assert places[optimised.entry] == (printed.group, printed.sender)
    counts = [count - (place == optimised.entry) for place, (_, count) in enumerate(printed.counts)]
    assert optimised.counts.tolist() == counts
    assert optimised.integers == printed.integers


@pytest.mark.full
def test_isis_releases_the_same_messages_as_the_printed_algorithm() -> None:
    assert sum(lockstep_run(*execution(seed)).inhibited for seed in range(600)) == 0


@pytest.mark.slow
def test_isis_inhibits_no_message_in_thousands_of_executions() -> None:
    assert sum(lockstep_run(*execution(seed)).inhibited for seed in range(600, 6_000)) == 0


def overtaking_triangle() -> list[Event]:
    """Each two processes form a group. p0 sends m0 to p2 on a slow channel, and m1 to p1. p1 then sends m2 to p2."""
    first, second, third = Message(0, 0, (2,), 1, 0), Message(1, 0, (1,), 1, 1), Message(2, 1, (2,), 1, 2)
    return [Sent(first), Sent(second), Arrived(second, 1), Sent(third), Arrived(third, 2), Arrived(first, 2)]


@pytest.mark.parametrize("ordering", (Isis, DenseIsis))
def test_isis_keeps_causal_order_along_a_cycle_of_groups(
    ordering: Callable[[int, Groups], Ordering],
) -> None:
    run = CheckedRun(ordering(3, CYCLE), 3)
    assert [run.apply(event) for event in overtaking_triangle()] == [[], [], [1], [], [], [0, 2]]
    assert {stamp.integers for stamp in run.stamps.values()} == {6}


def test_without_the_entries_of_other_groups_causal_order_is_violated_in_a_cycle() -> None:
    with pytest.raises(OvertakenError, match="m2 is delivered to p2 too early"):
        checked_run(OwnGroupsOnly(3, CYCLE), 3, overtaking_triangle())


def test_a_process_that_waits_for_messages_of_other_groups_waits_forever() -> None:
    run = CheckedRun(WaitingForOthers(3, CYCLE), 3)
    for event in overtaking_triangle():
        run.apply(event)
    assert run.causality.missing == [(1, 1)]
    assert run.inhibited > 0


def test_messages_of_disjoint_groups_do_not_wait_for_each_other() -> None:
    slow, quick = Message(0, 0, (1,), 1, 0), Message(1, 2, (3,), 1, 1)
    run = CheckedRun(Isis(4, ((0, 1), (2, 3))), 4)
    assert [run.apply(step) for step in (Sent(slow), Sent(quick), Arrived(quick, 3))] == [[], [], [1]]


def test_messages_of_two_groups_with_the_same_processes_are_delivered_in_causal_order() -> None:
    first, second = Message(0, 0, (1,), 1, 0), Message(1, 0, (1,), 1, 1)
    run = CheckedRun(Isis(2, ((0, 1), (1, 0))), 2)
    story = (Sent(first), Sent(second), Arrived(second, 1), Arrived(first, 1))
    assert [run.apply(event) for event in story] == [[], [], [], [0, 1]]


@pytest.mark.parametrize(
    ("destinations", "group", "fault"),
    (
        ((1, 2), 1, "process 0 sends to group 1, but is not a member"),
        ((1, 2), -1, "process 0 sends to group -1, but is not a member"),
        ((1,), 0, "a message to group 0 must be for exactly its other members"),
        ((1, 3), 0, "a message to group 0 must be for exactly its other members"),
    ),
)
def test_a_message_must_have_all_other_members_of_its_group_as_destinations(
    destinations: tuple[int, ...], group: int, fault: str
) -> None:
    process = Isis(4, ((0, 1, 2), (1, 2, 3))).process(0)
    with pytest.raises(ValueError, match=f"^isis: {fault}$"):
        process.send(destinations, group)


def test_destinations_of_a_group_may_have_any_order() -> None:
    ((destinations, _),) = Isis(4, ((3, 0, 2),)).process(0).send((3, 2), 0)
    assert destinations == (3, 2)


@pytest.mark.parametrize(
    ("groups", "fault"),
    (
        (((0, 1), (0, 3)), "group 1 contains process 3; the processes are 0 to 2"),
        (((0, -1),), "group 0 contains process -1; the processes are 0 to 2"),
        (((1, 1),), "group 0 contains a process twice"),
    ),
)
def test_impossible_groups_raise_an_exception(groups: Groups, fault: str) -> None:
    with pytest.raises(ValueError, match=f"^isis: {fault}$"):
        Isis(3, groups)


@pytest.mark.parametrize("ordering", (Isis, Mr))
def test_the_groups_of_all_processes_are_found_at_once(ordering: type[Isis | Mr]) -> None:
    """If each process searched all groups, many processes with many groups would take minutes to create."""
    groups = tuple((first, first + 1) for first in range(99))
    made = ordering(100, groups)
    assert made.memberships[0] == [0]
    assert [*made.memberships[7]] == [6, 7]


def test_the_processes_of_mr_share_the_borrow_bits() -> None:
    made = Mr(100, tuple((first, first + 1) for first in range(99)))
    assert {id(made.process(index).borrow) for index in range(100)} == {id(made.borrow)}

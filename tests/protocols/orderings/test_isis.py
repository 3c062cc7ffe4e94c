"""The vectors of ISIS, one per group, against the print, and against causality."""

from collections.abc import Callable
from random import Random

import pytest

from protocols.machine import Message
from protocols.ordering import Groups, Ordering
from protocols.orderings.isis import Isis, Vectors
from protocols.orderings.mr import Mr
from tests.support.orderings.causality import OvertakenError, Trial, judged
from tests.support.orderings.dense_vectors import DenseIsis, OwnGroupsOnly, Printed, WaitingForOthers
from tests.support.orderings.multicasts import CYCLE, multicasts, overlapping
from tests.support.protocols.network import Arrived, Happening, Sent


def execution(seed: int) -> tuple[int, Groups, list[Happening]]:
    random = Random(seed)
    size = 3 + seed % 4
    groups = overlapping(random, size, random.randint(1, 5))
    return size, groups, list(multicasts(random, groups, 30, fifo=bool(seed >> 2 & 1)))


def lock_step(size: int, groups: Groups, happenings: list[Happening]) -> Trial:
    clever, printed = Trial(Isis(size, groups), size), Trial(DenseIsis(size, groups), size)
    for happening in happenings:
        assert sorted(clever.happens(happening)) == sorted(printed.happens(happening))
    for copy, stamp in clever.stamps.items():
        assert_same(stamp, printed.stamps[copy])
    for quick, slow in zip(clever.inboxes, printed.inboxes, strict=True):
        assert quick.process.integers == slow.process.integers
    assert clever.causality.missing == []
    return clever


def assert_same(clever: object, printed: object) -> None:
    assert isinstance(clever, Vectors)
    assert isinstance(printed, Printed)
    places = [place for place, _ in printed.counts]
    assert places[clever.entry] == (printed.group, printed.sender)
    counts = [count - (place == clever.entry) for place, (_, count) in enumerate(printed.counts)]
    assert clever.counts == sum(count << 32 * place for place, count in enumerate(counts))
    assert clever.integers == printed.integers


@pytest.mark.full
def test_it_releases_everything_at_once_as_printed() -> None:
    assert sum(lock_step(*execution(seed)).inhibited for seed in range(600)) == 0


@pytest.mark.slow
def test_it_holds_nothing_back_in_thousands_of_executions() -> None:
    assert sum(lock_step(*execution(seed)).inhibited for seed in range(600, 6_000)) == 0


def triangle() -> list[Happening]:
    """Each side is a group: p0 speaks to p2, slowly, then to p1, which hears it and speaks to p2."""
    first, second, third = Message(0, 0, (2,), 1, 0), Message(1, 0, (1,), 1, 1), Message(2, 1, (2,), 1, 2)
    return [Sent(first), Sent(second), Arrived(second, 1), Sent(third), Arrived(third, 2), Arrived(first, 2)]


@pytest.mark.parametrize("ordering", (Isis, DenseIsis))
def test_causality_comes_back_through_groups_that_form_a_cycle(
    ordering: Callable[[int, Groups], Ordering],
) -> None:
    trial = Trial(ordering(3, CYCLE), 3)
    assert [trial.happens(happening) for happening in triangle()] == [[], [], [1], [], [], [0, 2]]
    assert {stamp.integers for stamp in trial.stamps.values()} == {6}


def test_who_does_not_pass_on_what_it_hears_of_other_groups_is_caught_there() -> None:
    with pytest.raises(OvertakenError, match="m2 is delivered to p2 too early"):
        judged(OwnGroupsOnly(3, CYCLE), 3, triangle())


def test_who_waits_for_groups_that_it_is_not_in_waits_for_ever() -> None:
    trial = Trial(WaitingForOthers(3, CYCLE), 3)
    for happening in triangle():
        trial.happens(happening)
    assert trial.causality.missing == [(1, 1)]
    assert trial.inhibited > 0


def test_messages_in_groups_that_do_not_meet_do_not_wait_for_each_other() -> None:
    slow, quick = Message(0, 0, (1,), 1, 0), Message(1, 2, (3,), 1, 1)
    trial = Trial(Isis(4, ((0, 1), (2, 3))), 4)
    assert [trial.happens(step) for step in (Sent(slow), Sent(quick), Arrived(quick, 3))] == [[], [], [1]]


def test_two_groups_of_the_same_processes_are_one_order() -> None:
    first, second = Message(0, 0, (1,), 1, 0), Message(1, 0, (1,), 1, 1)
    trial = Trial(Isis(2, ((0, 1), (1, 0))), 2)
    story = (Sent(first), Sent(second), Arrived(second, 1), Arrived(first, 1))
    assert [trial.happens(happening) for happening in story] == [[], [], [], [0, 1]]


@pytest.mark.parametrize(
    ("destinations", "group", "fault"),
    (
        ((1, 2), 1, "process 0 sends to group 1, of which it is no member"),
        ((1, 2), -1, "process 0 sends to group -1, of which it is no member"),
        ((1,), 0, "a message to group 0 is for all its other members and no other process"),
        ((1, 3), 0, "a message to group 0 is for all its other members and no other process"),
    ),
)
def test_a_message_that_is_not_for_the_others_of_a_group_is_refused(
    destinations: tuple[int, ...], group: int, fault: str
) -> None:
    process = Isis(4, ((0, 1, 2), (1, 2, 3))).process(0)
    with pytest.raises(ValueError, match=f"^isis: {fault}$"):
        process.send(destinations, group)


def test_the_others_of_a_group_may_be_named_in_any_order() -> None:
    ((destinations, _),) = Isis(4, ((3, 0, 2),)).process(0).send((3, 2), 0)
    assert destinations == (3, 2)


@pytest.mark.parametrize(
    ("groups", "fault"),
    (
        (((0, 1), (0, 3)), "group 1 names process 3, and there are only 0 to 2"),
        (((0, -1),), "group 0 names process -1, and there are only 0 to 2"),
        (((1, 1),), "group 0 names a process twice"),
    ),
)
def test_groups_that_cannot_be_are_refused(groups: Groups, fault: str) -> None:
    with pytest.raises(ValueError, match=f"^isis: {fault}$"):
        Isis(3, groups)


@pytest.mark.parametrize("ordering", (Isis, Mr))
def test_what_is_long_and_the_same_for_all_processes_is_made_once(ordering: type[Isis | Mr]) -> None:
    """Else many processes of many groups would take minutes to make."""
    groups = tuple((first, first + 1) for first in range(99))
    made = ordering(100, groups)
    assert {id(made.process(index).borrow) for index in range(100)} == {id(made.borrow)}
    assert made.memberships[0] == [0]
    assert [*made.memberships[7]] == [6, 7]

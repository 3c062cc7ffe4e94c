"""Mostefaoui and Raynal's ordering is safe and live and agrees with its statements. It needs waits and resynchs."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

import pytest

from mobilesim.protocols.ordering import Groups, Ordering
from mobilesim.protocols.orderings.mr import Mr, Phases, Resynch, cycle
from mobilesim.protocols.packed_vectors import entry
from mobilesim.protocols.state import key, restore, snapshot
from tests.support.orderings.control_runs import ControlRun, LockstepRun, in_groups
from tests.support.orderings.dense_mr import DenseMr, InAnyOrder, OnAnyGraph, Printed, Rebuilt
from tests.support.orderings.multicasts import overlapping

Makes: TypeAlias = Callable[[int, Groups], Ordering]
UNNUMBERED = partial(Mr, numbered=False)
CHANNELS = pytest.mark.parametrize("fifo", (False, True))


def replayed(
    seed: int, *makes: Makes, fifo: bool, groups: Groups = (), patience: int = 0, messages: int = 30
) -> list[ControlRun]:
    """Return runs, after checking that each delivers every message and delivers no message too early."""
    random = Random(seed)
    size = 3 + seed % 4 if not groups else 1 + max(map(max, groups))
    groups = groups or overlapping(random, size, random.randint(1, 5))
    runs = [ControlRun(make(size, groups), size) for make in makes]
    LockstepRun(runs, random, fifo=fifo, patience=patience).run(in_groups(random, groups, messages))
    assert [run.causality.missing for run in runs] == [[]] * len(runs)
    return runs


def broken(make: Makes, seeds: Sequence[int], *, fifo: bool, groups: Groups = ()) -> int:
    """Return the number of executions with a message that is delivered too early or never."""
    count = 0
    for seed in seeds:
        try:
            replayed(seed, make, fifo=fifo, groups=groups)
        except AssertionError:
            count += 1
    return count


def safe_and_live(seeds: Sequence[int], *, fifo: bool) -> int:
    """Check runs for safety and liveness; return the amount of inhibition."""
    return sum(replayed(seed, Mr, fifo=fifo)[0].inhibited for seed in seeds)


@pytest.mark.full
@CHANNELS
def test_mr_delivers_every_message_and_delivers_no_message_too_early(fifo: bool) -> None:  # noqa: FBT001
    assert safe_and_live(range(200), fifo=fifo) > 0


@pytest.mark.slow
@CHANNELS
def test_mr_is_correct_in_thousands_of_executions(fifo: bool) -> None:  # noqa: FBT001
    assert safe_and_live(range(200, 4_000), fifo=fifo) > 0


@pytest.mark.full
def test_mr_needs_no_numbers_on_fifo_channels() -> None:
    for seed in range(200):
        replayed(seed, UNNUMBERED, fifo=True)


@pytest.mark.full
@pytest.mark.parametrize("patience", (0, 20))
@CHANNELS
def test_mr_agrees_with_the_printed_statements(fifo: bool, patience: int) -> None:  # noqa: FBT001
    for seed in range(40):
        optimised, printed = replayed(seed, Mr, DenseMr, fifo=fifo, patience=patience)
        for stamp, twin in zip(optimised.stamps.values(), printed.stamps.values(), strict=True):
            assert_same(stamp, twin)
        for packet, twin in zip(optimised.controls, printed.controls, strict=True):
            assert_same(packet, twin)
        for quick, slow in zip(optimised.mailboxes, printed.mailboxes, strict=True):
            assert quick.process.integers == slow.process.integers


def assert_same(optimised: object, printed: object) -> None:
    assert isinstance(printed, Printed)
    assert isinstance(optimised, Phases | Resynch)
    phases = (optimised.phase,) if isinstance(optimised, Resynch) else unpacked(optimised)
    assert phases == printed.phases
    assert (optimised.sender, optimised.group, optimised.number) == (printed.sender, printed.group, printed.number)


def unpacked(stamp: Phases) -> tuple[int, ...]:
    return tuple(entry(stamp.counts, place) for place in range(stamp.size))


@pytest.mark.full
def test_a_longer_delay_of_resynchs_means_fewer_resynchs_and_longer_waits() -> None:
    prompt = [replayed(seed, Mr, fifo=False, messages=60)[0] for seed in range(60)]
    late = [replayed(seed, Mr, fifo=False, messages=60, patience=50)[0] for seed in range(60)]
    assert sum(len(run.controls) for run in late) < 0.8 * sum(len(run.controls) for run in prompt)
    assert sum(run.inhibited for run in late) > sum(run.inhibited for run in prompt)


@pytest.mark.parametrize(("numbered", "more"), ((True, 1), (False, 0)))
def test_a_header_has_an_integer_for_each_group(numbered: bool, more: int) -> None:  # noqa: FBT001
    groups = ((0, 1, 2), (1, 2, 3), (3, 0), (0, 1, 2, 3))
    (run,) = replayed(1, partial(Mr, numbered=numbered), fifo=True, groups=groups)
    assert {stamp.integers for stamp in run.stamps.values()} == {len(groups) + more}
    assert {packet.integers for packet in run.controls} == {2 + more}


def test_a_restored_process_has_the_state_of_the_original() -> None:
    random, groups = Random(2), ((0, 1, 2), (0, 1))
    run = ControlRun(Mr(3, groups), 3)
    LockstepRun([run], random, fifo=False).run(in_groups(random, groups, 20))
    for mailbox in run.mailboxes:
        assert key(restore(snapshot(mailbox.process))) == key(mailbox.process)


def test_phases_computed_by_regular_increase_are_wrong_for_more_than_two_processes() -> None:
    rebuilt = partial(DenseMr, kind=Rebuilt)
    assert broken(rebuilt, range(60), fifo=True, groups=((0, 1),)) == 0
    assert broken(rebuilt, range(60), fifo=True, groups=((0, 1, 2),)) > 0


def test_messages_that_become_deliverable_together_must_be_ordered() -> None:
    assert broken(partial(DenseMr, kind=InAnyOrder), range(100), fifo=True) > 0


@pytest.mark.parametrize("make", (UNNUMBERED, partial(DenseMr, numbered=False)))
def test_without_numbers_channels_must_be_fifo(make: Makes) -> None:
    assert broken(make, range(40), fifo=False) > 30


def groups_without_cycles(random: Random, size: int) -> Groups:
    """Return groups that form no cycle. Each two of them share at most one process."""
    groups: Groups = ()
    for _ in range(12):
        group = tuple(random.sample(range(size), random.randint(2, 4)))
        if cycle((*groups, group)) is None:
            groups = (*groups, group)
    return groups


@pytest.mark.full
@CHANNELS
def test_stamps_with_the_senders_groups_are_enough_if_groups_form_no_cycle(fifo: bool) -> None:  # noqa: FBT001
    for seed in range(150):
        groups = groups_without_cycles(Random(seed), 9)
        make = partial(Mr, phases="fewest")
        (run,) = replayed(seed, make, fifo=fifo, groups=groups)
        for stamp in run.stamps.values():
            assert stamp.integers == 1 + sum(stamp.sender in group for group in groups)


@pytest.mark.parametrize("groups", (((0, 1, 2), (0, 1, 3)), ((0, 1), (1, 2), (2, 0))))
def test_stamps_with_the_senders_groups_are_not_enough_if_groups_form_a_cycle(groups: Groups) -> None:
    assert broken(OnAnyGraph, range(40), fifo=True, groups=groups) > 0


@pytest.mark.parametrize(
    ("groups", "found"),
    (
        (((0, 1), (1, 2), (1, 3), (4, 5)), None),
        (((0, 1), (2, 3), (1, 2)), None),
        (((0, 1), (1, 2), (2, 0)), (2, 0)),
        (((3, 1, 2), (2, 4, 3)), (1, 2)),
    ),
)
def test_the_cycle_search_returns_the_group_that_closes_a_cycle(groups: Groups, found: tuple[int, int] | None) -> None:
    assert cycle(groups) == found


def test_stamps_with_the_fewest_groups_have_all_groups_if_groups_form_a_cycle() -> None:
    groups = ((0, 1, 2), (1, 2, 3))
    assert cycle(groups) == (1, 1)
    (run,) = replayed(0, partial(Mr, phases="fewest"), fifo=True, groups=groups)
    assert {stamp.integers for stamp in run.stamps.values()} == {1 + len(groups)}


@pytest.mark.parametrize(
    ("destinations", "group", "fault"),
    (
        ((1, 2), 1, "process 0 sends to group 1, but is not a member"),
        ((1,), 0, "a message to group 0 must be for exactly its other members"),
    ),
)
def test_a_message_must_have_all_other_members_of_its_group_as_destinations(
    destinations: tuple[int, ...], group: int, fault: str
) -> None:
    process = Mr(4, ((0, 1, 2), (1, 2, 3))).process(0)
    with pytest.raises(ValueError, match=f"^mr: {fault}$"):
        process.send(destinations, group)


def test_impossible_groups_raise_an_exception() -> None:
    with pytest.raises(ValueError, match=r"^mr: group 1 contains process 3; the processes are 0 to 2$"):
        Mr(3, ((0, 1), (0, 3)))


def test_the_state_includes_a_resynch_that_arrived_early() -> None:
    process = Mr(2, ((0, 1),)).process(1)
    stored = process.integers
    second = Resynch(0, 0, 1, 5)
    process.observe(second)
    assert process.integers == stored + second.integers
    process.observe(Resynch(0, 0, 0, 4))
    assert process.integers == stored

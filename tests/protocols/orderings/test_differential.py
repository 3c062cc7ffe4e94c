"""Differential vectors: fewer integers than `bss` and `isis`, and the same deliveries, also without FIFO channels."""

from collections.abc import Sequence
from functools import partial
from random import Random

import pytest

from mobilesim.conformance.causality import CheckedRun, OvertakenError, checked_run
from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.ordering import Groups, Ordering
from mobilesim.protocols.orderings.vectors.bss import Bss
from mobilesim.protocols.orderings.vectors.differential import (
    BssDifferential,
    ChangedEntries,
    ChangedVectors,
    IsisDifferential,
)
from mobilesim.protocols.orderings.vectors.isis import Isis
from mobilesim.protocols.packed_vectors import entry
from mobilesim.protocols.packets import Message, Stamp
from mobilesim.protocols.state import key, restore, snapshot
from tests.support.orderings.dense_differential import (
    AfterSend,
    DenseDifferential,
    DifferentialProcess,
    OneLatestSend,
    StrictlyLater,
    variant,
)
from tests.support.orderings.dense_vectors import Printed
from tests.support.orderings.multicasts import multicasts, overlapping

QUICK = range(200)
SLOW = pytest.param(range(200, 20_000), marks=pytest.mark.slow)
seeds = pytest.mark.parametrize("seeds", (pytest.param(QUICK, marks=pytest.mark.full), SLOW), ids=("some", "thousands"))


def broadcasts(seed: int) -> tuple[int, list[Event]]:
    size = 2 + seed % 5
    return size, list(multicasts(Random(seed), (tuple(range(size)),), 25, fifo=bool(seed >> 2 & 1)))


def in_groups(seed: int) -> tuple[int, Groups, list[Event]]:
    random, size = Random(seed), 3 + seed % 4
    groups = overlapping(random, size, random.randint(1, 5))
    return size, groups, list(multicasts(random, groups, 30, fifo=bool(seed >> 2 & 1)))


def lockstep(orderings: Sequence[Ordering], size: int, events: Sequence[Event]) -> list[CheckedRun]:
    """Return the runs, after checking that they deliver every message in the same step, and inhibit no message."""
    runs = [CheckedRun(ordering, size) for ordering in orderings]
    for event in events:
        released = [sorted(run.apply(event)) for run in runs]
        assert released.count(released[0]) == len(released)
    assert [(run.inhibited, run.causality.missing) for run in runs] == [(0, [])] * len(runs)
    return runs


def carried(stamp: Stamp) -> dict[int, int]:
    """Return the counts of a stamp that are not 0, by entry."""
    if isinstance(stamp, ChangedEntries):
        return {index: count for index in range(stamp.size) if (count := entry(stamp.counts, index))}
    assert isinstance(stamp, ChangedVectors)
    return {place: count for place, count in enumerate(stamp.counts.tolist()) if count}


def printed(stamp: Stamp, groups: Groups) -> dict[int, int]:
    assert isinstance(stamp, Printed)
    places = [(number, member) for number, group in enumerate(groups) for member in group]
    return {places.index(place): count for place, count in stamp.counts if count}


@seeds
def test_differential_broadcasts_are_delivered_like_complete_ones(seeds: range) -> None:
    for seed in seeds:
        size, events = broadcasts(seed)
        short, _, twin = lockstep((BssDifferential(size), Bss(size), DenseDifferential(size)), size, events)
        for copy, stamp in short.stamps.items():
            assert carried(stamp) == printed(twin.stamps[copy], (tuple(range(size)),))
            assert stamp.integers == 2 * twin.stamps[copy].integers <= 2 * size


@seeds
def test_differential_multicasts_are_delivered_like_complete_ones(seeds: range) -> None:
    for seed in seeds:
        size, groups, events = in_groups(seed)
        orderings = IsisDifferential(size, groups), Isis(size, groups), DenseDifferential(size, groups)
        short, complete, twin = lockstep(orderings, size, events)
        for copy, stamp in short.stamps.items():
            assert carried(stamp) == printed(twin.stamps[copy], groups)
            assert stamp.integers == 2 * twin.stamps[copy].integers <= 2 * complete.stamps[copy].integers
        for quick, slow in zip(short.inboxes, complete.inboxes, strict=True):
            assert quick.process.integers == 2 * slow.process.integers + size


def test_a_message_carries_the_entries_that_differ_from_the_previous_message_to_the_same_process() -> None:
    """The twin without LS and LU: each pair of processes has the last complete stamp of `isis`."""
    for seed in QUICK:
        size, groups, events = in_groups(seed)
        short, complete = lockstep((IsisDifferential(size, groups), Isis(size, groups)), size, events)
        last: dict[tuple[int, int], list[int]] = {}
        for (message, target), stamp in short.stamps.items():
            assert isinstance(stamp, ChangedVectors)
            counts = complete.stamps[message, target].counts.tolist()  # type: ignore[attr-defined]
            before = last.get((stamp.sender, target), [0] * len(counts))
            last[stamp.sender, target] = counts
            changed = {place for place, count in enumerate(counts) if count != before[place]}
            assert carried(stamp).keys() - {stamp.entry} == changed - {stamp.entry}
            assert stamp.carried == len(changed | {stamp.entry})


def test_broadcasts_of_one_process_carry_its_own_count_only() -> None:
    process = BssDifferential(50).process(7)
    others = tuple(other for other in range(50) if other != 7)
    for number in range(3):
        ((_, stamp),) = process.send(others, -1)
        assert (carried(stamp), stamp.integers) == ({7: number} if number else {}, 2)
    assert process.integers == 150


def test_an_answer_carries_the_counts_of_its_sender_and_of_the_question() -> None:
    question, answer = Message(0, 0, (1, 2), 1), Message(1, 1, (0, 2), 1)
    run = CheckedRun(BssDifferential(3), 3)
    story = (Sent(question), Arrived(question, 1), Sent(answer), Arrived(answer, 2), Arrived(question, 2))
    assert [run.apply(event) for event in story] == [[], [0], [], [], [0, 1]]
    assert [run.stamps[1, 2].integers, run.stamps[0, 1].integers] == [4, 2]
    assert carried(run.stamps[1, 2]) == {0: 1}


def test_copies_of_a_multicast_carry_different_entries() -> None:
    """p1 knows its own message to the first group from the answer of p0, and p2 learns of it from the multicast."""
    ordering = IsisDifferential(3, ((0, 1), (0, 1, 2)))
    process, asking = ordering.process(0), ordering.process(1)
    ((_, question),) = asking.send((0,), 0)
    assert isinstance(question, ChangedVectors)
    process.deliver(question)
    process.send((1,), 0)
    stamps = process.send((1, 2), 1)
    assert {targets: (carried(stamp), stamp.integers) for targets, stamp in stamps} == {
        (1,): ({0: 1}, 4),
        (2,): ({0: 1, 1: 1}, 6),
    }
    ((both, stamp),) = process.send((1, 2), 1)
    assert (both, carried(stamp), stamp.integers) == ((1, 2), {2: 1}, 2)


@pytest.mark.parametrize("ordering", (BssDifferential(3), IsisDifferential(3, ((0, 1, 2), (0, 1)))))
def test_a_restored_process_has_the_state_of_the_original(ordering: Ordering) -> None:
    events = list(multicasts(Random(1), ((0, 1, 2),), 10, fifo=False))
    for inbox in checked_run(ordering, 3, events).inboxes:
        assert key(restore(snapshot(inbox.process))) == key(inbox.process)


def overtaken(kind: type[DifferentialProcess], *, fifo: bool) -> int:
    """Return the number of executions of a variant in which a delivery is too early or missing."""
    count = 0
    for seed in range(60):
        random = Random(seed)
        events = list(multicasts(random, ((0, 1, 2), (0, 1, 3), (1, 2, 3)), 25, fifo=fifo))
        try:
            checked_run(variant(kind, 4, ((0, 1, 2), (0, 1, 3), (1, 2, 3))), 4, events)
        except (OvertakenError, AssertionError):
            count += 1
    return count


@pytest.mark.parametrize("fifo", (False, True))
def test_broken_variants_deliver_a_message_too_early(fifo: bool) -> None:  # noqa: FBT001
    for kind in (StrictlyLater, OneLatestSend, AfterSend):
        assert overtaken(kind, fifo=fifo) > 0
    assert overtaken(DifferentialProcess, fifo=fifo) == 0


def test_groups_and_destinations_are_checked_as_in_the_complete_orderings() -> None:
    with pytest.raises(ValueError, match=r"^bss orders broadcasts to 4 other processes, not to 2$"):
        BssDifferential(5).process(0).send((1, 3), -1)
    with pytest.raises(ValueError, match=r"^isis: process 0 sends to group 1, but is not a member$"):
        partial(IsisDifferential, 3, ((0, 1), (1, 2)))().process(0).send((1, 2), 1)

"""PRS with matrices compared with the printed sets and with causality, and the faults of variants as printed."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from mobilesim.conformance.causality import CheckedRun, OvertakenError, checked_run, executions, overtaking_triangle
from mobilesim.conformance.executions import Arrived, Event, Sent, execution
from mobilesim.protocols.mailbox import Inbox
from mobilesim.protocols.ordering import Key, Ordering
from mobilesim.protocols.orderings.prs import Barrier, Numbers, Prs, PrsProcess
from mobilesim.protocols.orderings.prs_broadcast import BroadcastProcess, Latest, PrsBroadcast
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.packets import Copy, Message
from tests.support.orderings.dense_prs import Components, OneComponent, OneSet, OwnComponent, Printed, Sets, SetsProcess

Options = dict[str, Any]
MODES: tuple[Options, ...] = (
    {},
    {"barrier": "union"},
    {"collect": False},
    {"barrier": "union", "collect": False},
)


def components(matrix: Numbers) -> Components:
    return {
        k: frozenset((int(source), int(row[source])) for source in row.nonzero()[0]) for k, row in enumerate(matrix)
    }


class LockStep:
    """One execution with matrices and with sets. All stamps and states must agree."""

    def __init__(self, size: int, options: Options) -> None:
        self.quick = CheckedRun(Prs(size, **options), size)
        self.reference = CheckedRun(Sets(size, **options), size)

    def apply(self, event: Event) -> list[int]:
        released = self.quick.apply(event)
        assert released == self.reference.apply(event)
        if isinstance(event, Sent):
            self.same_stamps(event.message)
        self.same_states(event.target if isinstance(event, Arrived) else event.message.source)
        return released

    def same_stamps(self, message: Message) -> None:
        key = message.id, message.destinations[0]
        quick, reference = self.quick.stamps[key], self.reference.stamps[key]
        assert isinstance(quick, Barrier)
        assert isinstance(reference, Printed)
        assert components(quick.carried) == reference.barrier
        assert (quick.units, quick.integers) == (reference.units, reference.integers)

    def same_states(self, index: int) -> None:
        quick, reference = (run.inboxes[index].process for run in (self.quick, self.reference))
        assert isinstance(quick, PrsProcess)
        assert isinstance(reference, SetsProcess)
        assert components(quick.barrier * (quick.barrier > quick.facts.known)) == reference.component
        assert quick.integers == reference.integers


@pytest.mark.full
@pytest.mark.parametrize("options", MODES, ids=str)
def test_matrices_and_printed_sets_have_the_same_stamps_states_and_deliveries(options: Options) -> None:
    for size, events in executions(range(80)):
        twins = LockStep(size, options)
        assert sum(len(twins.apply(event)) for event in events) == arrivals(events)


@pytest.mark.full
@pytest.mark.parametrize("options", MODES, ids=str)
def test_matrices_and_printed_sets_agree_when_numbers_outgrow_their_type(options: Options) -> None:
    twins, events = LockStep(3, options), [*execution(Random(1), 3, 840, 2, fifo=False)]
    assert sum(len(twins.apply(event)) for event in events) == arrivals(events)
    assert {inbox.process.barrier.dtype for inbox in twins.quick.inboxes if isinstance(inbox.process, PrsProcess)} == {
        np.dtype(np.uint16)
    }


@pytest.mark.slow
@pytest.mark.parametrize("options", MODES, ids=str)
def test_matrices_and_printed_sets_agree_in_thousands_of_executions(options: Options) -> None:
    for size, events in executions(range(1_000, 3_000)):
        twins = LockStep(size, options)
        assert sum(len(twins.apply(event)) for event in events) == arrivals(events)


def arrivals(events: list[Event]) -> int:
    return sum(isinstance(event, Arrived) for event in events)


def test_matrices_and_printed_sets_agree_among_twenty_processes() -> None:
    events = list(execution(Random(1), 20, 40, 19, fifo=False))
    twins = LockStep(20, {})
    assert sum(len(twins.apply(event)) for event in events) == arrivals(events)


@pytest.mark.parametrize("options", MODES, ids=str)
@pytest.mark.parametrize("seeds", (range(300), pytest.param(range(300, 5_000), marks=pytest.mark.slow)), ids=len)
def test_prs_and_rst_release_every_message_as_soon_as_causality_allows(seeds: range, options: Options) -> None:
    for size, events in executions(seeds):
        prs, rst = CheckedRun(Prs(size, **options), size), CheckedRun(Rst(size), size)
        for event in events:
            assert sorted(prs.apply(event)) == sorted(rst.apply(event))
        assert (prs.inhibited, prs.causality.missing) == (0, [])


@pytest.mark.parametrize("options", MODES, ids=str)
def test_in_the_triangle_the_last_message_waits_for_the_first(options: Options) -> None:
    assert released_by(CheckedRun(Prs(3, **options), 3), overtaking_triangle()) == [[], [], [1], [], [], [0, 2]]


def test_the_options_used_in_the_papers_figures_make_stamps_larger() -> None:
    carried = []
    for options in MODES:
        runs = [checked_run(Prs(size, **options), size, events) for size, events in executions(range(50))]
        carried.append(sum(stamp.units for run in runs for stamp in barriers(run)))
    literal, union, uncollected, both = carried
    assert literal < union < both
    assert literal < uncollected < both


def barriers(run: CheckedRun) -> list[Barrier]:
    return [stamp for stamp in run.stamps.values() if isinstance(stamp, Barrier)]


def test_a_bitmap_has_one_bit_per_pair_and_one_integer_per_tuple() -> None:
    ((size, events),) = executions(range(3, 4))
    tuples = barriers(checked_run(Prs(size), size, events))
    bits = barriers(checked_run(Prs(size, encoding="bitmap"), size, events))
    assert [stamp.units for stamp in tuples] == [stamp.units for stamp in bits]
    assert [stamp.integers for stamp in bits] == [1 + -(-size * size // 32) + stamp.units for stamp in tuples]
    assert {stamp.integers for stamp in tuples if not stamp.units} == {1}
    assert max(stamp.units for stamp in tuples) > size


def test_a_send_without_destinations_changes_only_the_message_number() -> None:
    process = Prs(3).process(0)
    process.send((), -1)
    ((_, stamp),) = process.send((1,), -1)
    assert isinstance(stamp, Barrier)
    assert (stamp.number, stamp.units, stamp.integers) == (2, 0, 1)


class CountedCalls(PrsProcess):
    """Counts the calls of `missing`."""

    __slots__ = ("looks",)

    def __init__(self, index: int, options: Prs) -> None:
        super().__init__(index, options)
        self.looks = 0

    def missing(self, stamp: Barrier) -> Key | None:
        self.looks += 1
        return super().missing(stamp)


def test_a_message_of_a_long_backlog_is_examined_at_most_twice() -> None:
    count = 500
    ordering = Prs(2)
    sender, looking = ordering.process(0), CountedCalls(1, ordering)
    receiver: Inbox[Copy] = Inbox(looking)
    copies = [Copy(Message(0, 0, (1,), 1), (1,), sender.send((1,), -1)[0][1]) for _ in range(count)]
    *late, first = copies[::-1]
    assert [receiver.arrive(copy) for copy in late] == [()] * (count - 1)
    assert list(receiver.arrive(first)) == copies
    assert looking.looks == 2 * count - 1


@pytest.mark.parametrize(
    ("options", "output"),
    (
        ({"barrier": "add"}, "barrier must be one of replace, union, not 'add'"),
        ({"encoding": "bits"}, "encoding must be one of tuples, bitmap, not 'bits'"),
    ),
    ids=str,
)
def test_an_unknown_option_value_raises_an_exception(options: Options, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        Prs(3, **options)


def released_by(run: CheckedRun, events: list[Event]) -> list[list[int]]:
    return [run.apply(event) for event in events]


# Section 8.2: broadcasts


def broadcasts(seeds: range) -> Iterator[tuple[int, list[Event]]]:
    """Yield executions of broadcasts, with their sizes."""
    for seed in seeds:
        random = Random(seed)
        size = 3 + seed % 4
        wide = execution(random, size, 25, 1, fifo=False)
        yield size, list(_widened(random, size, wide))


def _widened(random: Random, size: int, events: Iterator[Event]) -> Iterator[Event]:
    """Yield an execution with broadcasts instead of unicasts. The additional copies arrive at random later times."""
    later: list[Arrived] = []
    for event in events:
        source = event.message.source
        others = tuple(process for process in range(size) if process != source)
        message = Message(event.message.id, source, others, 1)
        if isinstance(event, Sent):
            yield Sent(message)
            continue
        yield Arrived(message, event.target)
        later += [Arrived(message, other) for other in others if other != event.target]
        for _ in range(random.randint(0, min(4, len(later)))):
            yield later.pop(random.randrange(len(later)))
    random.shuffle(later)
    yield from later


@pytest.mark.full
def test_the_broadcast_form_sends_at_most_one_tuple_per_process() -> None:
    blocked = 0
    for size, events in broadcasts(range(200)):
        one, matrix = CheckedRun(PrsBroadcast(size), size), CheckedRun(OneSet(size), size)
        for event in events:
            released = one.apply(event)
            assert sorted(released) == sorted(matrix.apply(event))
            blocked += isinstance(event, Arrived) and not released
            if isinstance(event, Sent):
                index = event.message.source
                stamp = one.stamps[event.message.id, event.message.destinations[0]]
                twin = matrix.stamps[event.message.id, event.message.destinations[0]]
                assert isinstance(stamp, Latest)
                assert isinstance(twin, Printed)
                assert frozenset(stamp.carried) == twin.barrier[index]
                assert stamp.integers == 1 + 2 * stamp.units <= 1 + 2 * size
        assert (one.inhibited, one.causality.missing) == (0, [])
    assert blocked > 1_000


def test_the_broadcast_form_has_smaller_stamps_and_the_same_deliveries() -> None:
    for size, events in broadcasts(range(200, 300)):
        one, full = CheckedRun(PrsBroadcast(size), size), CheckedRun(Prs(size), size)
        for event in events:
            assert sorted(one.apply(event)) == sorted(full.apply(event))


def test_the_broadcast_form_keeps_order_between_two_processes() -> None:
    events = list(execution(Random(3), 2, 40, 1, fifo=False))
    assert checked_run(PrsBroadcast(2), 2, events).inhibited == 0


def test_the_broadcast_form_raises_an_exception_for_a_message_that_is_not_a_broadcast() -> None:
    process = PrsBroadcast(4).process(1)
    assert isinstance(process, BroadcastProcess)
    with pytest.raises(ValueError, match="orders broadcasts to 3 other processes, not to 2"):
        process.send((0, 2), -1)
    assert process.integers == 4
    process.send((0, 2, 3), -1)
    assert process.integers == 4 + 2


def short_of_one() -> list[Event]:
    """p0 sends m0 to p1 and, on a slow channel, to p2. p1 receives m0 and sends m1 to p2 and p0."""
    first, second = Message(0, 0, (1, 2), 1), Message(1, 1, (0, 2), 1)
    return [Sent(first), Arrived(first, 1), Sent(second), Arrived(second, 2)]


def two_in_a_row() -> list[Event]:
    first, second = Message(0, 0, (1, 2), 1), Message(1, 0, (1, 2), 1)
    return [Sent(first), Sent(second), Arrived(second, 2)]


@pytest.mark.parametrize(
    ("broken", "events"), ((OneComponent, short_of_one()), (OwnComponent, two_in_a_row())), ids=("one", "own")
)
def test_sending_one_component_for_all_processes_violates_causal_order(
    broken: Callable[[int], Ordering], events: list[Event]
) -> None:
    run = CheckedRun(broken(3), 3)
    with pytest.raises(OvertakenError, match="m1 is delivered to p2 too early"):
        released_by(run, events)
    for mended in (OneSet(3), PrsBroadcast(3)):
        assert released_by(CheckedRun(mended, 3), events)[-1] == []


@pytest.mark.parametrize("broken", (OneComponent, OwnComponent))
def test_random_broadcasts_find_the_fault_of_one_component(broken: Callable[[int], Ordering]) -> None:
    assert any(fails(broken(size), size, events) for size, events in broadcasts(range(20)))


def fails(ordering: Ordering, size: int, events: list[Event]) -> bool:
    run = CheckedRun(ordering, size)
    try:
        released_by(run, events)
    except OvertakenError:
        return True
    return bool(run.causality.missing)


# A sender that is one of its own destinations


def to_oneself(own: tuple[int, ...]) -> list[Event]:
    """p0 sends m0 on slow channels to the destinations `own`, and m1 to p1. p1 receives m1 and sends m2 to p0."""
    first, second, answer = Message(0, 0, own, 1), Message(1, 0, (1,), 1), Message(2, 1, (0,), 1)
    return [Sent(first), Sent(second), Arrived(second, 1), Sent(answer), Arrived(answer, 0)]


def test_a_message_of_a_process_to_itself_can_be_overtaken() -> None:
    run = CheckedRun(Sets(3), 3)
    with pytest.raises(OvertakenError, match="m2 is delivered to p0 too early"):
        released_by(run, to_oneself((0, 2)))


def test_delivering_the_own_copy_at_the_send_prevents_overtaking() -> None:
    run = CheckedRun(Prs(3), 3)
    assert released_by(run, to_oneself((2,))) == [[], [], [1], [], [2]]
    assert run.causality.missing == [(0, 2)]

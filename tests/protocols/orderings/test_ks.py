"""KS with bits, KS with the printed sets, and the minimal sets of section 3.3, which are found by enumeration."""

from collections.abc import Iterator
from itertools import count, islice
from random import Random

import pytest

from mobilesim.conformance.causality import CheckedRun, checked_run, executions
from mobilesim.conformance.executions import Arrived, Event, Sent, execution
from mobilesim.protocols.ordering import Process
from mobilesim.protocols.orderings.ks import Carried, Ks, KsProcess, Pruned, source_and_time
from mobilesim.protocols.packets import Message, Stamp
from tests.support.orderings.dense_ks import Dense, DenseProcess, Printed, Unit, units_of, unpacked
from tests.support.orderings.histories import Watched


def contents(stamp: Stamp, target: int) -> set[Unit]:
    """Return the units of O_M."""
    if isinstance(stamp, Printed):
        return units_of(stamp.log)
    assert isinstance(stamp, Carried)
    own = {(*source_and_time(send), target) for send in stamp.awaited} if isinstance(stamp, Pruned) else set()
    return units_of(unpacked(dict(stamp.entries))) | own


def stored(process: Process) -> set[Unit]:
    assert isinstance(process, DenseProcess | KsProcess)
    return units_of(process.log if isinstance(process, DenseProcess) else unpacked(process.log))


def latest_sends(process: Process) -> list[int]:
    """Return the last send of each process that the process knows."""
    if isinstance(process, DenseProcess):
        return list(dict(sorted(process.log)).values())
    assert isinstance(process, KsProcess)
    return [int(time) for time in process.known]


FIFO = pytest.mark.parametrize("fifo", (False, True))
HARDWARE = pytest.mark.parametrize("hardware", (False, True))


@pytest.mark.parametrize("kind", (Ks, Dense))
@pytest.mark.parametrize("seeds", (range(60), pytest.param(range(60, 1_000), marks=pytest.mark.slow)))
def test_every_copy_and_every_log_has_exactly_the_minimal_set(kind: type[Ks | Dense], seeds: range) -> None:
    for size, events in executions(seeds, messages=25):
        run = Watched(kind(size), size)
        for event in events:
            run.apply(event)
            if isinstance(event, Sent):
                _carries_what_it_must(run, event.message)
            for index, inbox in enumerate(run.inboxes):
                assert stored(inbox.process) == run.history.stored(index)


def _carries_what_it_must(run: Watched, message: Message) -> None:
    for target in message.destinations:
        assert contents(run.stamps[message.id, target], target) == run.history.minimal(message.id, target)


@HARDWARE
@pytest.mark.parametrize("seeds", (range(100), pytest.param(range(100, 4_000), marks=pytest.mark.slow)))
def test_a_message_is_delivered_as_soon_as_causal_order_allows(
    hardware: bool,  # noqa: FBT001
    seeds: range,
) -> None:
    for size, events in executions(seeds, messages=40):
        assert checked_run(Ks(size, hardware=hardware), size, events).inhibited == 0


@pytest.mark.full
@FIFO
@HARDWARE
@pytest.mark.parametrize(("size", "widest"), ((2, 1), (3, 2), (6, 1), (6, 5), (12, 4)))
def test_bits_and_sets_have_the_same_stamps_and_deliveries(
    size: int,
    widest: int,
    hardware: bool,  # noqa: FBT001
    fifo: bool,  # noqa: FBT001
) -> None:
    for seed in range(6):
        optimised, printed = (
            CheckedRun(Ks(size, hardware=hardware), size),
            CheckedRun(Dense(size, hardware=hardware), size),
        )
        for event in execution(Random(seed), size, 60, widest, fifo=fifo):
            assert sorted(optimised.apply(event)) == sorted(printed.apply(event))
        for (number, target), stamp in optimised.stamps.items():
            _agree(stamp, printed.stamps[number, target], target)
        _are_alike(optimised, printed)


def _agree(optimised: Stamp, printed: Stamp, target: int) -> None:
    assert isinstance(optimised, Carried)
    assert isinstance(printed, Printed)
    assert contents(optimised, target) == contents(printed, target)
    assert (optimised.units, optimised.integers) == (printed.units, printed.integers)


def _are_alike(one: CheckedRun, other: CheckedRun) -> None:
    for here, there in zip(one.inboxes, other.inboxes, strict=True):
        assert stored(here.process) == stored(there.process)
        assert latest_sends(here.process) == latest_sends(there.process)
        assert here.process.integers == there.process.integers


@pytest.mark.full
@HARDWARE
def test_a_message_carries_the_complement_of_a_set_if_the_complement_is_smaller(hardware: bool) -> None:  # noqa: FBT001
    for size, events in executions(range(40)):
        thrifty = checked_run(Ks(size, hardware=hardware, complement=True), size, events)
        printed = checked_run(Dense(size, hardware=hardware), size, events)
        for place, stamp in thrifty.stamps.items():
            assert isinstance(stamp, Carried)
            assert (stamp.units, stamp.integers) == _complemented(printed.stamps[place], size)


def _complemented(stamp: Stamp, size: int) -> tuple[int, int]:
    assert isinstance(stamp, Printed)
    return stamp.complemented(size)


@pytest.mark.full
def test_pruning_at_the_receiver_gives_the_same_log_as_pruning_at_the_sender() -> None:
    for size, events in executions(range(40)):
        soft, hard = (CheckedRun(Ks(size, hardware=hardware), size) for hardware in (False, True))
        for event in events:
            assert sorted(soft.apply(event)) == sorted(hard.apply(event))
            _are_alike(soft, hard)


def test_an_unpruned_log_contains_the_logs_of_all_copies() -> None:
    for size, events in executions(range(40)):
        soft, hard = (checked_run(Ks(size, hardware=hardware), size, events).stamps for hardware in (False, True))
        for (number, target), stamp in soft.items():
            assert contents(stamp, target) <= contents(hard[number, target], target)


def changing(random: Random) -> Iterator[Event]:
    """Process 3 joins during the execution. Process 0 leaves, and messages in transit to process 0 never arrive."""
    under_way: list[Arrived] = []
    numbers = count()
    for members in ((0, 1, 2), (0, 1, 2, 3), (1, 2, 3)):
        under_way = [arrival for arrival in under_way if arrival.target in members]
        for number in islice(numbers, 10):
            source, *others = random.sample(members, random.randint(2, len(members)))
            message = Message(number, source, tuple(sorted(others)), 1)
            yield Sent(message)
            under_way += [Arrived(message, target) for target in message.destinations]
            while under_way and random.random() < 0.6:
                yield under_way.pop(random.randrange(len(under_way)))
    yield from under_way


@HARDWARE
def test_processes_may_join_and_leave_during_an_execution(hardware: bool) -> None:  # noqa: FBT001
    for seed in range(100):
        run = CheckedRun(Ks(4, hardware=hardware), 4)
        for event in changing(Random(seed)):
            run.apply(event)
        assert run.inhibited == 0
        assert {target for _, target in run.causality.missing} <= {0}


def test_logs_contain_one_unit_per_source_for_a_process_that_has_left() -> None:
    process = Ks(3).process(0)
    process.send((1, 2), -1)
    for _ in range(5):
        process.send((1,), -1)
    assert stored(process) == {(0, 1, 2), (0, 6, 1)}


def test_copies_with_equal_logs_share_one_stamp() -> None:
    sends = Ks(4).process(0).send((1, 2, 3), -1)
    assert [targets for targets, _ in sends] == [(1, 2, 3)]


def test_more_processes_than_the_number_of_a_send_can_name_raise_an_exception() -> None:
    with pytest.raises(ValueError, match=r"^ks orders at most 1,048,576 processes, not 1,048,577$"):
        Ks((1 << 20) + 1)

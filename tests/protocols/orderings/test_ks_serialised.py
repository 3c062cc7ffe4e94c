"""KS section 7.1: serialised sends have smaller stamps, but a turn needs control messages and delays sends."""

from collections.abc import Sequence
from random import Random

import pytest

from mobilesim.conformance.causality import CheckedRun, OvertakenError
from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.ordering import Key, Ordering
from mobilesim.protocols.orderings.synchronised.ks_serialised import (
    KsSerialised,
    KsSerialisedBroadcast,
    LatestSends,
    Previous,
    SerialisedBroadcastProcess,
)
from mobilesim.protocols.orderings.synchronised.mutual_exclusion import Latest, Send
from mobilesim.protocols.packets import Message, Stamp
from mobilesim.protocols.state import key, restore, snapshot
from tests.support.orderings.control_runs import ControlRun, LockstepRun, Script, TwinnedRun, random_multicasts
from tests.support.orderings.free_turn import FreeBroadcast, FreeMulticast, LatestReceivedSend

CHANNELS = pytest.mark.parametrize("fifo", (False, True))
KINDS = pytest.mark.parametrize(
    ("kind", "twin"), ((KsSerialised, FreeMulticast), (KsSerialisedBroadcast, FreeBroadcast))
)


def replayed(seed: int, kind: type[Ordering], twin: type[Ordering], *, fifo: bool, wide: bool) -> TwinnedRun:
    """Run an ordering and its reference implementation, in which a sender has the turn when the ordering transmits."""
    random, size = Random(seed), 3 + seed % 4
    run = TwinnedRun(kind(size), twin(size), size)
    narrowest = size - 1 if wide else 1
    LockstepRun([run], random, fifo=fifo, patience=seed % 3).run(
        random_multicasts(random, size, 25, narrowest, size - 1)
    )
    assert run.finished
    assert run.twin.causality.missing == []
    return run


@pytest.mark.parametrize(
    "seeds", (range(100), pytest.param(range(100, 2_000), marks=pytest.mark.slow)), ids=("some", "thousands")
)
@CHANNELS
@KINDS
def test_serialised_broadcasts_are_delivered_as_with_turns_at_no_cost(
    kind: type[Ordering],
    twin: type[Ordering],
    fifo: bool,  # noqa: FBT001
    seeds: range,
) -> None:
    runs = [replayed(seed, kind, twin, fifo=fifo, wide=True) for seed in seeds]
    for run in runs:
        assert {number: run.twin.stamps[number, to] for number, to in run.twin.stamps} == run.stamps
    assert sum(run.held for run in runs) > 0
    assert sum(run.inhibited for run in runs) > 0


@pytest.mark.parametrize(
    "seeds", (range(100), pytest.param(range(100, 2_000), marks=pytest.mark.slow)), ids=("some", "thousands")
)
@CHANNELS
def test_serialised_multicasts_are_delivered_as_with_turns_at_no_cost(fifo: bool, seeds: range) -> None:  # noqa: FBT001
    runs = [replayed(seed, KsSerialised, FreeMulticast, fifo=fifo, wide=False) for seed in seeds]
    for run in runs:
        assert {number: run.twin.stamps[number, to] for number, to in run.twin.stamps} == run.stamps
    assert sum(run.inhibited for run in runs) > 0


def test_a_broadcast_has_one_entry_and_a_multicast_has_one_entry_for_each_destination() -> None:
    for seed in range(10):
        size = 3 + seed % 4
        one = replayed(seed, KsSerialisedBroadcast, FreeBroadcast, fifo=False, wide=True)
        many = replayed(seed, KsSerialised, FreeMulticast, fifo=False, wide=True)
        assert max(map(_units, one.stamps.values())) == 1
        assert max(map(_units, many.stamps.values())) == size
        assert max(stamp.integers for stamp in one.stamps.values()) == 3
        assert {stamp.integers for stamp in many.stamps.values()} == {2 * size + 1}


def _units(stamp: Stamp) -> int:
    assert isinstance(stamp, LatestSends | Previous)
    return stamp.units


def test_a_message_to_some_processes_raises_an_exception() -> None:
    with pytest.raises(ValueError, match=r"^serialised broadcasts go to all 2 other processes, not to 1$"):
        KsSerialisedBroadcast(3).process(0).send((1,), -1)


@KINDS
def test_processes_share_no_state_and_can_be_restored(kind: type[Ordering], twin: type[Ordering]) -> None:
    run = replayed(4, kind, twin, fifo=False, wide=True)
    for mailbox in run.mailboxes:
        assert key(restore(snapshot(mailbox))) == key(mailbox)
    assert len({id(part) for mailbox in run.mailboxes for part in _mutable(mailbox.process)}) == 2 * len(run.mailboxes)


def _mutable(process: object) -> list[object]:
    return [getattr(process, name) for name in ("requests", "delivered")]


def test_an_own_broadcast_counts_as_delivered_only_after_the_previous_broadcast() -> None:
    script = Script(KsSerialisedBroadcast(3), 3)
    script.submit(0, 1, 2)
    script.submit(1, 0, 2)
    script.receive(0, 1)
    script.receive(1, 0, place=1)
    assert script.receive(0, 1) == [1]
    script.submit(0, 1, 2)
    script.receive(1, 0, place=1)
    assert script.receive(0, 1) == []
    assert script.receive(1, 0, place=1) == []
    assert script.receive(1, 0) == [0, 2]


class WithoutLatestSend(KsSerialisedBroadcast):
    """The token does not carry the latest send. Each process uses the last send that it has received or made itself."""

    __slots__ = ()

    def process(self, index: int) -> SerialisedBroadcastProcess:
        return WithoutLatestSendProcess(index, self.size)


class WithoutLatestSendProcess(SerialisedBroadcastProcess):
    def __init__(self, index: int, size: int) -> None:
        super().__init__(index, size)
        self.last: Send | None = None

    def stamped(self, destinations: tuple[int, ...], latest: Latest) -> tuple[Stamp, Latest]:
        stamp, after = super().stamped(destinations, (self.last,))
        (self.last,) = after
        return stamp, after

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Previous)
        self.last = stamp.sender, stamp.clock
        return super().deliver(stamp)


def overtaken(make: type[Ordering]) -> int:
    """Return the number of executions in which a delivery is too early. Channels are FIFO."""
    count = 0
    for seed in range(60):
        random = Random(seed)
        try:
            LockstepRun([ControlRun(make(4), 4)], random, fifo=True).run(random_multicasts(random, 4, 25, 3, 3))
        except OvertakenError:
            count += 1
    return count


def test_a_token_without_the_latest_send_violates_causal_order() -> None:
    assert overtaken(WithoutLatestSend) > 0
    assert overtaken(KsSerialisedBroadcast) == 0


def forgotten() -> list[Event]:
    """p1 sends m1 before it receives m0. p2 has received both messages, but the stamp of its m2 names only m1."""
    others = ((1, 2, 3), (0, 2, 3), (0, 1, 3))
    first, second, third = (Message(number, number, targets, 1) for number, targets in enumerate(others))
    heard: list[Event] = [Sent(first), Sent(second), Arrived(first, 2), Arrived(second, 2), Sent(third)]
    return heard + [Arrived(message, 3) for message in (second, third, first)]


def test_turns_at_no_cost_without_the_latest_send_violate_causal_order() -> None:
    with pytest.raises(OvertakenError, match="m2 is delivered to p3 too early"):
        _trial(LatestReceivedSend(4))


def test_a_turn_with_the_latest_send_keeps_causal_order() -> None:
    assert _trial(FreeBroadcast(4)).causality.waiting[3] == []


def _trial(ordering: Ordering) -> CheckedRun:
    run = CheckedRun(ordering, 4)
    for event in forgotten():
        run.apply(event)
    return run

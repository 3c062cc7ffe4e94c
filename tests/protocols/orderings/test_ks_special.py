"""KS section 7.1: less to carry where sends are known to be broadcasts, or to come in turn."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from protocols.machine import Message, Stamp
from protocols.ordering import Key, Ordering
from protocols.orderings.ks import Ks, Pruned
from protocols.orderings.ks_special import (
    Broadcast,
    BroadcastTurnProcess,
    Latest,
    Previous,
    SerialisedBroadcast,
    SerialisedMulticast,
)
from tests.protocols.network import Arrived, Happening, Sent, execution
from tests.protocols.orderings.causality import OvertakenError, Trial, executions, judged


def broadcasts(seeds: range) -> Iterator[tuple[int, list[Happening]]]:
    """As many executions; every message goes to everybody."""
    for seed in seeds:
        random, size = Random(seed), 3 + seed % 4
        drawn = execution(random, size, 25, 1, fifo=False)
        yield (
            size,
            list(_widened(random, size, [happening.message for happening in drawn if isinstance(happening, Sent)])),
        )


def _widened(random: Random, size: int, messages: list[Message]) -> Iterator[Happening]:
    under_way: list[Arrived] = []
    for message in messages:
        others = tuple(process for process in range(size) if process != message.source)
        wide = Message(message.id, message.source, others, 1)
        yield Sent(wide)
        under_way += [Arrived(wide, target) for target in others]
        for _ in range(random.randint(0, 2 * size)):
            if under_way:
                yield under_way.pop(random.randrange(len(under_way)))
    random.shuffle(under_way)
    yield from under_way


@pytest.mark.parametrize("kind", (Broadcast, SerialisedBroadcast, SerialisedMulticast))
def test_broadcasts_keep_causal_order(kind: type[Ordering]) -> None:
    for size, happenings in broadcasts(range(150)):
        judged(kind(size), size, happenings)


def test_broadcasts_that_take_no_turns_are_never_held_back() -> None:
    for size, happenings in broadcasts(range(50)):
        assert judged(Broadcast(size), size, happenings).inhibited == 0


def test_multicasts_in_turn_keep_causal_order() -> None:
    for size, happenings in executions(range(150)):
        judged(SerialisedMulticast(size), size, happenings)


def test_serialised_sends_carry_one_entry_for_a_broadcast_and_one_a_destination_for_a_multicast() -> None:
    for size, happenings in broadcasts(range(10)):
        one, many = (judged(kind(size), size, happenings).stamps for kind in (SerialisedBroadcast, SerialisedMulticast))
        general = judged(Ks(size), size, happenings).stamps
        assert max(map(_units, one.values())) == 1
        assert max(map(_units, many.values())) == size
        assert max(map(_units, general.values())) <= size * size


def _units(stamp: Stamp) -> int:
    assert isinstance(stamp, Pruned | Latest | Previous)
    return stamp.units


def test_what_is_not_a_broadcast_is_refused() -> None:
    with pytest.raises(ValueError, match="not to 1"):
        SerialisedBroadcast(3).process(0).send((1,), -1)


class Oblivious(SerialisedBroadcast):
    """Sends come in turn, but the turn brings no word of the latest; everybody takes for it what was heard last."""

    __slots__ = ()

    def process(self, index: int) -> BroadcastTurnProcess:
        return ObliviousProcess(index, self.size, [None])


class ObliviousProcess(BroadcastTurnProcess):
    __slots__ = ()

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Previous)
        self.turn[0] = stamp.sender, stamp.clock
        return super().deliver(stamp)


def forgotten() -> list[Happening]:
    """p1 takes its turn before it hears m0; p2 has heard both, and names m1 alone."""
    others = ((1, 2, 3), (0, 2, 3), (0, 1, 3))
    first, second, third = (Message(number, number, targets, 1) for number, targets in enumerate(others))
    heard: list[Happening] = [Sent(first), Sent(second), Arrived(first, 2), Arrived(second, 2), Sent(third)]
    return heard + [Arrived(message, 3) for message in (second, third, first)]


def test_sends_in_turn_that_know_nothing_of_each_other_are_not_serialised_enough() -> None:
    with pytest.raises(OvertakenError, match="m2 is delivered to p3 too early"):
        _trial(Oblivious(4))


def test_a_turn_that_brings_the_latest_send_with_it_is() -> None:
    assert _trial(SerialisedBroadcast(4)).causality.waiting[3] == []


def _trial(ordering: Ordering) -> Trial:
    trial = Trial(ordering, 4)
    for happening in forgotten():
        trial.happens(happening)
    return trial


def test_a_broadcast_made_before_the_one_before_has_come_counts_only_after_it() -> None:
    first, own, third = Message(0, 0, (1, 2), 1), Message(1, 1, (0, 2), 1), Message(2, 0, (1, 2), 1)
    trial = Trial(SerialisedBroadcast(3), 3)
    for happening in (Sent(first), Sent(own), Arrived(own, 0), Sent(third), Arrived(third, 1)):
        assert 2 not in trial.happens(happening)
    assert trial.happens(Arrived(first, 1)) == [0, 2]

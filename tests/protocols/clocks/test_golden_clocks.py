"""Short executions by hand for each clock, after the algorithms and examples of their papers."""

from dataclasses import dataclass
from math import prod

import pytest

from mobilesim.protocols.clocks import differential, hybrid
from mobilesim.protocols.clocks.bloom import BloomClock, BloomStamp, hashed
from mobilesim.protocols.clocks.catalogue import CLOCKS
from mobilesim.protocols.clocks.encoded import EncodedClock, primes
from mobilesim.protocols.clocks.hybrid import HybridClock, HybridStamp
from mobilesim.protocols.clocks.interval_tree import IntervalTreeClock, TreeStamp
from mobilesim.protocols.clocks.interval_trees import after_event, halves, identities, joined
from mobilesim.protocols.clocks.lamport import LamportClock, ScalarStamp
from mobilesim.protocols.clocks.links import links_of
from mobilesim.protocols.clocks.logical_clock import CausalRelation, Network, PhysicalTime, compare_stamps
from mobilesim.protocols.clocks.plausible import PlausibleClock, PlausibleStamp

BEFORE, AFTER, CONCURRENT = CausalRelation
UNIT = 1_000_000_000 // 65_536 + 1
"""Nanoseconds that contain one unit of a hybrid clock."""


def complete(size: int) -> Network:
    return Network(links_of([set(range(size)) - {p} for p in range(size)]), PhysicalTime())


# Lamport (1978): IR1 and IR2


def test_a_scalar_clock_advances_beyond_the_time_of_a_received_message() -> None:
    clock = LamportClock()
    assert clock.send([1]) == [ScalarStamp(1)]
    clock.receive(ScalarStamp(5))
    assert clock.time == 6
    clock.receive(ScalarStamp(2))
    assert clock.time == 7


# Kulkarni et al. (2014), figure 5


@dataclass
class SetTime:
    time: int = 0


def test_a_hybrid_clock_follows_physical_time_and_counts_events_at_one_time() -> None:
    now = SetTime(10 * UNIT)
    clock = HybridClock(PhysicalTime(now))
    assert clock.send([1, 2]) == [HybridStamp(10, 0)] * 2
    assert clock.send([1]) == [HybridStamp(10, 1)]
    now.time = 11 * UNIT
    assert clock.send([1]) == [HybridStamp(11, 0)]


@pytest.mark.parametrize(
    ("own", "received", "physical", "result"),
    (
        ((7, 4), (7, 2), 5, (7, 5)),  # l of both: the larger counter plus 1
        ((7, 2), (7, 4), 7, (7, 5)),
        ((9, 4), (7, 6), 5, (9, 5)),  # only the own l
        ((7, 4), (9, 6), 5, (9, 7)),  # only the message's l
        ((7, 4), (8, 6), 9, (9, 0)),  # physical time is ahead of both
    ),
)
def test_a_hybrid_clock_takes_the_latest_time_at_a_receipt(
    own: tuple[int, int], received: tuple[int, int], physical: int, result: tuple[int, int]
) -> None:
    clock = HybridClock(PhysicalTime(SetTime(physical * UNIT)))
    clock.latest, clock.counter = own
    clock.receive(HybridStamp(*received))
    assert (clock.latest, clock.counter) == result


def test_the_offsets_of_physical_clocks_are_spread_evenly() -> None:
    network = complete(3)
    network.physical.source = SetTime(10_000_000_000)
    stamps = [clock.send([1])[0] for clock in hybrid.build(network, offset=1000).processes]
    assert [stamp.latest for stamp in stamps] == [9 * 65_536, 10 * 65_536, 11 * 65_536]


# Torres-Rojas and Ahamad (1999): REV


def test_processes_with_one_entry_of_a_plausible_clock_seem_ordered() -> None:
    first, second, third = (PlausibleClock(process, 2) for process in (0, 1, 2))
    (one,) = first.send([1])
    assert one == PlausibleStamp(0, (1, 0))
    third.send([1])
    (later,) = third.send([1])  # concurrent with `one`, but in the same entry
    assert later == PlausibleStamp(0, (2, 0))
    assert compare_stamps(1, one, later) is BEFORE
    (elsewhere,) = second.send([0])
    assert elsewhere == PlausibleStamp(1, (0, 1))
    assert compare_stamps(1, one, elsewhere) is CONCURRENT


def test_a_scalar_clock_rules_out_an_order_of_shared_entries() -> None:
    """One entry for all processes counts as the scalar clock does; two entries and a scalar know more than either."""
    clocks = [PlausibleClock(process, 2, scalar=True) for process in range(3)]
    for _ in range(3):
        clocks[1].send([0])
    (heard,) = clocks[1].send([0])
    clocks[0].receive(heard)
    (one,) = clocks[0].send([1])
    assert one == PlausibleStamp(0, (2, 4), 6)
    for _ in range(3):
        (other,) = clocks[2].send([1])
    assert other == PlausibleStamp(0, (3, 0), 3)
    assert compare_stamps(1, one, other) is CONCURRENT


# The Bloom clock of Ramabaja, 2019


def test_a_bloom_clock_increments_the_counters_of_its_hash_functions() -> None:
    clock = BloomClock(process=3, counters=5, hashes=2)
    places = [hashed(3, 1, function) % 5 for function in range(2)]
    (stamp,) = clock.send([1])
    assert stamp.counters == tuple(places.count(place) for place in range(5))
    clock.receive(BloomStamp((4, 4, 4, 4, 4)))
    assert sum(clock.counters) == 22


def test_an_order_of_bloom_clocks_is_false_if_other_events_have_incremented_the_same_counters() -> None:
    assert compare_stamps(0, BloomStamp((1, 0, 1)), BloomStamp((2, 1, 1))) is BEFORE
    assert compare_stamps(0, BloomStamp((2, 1, 1)), BloomStamp((1, 0, 1))) is AFTER
    assert compare_stamps(0, BloomStamp((2, 0, 1)), BloomStamp((1, 1, 1))) is CONCURRENT
    assert compare_stamps(0, BloomStamp((1, 0, 1)), BloomStamp((1, 0, 1))) is CONCURRENT


def test_the_hash_of_an_event_is_the_same_in_every_run() -> None:
    assert [hashed(0, 1, 0) % 1000, hashed(0, 1, 1) % 1000, hashed(1, 1, 0) % 1000] == [581, 781, 543]


# The encoded vector clock of Kshemkalyani, Khokhar and Shen, 2018


def number(clock: EncodedClock) -> int:
    return prod(prime**exponent for prime, exponent in zip(primes(3), clock.exponents, strict=True))


def test_an_encoded_clock_is_a_product_of_primes() -> None:
    first, second, third = (EncodedClock(process, 3) for process in range(3))
    first.tick()
    (message,) = first.send([1])
    assert number(first) == 2**2
    second.tick()
    second.receive(message)
    assert number(second) == 2**2 * 3**2  # the least common multiple of 4 and 3, times 3
    (answer,) = second.send([2])
    third.receive(answer)
    assert number(third) == 2**2 * 3**3 * 5
    assert compare_stamps(2, message, answer) is BEFORE
    assert compare_stamps(2, answer, third.send([0])[0]) is BEFORE
    assert compare_stamps(2, first.send([2])[0], answer) is CONCURRENT


@pytest.mark.parametrize(("events", "integers"), ((31, 1), (32, 2), (63, 2), (64, 3), (3_200, 101)))
def test_the_number_of_an_encoded_clock_grows_without_a_limit(events: int, integers: int) -> None:
    clock = EncodedClock(0, 4)  # its prime is 2: an event is a bit
    for _ in range(events):
        clock.tick()
    assert clock.stamp().integers == clock.integers == integers


# The differential vectors of Singhal and Kshemkalyani, 1992


def test_a_message_has_only_the_entries_that_have_changed() -> None:
    first, second, _ = differential.build(complete(3)).processes
    (one,) = first.send([1])
    assert dict(one.changes) == {0: 1}
    second.receive(one)
    to_0, to_2 = second.send([0, 2])
    assert dict(to_0.changes) == dict(to_2.changes) == {0: 1, 1: 2}
    (again,) = second.send([2])
    assert dict(again.changes) == {1: 3}
    assert [each.integers for each in (one, to_2, again)] == [2, 4, 2]


@pytest.mark.parametrize(("answers", "relation"), (("rebuilt", BEFORE), ("carried", CONCURRENT)))
def test_a_message_without_the_changes_of_an_earlier_one_is_compared_only_if_rebuilt(
    answers: str, relation: CausalRelation
) -> None:
    """Meldal, Sankar and Vera (1991), section 6: the ability to compare two messages at a receiver is lost."""
    first, second, third = differential.build(complete(3), answers).processes
    to_second, to_third = first.send([1, 2])
    one = third.receive(to_third)
    second.receive(to_second)
    third.receive(*second.send([2]))
    (unchanged,) = second.send([2])  # does not carry the entry of the first process again
    assert compare_stamps(2, one, third.receive(unchanged)) is relation


# Almeida, Baquero and Fonte (2008): the example of section 5, from a seed to a join that simplifies a tree


def test_interval_tree_clocks_fork_count_join_and_simplify() -> None:
    left, right = halves(1)
    assert (left, right) == ((1, 0), (0, 1))
    left_events, right_events = after_event(left, 0), after_event(right, 0)
    assert (left_events, right_events) == ((0, 1, 0), (0, 0, 1))
    one, other = halves(left)
    assert (one, other) == (((1, 0), 0), ((0, 1), 0))
    right_events = after_event(right, right_events)
    one_events = after_event(one, left_events)
    assert (one_events, right_events) == ((0, (1, 1, 0), 0), (0, 0, 2))
    both = joined(left_events, right_events)
    assert both == (1, 0, 1)
    whole = joined(one_events, both)
    assert whole == (1, (0, 1, 0), 1)
    assert after_event((1, 0), whole) == 2


def test_the_identities_of_processes_divide_the_interval() -> None:
    assert identities(1) == [1]
    assert identities(3) == [((1, 0), 0), ((0, 1), 0), (0, 1)]


def test_the_size_of_an_interval_tree_clock_is_an_integer_and_a_bit_for_each_node() -> None:
    assert TreeStamp(5, (5, 5, 5)).integers == 1 + 1
    assert TreeStamp((0, (1, 1, 0), 0), (2, 1, 0)).integers == 5 + 1
    clock = IntervalTreeClock(((1, 0), 0), 3)
    assert clock.integers == 1 + 1 + 1


def test_every_clock_reports_the_first_of_two_messages_of_one_process() -> None:
    for row in CLOCKS.values():
        network = complete(3)
        network.physical.source = SetTime()
        clocks = row.clocks(network)
        sender, receiver = clocks.processes[:2]
        one, other = (receiver.receive(*sender.send([1])) for _ in range(2))
        assert clocks.compare(1, one, other) is BEFORE
        assert clocks.compare(1, other, one) is AFTER
        assert min(one.integers, other.integers, receiver.integers) >= 0

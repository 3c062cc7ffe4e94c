"""Comparisons of any two events of two processes (Meldal, Sankar and Vera 1991, section 6)."""

from random import Random

import pytest

from mobilesim.protocols.clocks.catalogue import CLOCKS
from mobilesim.protocols.clocks.known_links.allocation import ALLOCATIONS, allocate
from mobilesim.protocols.clocks.logical_clock import Network, PhysicalTime
from tests.support.clocks.events import EventExecution
from tests.support.clocks.execution import fifo, in_any_order
from tests.support.clocks.graphs import bidirectional_ring, linked, random_links, ring, star
from tests.support.clocks.lockstep import ADMITTED, Variant, Wrong, variants

VARIANTS = list(variants())


def wrong_answers(variant: Variant, seed: int, steps: int = 40) -> set[Wrong]:
    random = Random(seed)
    links, physical = random_links(random), PhysicalTime()
    one, other = random.sample(range(links.size), 2)
    clocks = variant.build(Network(links, physical, pairs=((one, other),)))
    execution = EventExecution(links, [clocks], physical)
    execution.live(random, steps, fifo if variant.row.arrivals == "FIFO" else in_any_order)
    found = execution.event_comparisons((one, other))
    return {(true, answer) for true, (answer,) in found if answer is not true}


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.text for variant in VARIANTS])
def test_events_of_two_processes_get_only_the_wrong_answers_that_the_row_admits(variant: Variant) -> None:
    """Gateways need causal order only for arrival times, and without a receiver there are none."""
    for seed in range(100):
        assert wrong_answers(variant, seed) <= ADMITTED[variant.errors]


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.text for variant in VARIANTS])
def test_events_of_two_processes_get_only_admitted_answers_in_20_000_executions(variant: Variant) -> None:
    for seed in range(1_000, 21_000):
        assert wrong_answers(variant, seed) <= ADMITTED[variant.errors]


def test_clocks_that_are_allocated_for_messages_do_not_compare_events_of_other_pairs() -> None:
    """Without the pair, the processes between the two do not keep the clocks that the comparison needs."""
    build, wrong = CLOCKS["allocation 3"].clocks, 0
    for seed in range(100):
        random = Random(seed)
        links, physical = random_links(random), PhysicalTime()
        one, other = random.sample(range(links.size), 2)
        execution = EventExecution(links, [build(Network(links, physical))], physical)
        execution.live(random, 40, in_any_order)
        wrong += sum(true is not answer for true, (answer,) in execution.event_comparisons((one, other)))
    assert wrong > 100


def clock_sets(number: int, *pairs: tuple[int, int]) -> list[set[int]]:
    allocation = allocate(star(3), number, pairs=pairs)
    return [set(allocation.clock_set(process)) for process in range(4)]


@pytest.mark.parametrize("number", ALLOCATIONS[1:])
def test_in_a_star_the_centre_and_the_two_satellites_keep_their_clocks(number: int) -> None:
    assert clock_sets(number, (1, 2)) == [{1, 2}, {1, 2}, {1, 2}, set()]
    assert clock_sets(number, (1, 2), (0, 3)) == [{0, 1, 2, 3}, {1, 2}, {1, 2}, {0, 3}]


def test_all_paths_of_allocation_1_lead_through_every_satellite() -> None:
    assert clock_sets(1, (1, 2)) == [{1, 2}] * 4


@pytest.mark.parametrize("number", ALLOCATIONS)
def test_without_a_path_between_two_processes_no_clock_is_kept(number: int) -> None:
    assert allocate(linked(3, [(0, 1), (0, 2)]), number, pairs=((1, 2),)).clocks == (0, 0, 0)


@pytest.mark.parametrize("number", ALLOCATIONS)
def test_on_a_ring_the_path_to_the_other_process_keeps_a_clock(number: int) -> None:
    clocks = allocate(ring(6), number, pairs=((0, 2),)).clocks
    everywhere = (1 << 0 | 1 << 2,) * 6
    assert clocks == (everywhere if number == 1 else (5, 1, 5, 4, 4, 4))
    assert allocate(bidirectional_ring(6), number, pairs=((0, 2),)).clocks == everywhere


def test_allocations_4_and_5_have_no_gateways_without_a_receiver() -> None:
    for number in (4, 5):
        assert allocate(star(5), number, pairs=((1, 2),)) == allocate(star(5), 3, pairs=((1, 2),))


def test_a_message_carries_only_clocks_that_its_receiver_keeps() -> None:
    allocation = allocate(star(3), 3, pairs=((1, 2),))
    assert [allocation.carried(0, satellite).bit_count() for satellite in (1, 2, 3)] == [2, 2, 0]
    assert allocate(star(3), 2, pairs=((1, 2),)).carried(0, 3).bit_count() == 2

"""The clocks compared with the true happened-before relation, in random executions on random graphs."""

from random import Random

import pytest

from mobilesim.protocols.clocks.known_links.allocation import ALLOCATIONS, allocate, full_vectors
from mobilesim.protocols.clocks.known_links.determination import by_arrivals
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock
from mobilesim.protocols.clocks.logical_clock import CausalRelation
from tests.support.clocks.execution import (
    ArrivalBeforeTick,
    Chooses,
    Execution,
    allocated,
    fifo,
    in_any_order,
    in_causal_order,
)
from tests.support.clocks.graphs import linked, random_links

VECTORS = 0
BUDGETS = (100_000, 0)


def random_execution(seed: int, arrivals: Chooses, budget: int = 100_000, steps: int = 60) -> Execution:
    random = Random(seed)
    links = random_links(random)
    allocations = [full_vectors(links), *(allocate(links, number, budget=budget) for number in ALLOCATIONS)]
    execution = Execution(links, [allocated(allocation) for allocation in allocations])
    execution.live(random, steps, arrivals)
    return execution


def check(seed: int, budget: int) -> int:
    compared = 0
    for arrivals, right in ((in_any_order, (0, 1, 2, 3)), (fifo, (0, 1, 2, 3)), (in_causal_order, (0, 1, 2, 3, 4, 5))):
        execution = random_execution(seed, arrivals, budget)
        assert [(number, execution.wrong_answers(number)) for number in right] == [(number, []) for number in right]
        compared += sum(1 for _ in execution.comparisons())
    return compared


@pytest.mark.full
@pytest.mark.parametrize("budget", BUDGETS)
def test_allocations_1_to_3_agree_with_vectors_and_4_and_5_when_arrivals_are_causal(budget: int) -> None:
    assert sum(check(seed, budget) for seed in range(120)) > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS)
def test_allocations_agree_with_vectors_on_many_more_executions(budget: int) -> None:
    for seed in range(1_000, 4_000):
        check(seed, budget)


@pytest.mark.parametrize("number", (1, 2, 3))
def test_an_allocated_clock_equals_the_vector_clock_in_its_entries(number: int) -> None:
    """Theorem 6."""
    for seed in range(100):
        execution = random_execution(seed, in_any_order)
        kept, vectors = execution.clocks[number].processes, execution.clocks[VECTORS].processes
        for clock, vector in zip(kept, vectors, strict=True):
            assert isinstance(clock, AllocatedClock)
            assert isinstance(vector, AllocatedClock)
            assert clock.times.items() <= vector.times.items()


def test_a_process_without_a_clock_is_in_no_other_clock() -> None:
    """The second footnote of section 4.1."""
    for seed in range(100):
        links = random_links(Random(seed))
        for number in ALLOCATIONS:
            allocation = allocate(links, number)
            for p in range(links.size):
                assert all(allocation.clocks[q] >> q & 1 for q in allocation.clock_set(p))


@pytest.mark.full
@pytest.mark.parametrize("number", (4, 5))
def test_random_executions_find_faults_of_gateways_if_arrivals_are_not_causal(number: int) -> None:
    wrong = [pair for seed in range(120) for pair in random_execution(seed, in_any_order).wrong_answers(number)]
    assert set(wrong) <= {
        (CausalRelation.BEFORE, CausalRelation.CONCURRENT),
        (CausalRelation.AFTER, CausalRelation.CONCURRENT),
    }
    assert len(wrong) > 5


A, B, D, E = range(4)


def test_every_copy_of_a_multicast_precedes_messages_that_depend_on_any_copy() -> None:
    links = linked(4, [(A, B), (A, D), (B, D)])
    for allocation in (full_vectors(links), *(allocate(links, number) for number in ALLOCATIONS)):
        first, second, third = (AllocatedClock(allocation, process) for process in (A, B, D))
        to_b, to_d = first.send((B, D))
        assert (to_b.number, to_d.number) == (1, 1)
        second.receive(to_b)
        kept = third.receive(to_d), third.receive(*second.send((D,)))
        assert by_arrivals(allocation, D, *kept) is CausalRelation.BEFORE


@pytest.mark.parametrize("number", (4, 5))
def test_a_message_overtaken_on_its_link_seems_concurrent_with_later_messages(number: int) -> None:
    execution = execution_with_allocations([(A, D), (B, D), (D, E), (E, D)], number)
    late = execution.send(A, D)
    execution.arrive(execution.send(A, D))
    execution.arrive(execution.send(D, E))
    execution.arrive(execution.send(E, D))
    execution.arrive(late)
    assert execution.wrong_answers(1) == []
    assert execution.wrong_answers(2) == [(CausalRelation.AFTER, CausalRelation.CONCURRENT)]


@pytest.mark.parametrize("number", (4, 5))
def test_fifo_links_do_not_prevent_the_fault_of_gateways(number: int) -> None:
    execution = execution_with_allocations([(A, B), (A, D), (B, D), (D, E), (E, D)], number)
    late = execution.send(A, D)
    execution.arrive(execution.send(A, B))
    execution.arrive(execution.send(B, D))
    execution.arrive(execution.send(D, E))
    execution.arrive(execution.send(E, D))
    execution.arrive(late)
    assert execution.wrong_answers(1) == []
    assert execution.wrong_answers(2) == [(CausalRelation.AFTER, CausalRelation.CONCURRENT)]


def execution_with_allocations(
    pairs: list[tuple[int, int]], number: int, clock: type[AllocatedClock] = AllocatedClock
) -> Execution:
    """Return an execution with three allocations: full vectors, allocation 3, and an allocation with a gateway."""
    links = linked(4, pairs)
    gateways = allocate(links, number, kept=0)
    assert gateways.gateways == 1 << D
    return Execution(links, [allocated(each, clock) for each in (full_vectors(links), allocate(links, 3), gateways)])


@pytest.mark.parametrize(
    ("clock", "wrong"),
    ((AllocatedClock, []), (ArrivalBeforeTick, [(CausalRelation.CONCURRENT, CausalRelation.BEFORE)])),
)
def test_an_arrival_time_taken_before_the_clock_advances_gives_a_wrong_order(
    clock: type[AllocatedClock], wrong: list[tuple[CausalRelation, CausalRelation]]
) -> None:
    execution = execution_with_allocations([(A, D), (B, D), (D, E), (E, D)], 4, clock)
    execution.arrive(execution.send(D, E))
    answer_to_it = execution.send(E, D)
    execution.arrive(execution.send(A, D))
    execution.arrive(answer_to_it)
    assert execution.wrong_answers(2) == wrong

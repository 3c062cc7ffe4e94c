"""The sets of allocations are those of an enumeration of all paths and loops, or supersets if the search is limited."""

from random import Random

import pytest

from mobilesim.protocols.clocks.known_links.allocation import ALLOCATIONS, Allocation, allocate, full_vectors
from mobilesim.protocols.clocks.known_links.blocks import BiconnectedComponents
from mobilesim.protocols.clocks.known_links.path_questions import DirectedPaths
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock
from mobilesim.protocols.clocks.links import Links, links_of, members
from tests.support.clocks import literal
from tests.support.clocks.graphs import both_ways, linked, random_links, star


def sets(rows: tuple[int, ...]) -> literal.Sets:
    return [set(members(row)) for row in rows]


def check(seed: int) -> None:
    links = random_links(Random(seed))
    found = {number: allocate(links, number) for number in ALLOCATIONS}
    assert all(allocation.exact for allocation in found.values())
    assert sets(found[1].clocks) == literal.allocation_1(links)
    assert sets(found[2].clocks) == sets(found[3].clocks) == literal.allocation_2(links)
    assert sets(found[3].observed) == literal.observed(links, sets(found[3].clocks))
    assert sets(found[4].clocks) == literal.allocation_4(links)
    assert sets(found[5].clocks) == literal.allocation_5(links, kept=1)


@pytest.mark.full
def test_the_allocations_are_those_of_the_paper_on_small_graphs() -> None:
    for seed in range(150):
        check(seed)


@pytest.mark.slow
def test_the_allocations_are_those_of_the_paper_on_many_small_graphs() -> None:
    for seed in range(1_000, 3_000):
        check(seed)


def test_both_path_algorithms_agree_on_graphs_with_links_in_both_directions() -> None:
    for seed in range(40):
        random = Random(seed)
        size = random.randint(4, 9)
        pairs = [(p, q) for p in range(size) for q in range(p) if random.random() < 0.35]
        links = linked(size, both_ways(pairs))
        blocks, walks = BiconnectedComponents(links, 10**6), DirectedPaths(links, 10**6)
        for source in range(size):
            for avoided in (0, *(1 << p for p in range(size) if p != source)):
                others = links.all_processes & ~(1 << source)
                assert blocks.on_paths(source, others, avoided) == walks.on_paths(source, others, avoided)
                assert blocks.loops(source, avoided) == walks.loops(source, avoided)
        assert blocks.exact
        assert walks.exact


def contains(larger: Allocation, smaller: Allocation) -> bool:
    return all(some & ~more == 0 for some, more in zip(smaller.clocks, larger.clocks, strict=True))


@pytest.mark.parametrize("number", (2, 3))
def test_with_a_search_budget_of_0_sets_are_supersets_and_only_equal_sets_count_as_exact(number: int) -> None:
    larger = 0
    for seed in range(150):
        links = random_links(Random(seed))
        cheap, dear = allocate(links, number, budget=0), allocate(links, number)
        assert contains(cheap, dear)
        assert contains(allocate(links, 1), cheap)
        assert cheap.exact <= (cheap.clocks == dear.clocks)
        larger += cheap.clocks != dear.clocks
    assert larger


@pytest.mark.parametrize("number", ALLOCATIONS)
def test_large_graphs_with_links_in_both_directions_need_no_budget(number: int) -> None:
    ladder = [(p, p + 1) for p in range(58)] + [(p, p + 2) for p in range(58)]
    assert allocate(linked(60, both_ways(ladder)), number, budget=0).exact


def test_the_centre_of_a_star_observes_itself_and_by_the_papers_definition_every_process() -> None:
    links = star(4)
    allocation = allocate(links, 4)
    assert allocation.obs_set(0) == {0}
    assert literal.observed(links, sets(allocation.clocks))[0] == {0, 1, 2, 3, 4}


def test_a_link_from_a_process_to_itself_is_ignored() -> None:
    assert links_of([{0, 1}, {1}]) == Links(after=(0b10, 0), before=(0, 0b01))


def test_an_allocation_other_than_1_to_5_raises_an_exception() -> None:
    with pytest.raises(ValueError, match="6"):
        allocate(star(3), 6)


def test_with_acyclic_paths_a_clock_may_be_behind_vector_time() -> None:
    """q's clock is kept on the acyclic paths from q to y, since R compares q with y. x is on a path from q to p, but on
    no acyclic path from q to y, because it only leads back to y. So p keeps q's clock, and x does not forward it.
    """
    q, w, p, v, y, x, r = range(7)
    links = linked(7, [(q, w), (w, p), (p, y), (q, v), (v, y), (y, x), (x, p), (y, r), (q, r)])
    found = []
    for allocation in (full_vectors(links), *(allocate(links, number) for number in (1, 2, 3))):
        clocks = [AllocatedClock(allocation, process) for process in range(7)]
        for sender, receiver in ((q, v), (v, y), (y, x), (x, p)):
            (message,) = clocks[sender].send([receiver])
            clocks[receiver].receive(message)
        found.append(clocks[p].times[q])
    assert found == [2, 2, 0, 0]

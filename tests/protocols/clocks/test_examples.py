"""The examples of Meldal, Sankar and Vera (1991): figures 3 and 4, and the networks of section 5."""

import pytest

from mobilesim.protocols.clocks.known_links.allocation import ALLOCATIONS, Allocation, allocate
from mobilesim.protocols.clocks.links import Links
from tests.support.clocks.graphs import bidirectional_ring, both_ways, linked, ring, star, triangles

A, B, C, D, E = range(5)
GATEWAY_AND_SUBNET = linked(5, [(A, D), (B, D), (C, D), (D, E), (E, D)])

# The text does not contain the drawing of figure 3. This graph has the properties in the text: acyclic paths reduce the
# allocation, and gateways reduce it again. A and B send to D, D and E send to each other, and so do C and A.
FIGURE_3 = linked(5, [(A, D), (B, D), *both_ways([(D, E), (A, C)])])


def clock_sets(allocation: Allocation) -> list[set[int]]:
    return [set(allocation.clock_set(p)) for p in range(len(allocation.clocks))]


def obs_sets(allocation: Allocation) -> list[set[int]]:
    return [set(allocation.obs_set(p)) for p in range(len(allocation.clocks))]


def test_figure_3_a_all_paths_include_process_c() -> None:
    assert clock_sets(allocate(FIGURE_3, 1)) == [{A}, {B}, {A}, {A, B}, {A, B}]


def test_figure_3_b_acyclic_paths_omit_process_c() -> None:
    assert clock_sets(allocate(FIGURE_3, 2)) == [{A}, {B}, set(), {A, B}, {A, B}]


def test_figure_3_b_with_a_gateway_fewer_processes_keep_clocks() -> None:
    assert clock_sets(allocate(FIGURE_3, 4)) == [set(), set(), set(), {D}, {D}]


@pytest.mark.parametrize("number", (1, 2, 3))
def test_figure_4_a_without_gateways_the_subnet_keeps_all_clocks_from_outside(number: int) -> None:
    assert clock_sets(allocate(GATEWAY_AND_SUBNET, number)) == [{A}, {B}, {C}, {A, B, C}, {A, B, C}]


@pytest.mark.parametrize("number", (4, 5))
def test_figure_4_b_with_a_gateway_the_subnet_needs_only_the_gateways_clock(number: int) -> None:
    allocation = allocate(GATEWAY_AND_SUBNET, number)
    assert clock_sets(allocation) == [set(), set(), set(), {D}, {D}]
    assert obs_sets(allocation) == [set(), set(), set(), {D}, {D}]
    assert allocation.gateways == 1 << D
    assert [allocation.carried(p, D) for p in (A, B, C, E)] == [0, 0, 0, 1 << D]


def test_allocation_5_omits_the_gateway_if_arrival_times_cost_more_than_clocks() -> None:
    assert allocate(GATEWAY_AND_SUBNET, 5, kept=2) == allocate(GATEWAY_AND_SUBNET, 3)


@pytest.mark.parametrize("satellites", (2, 3, 9, 40))
@pytest.mark.parametrize("number", (4, 5))
def test_in_a_star_processes_keep_only_the_clock_of_the_centre(satellites: int, number: int) -> None:
    links = star(satellites)
    allocation = allocate(links, number)
    assert clock_sets(allocation) == obs_sets(allocation) == [{0}] * (satellites + 1)
    assert allocation.gateways == 1
    assert sum(map(len, clock_sets(allocation))) * (satellites + 1) == links.size**2
    assert {allocation.carried(p, q) for p, q in links.pairs()} == {1}


def test_in_the_hierarchical_triangle_a_process_keeps_the_clocks_of_its_triangles() -> None:
    top, left, right = (0, 1, 2, 3), (1, 4, 5, 6), (3, 7, 8, 9)
    lowest = (5, 10, 11, 12)
    regions = (top, left, right, lowest)
    allocation = allocate(triangles(*regions), 5)
    around = [set().union(*(region for region in regions if p in region)) for p in range(13)]
    assert clock_sets(allocation) == obs_sets(allocation) == around
    assert {p for p in range(13) if allocation.gateways >> p & 1} == {1, 3, 5}


def test_with_100_processes_and_10_neighbours_each_the_saving_is_that_of_section_6() -> None:
    regions = [(apex, *range(9 * apex + 1, 9 * apex + 10)) for apex in range(11)]
    links = triangles(*regions)
    allocation = allocate(links, 5)
    assert links.size == 100
    assert max(map(len, clock_sets(allocation))) <= 20
    assert max(allocation.carried(p, q).bit_count() for p, q in links.pairs()) <= 10


@pytest.mark.parametrize("number", ALLOCATIONS)
@pytest.mark.parametrize("links", (bidirectional_ring(5), bidirectional_ring(12)), ids=("of five", "of twelve"))
def test_a_bidirectional_ring_saves_nothing(links: Links, number: int) -> None:
    allocation = allocate(links, number)
    everybody = set(range(links.size))
    assert clock_sets(allocation) == obs_sets(allocation) == [everybody] * links.size


@pytest.mark.parametrize("number", ALLOCATIONS)
def test_a_unidirectional_ring_needs_no_clock(number: int) -> None:
    assert clock_sets(allocate(ring(7), number)) == [set()] * 7

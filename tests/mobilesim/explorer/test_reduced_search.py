"""The search in arrays agrees with the plain search: on states without reduction, and on faults with reduction."""

import os
from dataclasses import replace

import pytest

from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.exploration import Ending, Exploration
from mobilesim.explorer.reduced_search import ReducedSearch
from mobilesim.explorer.successors import BatchedWorld
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.oracle.verdicts import tolerated_faults
from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.catalogue_rows import OptionValue
from tests.support.mutants.catalogue import BROKEN, HARMLESS, Mutant
from tests.support.protocols.live_worlds import is_at_fault_at_the_end_only
from tests.support.protocols.script import free_location

Configuration = tuple[str, str, int, int, int, int]

NONE: dict[str, OptionValue] = {}
SMALL: dict[str, tuple[str, int, tuple[int, ...], Bounds, dict[str, OptionValue]]] = {
    "av1": ("av1", 2, (0, 1), Bounds(2, 1), NONE),
    "av1 in one cell": ("av1", 2, (0, 0), Bounds(1, 1), NONE),
    "av1, lazy": ("av1", 2, (0, 1), Bounds(1, 2), {"location": "lazy"}),
    "av1, three stations": ("av1", 3, (0, 1), Bounds(1, 1), NONE),
    "rst": ("rst", 2, (0, 1), Bounds(2, 1), NONE),
    "rst, lazy": ("rst", 2, (0, 1), Bounds(2, 1), {"location": "lazy"}),
    "rst, multicast": ("rst", 2, (0, 1, 0), Bounds(2, 0, 2), NONE),
    "fifo": ("fifo", 2, (0, 1), Bounds(2, 1), NONE),
    "channels that keep order": ("av1", 2, (0, 1), Bounds(2, 1, fifo=True), NONE),
    "switching off": ("av1", 2, (0, 1), Bounds(1, 2, drops=True), NONE),
    "av2": ("av2", 2, (0, 1), Bounds(1, 1), NONE),
    "av2, multicast": ("av2", 2, (0, 1, 0), Bounds(1, 0, 2), NONE),
    "av3": ("av3", 2, (0, 0), Bounds(0, 1), {"k": 2}),
    "ab": ("ab", 2, (0, 1), Bounds(1, 1), NONE),
}


# protocol, options, stations, hosts, messages, moves: states, transitions, depth, with reduction
PINNED: dict[Configuration, tuple[int, int, int]] = {
    ("av1", "", 2, 2, 2, 1): (5_038, 9_536, 19),
    ("ab", "", 2, 2, 2, 1): (11_433, 23_747, 23),
    ("av2", "", 2, 2, 2, 1): (12_773, 27_155, 23),
    ("av3", "k", 2, 2, 1, 1): (4_328, 10_107, 18),
}
PINNED_SLOWLY: dict[Configuration, tuple[int, int, int]] = {
    ("av1", "", 2, 2, 2, 2): (117_935, 269_544, 27),
    ("ab", "", 2, 2, 2, 2): (237_060, 587_752, 29),
    ("av3", "k", 2, 2, 2, 1): (67_101, 173_017, 25),
    ("av1", "", 3, 3, 2, 1): (81_677, 157_573, 19),
    ("ab", "", 3, 3, 2, 1): (1_450_360, 4_093_389, 27),
    ("av2", "", 2, 2, 1, 2): (64_805, 149_589, 25),
    ("av2", "", 2, 2, 2, 2): (1_201_172, 3_000_675, 33),
    ("av1", "", 3, 3, 3, 1): (2_775_471, 5_986_509, 27),
    ("av3", "k", 2, 2, 2, 2): (60_063_285, 199_951_515, 37),
}
MEMORY = 12 << 30
"""The required memory in bytes. The largest of these searches takes 9.3 GB."""


def pinned(configuration: Configuration) -> tuple[int, int, int]:
    name, options, stations, hosts, *counts = configuration
    row, homes = ROWS[name], homes_of(stations, hosts)
    system = row.build(stations, homes, {"k": 2} if options else free_location(row))
    bounds = Bounds(counts[0], counts[1], tolerated=tolerated_faults(row.claims))
    search = ReducedSearch(BatchedWorld(system, homes, bounds))
    assert search.search(limit=100_000_000) is Ending.EXHAUSTED
    return search.states, search.transitions, search.depth


@pytest.mark.full
@pytest.mark.parametrize("configuration", PINNED, ids=str)
def test_the_reduced_search_of_a_small_configuration_finds_no_fault(configuration: Configuration) -> None:
    assert pinned(configuration) == PINNED[configuration]


@pytest.mark.slow
@pytest.mark.parametrize("configuration", PINNED_SLOWLY, ids=str)
@pytest.mark.skipif(
    os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") < MEMORY, reason="less than 12 GB of memory"
)
def test_the_reduced_search_of_a_larger_configuration_finds_no_fault(configuration: Configuration) -> None:
    assert pinned(configuration) == PINNED_SLOWLY[configuration]


def world_of(name: str) -> BatchedWorld:
    row, stations, homes, bounds, options = SMALL[name]
    return BatchedWorld(ROWS[row].build(stations, homes, options), homes, bounds)


def array_search(world: BatchedWorld, *, reduced: bool, seed: int = 0) -> ReducedSearch:
    search = ReducedSearch(world, reduced=reduced, seed=seed)
    search.search(10**6)
    return search


def plain_search(name: str) -> Exploration:
    row, stations, homes, bounds, options = SMALL[name]
    return explore(ROWS[row].build, stations, homes, bounds, options)


@pytest.mark.full
@pytest.mark.parametrize("name", SMALL)
def test_the_search_in_arrays_finds_all_states_or_fewer_with_reduction(name: str) -> None:
    plain, world = plain_search(name), world_of(name)
    full, quick = array_search(world, reduced=False), array_search(world, reduced=True)
    assert plain.ending is Ending.EXHAUSTED
    assert full.failed is quick.failed is None
    assert (full.states, full.transitions, full.depth) == (plain.states, plain.transitions, plain.depth)
    assert quick.states <= plain.states
    assert quick.depth <= plain.depth


@pytest.mark.full
def test_the_seed_of_state_keys_does_not_change_the_search() -> None:
    world = world_of("av1")
    assert array_search(world, reduced=True, seed=1).states == array_search(world, reduced=True, seed=2).states


@pytest.mark.full
def test_an_earlier_search_of_the_same_world_does_not_change_a_search() -> None:
    world = BROKEN["single-record"].world
    searches = [ReducedSearch(world, reduced=reduced) for reduced in (False, True, True)]
    searches.append(ReducedSearch(BROKEN["single-record"].world))
    found = [replace(search.explore(10**6), seconds=0) for search in searches]
    assert [search.reduced for search in found] == [False, True, True, True]
    assert found[1] == found[2] == found[3]


@pytest.mark.full
@pytest.mark.parametrize("name", ("unordered", "single-record"))
def test_a_fault_of_the_reduced_search_has_a_shortest_schedule(name: str) -> None:
    mutant = BROKEN[name]
    request = mutant.build, mutant.stations, mutant.homes, mutant.bounds, mutant.options
    plain, found = explore(*request), explore(*request, reduced=True)
    assert (found.schedule, found.fault_kind, found.shortest) == (plain.schedule, plain.fault_kind, True)


@pytest.mark.full
def test_a_deep_fault_has_the_schedule_of_the_reduced_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mobilesim.explorer.api.SHALLOW", 1)
    mutant = BROKEN["single-record"]
    found = explore(mutant.build, 2, (0, 1), mutant.bounds, reduced=True, limit=500)
    assert found.ending is Ending.LIMIT
    quick = explore(mutant.build, 2, (0, 1), mutant.bounds, reduced=True, limit=searched_states(mutant))
    assert (quick.ending, quick.reduced, quick.shortest) == (Ending.FAULT, True, False)
    assert is_at_fault_at_the_end_only(mutant, quick.schedule)


def searched_states(mutant: Mutant) -> int:
    search = ReducedSearch(mutant.world)
    search.search(10**6)
    return search.states


@pytest.mark.full
@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_mutant_has_no_fault(name: str) -> None:
    mutant = HARMLESS[name]
    request = mutant.build, mutant.stations, mutant.homes, mutant.bounds, mutant.options
    found = explore(*request, reduced=True)
    assert (found.ending, found.reduced) == (Ending.EXHAUSTED, True)

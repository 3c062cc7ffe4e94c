"""The explorer and random schedules find a fault of every mutant, and no fault of a harmless mutant."""

from random import Random

import pytest

from mobilesim.conformance.random_schedules import Sizes, random_schedule
from mobilesim.explorer.api import explore
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.reduced_search import ReducedSearch
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.protocols.orderings.prs_stations import PrsStations
from tests.support.mutants.builders import FloodBuilder, FlushBuilder, ProxyBuilder
from tests.support.mutants.catalogue import BEYOND, BROKEN, FAR, HARMLESS, REPEATED
from tests.support.protocols.error_pages import BLOCKS, SEARCHED, generated, picture, picture_file, searched, shown
from tests.support.protocols.live_worlds import is_at_fault_at_the_end_only

pytestmark = pytest.mark.full

UNICAST = Sizes(destinations=(1, 1))
UNMODIFIED: dict[str, ProxyBuilder | FlushBuilder | FloodBuilder] = {
    "proxy": ProxyBuilder(),
    "station": FlushBuilder(),
    "logical": FlushBuilder(k=2),
    "flood": FloodBuilder(),
    "flood by its own numbers": FloodBuilder(ordering=PrsStations),
}
FAULTY = {**BROKEN, **FAR, **REPEATED}


@pytest.mark.parametrize("name", BROKEN)
def test_the_explorer_finds_the_fault_of_a_mutant_that_its_page_shows(name: str) -> None:
    found = searched(BROKEN[name])
    assert found.ending is Ending.FAULT
    assert len(found.schedule) == found.depth
    assert is_at_fault_at_the_end_only(BROKEN[name], found.schedule)
    assert shown(name) == generated(name)
    assert picture_file(name).read_text(encoding="utf-8") == picture(name)


@pytest.mark.parametrize("name", BROKEN)
def test_the_reduced_search_finds_the_fault_of_a_mutant(name: str) -> None:
    world = BROKEN[name].world
    full, quick = (ReducedSearch(world, reduced=reduced) for reduced in (False, True))
    assert full.search(10**6) is quick.search(10**6) is Ending.FAULT
    assert len(searched(BROKEN[name]).schedule) == full.depth <= quick.depth
    for search in (full, quick):
        schedule, _ = search.replay()
        assert len(schedule) == search.depth
        assert is_at_fault_at_the_end_only(BROKEN[name], schedule)


@pytest.mark.parametrize("name", REPEATED)
def test_the_explorer_finds_the_faults_of_rules_omitted_under_other_placements(name: str) -> None:
    assert searched(REPEATED[name]).ending is Ending.FAULT


@pytest.mark.parametrize("name", sorted(SEARCHED))
def test_the_page_lists_the_results_of_the_searches(name: str) -> None:
    assert shown(name) == BLOCKS[name]()


@pytest.mark.parametrize("name", FAR)
def test_a_stored_schedule_has_its_fault_at_its_last_step(name: str) -> None:
    script = FAR[name].script
    before = FAR[name].start
    for action in script.schedule[:-1]:
        before.apply(action)
    assert (before.world.faults, len(script.world.faults)) == ([], 1)
    assert shown(name) == generated(name)
    assert picture_file(name).read_text(encoding="utf-8") == picture(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FAR if name not in BEYOND])
def test_a_long_search_finds_no_shorter_schedule_than_the_stored_one(name: str) -> None:
    mutant = FAR[name]
    search = ReducedSearch(mutant.world, reduced=False)
    assert search.search(limit=20_000_000) is Ending.FAULT
    assert search.depth == len(mutant.script.schedule)


@pytest.mark.parametrize("name", FAULTY)
def test_random_schedules_find_a_fault_of_every_mutant(name: str) -> None:
    mutant = FAULTY[name]
    build, options, sizes = mutant.build, mutant.options, mutant.sizes
    assert any(random_schedule(build, Random(seed), options, sizes).world.faults for seed in range(mutant.seeds))


@pytest.mark.parametrize("name", HARMLESS)
def test_no_schedule_of_a_small_configuration_finds_a_fault_of_a_harmless_mutant(name: str) -> None:
    assert searched(HARMLESS[name]).ending is Ending.EXHAUSTED


@pytest.mark.parametrize(
    "seeds", (range(100), pytest.param(range(100, 2_000), marks=pytest.mark.slow)), ids=("some", "thousands")
)
@pytest.mark.parametrize("name", HARMLESS)
def test_no_random_schedule_finds_a_fault_of_a_harmless_mutant(name: str, seeds: range) -> None:
    mutant = HARMLESS[name]
    sizes = UNICAST if "unicast" in name else Sizes()
    drawn = (random_schedule(mutant.build, Random(seed), mutant.options, sizes) for seed in seeds)
    assert [run.world.faults for run in drawn if run.world.faults] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in HARMLESS if name != "unraised-unicast"])
def test_no_schedule_of_a_larger_configuration_finds_a_fault_of_a_harmless_mutant(name: str) -> None:
    mutant = HARMLESS[name]
    found = explore(mutant.build, 2, (0, 1), mutant.wider, mutant.options)
    assert found.ending is Ending.EXHAUSTED


@pytest.mark.parametrize("unmodified", UNMODIFIED)
def test_the_unmodified_protocols_of_the_mutants_have_no_fault(unmodified: str) -> None:
    builder = UNMODIFIED[unmodified]
    assert explore(builder.build, 2, (0, 1), Bounds(0 if unmodified == "logical" else 1, 1)).ending is Ending.EXHAUSTED
    assert explore(builder.build, 2, (0, 1, 0), Bounds(2, 0, 2)).ending is Ending.EXHAUSTED
    drawn = (random_schedule(builder.build, Random(seed)) for seed in range(200))
    assert [run.world.faults for run in drawn if run.world.faults] == []

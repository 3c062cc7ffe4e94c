"""Every broken variant is caught by every driver; every harmless one passes them all."""

from random import Random

import pytest

from mobilesim.explore import Ending, explore
from mobilesim.schedule import Scope
from mobilesim.storm import Sizes, random_schedule
from tests.protocols.zoo.breed import Breed
from tests.protocols.zoo.specimens import BROKEN, HARMLESS

UNICAST = Sizes(destinations=(1, 1))


@pytest.mark.parametrize("name", BROKEN)
def test_the_explorer_catches_what_is_broken(name: str) -> None:
    specimen = BROKEN[name]
    found = explore(specimen.build, specimen.stations, specimen.homes, specimen.scope, specimen.options)
    assert found.ending is Ending.FAULT
    assert len(found.schedule) == found.depth


@pytest.mark.parametrize("name", BROKEN)
def test_random_schedules_catch_what_is_broken(name: str) -> None:
    specimen = BROKEN[name]
    assert any(random_schedule(specimen.build, Random(seed), specimen.options).world.faults for seed in range(500))


@pytest.mark.parametrize("name", HARMLESS)
def test_no_schedule_of_a_small_configuration_breaks_what_is_harmless(name: str) -> None:
    specimen = HARMLESS[name]
    found = explore(specimen.build, specimen.stations, specimen.homes, specimen.scope, specimen.options)
    assert found.ending is Ending.EXHAUSTED


@pytest.mark.parametrize("name", HARMLESS)
def test_no_random_schedule_breaks_what_is_harmless(name: str) -> None:
    specimen = HARMLESS[name]
    sizes = UNICAST if "unicast" in name else Sizes()
    drawn = (random_schedule(specimen.build, Random(seed), specimen.options, sizes) for seed in range(500))
    assert [run.world.faults for run in drawn if run.world.faults] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in HARMLESS if name != "unraised-unicast"])
def test_no_schedule_of_two_messages_and_two_moves_breaks_what_is_harmless(name: str) -> None:
    specimen = HARMLESS[name]
    found = explore(specimen.build, 2, (0, 1), Scope(2, 2), specimen.options)
    assert found.ending is Ending.EXHAUSTED


def test_the_stock_from_which_the_zoo_breeds_is_healthy() -> None:
    assert explore(Breed().build, 2, (0, 1), Scope(2, 1)).ending is Ending.EXHAUSTED
    assert explore(Breed().build, 2, (0, 1, 0), Scope(2, 0, 2)).ending is Ending.EXHAUSTED
    drawn = (random_schedule(Breed().build, Random(seed)) for seed in range(300))
    assert [run.world.faults for run in drawn if run.world.faults] == []

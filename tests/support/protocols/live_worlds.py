"""Untimed worlds of real machines."""

from collections.abc import Sequence

from mobilesim.explorer.machine_driver import LiveDriver
from mobilesim.explorer.untimed_world import Action, Bounds, UntimedWorld
from protocols.machine import System
from tests.support.mutants.specimens import Specimen


def live_world(system: System, homes: Sequence[int], bounds: Bounds) -> UntimedWorld:
    return UntimedWorld(LiveDriver(system), len(system.stations), tuple(homes), bounds)


def is_at_fault_at_the_end_only(specimen: Specimen, schedule: Sequence[Action]) -> bool:
    system = specimen.build(specimen.stations, specimen.homes, specimen.options)
    world = live_world(system, specimen.homes, specimen.bounds)
    for action in schedule:
        assert world.faults == []
        assert action in world.actions()
        world.apply(action)
    return world.faults != []

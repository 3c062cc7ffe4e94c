"""Untimed worlds of real machines."""

from collections.abc import Sequence

from mobilesim.explorer.machine_driver import LiveDriver
from mobilesim.explorer.untimed_world import Action, Bounds, UntimedWorld
from mobilesim.protocols.machine import System
from tests.support.mutants.catalogue import Mutant


def live_world(system: System, homes: Sequence[int], bounds: Bounds) -> UntimedWorld:
    return UntimedWorld(LiveDriver(system), len(system.stations), tuple(homes), bounds)


def is_at_fault_at_the_end_only(mutant: Mutant, schedule: Sequence[Action]) -> bool:
    system = mutant.build(mutant.stations, mutant.homes, mutant.options)
    world = live_world(system, mutant.homes, mutant.bounds)
    for action in schedule:
        assert world.faults == []
        assert action in world.actions()
        world.apply(action)
    return world.faults != []

"""Untimed worlds of real machines."""

from collections.abc import Sequence

from mobilesim.explorer.machine_driver import LiveDriver
from mobilesim.explorer.untimed_world import Bounds, UntimedWorld
from protocols.machine import System


def live_world(system: System, homes: Sequence[int], bounds: Bounds) -> UntimedWorld:
    return UntimedWorld(LiveDriver(system), len(system.stations), tuple(homes), bounds)

"""Random waypoint (Johnson & Maltz 1996): straight to a place drawn anywhere, at a speed drawn anew, then a pause.

Speeds are more than 0, so the mean speed does not sink to nothing (Yoon, Liu & Noble 2003), and the first position and
speed are those of the steady state (Navidi & Camp 2004), so there is no warm-up.
"""

from collections.abc import Iterator
from math import hypot

from mobilesim.scenario.sections.mobility_models import Waypoint
from mobilesim.world.mobility.models.waypoint_legs import Habit, wander
from mobilesim.world.mobility.segments import Leg, anywhere
from mobilesim.world.plane_cells import Ground
from mobilesim.world.random_streams import Streams


def waypoint(walk: Waypoint, ground: Ground, streams: Streams, host: int) -> Iterator[Leg]:
    stream = streams.stream("movement", host)
    place = anywhere(ground.width, ground.height, stream)
    return wander(Habit(place, hypot(ground.width, ground.height), walk), stream)

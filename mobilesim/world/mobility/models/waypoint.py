"""Random waypoint (Johnson & Maltz 1996): straight to a place drawn anywhere, at a speed drawn anew, then a pause.

Speeds are more than 0, so the mean speed does not sink to nothing (Yoon, Liu & Noble 2003), and the first position and
speed are those of the steady state (Navidi & Camp 2004), so there is no warm-up.
"""

from collections.abc import Iterator
from math import hypot

from mobilesim.scenario.sections.mobility_models import Waypoint
from mobilesim.world.mobility.models.waypoint_segments import WaypointParameters, waypoint_segments
from mobilesim.world.mobility.segments import Segment, anywhere
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def waypoint(walk: Waypoint, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    place = anywhere(plane.width, plane.height, stream)
    return waypoint_segments(WaypointParameters(place, hypot(plane.width, plane.height), walk), stream)

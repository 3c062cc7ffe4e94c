"""Random waypoint (Johnson & Maltz 1996): a host draws a point uniformly, goes straight to this point, and pauses.

The speed is drawn for each segment. Speeds are more than 0, so the mean speed does not decay to 0 (Yoon, Liu & Noble
2003). The first position and speed are those of the steady state (Navidi & Camp 2004), so no warm-up is needed.
"""

from collections.abc import Iterator
from math import hypot

from mobilesim.scenario.sections.mobility_models import Waypoint
from mobilesim.world.mobility.segments import Segment, uniform_point, waypoint_segments
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def segments(settings: Waypoint, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    target = uniform_point(plane.width, plane.height, stream)
    return waypoint_segments(target, hypot(plane.width, plane.height), settings, stream)

"""Hot spot: random waypoint, where many of the places that hosts go to are close to a single one."""

from collections.abc import Iterator
from math import hypot

from mobilesim.scenario.sections.mobility_models import Hotspot
from mobilesim.world.mobility.models.waypoint_segments import WaypointParameters, waypoint_segments
from mobilesim.world.mobility.segments import Segment, anywhere, around, spot
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def hotspot(walk: Hotspot, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    elsewhere = anywhere(plane.width, plane.height, stream)
    there = around(plane, spot(plane, walk.centre, "mobility.hotspot.centre"), walk.radius, stream)

    def place() -> tuple[float, float]:
        return there() if stream.random() < walk.attraction else elsewhere()

    longest = hypot(plane.width, plane.height) if walk.attraction < 1 else 2 * walk.radius
    return waypoint_segments(WaypointParameters(place, longest, walk), stream)

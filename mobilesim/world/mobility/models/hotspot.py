"""Hot spot: random waypoint in which a share of the targets is in a disc around one point."""

from collections.abc import Iterator
from math import hypot

from mobilesim.scenario.sections.mobility_models import Hotspot
from mobilesim.world.mobility.segments import Segment, point_in_disc, point_or_middle, uniform_point, waypoint_segments
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def segments(settings: Hotspot, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    outside = uniform_point(plane.width, plane.height, stream)
    middle = point_or_middle(plane, settings.centre, "mobility.hotspot.centre")
    inside = point_in_disc(plane, middle, settings.radius, stream)

    def target() -> tuple[float, float]:
        return inside() if stream.random() < settings.attraction else outside()

    longest = hypot(plane.width, plane.height) if settings.attraction < 1 else 2 * settings.radius
    return waypoint_segments(target, longest, settings, stream)

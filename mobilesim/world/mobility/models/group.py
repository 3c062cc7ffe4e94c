"""Reference point group mobility (Hong, Gerla, Pei & Chiang 1999): the members of a group walk around its leader.

The leader is no host; it wanders as in random waypoint, so far from the edges that no member has to leave the plane.
Every `step` a member draws a new place beside it, in any direction and at any distance up to `radius`, all equally
likely; it walks straight from one to the next.
"""

from collections.abc import Iterator
from math import cos, hypot, pi, sin

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Group
from mobilesim.world.mobility.models.waypoint_segments import WaypointParameters, waypoint_segments
from mobilesim.world.mobility.segments import Path, Segment, anywhere
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def leader(walk: Group, plane: PlaneCells, streams: Streams, number: int) -> Iterator[Segment]:
    """The way of a group's reference point; each of the members follows it for itself."""
    stream = streams.stream("leader", number)
    width, height = plane.width - 2 * walk.radius, plane.height - 2 * walk.radius
    if min(width, height) <= 0:
        said = f"{walk.radius:g} m around a leader do not fit a plane of {plane.size}"
        raise UserError(f"mobility.group.radius: {said}")
    place = anywhere(plane.width, plane.height, stream, walk.radius)
    return waypoint_segments(WaypointParameters(place, hypot(width, height), walk), stream)


def group(walk: Group, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    ahead = moments(leader(walk, plane, streams, host // walk.size), walk.step)

    def beside() -> tuple[float, float]:
        x, y = next(ahead)
        far, angle = walk.radius * stream.random(), 2 * pi * stream.random()
        return x + far * cos(angle), y + far * sin(angle)

    way = Path(*beside())
    while True:
        yield way.until(way.now + walk.step, *beside())


def moments(segments: Iterator[Segment], step: int) -> Iterator[tuple[float, float]]:
    """Where somebody is at 0, `step`, twice that, and so on."""
    now = 0
    for start, end, x, y, to_x, to_y in segments:
        while now < end:
            done = (now - start) / (end - start)
            yield x + done * (to_x - x), y + done * (to_y - y)
            now += step

"""Reference point group mobility (Hong, Gerla, Pei & Chiang 1999): the members of a group walk around its leader.

The leader is not a host. It moves as in random waypoint, at least `radius` from the edges, so that all members stay on
the plane. After each time `step`, a member draws a new point. Its direction from the leader is uniform, and its
distance is uniform up to `radius`. The member walks straight to this point.
"""

from collections.abc import Iterator
from math import cos, hypot, pi, sin

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Group
from mobilesim.world.mobility.segments import Path, Point, Segment, uniform_point, waypoint_segments
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def segments(settings: Group, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    leader_points = _points(leader(settings, plane, streams, host // settings.size), settings.step)

    def target() -> Point:
        x, y = next(leader_points)
        far, angle = settings.radius * stream.random(), 2 * pi * stream.random()
        return x + far * cos(angle), y + far * sin(angle)

    path = Path(*target())
    while True:
        yield path.until(path.now + settings.step, *target())


def leader(settings: Group, plane: PlaneCells, streams: Streams, number: int) -> Iterator[Segment]:
    """Return the path of a group's leader. Each member draws the same path from the same stream."""
    stream = streams.stream("leader", number)
    width, height = plane.width - 2 * settings.radius, plane.height - 2 * settings.radius
    if min(width, height) <= 0:
        message = f"{settings.radius:g} m around a leader do not fit a plane of {plane.size}"
        raise UserError(f"mobility.group.radius: {message}")
    target = uniform_point(plane.width, plane.height, stream, settings.radius)
    return waypoint_segments(target, hypot(width, height), settings, stream)


def _points(path: Iterator[Segment], step: int) -> Iterator[Point]:
    """Yield the points of a path at 0, `step`, twice `step`, and so on."""
    now = 0
    for segment in path:
        while now < segment.end:
            yield segment.at(now)
            now += step

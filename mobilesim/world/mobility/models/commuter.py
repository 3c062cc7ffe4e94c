"""Commuters: a host goes from its home to its workplace in the morning rush hour, and back in the evening rush hour.

The times of both departures are drawn for each day. If a host is still travelling at such a time, it departs as soon
as it arrives.
"""

from collections.abc import Iterator
from math import hypot
from random import Random

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Commuter
from mobilesim.world.mobility.segments import Path, Point, Segment, point_in_disc, uniform_point, uniform_speed
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def segments(settings: Commuter, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    """Yield the path from the start of the scenario on. The model's path begins at the midnight before."""
    for segment in _days(settings, plane, streams, host):
        if (rest := segment.counted_from(settings.start_time)) is not None:
            yield rest


def _days(settings: Commuter, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    speed = uniform_speed(settings, stream)
    home, work = uniform_point(plane.width, plane.height, stream)(), _workplace(settings, plane, stream)
    path, today = Path(*home), 0
    while True:
        for hour, target in ((settings.morning, work), (settings.evening, home)):
            yield from path.stay(today + hour + int(stream.random() * settings.rush) - path.now)
            yield path.to(*target, speed())
        today += settings.day


def _workplace(settings: Commuter, plane: PlaneCells, stream: Random) -> Point:
    if settings.downtown is None:
        return uniform_point(plane.width, plane.height, stream)()
    if settings.downtown >= hypot(plane.width, plane.height) / 2:
        message = f"all of a plane of {plane.size} is within {settings.downtown:g} m of its middle"
        raise UserError(f"mobility.commuter.downtown: {message}; write less, or leave this key out")
    return point_in_disc(plane, (plane.width / 2, plane.height / 2), settings.downtown, stream)()

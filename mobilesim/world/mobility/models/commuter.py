"""Commuters: each has a home and a place of work, goes to work in the rush hour of the morning, and back in that of the
evening. Every day it leaves at a moment drawn anew. Who has not arrived by then leaves when he does.
"""

from collections.abc import Iterator
from math import hypot
from random import Random

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Commuter
from mobilesim.world.mobility.segments import Path, Segment, anywhere, around, since
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def commuter(walk: Commuter, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    """The first day begins at midnight, and most of it may lie before the scenario."""
    for segment in _days(walk, plane, streams, host):
        if (rest := since(segment, walk.start_time)) is not None:
            yield rest


def _days(walk: Commuter, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    random, faster = stream.random, walk.max_speed - walk.min_speed
    home, work = anywhere(plane.width, plane.height, stream)(), _work(walk, plane, stream)
    way, today = Path(*home), 0
    while True:
        for hour, place in ((walk.morning, work), (walk.evening, home)):
            yield from way.stay(today + hour + int(random() * walk.rush) - way.now)
            yield way.to(*place, walk.min_speed + random() * faster)
        today += walk.day


def _work(walk: Commuter, plane: PlaneCells, stream: Random) -> tuple[float, float]:
    if walk.downtown is None:
        return anywhere(plane.width, plane.height, stream)()
    if walk.downtown >= hypot(plane.width, plane.height) / 2:
        said = f"all of a plane of {plane.size} is within {walk.downtown:g} m of its middle"
        raise UserError(f"mobility.commuter.downtown: {said}; write less, or leave it out")
    return around(plane, (plane.width / 2, plane.height / 2), walk.downtown, stream)()

"""Stampede: hosts go to one place at the same time, and later go home. With `interval`, stampedes repeat."""

from collections.abc import Iterator

from mobilesim.scenario.sections.mobility_models import Stampede
from mobilesim.world.mobility.segments import (
    FOR_EVER,
    Path,
    Segment,
    point_in_disc,
    point_or_middle,
    uniform_point,
    uniform_speed,
)
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams, sampler


def segments(settings: Stampede, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    speed = uniform_speed(settings, stream)
    home = uniform_point(plane.width, plane.height, stream)()
    middle = point_or_middle(plane, settings.centre, "mobility.stampede.centre")
    target = point_in_disc(plane, middle, settings.radius, stream)
    reaction, stay = sampler(settings.reaction, stream), sampler(settings.stay, stream)
    path, moment = Path(*home), settings.start_time
    while moment < FOR_EVER:
        takes_part, delay, point = stream.random() < settings.share, reaction(), target()
        if takes_part:
            yield from path.stay(moment + delay - path.now)
            yield path.to(*point, speed())
            yield from path.stay(stay())
            yield path.to(*home, speed())
        moment += settings.interval or FOR_EVER
        if not takes_part and settings.interval:
            yield from path.stay(moment - path.now)
    yield from path.stay(FOR_EVER)

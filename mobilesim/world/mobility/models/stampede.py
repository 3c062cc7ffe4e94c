"""Stampede: at one moment all hosts, or a share of them, make for one place; later each goes home, and stays there."""

from collections.abc import Iterator

from mobilesim.scenario.sections.mobility_models import Stampede
from mobilesim.world.mobility.segments import FOR_EVER, Path, Segment, anywhere, around, spot
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams, sampler


def stampede(walk: Stampede, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    random, faster = stream.random, walk.max_speed - walk.min_speed
    home = anywhere(plane.width, plane.height, stream)()
    there = around(plane, spot(plane, walk.centre, "mobility.stampede.centre"), walk.radius, stream)
    reaction, stay = sampler(walk.reaction, stream), sampler(walk.stay, stream)
    way, moment = Path(*home), walk.start_time
    while moment < FOR_EVER:
        takes_part, waits, place = random() < walk.share, reaction(), there()
        if takes_part:
            yield from way.stay(moment + waits - way.now)
            yield way.to(*place, walk.min_speed + random() * faster)
            yield from way.stay(stay())
            yield way.to(*home, walk.min_speed + random() * faster)
        moment += walk.interval or FOR_EVER
        if not takes_part and walk.interval:
            yield from way.stay(moment - way.now)
    yield from way.stay(FOR_EVER)

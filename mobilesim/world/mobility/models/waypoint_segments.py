"""Straight from one place to the next, at a speed drawn anew each time, with pauses: what several models share.

It begins in the steady state (Navidi & Camp 2004, whatever places are drawn from): at time 0 a host pauses as often as
at any time later, and else is on a segment that is drawn with a chance in proportion to the time it takes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot, log
from random import Random

from mobilesim.scenario.sections.mobility_models import Pausing
from mobilesim.world.mobility.segments import SECOND, Draw, Path, Segment
from mobilesim.world.random_streams import sampler
from mobilesim.world.residual_time import residual


@dataclass(frozen=True, slots=True)
class WaypointParameters:
    """`longest`: no two places that are drawn are further apart."""

    place: Draw
    longest: float
    pace: Pausing


def waypoint_segments(habit: WaypointParameters, stream: Random) -> Iterator[Segment]:
    random, place, pace = stream.random, habit.place, habit.pace
    min_speed, faster = pace.min_speed, pace.max_speed - pace.min_speed
    pause = sampler(pace.pause, stream)
    way, first = _begin(habit, stream)
    yield from first
    while True:
        yield from way.stay(pause())
        yield way.to(*place(), min_speed + random() * faster)


def _begin(habit: WaypointParameters, stream: Random) -> tuple[Path, list[Segment]]:
    """Start in the steady state: the rest of a pause and a segment, or the rest of a segment.

    Segments are proposed as if all had the greatest length, and accepted in proportion to their length.
    """
    random, place, pace = stream.random, habit.place, habit.pace
    while True:
        if is_pausing(pace, habit.longest, stream):
            way = Path(*place())
            rest = way.stay(residual(pace.pause, stream))
            return way, [*rest, way.to(*place(), pace.min_speed + random() * (pace.max_speed - pace.min_speed))]
        (x, y), (to_x, to_y) = place(), place()
        if random() * habit.longest < hypot(to_x - x, to_y - y):
            done = random()
            way = Path(x + done * (to_x - x), y + done * (to_y - y))
            return way, [way.to(to_x, to_y, steady_speed(pace.min_speed, pace.max_speed, stream))]


def is_pausing(pace: Pausing, length: float, stream: Random) -> bool:
    """Whether somebody who pauses after every segment, all of that length, is met in a pause."""
    moving, pausing = length * _mean_inverse(pace.min_speed, pace.max_speed), pace.pause.mean / SECOND
    return stream.random() * (moving + pausing) < pausing


def steady_speed(min_speed: float, max_speed: float, stream: Random) -> float:
    """Of somebody who is met under way: slow segments take longer."""
    return float(min_speed * (max_speed / min_speed) ** stream.random())


def _mean_inverse(min_speed: float, max_speed: float) -> float:
    return 1 / min_speed if min_speed == max_speed else log(max_speed / min_speed) / (max_speed - min_speed)

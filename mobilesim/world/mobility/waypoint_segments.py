"""Straight from one point to the next at a speed drawn for each segment, with pauses: shared by several models.

A path begins in the steady state (Navidi & Camp 2004, for any distribution of points): at time 0 a host pauses with the
long-run probability of a pause, and else is on a segment that is drawn in proportion to the time that it takes.
"""

from collections.abc import Iterator
from math import hypot, log
from random import Random

from mobilesim.scenario.sections.mobility_models import Pausing
from mobilesim.world.mobility.segments import SECOND, DrawPoint, Path, Segment, uniform_speed
from mobilesim.world.random_streams import residual_time, sampler


def waypoint_segments(target: DrawPoint, longest: float, settings: Pausing, stream: Random) -> Iterator[Segment]:
    """`longest`: the greatest distance between two targets."""
    speed, pause = uniform_speed(settings, stream), sampler(settings.pause, stream)
    path, first = _begin(target, longest, settings, stream)
    yield from first
    while True:
        yield from path.stay(pause())
        yield path.to(*target(), speed())


def _begin(target: DrawPoint, longest: float, settings: Pausing, stream: Random) -> tuple[Path, list[Segment]]:
    """Start in the steady state: the rest of a pause and a segment, or the rest of a segment.

    Segments are proposed as if all had the greatest length, and accepted in proportion to their length.
    """
    while True:
        if is_pausing(settings, longest, stream):
            path = Path(*target())
            rest = path.stay(residual_time(settings.pause, stream))
            return path, [*rest, path.to(*target(), uniform_speed(settings, stream)())]
        (x, y), (to_x, to_y) = target(), target()
        if stream.random() * longest < hypot(to_x - x, to_y - y):
            done = stream.random()
            path = Path(x + done * (to_x - x), y + done * (to_y - y))
            return path, [path.to(to_x, to_y, steady_speed(settings, stream))]


def is_pausing(settings: Pausing, length: float, stream: Random) -> bool:
    """Draw whether a host that pauses after every segment of that length is pausing at a random moment."""
    moving, pausing = length * _mean_inverse(settings.min_speed, settings.max_speed), settings.pause.mean / SECOND
    return stream.random() * (moving + pausing) < pausing


def steady_speed(settings: Pausing, stream: Random) -> float:
    """Draw the speed of a moving host at a random moment: slow segments take longer."""
    slowest, fastest = settings.min_speed, settings.max_speed
    return float(slowest * (fastest / slowest) ** stream.random())


def _mean_inverse(slowest: float, fastest: float) -> float:
    return 1 / slowest if slowest == fastest else log(fastest / slowest) / (fastest - slowest)

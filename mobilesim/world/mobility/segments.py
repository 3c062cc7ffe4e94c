"""Paths on a plane: sequences of straight segments with constant speeds.

In several models, hosts move straight from point to point and pause at each point. The speed is drawn for each segment.
Such a path begins in the steady state (Navidi & Camp 2004, for any distribution of points). The probability of a pause
at time 0 is the long-run share of pauses. If the host does not pause, it is on a segment that is drawn with a
probability in proportion to the segment's duration.
"""

from collections.abc import Callable, Iterator
from math import ceil, cos, hypot, log, pi, sin, sqrt
from random import Random
from typing import Final, NamedTuple

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Paced, Pausing
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import residual_time, sampler

SECOND: Final = 1_000_000_000
FOR_EVER: Final = 1 << 61

Point = tuple[float, float]


class Segment(NamedTuple):
    """A movement from (x, y) at `start` to (to_x, to_y) at `end`, in metres and nanoseconds; or a pause at (x, y)."""

    start: int
    end: int
    x: float
    y: float
    to_x: float
    to_y: float

    def at(self, moment: int) -> Point:
        if moment >= self.end:
            return self.to_x, self.to_y
        share = (moment - self.start) / (self.end - self.start)
        return self.x + share * (self.to_x - self.x), self.y + share * (self.to_y - self.y)

    def counted_from(self, moment: int) -> "Segment | None":
        """Return the part of the segment after `moment`, with `moment` as time 0; None if there is no such part."""
        start, end = self.start - moment, self.end - moment
        if start >= 0 or end <= 0:
            return self._replace(start=start, end=end) if end > 0 else None
        x, y = self.at(moment)
        return self._replace(start=0, end=end, x=x, y=y)


class Path:
    """Builds segments. Each begins at the end of the last segment. Every movement takes at least a nanosecond."""

    def __init__(self, x: float, y: float) -> None:
        self.now = 0
        self.x = x
        self.y = y

    def until(self, end: int, x: float, y: float) -> Segment:
        segment = Segment(self.now, end, self.x, self.y, x, y)
        self.now, self.x, self.y = end, x, y
        return segment

    def to(self, x: float, y: float, speed: float) -> Segment:
        return self.until(self.now + max(1, ceil(hypot(x - self.x, y - self.y) / speed * SECOND)), x, y)

    def stay(self, time: int) -> Iterator[Segment]:
        if time > 0:
            yield self.until(self.now + time, self.x, self.y)


DrawPoint = Callable[[], Point]


def uniform_point(width: float, height: float, stream: Random, margin: float = 0.0) -> DrawPoint:
    random = stream.random
    wide, high = width - 2 * margin, height - 2 * margin
    return lambda: (margin + random() * wide, margin + random() * high)


def point_in_disc(plane: PlaneCells, middle: Point, radius: float, stream: Random) -> DrawPoint:
    """Return a function that draws uniformly from a disc. A point outside the plane is moved to the plane's edge."""
    random = stream.random

    def draw() -> Point:
        far, angle = radius * sqrt(random()), 2 * pi * random()
        x, y = middle[0] + far * cos(angle), middle[1] + far * sin(angle)
        return min(max(x, 0.0), plane.width), min(max(y, 0.0), plane.height)

    return draw


def uniform_speed(settings: Paced, stream: Random) -> Callable[[], float]:
    random, slowest, span = stream.random, settings.min_speed, settings.max_speed - settings.min_speed
    return lambda: slowest + random() * span


def point_or_middle(plane: PlaneCells, point: Point | None, key: str) -> Point:
    """Return the point that a scenario sets by `key`, or the middle of the plane if `point` is None."""
    if point is None:
        return plane.width / 2, plane.height / 2
    if point[0] > plane.width or point[1] > plane.height:
        where = f"({point[0]:g} m, {point[1]:g} m)"
        raise UserError(f"{key}: {where} is outside of the plane of {plane.size}; write less")
    return point


def mirrored(at: float, most: float) -> float:
    """Mirror a coordinate at 0 and at `most` until it is between 0 and `most`."""
    at %= 2 * most
    return 2 * most - at if at > most else at


def waypoint_segments(target: DrawPoint, longest: float, settings: Pausing, stream: Random) -> Iterator[Segment]:
    """Yield segments from target to target. `longest`: the greatest distance between two targets."""
    speed, pause = uniform_speed(settings, stream), sampler(settings.pause, stream)
    path, first = _begin(target, longest, settings, stream)
    yield from first
    while True:
        yield from path.stay(pause())
        yield path.to(*target(), speed())


def _begin(target: DrawPoint, longest: float, settings: Pausing, stream: Random) -> tuple[Path, list[Segment]]:
    """Return a path in the steady state, and its first segments: the rest of a pause and a segment, or the rest of a
    segment.

    This is rejection sampling: pauses are drawn as if all segments had the greatest length, and then a segment is
    accepted with a probability in proportion to its length.
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
    """Draw whether a host is pausing at a random time, if it pauses after segments that all have this length."""
    moving, pausing = length * _mean_inverse(settings.min_speed, settings.max_speed), settings.pause.mean / SECOND
    return stream.random() * (moving + pausing) < pausing


def steady_speed(settings: Pausing, stream: Random) -> float:
    """Draw the speed of a moving host at a random time. Slow speeds are more likely: slow segments take longer."""
    slowest, fastest = settings.min_speed, settings.max_speed
    return float(slowest * (fastest / slowest) ** stream.random())


def _mean_inverse(slowest: float, fastest: float) -> float:
    return 1 / slowest if slowest == fastest else log(fastest / slowest) / (fastest - slowest)

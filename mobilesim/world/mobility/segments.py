"""Ways on a plane: straight, at a constant speed, one segment after the other."""

from collections.abc import Callable, Iterator
from math import ceil, cos, hypot, pi, sin, sqrt
from random import Random
from typing import Final, NamedTuple

from mobilesim.errors import UserError
from mobilesim.world.plane_cells import PlaneCells

SECOND: Final = 1_000_000_000
FOR_EVER: Final = 1 << 61


class Segment(NamedTuple):
    """From a place at `start` to a place at `end`, which may be the same; metres and nanoseconds."""

    start: int
    end: int
    x: float
    y: float
    to_x: float
    to_y: float

    def at(self, moment: int) -> tuple[float, float]:
        if moment >= self.end:
            return self.to_x, self.to_y
        share = (moment - self.start) / (self.end - self.start)
        return self.x + share * (self.to_x - self.x), self.y + share * (self.to_y - self.y)


class Path:
    """Where somebody is by now, who walks on. Every segment takes some time, however little."""

    __slots__ = ("now", "x", "y")

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


Draw = Callable[[], tuple[float, float]]
"""What draws places."""


def anywhere(width: float, height: float, stream: Random, margin: float = 0.0) -> Draw:
    random = stream.random
    wide, high = width - 2 * margin, height - 2 * margin
    return lambda: (margin + random() * wide, margin + random() * high)


def around(plane: PlaneCells, place: tuple[float, float], radius: float, stream: Random) -> Draw:
    """All of a disc alike; what of it lies outside of the plane counts as its edge."""
    random = stream.random

    def draw() -> tuple[float, float]:
        far, angle = radius * sqrt(random()), 2 * pi * random()
        x, y = place[0] + far * cos(angle), place[1] + far * sin(angle)
        return min(max(x, 0.0), plane.width), min(max(y, 0.0), plane.height)

    return draw


def spot(plane: PlaneCells, place: tuple[float, float] | None, key: str) -> tuple[float, float]:
    """The place that a scenario names, or else the middle of the plane."""
    if place is None:
        return plane.width / 2, plane.height / 2
    if place[0] > plane.width or place[1] > plane.height:
        where = f"({place[0]:g} m, {place[1]:g} m)"
        raise UserError(f"{key}: {where} is outside of the plane of {plane.size}; write less")
    return place


def folded(at: float, most: float) -> float:
    """Mirrored at 0 and at `most`, as often as needed."""
    at %= 2 * most
    return 2 * most - at if at > most else at


def since(segment: Segment, moment: int) -> Segment | None:
    """What is left of a segment from a moment on, which is 0 from now on; None if it is over by then."""
    start, end = segment.start - moment, segment.end - moment
    if start >= 0 or end <= 0:
        return segment._replace(start=start, end=end) if end > 0 else None
    x, y = segment.at(moment)
    return segment._replace(start=0, end=end, x=x, y=y)

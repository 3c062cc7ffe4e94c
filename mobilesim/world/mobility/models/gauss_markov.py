"""Gauss-Markov (Liang & Haas 1999; Camp, Boleng & Davies 2002): speed and direction remember what they were.

Each is a stationary Gaussian process from the first step on. Within `margin` of an edge the mean direction of a host
turns inwards, as a mirror would turn it, and its direction follows; a step that would end outside is mirrored itself.
"""

from collections.abc import Iterator
from math import cos, log, pi, radians, sin, sqrt

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import GaussMarkov
from mobilesim.world.mobility.segments import SECOND, Path, Segment, folded
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def gauss_markov(walk: GaussMarkov, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    random, kept, fresh = stream.random, walk.memory, sqrt(1 - walk.memory * walk.memory)
    turn, margin, step, seconds = radians(walk.turn), walk.margin, walk.step, walk.step / SECOND
    deviation, drift = walk.deviation, (1 - kept) * walk.speed
    width, height = plane.width, plane.height
    if margin >= max(width, height):
        said = f"all of a plane of {plane.size} is within {margin:g} m of every edge"
        raise UserError(f"mobility.gauss_markov.margin: {said}, and nowhere is inwards; write less")
    way, mean = Path(random() * width, random() * height), 2 * pi * random()
    speed, direction = stream.gauss(walk.speed, deviation), stream.gauss(mean, turn)
    while True:
        far = max(0.0, speed) * seconds
        x, y = way.x + far * cos(direction), way.y + far * sin(direction)
        if not 0 <= x <= width:
            x, direction, mean = folded(x, width), pi - direction, pi - mean
        if not 0 <= y <= height:
            y, direction, mean = folded(y, height), -direction, -mean
        yield way.until(way.now + step, x, y)
        if not (margin <= x <= width - margin and margin <= y <= height - margin):
            mean = _inwards(way, mean, margin, plane)
            direction = mean + _half_turn(direction - mean)
        angle, far = 2 * pi * random(), sqrt(-2 * log(1 - random()))  # two normal variates (Box & Muller 1958)
        speed = kept * speed + drift + fresh * (far * cos(angle) * deviation)
        direction = kept * direction + (1 - kept) * mean + fresh * (far * sin(angle) * turn)


def _inwards(way: Path, mean: float, margin: float, plane: PlaneCells) -> float:
    if cos(mean) * _inward(way.x, margin, plane.width) < 0:
        mean = pi - mean
    if sin(mean) * _inward(way.y, margin, plane.height) < 0:
        mean = -mean
    return mean


def _inward(at: float, margin: float, most: float) -> int:
    """1 near 0, -1 near `most`; 0 where none of the edges is near, or both are."""
    return (at < margin) - (at > most - margin)


def _half_turn(angle: float) -> float:
    """The same angle, of half a turn at most."""
    return (angle + pi) % (2 * pi) - pi

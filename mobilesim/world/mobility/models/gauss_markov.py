"""Gauss-Markov (Liang & Haas 1999; Camp, Boleng & Davies 2002): speed and direction depend on their last values.

Speed and direction are stationary Gaussian processes from the first step on. Within `margin` of an edge, the mean
direction of a host is mirrored so that it points inwards. The direction then approaches the mean direction. A step that
would end outside the plane is mirrored at the edge.
"""

from collections.abc import Iterator
from math import cos, log, pi, radians, sin, sqrt

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import GaussMarkov
from mobilesim.world.mobility.segments import SECOND, Path, Segment, mirrored
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def segments(settings: GaussMarkov, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    random, kept, fresh = stream.random, settings.memory, sqrt(1 - settings.memory * settings.memory)
    turn, margin, step, seconds = radians(settings.turn), settings.margin, settings.step, settings.step / SECOND
    deviation, drift = settings.deviation, (1 - kept) * settings.speed
    width, height = plane.width, plane.height
    if margin >= max(width, height):
        message = f"all of a plane of {plane.size} is within {margin:g} m of every edge"
        raise UserError(f"mobility.gauss_markov.margin: {message}, and no direction is inwards; write less")
    path, mean = Path(random() * width, random() * height), 2 * pi * random()
    speed, direction = stream.gauss(settings.speed, deviation), stream.gauss(mean, turn)
    while True:
        far = max(0.0, speed) * seconds
        x, y = path.x + far * cos(direction), path.y + far * sin(direction)
        if not 0 <= x <= width:
            x, direction, mean = mirrored(x, width), pi - direction, pi - mean
        if not 0 <= y <= height:
            y, direction, mean = mirrored(y, height), -direction, -mean
        yield path.until(path.now + step, x, y)
        if not (margin <= x <= width - margin and margin <= y <= height - margin):
            mean = _inwards(path, mean, margin, plane)
            direction = mean + ((direction - mean + pi) % (2 * pi) - pi)  # at most half a turn from the mean
        angle, far = 2 * pi * random(), sqrt(-2 * log(1 - random()))  # two normal variates (Box & Muller 1958)
        speed = kept * speed + drift + fresh * (far * cos(angle) * deviation)
        direction = kept * direction + (1 - kept) * mean + fresh * (far * sin(angle) * turn)


def _inwards(path: Path, mean: float, margin: float, plane: PlaneCells) -> float:
    if cos(mean) * _inward(path.x, margin, plane.width) < 0:
        mean = pi - mean
    if sin(mean) * _inward(path.y, margin, plane.height) < 0:
        mean = -mean
    return mean


def _inward(at: float, margin: float, most: float) -> int:
    """Return the sign of the inward direction: 1 near 0, -1 near `most`, and 0 near both edges or near none."""
    return (at < margin) - (at > most - margin)

"""Truncated Lévy walk (Rhee, Shin, Hong, Lee, Kim & Chong 2011): flights and pauses have truncated power-law tails.

Directions are uniform, and the edges of the plane mirror flights. So positions are uniform from time 0 on. The
duration of a flight of length l is proportional to l to the power of 1 - `speed_exponent`. A path begins in the steady
state: the flight or pause at time 0 is drawn with a probability in proportion to its duration. The steady state exists,
because truncated distributions have means.
"""

from collections.abc import Iterator
from math import cos, expm1, log, pi, sin
from random import Random

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Levy
from mobilesim.world.mobility.segments import SECOND, Path, Segment, mirrored
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def segments(settings: Levy, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    random = stream.random
    if settings.max_flight > 10_000 * min(plane.width, plane.height):
        message = f"{settings.max_flight:g} m is far too long for a plane of {plane.size}; write less"
        raise UserError(f"mobility.levy.max_flight: {message}")
    path = Path(random() * plane.width, random() * plane.height)

    def pause(exponent: float, part: float = 1.0) -> Iterator[Segment]:
        return path.stay(max(1, int(part * power_law(exponent, settings.min_pause, settings.max_pause, stream))))

    def fly(exponent: float, part: float = 1.0) -> Iterator[Segment]:
        length = power_law(exponent, settings.min_flight, settings.max_flight, stream)
        speed = settings.speed * (length / settings.min_flight) ** settings.speed_exponent
        angle, rest = 2 * pi * random(), part * length
        return flight(path, plane, (rest * cos(angle), rest * sin(angle)), speed)

    if random() < _flying(settings):
        yield from fly(settings.exponent - 1 + settings.speed_exponent, 1.0 - random())
    else:
        yield from pause(settings.pause_exponent - 1, 1.0 - random())
        yield from fly(settings.exponent)
    while True:
        yield from pause(settings.pause_exponent)
        yield from fly(settings.exponent)


def _flying(settings: Levy) -> float:
    """Return the long-run share of time for which a host is in flight."""
    least, most = settings.min_flight, settings.max_flight
    flown = least / settings.speed * _mean(settings.exponent, most / least, 1.0 - settings.speed_exponent)
    shortest, longest = settings.min_pause, settings.max_pause
    paused = shortest / SECOND * _mean(settings.pause_exponent, longest / shortest, 1.0)
    return flown / (paused + flown)


def _mean(exponent: float, most: float, power: float) -> float:
    """Return the mean of x to the power of `power`, for power-law x between 1 and `most`."""
    return _area(power - exponent, most) / _area(-exponent, most) if most > 1 else 1.0


def _area(power: float, most: float) -> float:
    """Return the integral of x to the power of `power` - 1 from 1 to `most`."""
    return expm1(power * log(most)) / power if power else log(most)


def power_law(exponent: float, least: float, most: float, stream: Random) -> float:
    """Draw X between `least` and `most`: P(X > x) falls like x to the power of -exponent; for 0, like log(most / x)."""
    if abs(exponent) < 1e-9:
        return float(least * (most / least) ** stream.random())
    top, bottom = (least / most) ** exponent, 1.0
    return float(least * (bottom - stream.random() * (bottom - top)) ** (-1 / exponent))


def flight(path: Path, plane: PlaneCells, by: tuple[float, float], speed: float) -> Iterator[Segment]:
    """Yield the segments of a flight. At each edge, the flight is mirrored, and a new segment begins."""
    x, y = path.x, path.y
    for part in sorted({*_reflections(x, by[0], plane.width), *_reflections(y, by[1], plane.height), 1.0}):
        yield path.to(mirrored(x + part * by[0], plane.width), mirrored(y + part * by[1], plane.height), speed)


def _reflections(at: float, by: float, most: float) -> Iterator[float]:
    """Yield the fractions of a flight at which it reaches an edge."""
    if by == 0:
        return
    low, high = sorted((at, at + by))
    edge = most * (int(low // most) + 1)
    while edge < high:
        yield (edge - at) / by
        edge += most

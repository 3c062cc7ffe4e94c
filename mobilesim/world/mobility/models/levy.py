"""Truncated Lévy walk (Rhee, Shin, Hong, Lee, Kim & Chong 2011): flights and pauses have power-law tails, cut off.

Directions are uniform, and the edges mirror, so that all places are equally likely from the start. A flight of length l
takes as long as l to the power of 1 - `speed_exponent`. Where tails are cut off, flights and pauses have means, and
there is a steady state, in which it begins: what is under way at time 0 is drawn with a chance in proportion to its
time.
"""

from collections.abc import Iterator
from math import cos, expm1, log, pi, sin
from random import Random
from typing import Final

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Levy
from mobilesim.world.mobility.segments import SECOND, Path, Segment, folded
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams

_FLAT: Final = 1e-9
_MIRRORED: Final = 10_000
"""So often at most, between two edges."""


def levy(walk: Levy, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    random = stream.random
    if walk.max_flight > _MIRRORED * min(plane.width, plane.height):
        size = f"{plane.width:g} m x {plane.height:g} m"
        raise UserError(
            f"mobility.levy.max_flight: {walk.max_flight:g} m is far too long for a plane of {size}; write less"
        )
    way = Path(random() * plane.width, random() * plane.height)

    def pause(exponent: float, part: float = 1.0) -> Iterator[Segment]:
        return way.stay(max(1, int(part * power_law(exponent, walk.min_pause, walk.max_pause, stream))))

    def fly(exponent: float, part: float = 1.0) -> Iterator[Segment]:
        length = power_law(exponent, walk.min_flight, walk.max_flight, stream)
        speed, angle, rest = (
            walk.speed * (length / walk.min_flight) ** walk.speed_exponent,
            2 * pi * random(),
            part * length,
        )
        return flight(way, plane, (rest * cos(angle), rest * sin(angle)), speed)

    if random() < _flying(walk):
        yield from fly(walk.exponent - 1 + walk.speed_exponent, 1.0 - random())
    else:
        yield from pause(walk.pause_exponent - 1, 1.0 - random())
        yield from fly(walk.exponent)
    while True:
        yield from pause(walk.pause_exponent)
        yield from fly(walk.exponent)


def _flying(walk: Levy) -> float:
    """Which part of the time."""
    paused = walk.min_pause / SECOND * _mean(walk.pause_exponent, walk.max_pause / walk.min_pause, 1.0)
    flown = (
        walk.min_flight
        / walk.speed
        * _mean(walk.exponent, walk.max_flight / walk.min_flight, 1.0 - walk.speed_exponent)
    )
    return flown / (paused + flown)


def _mean(exponent: float, most: float, power: float) -> float:
    """Of the values to that power, where the least is 1."""
    return _area(power - exponent, most) / _area(-exponent, most) if most > 1 else 1.0


def _area(power: float, most: float) -> float:
    """Below x to the power of `power` - 1, from 1 to `most`."""
    return expm1(power * log(most)) / power if power else log(most)


def power_law(exponent: float, least: float, most: float, stream: Random) -> float:
    """P(X > x) falls as x to the power of -exponent between `least` and `most`; where that is 0, as log(most / x)."""
    if abs(exponent) < _FLAT:
        return float(least * (most / least) ** stream.random())
    top, bottom = (least / most) ** exponent, 1.0
    return float(least * (bottom - stream.random() * (bottom - top)) ** (-1 / exponent))


def flight(way: Path, plane: PlaneCells, by: tuple[float, float], speed: float) -> Iterator[Segment]:
    """One segment to each edge that mirrors it, and the rest."""
    x, y = way.x, way.y
    for part in sorted({*_meetings(x, by[0], plane.width), *_meetings(y, by[1], plane.height), 1.0}):
        yield way.to(folded(x + part * by[0], plane.width), folded(y + part * by[1], plane.height), speed)


def _meetings(at: float, by: float, most: float) -> Iterator[float]:
    """After which parts of a flight it is at an edge."""
    if by == 0:
        return
    low, high = sorted((at, at + by))
    edge = most * (int(low // most) + 1)
    while edge < high:
        yield (edge - at) / by
        edge += most

"""Truncated Lévy walk (Rhee, Shin, Hong, Lee, Kim & Chong 2011): flights and pauses have power-law tails, cut off.

Directions are uniform, and the edges mirror, so that all places are equally likely from the start. A flight of length l
takes as long as l to the power of 1 - `haste`. The first pause begins at time 0.
"""

from collections.abc import Iterator
from math import cos, pi, sin
from random import Random
from typing import Final

from mobilesim.errors import UserError
from mobilesim.scenario.walks import Levy
from mobilesim.streams import Streams
from mobilesim.world.ground import Ground
from mobilesim.world.movement.legs import Leg, Way, folded

_MIRRORED: Final = 10_000
"""So often at most, between two edges."""


def levy(walk: Levy, ground: Ground, streams: Streams, host: int) -> Iterator[Leg]:
    stream = streams.stream("movement", host)
    random = stream.random
    if walk.longest > _MIRRORED * min(ground.width, ground.height):
        size = f"{ground.width:g} m x {ground.height:g} m"
        raise UserError(f"mobility.levy.longest: {walk.longest:g} m is far too long for a plane of {size}; write less")
    way = Way(random() * ground.width, random() * ground.height)
    while True:
        pause = power_law(walk.pause_exponent, walk.shortest_pause, walk.longest_pause, stream)
        yield from way.stay(max(1, int(pause)))
        length = power_law(walk.exponent, walk.shortest, walk.longest, stream)
        speed, angle = walk.speed * (length / walk.shortest) ** walk.haste, 2 * pi * random()
        yield from flight(way, ground, (length * cos(angle), length * sin(angle)), speed)


def power_law(exponent: float, least: float, most: float, stream: Random) -> float:
    """P(X > x) falls as x to the power of -exponent between `least` and `most`."""
    top, bottom = (least / most) ** exponent, 1.0
    return float(least * (bottom - stream.random() * (bottom - top)) ** (-1 / exponent))


def flight(way: Way, ground: Ground, by: tuple[float, float], speed: float) -> Iterator[Leg]:
    """One leg to each edge that mirrors it, and the rest."""
    x, y = way.x, way.y
    for part in sorted({*_meetings(x, by[0], ground.width), *_meetings(y, by[1], ground.height), 1.0}):
        yield way.to(folded(x + part * by[0], ground.width), folded(y + part * by[1], ground.height), speed)


def _meetings(at: float, by: float, most: float) -> Iterator[float]:
    """After which parts of a flight it is at an edge."""
    if by == 0:
        return
    low, high = sorted((at, at + by))
    edge = most * (int(low // most) + 1)
    while edge < high:
        yield (edge - at) / by
        edge += most

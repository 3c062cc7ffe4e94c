"""Places in text to metres. Of degrees: a plane that touches the Earth (WGS 84) at one point.

Within 100 km of that point places are off by less than a percent of their distance from it; towards the poles by more.
"""

from math import cos, radians, sin, sqrt
from typing import Final, NamedTuple

from mobilesim.tracks.numerals import Unreadable, metres, number, quoted

_AXIS: Final = 6_378_137.0
_FLATTENING: Final = 1 / 298.257223563
_SQUARED: Final = _FLATTENING * (2 - _FLATTENING)
_TURN: Final = 360.0


class Zero(NamedTuple):
    """What becomes (0, 0): of metres, and of longitudes and latitudes if it is not the first point."""

    metres: tuple[float, float] = (0.0, 0.0)
    degrees: tuple[float, float] | None = None


class Plane:
    """Metres already."""

    __slots__ = ("_zero",)

    def __init__(self, zero: Zero) -> None:
        self._zero = zero.metres

    def place(self, x: str, y: str) -> tuple[float, float]:
        return metres(x) - self._zero[0], metres(y) - self._zero[1]


class Projection:
    """Around the first point that is asked for, unless one was given."""

    __slots__ = ("_east", "_latitude", "_longitude", "_north")

    def __init__(self, zero: Zero) -> None:
        self._longitude: float | None = None
        if zero.degrees is not None:
            self._touch(*zero.degrees)

    def place(self, longitude: str, latitude: str) -> tuple[float, float]:
        """Metres to the east and to the north, the shorter way round the Earth."""
        east, north = degrees(longitude, "longitude", _TURN / 2), degrees(latitude, "latitude", _TURN / 4)
        if self._longitude is None:
            self._touch(east, north)
        assert self._longitude is not None
        turned = (east - self._longitude + 1.5 * _TURN) % _TURN - _TURN / 2
        return turned * self._east, (north - self._latitude) * self._north

    def _touch(self, longitude: float, latitude: float) -> None:
        narrowing = 1 - _SQUARED * sin(radians(latitude)) ** 2
        self._longitude, self._latitude = longitude, latitude
        self._east = radians(_AXIS / sqrt(narrowing) * cos(radians(latitude)))
        self._north = radians(_AXIS * (1 - _SQUARED) / narrowing**1.5)


def degrees(text: str, what: str, limit: float) -> float:
    value = number(text)
    if not -limit <= value <= limit:
        raise Unreadable(f"{quoted(text)} is no {what}; it is given in degrees, from {-limit:g} to {limit:g}")
    return value

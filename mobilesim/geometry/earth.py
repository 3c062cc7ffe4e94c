"""Places on Earth as metres on a plane."""

from math import asin, cos, hypot, radians, sin, sqrt
from typing import Final, NamedTuple

RADIUS: Final = 6_371_008.8  # the mean one, in metres

# WGS 84.
_AXIS: Final = 6_378_137.0
_FLATTENING: Final = 1 / 298.257223563
_SQUARED: Final = _FLATTENING * (2 - _FLATTENING)
_TURN: Final = 360.0


class Place(NamedTuple):
    """In degrees, north and east."""

    latitude: float
    longitude: float

    def distance(self, other: "Place") -> float:
        """Along the great circle."""
        one, two = radians(self.latitude), radians(other.latitude)
        across = sqrt(cos(one) * cos(two)) * sin(radians(other.longitude - self.longitude) / 2)
        return 2 * RADIUS * asin(min(1.0, hypot(sin((two - one) / 2), across)))


class Tangent:
    """A plane that touches the Earth at one place. Meant for a city or a region: within 60 km of there, and up to 60
    degrees of latitude, places are off by less than a percent of their distance from it; farther away by more.
    """

    __slots__ = ("_at", "_east", "_north")

    def __init__(self, at: Place) -> None:
        narrowing = 1 - _SQUARED * sin(radians(at.latitude)) ** 2
        self._at = at
        self._east = radians(_AXIS / sqrt(narrowing) * cos(radians(at.latitude)))
        self._north = radians(_AXIS * (1 - _SQUARED) / narrowing**1.5)

    def metres(self, latitude: float, longitude: float) -> tuple[float, float]:
        """To the east and to the north of where it touches, the shorter way round the Earth."""
        turned = (longitude - self._at.longitude + 1.5 * _TURN) % _TURN - _TURN / 2
        return turned * self._east, (latitude - self._at.latitude) * self._north

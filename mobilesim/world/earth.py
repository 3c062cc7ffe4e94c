"""Places on Earth as metres on a plane."""

from math import asin, cos, hypot, radians, sin, sqrt
from typing import Final, NamedTuple

RADIUS: Final = 6_371_008.8  # the mean one, in metres


class Place(NamedTuple):
    """In degrees, north and east."""

    latitude: float
    longitude: float

    def metres(self, other: "Place") -> tuple[float, float]:
        """How far east and north the other place is, were the Earth flat and touched here. Meant for a city or a
        country: along a parallel 200 km north or south of here it is wrong by some 5 per cent in Europe.
        """
        east = (other.longitude - self.longitude + 180) % 360 - 180
        north = other.latitude - self.latitude
        return RADIUS * radians(east) * cos(radians(self.latitude)), RADIUS * radians(north)

    def distance(self, other: "Place") -> float:
        """Along the great circle."""
        one, two = radians(self.latitude), radians(other.latitude)
        across = sqrt(cos(one) * cos(two)) * sin(radians(other.longitude - self.longitude) / 2)
        return 2 * RADIUS * asin(min(1.0, hypot(sin((two - one) / 2), across)))

"""Distances between geographic coordinates (WGS 84), and their projection onto a plane."""

from math import asin, cos, hypot, radians, sin, sqrt
from typing import Final, NamedTuple

_AXIS: Final = 6_378_137.0
_FLATTENING: Final = 1 / 298.257223563
_ECCENTRICITY_SQUARED: Final = _FLATTENING * (2 - _FLATTENING)
_DIAMETER: Final = 2 * 6_371_008.8  # of the sphere with the mean radius


class GeoPoint(NamedTuple):
    """A point on the earth, in degrees to the north and to the east."""

    latitude: float
    longitude: float

    def ecef(self) -> tuple[float, float, float]:
        """Return Earth-centred, Earth-fixed coordinates, in metres."""
        north, east = radians(self.latitude), radians(self.longitude)
        normal = _AXIS / sqrt(1 - _ECCENTRICITY_SQUARED * sin(north) ** 2)
        across = normal * cos(north)
        return across * cos(east), across * sin(east), (1 - _ECCENTRICITY_SQUARED) * normal * sin(north)

    def distance(self, other: "GeoPoint") -> float:
        (x, y, z), (to_x, to_y, to_z) = self.ecef(), other.ecef()
        return _arc(hypot(to_x - x, to_y - y, to_z - z))


class TangentPlane:
    """The plane that touches the Earth at a reference point, with axes to the east and to the north (ENU).

    The projection preserves the direction and the distance of each point from the reference point. Distances between
    other points have an error of up to 0.01 % within 60 km of the reference point, and of up to 0.5 % within 1,000 km.
    """

    def __init__(self, reference: GeoPoint) -> None:
        north, east = radians(reference.latitude), radians(reference.longitude)
        self._origin = reference.ecef()
        self._east = -sin(east), cos(east)
        self._north = -sin(north) * cos(east), -sin(north) * sin(east), cos(north)

    def project(self, point: GeoPoint) -> tuple[float, float]:
        """Return the metres to the east and to the north of the reference point."""
        (x, y, z), (at_x, at_y, at_z) = point.ecef(), self._origin
        x, y, z = x - at_x, y - at_y, z - at_z
        east = self._east[0] * x + self._east[1] * y
        north = self._north[0] * x + self._north[1] * y + self._north[2] * z
        stretch = _arc(hypot(x, y, z)) / (hypot(east, north) or 1.0)
        return stretch * east, stretch * north


def _arc(chord: float) -> float:
    return _DIAMETER * asin(min(1.0, chord / _DIAMETER))

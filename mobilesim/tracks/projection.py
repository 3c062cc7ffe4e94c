"""Converts coordinates in texts to metres on a plane."""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.tracks.number_parsing import Unreadable, metres, number, quoted

_HALF_TURN: Final = 180.0


class Origin(NamedTuple):
    """The point that becomes (0, 0). With geographic coordinates, the default is the first point of the file."""

    metres: tuple[float, float] = (0.0, 0.0)
    degrees: tuple[float, float] | None = None
    """Longitude and latitude."""


Coordinates: TypeAlias = Callable[[str, str], tuple[float, float]]
"""Returns the metres to the east and to the north of the origin. Arguments: the texts of both coordinates."""


def plane_coordinates(origin: Origin) -> Coordinates:
    left, low = origin.metres
    return lambda x, y: (metres(x) - left, metres(y) - low)


def geographic_coordinates(origin: Origin) -> Coordinates:
    plane = None if origin.degrees is None else TangentPlane(GeoPoint(origin.degrees[1], origin.degrees[0]))

    def project(longitude: str, latitude: str) -> tuple[float, float]:
        nonlocal plane
        east, north = degrees(longitude, "longitude", _HALF_TURN), degrees(latitude, "latitude", _HALF_TURN / 2)
        point = GeoPoint(north, east)
        plane = plane or TangentPlane(point)
        return plane.project(point)

    return project


def degrees(text: str, what: str, limit: float) -> float:
    value = number(text)
    if not -limit <= value <= limit:
        raise Unreadable(f"{quoted(text)} is no {what}; it is given in degrees, from {-limit:g} to {limit:g}")
    return value

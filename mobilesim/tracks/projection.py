"""Coordinates in text to metres on a plane."""

from typing import Final, NamedTuple

from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.tracks.number_parsing import Unreadable, metres, number, quoted

_HALF_TURN: Final = 180.0


class Origin(NamedTuple):
    """What becomes (0, 0). Geographic coordinates without an origin count from the first point of the file."""

    metres: tuple[float, float] = (0.0, 0.0)
    degrees: tuple[float, float] | None = None
    """Longitude and latitude."""


class PlaneCoordinates:
    __slots__ = ("_origin",)

    def __init__(self, origin: Origin) -> None:
        self._origin = origin.metres

    def to_metres(self, x: str, y: str) -> tuple[float, float]:
        return metres(x) - self._origin[0], metres(y) - self._origin[1]


class GeographicCoordinates:
    __slots__ = ("_plane",)

    def __init__(self, origin: Origin) -> None:
        self._plane = None if origin.degrees is None else TangentPlane(GeoPoint(origin.degrees[1], origin.degrees[0]))

    def to_metres(self, longitude: str, latitude: str) -> tuple[float, float]:
        east, north = degrees(longitude, "longitude", _HALF_TURN), degrees(latitude, "latitude", _HALF_TURN / 2)
        point = GeoPoint(north, east)
        if self._plane is None:
            self._plane = TangentPlane(point)
        return self._plane.project(point)


Coordinates = PlaneCoordinates | GeographicCoordinates


def degrees(text: str, what: str, limit: float) -> float:
    value = number(text)
    if not -limit <= value <= limit:
        raise Unreadable(f"{quoted(text)} is no {what}; it is given in degrees, from {-limit:g} to {limit:g}")
    return value

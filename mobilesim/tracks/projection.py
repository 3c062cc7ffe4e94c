"""Places in text to metres. Of degrees: a plane that touches the Earth at one point."""

from typing import Final, NamedTuple

from mobilesim.geometry.earth import Place, Tangent
from mobilesim.tracks.number_parsing import Unreadable, metres, number, quoted

_HALF: Final = 180.0


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

    __slots__ = ("_tangent",)

    def __init__(self, zero: Zero) -> None:
        self._tangent = None if zero.degrees is None else Tangent(Place(zero.degrees[1], zero.degrees[0]))

    def place(self, longitude: str, latitude: str) -> tuple[float, float]:
        east, north = degrees(longitude, "longitude", _HALF), degrees(latitude, "latitude", _HALF / 2)
        if self._tangent is None:
            self._tangent = Tangent(Place(north, east))
        return self._tangent.metres(north, east)


def degrees(text: str, what: str, limit: float) -> float:
    value = number(text)
    if not -limit <= value <= limit:
        raise Unreadable(f"{quoted(text)} is no {what}; it is given in degrees, from {-limit:g} to {limit:g}")
    return value

"""The names of coordinates in files, and the check of their values."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from math import isfinite
from typing import Final

from mobilesim.errors import UserError, shown

Pair = tuple[str, str]

METRES: Final[Pair] = ("x", "y")
DEGREES: Final[Pair] = ("lat", "lon")

_NAMES: Final = {"x": ("x",), "y": ("y",), "lat": ("lat", "latitude"), "lon": ("lon", "lng", "long", "longitude")}
_MOST: Final = {"x": 10**8, "y": 10**8, "lat": 90, "lon": 360}


def find_names(names: Iterable[str], pairs: Iterable[Pair]) -> dict[str, str] | None:
    """Return the first of `pairs` that is in the file, with its names in the file; None if no pair is in the file."""
    known = {name.casefold(): name for name in names}
    for pair in pairs:
        found = {want: known[name] for want in pair for name in reversed(_NAMES[want]) if name in known}
        if len(found) == len(pair):
            return found
    return None


def finite(value: object) -> float | None:
    """Return the number in a text; None if the text is not a finite number."""
    with suppress(ValueError):
        number = float(str(value))
        return number if isfinite(number) else None
    return None


def parse_coordinate(name: str, value: object, complain: Callable[[str], UserError]) -> float:
    number = finite(value)
    if number is None:
        raise complain(f"{shown(str(value))} is not a number; write {name} like 12.5")
    if abs(number) > _MOST[name]:
        unit = "degrees" if name in DEGREES else "m"
        raise complain(f"{name} {shown(value)} is out of range; write -{_MOST[name]} to {_MOST[name]} {unit}")
    return number

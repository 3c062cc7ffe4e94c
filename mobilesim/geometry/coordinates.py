"""What files call coordinates, and how they write them."""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Final

from mobilesim.errors import UserError, shown

Pair = tuple[str, str]

METRES: Final[Pair] = ("x", "y")
DEGREES: Final[Pair] = ("lat", "lon")

_NAMES: Final = {"x": ("x",), "y": ("y",), "lat": ("lat", "latitude"), "lon": ("lon", "lng", "long", "longitude")}
_MOST: Final = {"x": 10**8, "y": 10**8, "lat": 90, "lon": 360}


def named(names: Iterable[str], pairs: Iterable[Pair]) -> dict[str, str] | None:
    """The first of these pairs that is there: our names, and the file's."""
    known = {name.casefold(): name for name in names}
    for pair in pairs:
        found = {want: known[name] for want in pair for name in reversed(_NAMES[want]) if name in known}
        if len(found) == len(pair):
            return found
    return None


def coordinate(name: str, said: object, complain: Callable[[str], UserError]) -> float:
    text = str(said)
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise complain(f"{shown(text)} is not a number; write {name} like 12.5")
    if abs(value) > _MOST[name]:
        unit = "degrees" if name in DEGREES else "m"
        raise complain(f"{name} {shown(said)} is too far; write -{_MOST[name]} to {_MOST[name]} {unit}")
    return value


def lacking(said: Mapping[str, object], names: Iterable[str]) -> str:
    """The first that it says nothing of."""
    return next((name for name in names if said.get(name, "") == ""), "")

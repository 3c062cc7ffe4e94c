"""Numbers with units. Files say `7 ms` or `1 Mbit/s`; the model counts whole nanoseconds, bit/s, bytes and microjoules,
and watts, metres and m/s.

The units are pint's, in a registry of our own: the stock one takes long to load and knows parsecs. Only the unit is
given to pint; numbers are read exactly here, because pint would evaluate any arithmetic it finds.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final

import pint

from mobilesim.errors import shown

_DEFINITIONS: Final = (
    "second = [time] = s",
    "minute = 60 second = min",
    "hour = 60 minute = h",
    "bit = [information]",
    "byte = 8 bit = B",
    "watt = [power] = W",
    "joule = watt * second = J",
    "watthour = 3600 joule = Wh",
    "metre = [length] = m",
    "nano- = 1e-9 = n-",
    "micro- = 1e-6 = u- = µ- = μ-",
    "milli- = 1e-3 = m-",
    "kilo- = 1e3 = k-",
    "mega- = 1e6 = M-",
    "giga- = 1e9 = G-",
    "kibi- = 1024 = Ki-",
    "mebi- = 1048576 = Mi-",
)

NUMBER: Final = r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,2})?"
UNIT: Final = r"[A-Za-zµμ]{1,20}(?:/[A-Za-z]{1,20})?"
_QUANTITY: Final = re.compile(rf"\s*({NUMBER})\s*({UNIT})\s*", re.ASCII)
_LONG: Final = 20
_BARE: Final = re.compile(rf"\s*({NUMBER})\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Measure:
    """One thing that is measured: its unit in the model, and how its texts look."""

    noun: str
    base: str
    common: str
    limit: int
    limit_text: str
    steps: tuple[tuple[str, int], ...]
    whole: bool = True
    large: str = ""
    """A second unit to propose, where `common` may well not be what was meant."""

    @property
    def example(self) -> str:
        return f"7 {self.common}"

    def read(self, text: str) -> int | float:
        """The text's value in the model's unit; ValueError with a message for the user."""
        value = self._exact(text)
        if text.lstrip().startswith("-"):
            raise ValueError(f"{shown(text)} is negative; write {self.noun} of 0 {self.common} or more")
        if value > self.limit:
            raise ValueError(f"{shown(text)} is too much; the most is {self.limit_text}")
        if not self.whole:
            return float(value)
        if value.denominator != 1:
            raise ValueError(f"{shown(text)} is not a whole number of {self.base}")
        return int(value)

    def write(self, value: float) -> str:
        """The shortest exact text, in the largest unit that leaves one before the point."""
        unit, step = next((one for one in self.steps if value >= one[1]), self.steps[-1])
        number = Decimal(str(value)) / Decimal(step)
        return f"{number.normalize():f} {unit}"

    def unitless(self, number: object) -> str:
        text = str(number)
        sensible = text if len(text) < _LONG and _BARE.fullmatch(text) else "7"
        proposed = " or ".join(f"'{sensible} {unit}'" for unit in (self.large, self.common) if unit)
        return f"{shown(number)} has no unit; write {proposed}"

    def misread(self, raw: object) -> str:
        return f"{shown(raw)} is not {self.noun}; write a number and a unit, like '{self.example}'"

    def _exact(self, text: str) -> Fraction:
        if bare := _BARE.fullmatch(text):
            raise ValueError(self.unitless(bare[1]))
        parts = _QUANTITY.fullmatch(text)
        factor = _factor(parts[2], self.base) if parts else None
        if parts is None or factor is None:
            raise ValueError(self.misread(text))
        return Fraction(parts[1]) * factor


TIME: Final = Measure(
    "a time",
    "ns",
    "ms",
    100 * 365 * 24 * 3600 * 10**9,
    "100 years",
    (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1)),
    large="s",
)
BANDWIDTH: Final = Measure(
    "a bandwidth",
    "bit/s",
    "Mbit/s",
    10**15,
    "1000000 Gbit/s",
    (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 10**3), ("bit/s", 1)),
)
SIZE: Final = Measure("a size", "B", "B", 10**9, "1000 MB", (("MB", 10**6), ("kB", 10**3), ("B", 1)))
POWER: Final = Measure("a power", "W", "W", 10**6, "1000000 W", (("W", 1),), whole=False)
ENERGY: Final = Measure(
    "an energy",
    "uJ",
    "J",
    10**15,
    "1000 MJ",
    (("kJ", 10**9), ("J", 10**6), ("mJ", 10**3), ("uJ", 1)),
)
LENGTH: Final = Measure("a length", "m", "m", 10**8, "100000 km", (("km", 1000), ("m", 1)), whole=False)
SPEED: Final = Measure("a speed", "m/s", "m/s", 10**5, "100 km/s", (("m/s", 1),), whole=False, large="km/h")


@cache
def _registry() -> pint.UnitRegistry[Any]:
    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(None, non_int_type=Fraction)
    registry.load_definitions(_DEFINITIONS)
    return registry


@lru_cache(maxsize=256)
def _factor(unit: str, base: str) -> Fraction | None:
    """How many of `base` one `unit` is; None where they measure different things, or the unit is unknown."""
    registry = _registry()
    try:
        return Fraction(registry.Quantity(1, registry.Unit(unit)).to(base).magnitude)
    except pint.PintError:
        return None

"""Quantities with units, like `7 ms` or `1 Mbit/s`.

The model has whole numbers of nanoseconds, bit/s, bytes and microjoules, and real numbers of watts, metres and m/s.
Texts are read exactly, as fractions.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Final

from mobilesim.errors import shown

_PREFIXES: Final[Mapping[str, Fraction]] = {
    "": Fraction(1),
    "n": Fraction(1, 10**9),
    **dict.fromkeys("uµμ", Fraction(1, 10**6)),
    "m": Fraction(1, 1000),
    "k": Fraction(1000),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "Ki": Fraction(1024),
    "Mi": Fraction(1024**2),
    "Gi": Fraction(1024**3),
}
_LARGE: Final = ("", "k", "M", "G")

Factors = Mapping[str, Fraction]


def _scaled(unit: str, factor: int, prefixes: Iterable[str] = tuple(_PREFIXES)) -> dict[str, Fraction]:
    return {prefix + unit: _PREFIXES[prefix] * factor for prefix in prefixes}


def _named(factor: int, *names: str) -> dict[str, Fraction]:
    return dict.fromkeys(names, Fraction(factor))


def _rates(amounts: Factors, times: Factors, factor: Fraction) -> dict[str, Fraction]:
    return {f"{one}/{other}": size / time * factor for one, size in amounts.items() for other, time in times.items()}


_TIMES: Final = {
    **_scaled("s", 10**9, ("", "m", "u", "µ", "μ", "n")),
    **_named(60 * 10**9, "min"),
    **_named(3600 * 10**9, "h"),
}
_BITS: Final = {**_scaled("bit", 1, _LARGE), **_scaled("B", 8, (*_LARGE, "Ki", "Mi", "Gi"))}
_BITRATES: Final = {
    **_rates(_BITS, _TIMES, Fraction(10**9)),
    **_scaled("bps", 1, _LARGE),
}
_BYTES: Final = {unit: factor / 8 for unit, factor in _BITS.items()}
_WATTS: Final = _scaled("W", 1, ("", "n", "u", "µ", "μ", "m", "k", "M"))
_ENERGIES: Final = {unit: factor * 10**6 for unit, factor in {**_scaled("J", 1), **_scaled("Wh", 3600)}.items()}
_METRES: Final = _scaled("m", 1, ("", "m", "k"))
_SPEEDS: Final = _rates(_METRES, _TIMES, Fraction(10**9))
_SYNONYMS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("byte", "bytes"), "B"),
    **dict.fromkeys(("bit", "bits"), "bit"),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    "mps": "m/s",
    **dict.fromkeys(("kmh", "kph"), "km/h"),
}
"""Other spellings of units, in lower case. They are refused with the right spelling: the units are those of SI."""
_PREFIXED: Final = re.compile("([kmg]i?)(bits?|bytes?|met[re]{2}s?)", re.IGNORECASE)
_B: Final = re.compile("([kmg]?)b(?:/s)?", re.IGNORECASE)
"""Matches a `b` that may be bit or byte."""

NUMBER: Final = r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,2})?"
UNIT: Final = r"[A-Za-zµμ]{1,20}(?:/[A-Za-z]{1,20})?"
_QUANTITY: Final = re.compile(rf"\s*({NUMBER})\s*({UNIT})\s*", re.ASCII)
_LONG: Final = 20
_BARE: Final = re.compile(rf"\s*({NUMBER})\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Measure:
    """A physical dimension: its unit in the model (`base`), the units in texts, and the form of texts."""

    noun: str
    base: str
    common: str
    limit: int
    steps: tuple[str, ...]
    """The units in which values are written, from the largest to the smallest."""
    units: Factors = field(repr=False, compare=False, hash=False)
    """Each unit in terms of `base`."""
    usual: tuple[str, ...]
    """The units that messages propose for a number without unit: the user may mean any of them."""
    limit_text: str = ""
    """The limit in messages, if it differs from the text of `write`."""
    whole: bool = True

    @property
    def example(self) -> str:
        return f"7 {self.common}"

    def read(self, text: str) -> int | float:
        """Return the value in the model's unit; raise a ValueError with a message for the user."""
        value = self._exact(text)
        if text.lstrip().startswith("-"):
            raise ValueError(f"{shown(text)} is negative; write {self.noun} of 0 {self.common} or more")
        if value > self.limit:
            raise ValueError(f"{shown(text)} is too much; the maximum is {self.limit_text or self.write(self.limit)}")
        if not self.whole:
            return float(value)
        if value.denominator != 1:
            raise ValueError(f"{shown(text)} is not a whole number of {self.base}")
        return int(value)

    def write(self, value: float) -> str:
        """Return the exact text, in the largest unit in which the value is at least 1."""
        if value < 0:
            return f"-{self.write(-value)}"
        unit = next((one for one in self.steps if value >= self.units[one]), self.steps[-1])
        number = Decimal(str(value)) / Decimal(int(self.units[unit]))
        return f"{number.normalize():f} {unit}"

    def unitless(self, number: object) -> str:
        text = str(number)
        sensible = text if len(text) < _LONG and _BARE.fullmatch(text) else "7"
        *others, last = (f"'{sensible} {unit}'" for unit in self.usual)
        proposed = f"{', '.join(others)} or {last}"
        return f"{shown(number)} has no unit; write {proposed}"

    def misread(self, raw: object) -> str:
        return f"{shown(raw)} is not {self.noun}; write a number and a unit, like '{self.example}'"

    def _exact(self, text: str) -> Fraction:
        if bare := _BARE.fullmatch(text):
            raise ValueError(self.unitless(bare[1]))
        parts = _QUANTITY.fullmatch(text)
        if parts is None:
            raise ValueError(self.misread(text))
        number, unit = parts[1], parts[2]
        if unit not in self.units:
            if meant := list(dict.fromkeys(self._meant(unit))):
                proposed = " or ".join(f"'{number} {each}'" for each in meant)
                length = " (m is metres)" if unit == "m" else ""
                raise ValueError(f"{shown(text)} is not {self.noun}{length}; did you mean {proposed}?")
            raise ValueError(self.misread(text))
        return Fraction(number) * self.units[unit]

    def _meant(self, unit: str) -> Iterator[str]:
        """Yield the units that the user may have meant by `unit`: with other case or in words, in bits or in
        bytes, or a rate instead of an amount.
        """
        if self is TIME and unit == "m":
            yield from ("min", "s")
        if self is BANDWIDTH and unit.endswith("Bps"):
            yield unit.replace("Bps", "B/s")
        if self is BANDWIDTH and (found := _B.fullmatch(unit)):
            prefix = "k" if found[1] in {"k", "K"} else found[1].upper()
            both = (f"{prefix}bit/s", f"{prefix}B/s")
            yield from both if "b" in unit else reversed(both)
            return
        alike = "/".join(map(_spelt, unit.casefold().split("/")))
        for each in self.units:
            if each.casefold() in {alike, f"{alike}/s"}:
                yield each
        if self is SIZE and alike == "kb":
            yield "KiB"


def _spelt(word: str) -> str:
    """Return the unit of another spelling, in lower case; a word that is no such spelling remains as it is."""
    if found := _PREFIXED.fullmatch(word):
        return found[1] + _SYNONYMS[found[2]].casefold()
    return _SYNONYMS.get(word, word).casefold()


_CENTURY: Final = 100 * 365 * 24 * 3600 * 10**9

TIME: Final = Measure("a time", "ns", "ms", _CENTURY, ("s", "ms", "us", "ns"), _TIMES, ("s", "ms"), "100 years")
BANDWIDTH: Final = Measure(
    "a bandwidth",
    "bit/s",
    "Mbit/s",
    10**15,
    ("Gbit/s", "Mbit/s", "kbit/s", "bit/s"),
    _BITRATES,
    ("bit/s", "kbit/s", "Mbit/s"),
)
SIZE: Final = Measure("a size", "B", "B", 10**9, ("MB", "kB", "B"), _BYTES, ("B", "kB"))
POWER: Final = Measure("a power", "W", "W", 10**6, ("W",), _WATTS, ("W", "mW"), whole=False)
ENERGY: Final = Measure("an energy", "uJ", "J", 10**15, ("kJ", "J", "mJ", "uJ"), _ENERGIES, ("J", "mJ"), "1000 MJ")
LENGTH: Final = Measure("a length", "m", "m", 10**8, ("km", "m"), _METRES, ("m", "km"), whole=False)
SPEED: Final = Measure("a speed", "m/s", "m/s", 10**5, ("m/s",), _SPEEDS, ("m/s", "km/h"), "100 km/s", whole=False)


def byte_rate_notes(data: object, path: str = "") -> Iterator[str]:
    """Yield a note for each bandwidth that is written in bytes per second. `data`: the raw data of a scenario."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from byte_rate_notes(value, f"{path}.{key}".removeprefix("."))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from byte_rate_notes(value, f"{path}[{index}]")
    elif isinstance(data, str) and re.fullmatch(rf"\s*{NUMBER}\s*[kMG]?B/s\s*", data):
        yield f"{path}: B is bytes: {data} is {BANDWIDTH.write(BANDWIDTH.read(data))}"

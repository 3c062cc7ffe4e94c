"""What a sweep varies: its axes, their values in order, and where a value stands on a scale of numbers.

A results directory has values as the scenario writes them, `20`, `500 ms` or `exponential 5 s`. One axis may be several
keys that go in step.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from mobilesim.results.layout import BASE, VARIANT

Settings: TypeAlias = tuple[str, ...]
"""A point's values, in the order of the sweep's keys."""

_AMOUNT: Final = re.compile(r"(?P<words>(?:[a-z_]+ )*)(?P<number>[-+]?[\d.]+(?:e[-+]?\d+)?) ?(?P<unit>[^\d\s]*)")
_TIMES: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_PREFIXES: Final = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2.0**10, "Mi": 2.0**20}
_PREFIXED: Final = re.compile(r"(?P<prefix>k|M|G|Ki|Mi|)(?P<base>B|bit/s|B/s)")

_WIDE: Final = 50
"""From so many times the least value on, small ones would lie on top of each other."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in the base unit of what is measured, and the words before it: of a distribution, say."""

    words: str
    unit: str
    number: float


@dataclass(frozen=True, slots=True)
class Axis:
    """Keys that go in step, and their values in order. `numbers`: as they stand on a scale, if they all do."""

    keys: tuple[str, ...]
    values: tuple[Settings, ...]
    numbers: tuple[float, ...] | None = None
    unit: str = ""

    @property
    def name(self) -> str:
        return ", ".join(self.keys)

    @property
    def label(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name

    @property
    def wide(self) -> bool:
        """Whether a logarithmic scale is easier to read."""
        numbers = self.numbers or (0.0,)
        return min(numbers) > 0 and max(numbers) > _WIDE * min(numbers)

    def told(self, value: Settings) -> str:
        return ", ".join(f"{key} {text}" for key, text in zip(self.keys, value, strict=True))


def amount(text: str) -> Amount | None:
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    try:
        number = float(found["number"])
    except ValueError:
        return None
    base, size = _base(found["unit"])
    return Amount(found["words"].strip(), base, number * size)


def _base(unit: str) -> tuple[str, float]:
    if unit in _TIMES:
        return "s", _TIMES[unit]
    if prefixed := _PREFIXED.fullmatch(unit):
        return prefixed["base"], _PREFIXES[prefixed["prefix"]]
    return unit, 1.0


def in_order(points: Sequence[Settings], keys: Sequence[str]) -> list[Settings]:
    """By their first key, then by their second, and so on: numbers by size, with the words before them apart.

    Of variants, the base comes first.
    """
    return sorted(points, key=lambda point: [_place(text, key) for text, key in zip(point, keys, strict=True)])


def _place(text: str, key: str) -> tuple[str, str, float, str]:
    if key == VARIANT:
        return "", "", float(text != BASE), text
    found = amount(text)
    return (text, "", 0.0, text) if found is None else (found.words, found.unit, found.number, text)


def axes(keys: Sequence[str], points: Sequence[Settings]) -> tuple[Axis, ...]:
    """A key goes in step with the one before it if neither has two values for all of the other's."""
    groups: list[list[int]] = []
    for place in range(len(keys)):
        alone = VARIANT in (keys[place], keys[place - 1])
        if groups and not alone and _in_step(points, groups[-1][0], place):
            groups[-1].append(place)
        else:
            groups.append([place])
    return tuple(_axis(keys, points, group) for group in groups)


def _in_step(points: Sequence[Settings], left: int, right: int) -> bool:
    """One of the two decides the other, and is not the only value that there is."""
    pairs = {(point[left], point[right]) for point in points}
    lefts, rights = ({pair[end] for pair in pairs} for end in (0, 1))
    return len(pairs) == max(len(lefts), len(rights)) and min(len(lefts), len(rights)) > 1


def _axis(keys: Sequence[str], points: Sequence[Settings], group: Sequence[int]) -> Axis:
    names = tuple(keys[place] for place in group)
    values = in_order(sorted({tuple(point[place] for place in group) for point in points}), names)
    amounts = [amount(value[0]) for value in values]
    known = [each for each in amounts if each is not None]
    if names == (VARIANT,) or len(known) < len(values) or len({(each.words, each.unit) for each in known}) > 1:
        return Axis(names, tuple(values))
    unit, size = _readable(known)
    numbers = tuple(each.number / size for each in known)
    if any(low >= high for low, high in pairwise(numbers)):
        return Axis(names, tuple(values))
    return Axis(names, tuple(values), numbers, " ".join(filter(None, (known[0].words, unit))))


def _readable(amounts: Sequence[Amount]) -> tuple[str, float]:
    """The unit in which the largest is at least one."""
    base, most = amounts[0].unit, max(abs(each.number) for each in amounts)
    if base == "s":
        sizes = {name: size for name, size in _TIMES.items() if name in {"ns", "us", "ms", "s"}}
    elif base in {"B", "bit/s", "B/s"}:
        sizes = {f"{prefix}{base}": size for prefix, size in _PREFIXES.items() if "i" not in prefix}
    else:
        return base, 1.0
    fitting = [name for name, size in sizes.items() if most >= size and not math.isclose(most, 0.0)]
    name = max(fitting, key=sizes.__getitem__) if fitting else base
    return name, sizes[name]

"""The axes of a sweep: their keys, their values in order, and the values as numbers on a scale.

Values have the text form of scenarios, such as `20`, `500 ms` or `exponential 5 s`. An axis has several keys if their
values change together.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from mobilesim.results.layout import BASE, VARIANT

Settings: TypeAlias = tuple[str, ...]
"""A point's values, in the order of the sweep's keys."""

_AMOUNT: Final = re.compile(
    r"(?P<words>(?:[a-z_]+ )*)(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?) ?(?P<unit>[^\d\s.]*)"
)
_TIMES: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_PREFIXES: Final = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2.0**10, "Mi": 2.0**20}
_UNITS: Final = {
    **{name: ("s", size) for name, size in _TIMES.items()},
    **{f"{prefix}{base}": (base, size) for base in ("B", "bit/s", "B/s") for prefix, size in _PREFIXES.items()},
}
"""For each unit, its base unit and its size in the base unit."""
_NOT_ON_SCALES: Final = re.compile("µs|μs|min|h|[KM]i.*")

_WIDE: Final = 50
"""The ratio of the largest to the smallest value above which a scale is logarithmic."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in its base unit, and the words before the number, such as the name of a distribution."""

    words: str
    unit: str
    number: float


@dataclass(frozen=True, slots=True)
class Axis:
    """Keys that change together, and their values in order. `numbers`: the values on a scale, if all are numbers.

    `words`: the common words before the numbers, such as `exponential`.
    """

    keys: tuple[str, ...]
    values: tuple[Settings, ...]
    numbers: tuple[float, ...] | None = None
    unit: str = ""
    words: str = ""

    @property
    def name(self) -> str:
        return ", ".join(self.keys)

    @property
    def quantity(self) -> str:
        """The keys in words: `mobility dwell` for `mobility.dwell`."""
        return re.sub(r"[._]", " ", self.name)

    @property
    def label(self) -> str:
        """The title of the axis, with the unit and the common words of the values."""
        about = ", ".join(filter(None, (self.unit, self.words)))
        return f"{self.quantity} ({about})" if about else self.quantity

    @property
    def unit_text(self) -> str:
        """The unit with the common words, as in the values."""
        return f"{self.words} {self.unit}".strip()

    def text(self, index: int) -> str:
        """Return a value, with its unit and without the common words."""
        if self.numbers is None:
            return ", ".join(self.values[index])
        return f"{self.numbers[index]:g} {self.unit}".rstrip()

    @property
    def logarithmic(self) -> bool:
        numbers = self.numbers or (0.0,)
        return min(numbers) > 0 and max(numbers) > _WIDE * min(numbers)


def amount(text: str) -> Amount | None:
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        return None
    base, size = _UNITS.get(match["unit"], (match["unit"], 1.0))
    return Amount(match["words"].strip(), base, float(match["number"]) * size)


def point_text(keys: Sequence[str], point: Settings) -> str:
    return ", ".join(f"{key} {value}" for key, value in zip(keys, point, strict=True)) or "the only point"


def in_order(points: Sequence[Settings], keys: Sequence[str]) -> list[Settings]:
    """Return points sorted by their first key, then by the second, and so on.

    Values are sorted by their words, then by their number. The base comes before its variants.
    """
    return sorted(points, key=lambda point: [_sort_key(text, key) for text, key in zip(point, keys, strict=True)])


def _sort_key(text: str, key: str) -> tuple[str, str, float, str]:
    if key == VARIANT:
        return "", "", float(text != BASE), text
    parsed = amount(text)
    return (text, "", 0.0, text) if parsed is None else (parsed.words, parsed.unit, parsed.number, text)


def factor_axes(factors: Sequence[Sequence[str]], keys: Sequence[str], points: Sequence[Settings]) -> tuple[Axis, ...]:
    """Return the axes of a design that is no grid: one for each factor."""
    return tuple(_axis(keys, points, [keys.index(key) for key in factor]) for factor in factors)


def axes(keys: Sequence[str], points: Sequence[Settings]) -> tuple[Axis, ...]:
    """Return the axes of a grid: adjacent keys that change together form one axis."""
    groups: list[list[int]] = []
    for index in range(len(keys)):
        if groups and VARIANT not in keys[index - 1 : index + 1] and _change_together(points, groups[-1][0], index):
            groups[-1].append(index)
        else:
            groups.append([index])
    return tuple(_axis(keys, points, group) for group in groups)


def _change_together(points: Sequence[Settings], left: int, right: int) -> bool:
    """Whether one of the two keys determines the other, and both have several values."""
    pairs = {(point[left], point[right]) for point in points}
    counts = [len(set(ends)) for ends in zip(*pairs, strict=True)]
    return len(pairs) == max(counts) and min(counts) > 1


def _axis(keys: Sequence[str], points: Sequence[Settings], group: Sequence[int]) -> Axis:
    names = tuple(keys[index] for index in group)
    values = tuple(in_order(sorted({tuple(point[index] for index in group) for point in points}), names))
    amounts = [parsed for value in values if (parsed := amount(value[0])) is not None]
    if names == (VARIANT,) or len(amounts) < len(values) or len({(each.words, each.unit) for each in amounts}) > 1:
        return Axis(names, values)
    unit, size = _readable_unit(amounts)
    numbers = tuple(each.number / size for each in amounts)
    if any(low >= high for low, high in pairwise(numbers)):
        return Axis(names, values)
    return Axis(names, values, numbers, unit, amounts[0].words)


def _readable_unit(amounts: Sequence[Amount]) -> tuple[str, float]:
    """Return the largest unit in which the largest amount is at least one, and the size of this unit."""
    unit, largest = amounts[0].unit, max(abs(each.number) for each in amounts)
    sizes = {name: size for name, (base, size) in _UNITS.items() if base == unit and not _NOT_ON_SCALES.fullmatch(name)}
    name = max((name for name, size in sizes.items() if largest >= size), key=sizes.__getitem__, default=unit)
    return name, sizes.get(name, 1.0)

"""Distributions of times, as values; drawing from them is the world's business. All times are nanoseconds."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final

from mobilesim.scenario.faults import nearest, shown
from mobilesim.scenario.units import NUMBER, TIME, UNIT


@dataclass(frozen=True, slots=True)
class Constant:
    value: int

    @property
    def mean(self) -> int:
        return self.value

    def __str__(self) -> str:
        return TIME.write(self.value)


@dataclass(frozen=True, slots=True)
class Exponential:
    mean: int

    def __post_init__(self) -> None:
        _require(self.mean > 0, "the mean of an exponential distribution must be more than 0")

    def __str__(self) -> str:
        return f"exponential {TIME.write(self.mean)}"


@dataclass(frozen=True, slots=True)
class Uniform:
    """Every time from `low` to `high`, both included."""

    low: int
    high: int

    def __post_init__(self) -> None:
        _require(self.low <= self.high, "the first time of a uniform distribution must not exceed the second")

    @property
    def mean(self) -> int | float:
        return (self.low + self.high) / 2

    def __str__(self) -> str:
        return f"uniform {TIME.write(self.low)} {TIME.write(self.high)}"


@dataclass(frozen=True, slots=True)
class Pareto:
    """Of Pareto's first kind: never less than `minimum`, and P(X > x) = (minimum / x) ** shape."""

    shape: float
    minimum: int

    def __post_init__(self) -> None:
        _require(self.shape > 0, "the shape of a Pareto distribution must be more than 0")
        _require(self.minimum > 0, "the minimum of a Pareto distribution must be more than 0")

    @property
    def mean(self) -> float:
        return self.shape * self.minimum / (self.shape - 1) if self.shape > 1 else inf

    def __str__(self) -> str:
        return f"pareto {self.shape!r} {TIME.write(self.minimum)}"


Distribution = Constant | Exponential | Uniform | Pareto

EXAMPLES: Final[Mapping[str, str]] = {
    "constant": "constant 7 ms",
    "exponential": "exponential 100 ms",
    "uniform": "uniform 1 s 3 s",
    "pareto": "pareto 1.5 1 s",
}
FORMS: Final = "'7 ms', " + ", ".join(f"'{example}'" for example in EXAMPLES.values())

_TIME: Final = rf"({NUMBER}\s*{UNIT})"
_ARGUMENTS: Final[Mapping[str, re.Pattern[str]]] = {
    "constant": re.compile(_TIME),
    "exponential": re.compile(_TIME),
    "uniform": re.compile(rf"{_TIME}\s+{_TIME}"),
    "pareto": re.compile(rf"({NUMBER})\s+{_TIME}"),
}


def read(text: str) -> Distribution:
    """The distribution a text describes; ValueError with a message for the user."""
    word, *rest = text.split(maxsplit=1) or [""]
    if word in _ARGUMENTS:
        return _with_arguments(text, word, "".join(rest).rstrip())
    if word.isalpha():
        raise ValueError(f"{shown(text)} is not a distribution{nearest(word, list(EXAMPLES))} (write {FORMS})")
    return Constant(_nanoseconds(text))


def _with_arguments(text: str, word: str, rest: str) -> Distribution:
    found = _ARGUMENTS[word].fullmatch(rest)
    if found is None:
        raise ValueError(f"{shown(text)} is not understood; write it like '{EXAMPLES[word]}'")
    return _BUILD[word](found.groups())


def _nanoseconds(text: str) -> int:
    return int(TIME.read(text))


_BUILD: Final[Mapping[str, Callable[[tuple[str, ...]], Distribution]]] = {
    "constant": lambda found: Constant(_nanoseconds(found[0])),
    "exponential": lambda found: Exponential(_nanoseconds(found[0])),
    "uniform": lambda found: Uniform(_nanoseconds(found[0]), _nanoseconds(found[1])),
    "pareto": lambda found: Pareto(float(found[0]), _nanoseconds(found[1])),
}


def _require(met: bool, otherwise: str) -> None:  # noqa: FBT001 (a condition and what its absence means)
    if not met:
        raise ValueError(otherwise)

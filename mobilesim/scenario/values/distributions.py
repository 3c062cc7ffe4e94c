"""Distributions of times, sizes and energies, as settings. `mobilesim.world.random_streams` draws from them.

Times are whole nanoseconds, sizes whole bytes, energies whole microjoules.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Final

from mobilesim.errors import did_you_mean, shown
from mobilesim.scenario.values.units import ENERGY, NUMBER, SIZE, TIME, UNIT, Measure


@dataclass(frozen=True, slots=True)
class Constant:
    value: int
    measure: Measure = field(default=TIME, repr=False)

    @property
    def mean(self) -> int:
        return self.value

    def __str__(self) -> str:
        return self.measure.write(self.value)


@dataclass(frozen=True, slots=True)
class Exponential:
    mean: int
    measure: Measure = field(default=TIME, repr=False)

    def __post_init__(self) -> None:
        _require(self.mean > 0, "the mean of an exponential distribution must be more than 0")

    def __str__(self) -> str:
        return f"exponential {self.measure.write(self.mean)}"


@dataclass(frozen=True, slots=True)
class Uniform:
    """The uniform distribution from `low` to `high`, inclusive."""

    low: int
    high: int
    measure: Measure = field(default=TIME, repr=False)

    def __post_init__(self) -> None:
        noun = self.measure.noun.removeprefix("a ")
        _require(self.low <= self.high, f"the first {noun} of a uniform distribution must not exceed the second")

    @property
    def mean(self) -> int | float:
        return (self.low + self.high) / 2

    def __str__(self) -> str:
        return f"uniform {self.measure.write(self.low)} {self.measure.write(self.high)}"


@dataclass(frozen=True, slots=True)
class Pareto:
    """The Pareto distribution (type I): X is at least `minimum`, and P(X > x) = (minimum / x) ** shape."""

    shape: float
    minimum: int
    measure: Measure = field(default=TIME, repr=False)

    def __post_init__(self) -> None:
        _require(self.shape > 0, "the shape of a Pareto distribution must be more than 0")
        _require(self.minimum > 0, "the minimum of a Pareto distribution must be more than 0")

    @property
    def mean(self) -> float:
        return self.shape * self.minimum / (self.shape - 1) if self.shape > 1 else inf

    def __str__(self) -> str:
        return f"pareto {self.shape!r} {self.measure.write(self.minimum)}"


Distribution = Constant | Exponential | Uniform | Pareto

EXAMPLES: Final[Mapping[Measure, tuple[str, ...]]] = {
    TIME: ("constant 7 ms", "exponential 100 ms", "uniform 1 s 3 s", "pareto 1.5 1 s"),
    ENERGY: ("constant 500 J", "exponential 500 J", "uniform 400 J 600 J", "pareto 2.5 300 J"),
    SIZE: ("constant 100 B", "exponential 400 B", "uniform 40 B 1500 B", "pareto 2.5 100 B"),
}

_QUANTITY: Final = rf"({NUMBER}\s*{UNIT})"
_FORMS: Final[Mapping[str, tuple[Callable[..., Distribution], re.Pattern[str]]]] = {
    "constant": (Constant, re.compile(_QUANTITY)),
    "exponential": (Exponential, re.compile(_QUANTITY)),
    "uniform": (Uniform, re.compile(rf"{_QUANTITY}\s+{_QUANTITY}")),
    "pareto": (Pareto, re.compile(rf"({NUMBER})\s+{_QUANTITY}")),
}
"""The class of each distribution, and the form of its arguments in a text."""

_NAME: Final = re.compile(r"\s*([A-Za-z]+)")
_UNSUPPORTED: Final = frozenset({"normal", "gaussian", "gauss", "lognormal", "gamma", "weibull", "poisson", "erlang"})
"""Distributions that are not supported. For these names, no supported distribution is proposed."""


def forms(measure: Measure) -> str:
    return ", ".join(f"'{text}'" for text in (measure.example, *EXAMPLES[measure]))


def read(text: str, measure: Measure = TIME) -> Distribution:
    """Read a distribution; raise a ValueError with a message for the user."""
    word, *rest = text.split(maxsplit=1) or [""]
    if word in _FORMS:
        return _with_arguments(text, word, "".join(rest).rstrip(), measure)
    if (named := _NAME.match(text)) and named[1] in _FORMS:
        raise ValueError(_misread(text, named[1], measure))
    if named:
        raise ValueError(f"there is no distribution '{named[1]}'{_meant(named[1])} (write {forms(measure)})")
    return Constant(int(measure.read(text)), measure)


def _meant(name: str) -> str:
    lower = name.casefold()
    if lower in _UNSUPPORTED:
        return ""
    started = [known for known in _FORMS if len(lower) > 2 and known.startswith(lower)]
    return f"; did you mean '{started[0]}'?" if started else did_you_mean(lower, _FORMS)


def _misread(text: str, name: str, measure: Measure) -> str:
    example = next(example for example in EXAMPLES[measure] if example.startswith(name))
    return f"{shown(text)} is not a distribution; write it like '{example}'"


def _with_arguments(text: str, word: str, rest: str, measure: Measure) -> Distribution:
    kind, form = _FORMS[word]
    found = form.fullmatch(rest)
    if found is None:
        raise ValueError(_misread(text, word, measure))
    return kind(*(_argument(part, measure) for part in found.groups()), measure)


def _argument(text: str, measure: Measure) -> float:
    return float(text) if re.fullmatch(NUMBER, text) else measure.read(text)


def _require(met: bool, otherwise: str) -> None:  # noqa: FBT001 - a condition and its message
    if not met:
        raise ValueError(otherwise)

"""The axes of a sweep: keys of the scenario that vary, each with a list or a range of values.

In a design that is no grid, an axis is a factor, with a value for each share from 0 to 1.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple

from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema

from mobilesim.errors import shown
from mobilesim.scenario.pydantic_errors import nested
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import Whole
from mobilesim.scenario.values.units import NUMBER, UNIT
from mobilesim.scenario.values.validation_error import Fault, refuse, repeated
from mobilesim.scenario.yaml_document import Place, as_text

MOST: Final = 1_000

_FORM: Final = re.compile(rf"\s*((?:constant|exponential)\s+)?({NUMBER})\s*({UNIT}|%)?\s*", re.ASCII)
_DIGITS: Final = 3
"""The number of significant digits of values on a logarithmic scale. Values between two integers are integers."""

NUMBER_PATTERN: Final = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_QUANTITY: Final = rf"{NUMBER_PATTERN}\s*([A-Za-zµμ]+(/[A-Za-z]+)?|%)?\s*$"
_WORDS: Final = r"((constant|exponential)\s+)?"


def _number_schema(words: str = "") -> dict[str, Any]:
    return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": rf"^\s*{words}{_QUANTITY}"}]}


_POSITIVE: Final[dict[str, Any]] = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "pattern": rf"^\s*{_WORDS}\+?[0.]*[1-9]"}]
}
_DIGITS_BETWEEN: Final = 5
"""The number of significant digits of values of a continuous factor."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an axis. `text`: as in the sweep file. `setting`: for the scenario, with absolute file names."""

    text: str
    setting: str
    at: Place


@dataclass(frozen=True, slots=True)
class Levels:
    """The values of a key."""

    values: tuple[Value, ...]

    def at(self, share: float) -> Value:
        return self.values[int(share * len(self.values))]


@dataclass(frozen=True, slots=True)
class Continuum:
    """A continuous range of values of a key, or all integers of a range. `raw`: the range as in the sweep file."""

    span: "Span"
    raw: Mapping[str, Any]
    place: Place

    def at(self, share: float) -> Value:
        text = self.span.at(share)
        return Value(text, text, self.place)


@dataclass(frozen=True, slots=True)
class Factor:
    """Keys that vary together, with the values of each key. `columns` is empty if the values have faults."""

    keys: tuple[str, ...]
    columns: tuple[Levels | Continuum, ...]

    def at(self, share: float) -> tuple[Value, ...]:
        """Return the values at a share of the factor's range: at least 0, less than 1."""
        return tuple(column.at(share) for column in self.columns)

    @property
    def ends(self) -> "Factor":
        """The factor with its first and its last value. It has no continuous keys."""
        levels = self.levels
        kept = dict.fromkeys((levels[0], levels[-1]))
        return Factor(self.keys, tuple(map(Levels, zip(*kept, strict=True))))

    @property
    def levels(self) -> tuple[tuple[Value, ...], ...]:
        """The values of a factor without continuous keys, in order."""
        return tuple(zip(*(column.values for column in self.columns if isinstance(column, Levels)), strict=True))


@dataclass(frozen=True, slots=True)
class Axis:
    """Keys that vary together. Each value of the axis is a tuple with a value for each key."""

    keys: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]


class Amount(NamedTuple):
    """A number with its unit. `words`: the distribution of which it is the mean, such as `exponential`, or ''."""

    raw: object
    words: str
    number: Fraction
    unit: str

    def with_number(self, number: Fraction) -> str:
        """Return the text of another number of the same kind."""
        return f"{self.words} {_written(number)} {self.unit}".strip()

    @property
    def kind(self) -> tuple[str, str]:
        return self.words, self.unit


def amount(raw: object) -> Amount | None:
    """Return the value as a number with its unit; None if it has another form."""
    parts = None if isinstance(raw, bool) else _FORM.fullmatch(str(raw))
    return None if parts is None else Amount(raw, (parts[1] or "").strip(), Fraction(parts[2]), parts[3] or "")


def _bound(raw: object) -> Amount:
    if (found := amount(raw)) is None:
        raise refuse(f"{shown(raw)} is not a number, with or without a unit, like 10 or '5 s'")
    return found


_ABSENT: Final[dict[str, Any]] = {"default": None}

_Number = Annotated[Amount, PlainValidator(_bound), WithJsonSchema(_number_schema(_WORDS))]
_Step = Annotated[Amount, PlainValidator(_bound), WithJsonSchema({"allOf": [_number_schema(), _POSITIVE]})]


class Range(Section):
    model_config = ConfigDict(
        json_schema_extra={
            "not": {"required": ["step", "steps"]},
            "if": {"properties": {"scale": {"const": "log"}}, "required": ["scale"]},
            "then": {"not": {"required": ["step"]}, "properties": {"from": _POSITIVE}},
            "examples": [{"from": 10, "to": 40, "step": 10}, {"from": 10, "to": 1000, "steps": 5, "scale": "log"}],
        }
    )
    may_be_continuous: ClassVar[bool] = False
    counted: ClassVar[tuple[str, ...]] = ("",)
    """The units of numbers that stay integers between two integers."""

    low: _Number = Field(alias="from", description="The least value.")
    high: _Number = Field(alias="to", description="The greatest value, in the same unit.")
    step: _Step = Field(**_ABSENT, description="The difference between consecutive values.")
    steps: Annotated[Whole, Field(ge=2, le=MOST)] = Field(**_ABSENT, description="The number of values.")
    scale: Literal["linear", "log"] = Field(
        default="linear", description="The spacing of values: 'linear', or 'log' with a constant ratio."
    )

    def faults(self) -> Iterator[Fault]:
        low, high, written = self.low, self.high, self.model_fields_set
        if ("step" in written and "steps" in written) or not (self.is_stepped or self.may_be_continuous):
            yield Fault("write either 'step', the difference of values, or 'steps', the number of values")
        elif low.unit != high.unit:
            yield Fault(f"{shown(low.raw)} and {shown(high.raw)} have different units; write both in one unit", ("to",))
        elif low.words != high.words:
            both = f"{shown(low.raw)} and {shown(high.raw)}"
            yield Fault(f"{both} have different distributions; write both with the same one", ("to",))
        elif low.number > high.number:
            yield Fault(f"{shown(high.raw)} is less than {shown(low.raw)}; write the least value first", ("to",))
        elif "step" in written:
            yield from self._step_faults()
        elif self.scale == "log" and low.number <= 0:
            yield Fault("a logarithmic scale begins above 0", ("from",))

    def _step_faults(self) -> Iterator[Fault]:
        unit = self.low.unit
        if self.scale == "log":
            yield Fault("a logarithmic scale takes 'steps', the number of values", ("step",))
        elif self.step.number <= 0 or self.step.kind != ("", unit):
            note = f", in the unit of 'from' and 'to' ({unit})" if unit else ""
            yield Fault(f"{shown(self.step.raw)} is not a step; write more than 0{note}", ("step",))
        elif self._count > MOST:
            yield Fault(f"{self._count} values are too many; the maximum is {MOST}", ("step",))

    @property
    def _count(self) -> int:
        return int((self.high.number - self.low.number) / self.step.number) + 1

    def values(self) -> list[str]:
        """Return the values of the range, without repetitions, as YAML texts."""
        if "step" in self.model_fields_set:
            found = [self.low.number + self.step.number * index for index in range(self._count)]
        else:
            found = [self.low.number, *map(self._between, range(1, self.steps - 1)), self.high.number]
        return list(dict.fromkeys(map(self.low.with_number, found)))

    def _between(self, index: int) -> Fraction:
        value = self._at(Fraction(index, self.steps - 1), self.high.number)
        if self._is_whole:
            return Fraction(round(value))
        return value if self.scale == "linear" else Fraction(f"{float(value):.{_DIGITS}g}")

    def _at(self, share: Fraction, high: Fraction) -> Fraction:
        """Return the value at a share of the range from `from` to `high`."""
        low = self.low.number
        if self.scale == "linear":
            return low + (high - low) * share
        return Fraction(math.exp(math.log(low) + math.log(high / low) * share))

    @property
    def _is_whole(self) -> bool:
        """Whether all values are integers."""
        return self.low.unit in self.counted and self.low.number.denominator == self.high.number.denominator == 1

    @property
    def is_stepped(self) -> bool:
        return bool({"step", "steps"} & self.model_fields_set)


class Span(Range):
    """The range of a factor. Without `step` and `steps` the factor is continuous, or has all integers of the range."""

    may_be_continuous: ClassVar[bool] = True
    counted: ClassVar[tuple[str, ...]] = ("", "B")

    def at(self, share: float) -> str:
        """Return the value of a continuous factor, as a YAML text. `share`: at least 0, less than 1."""
        high = self.high.number
        if self._is_whole:
            return self.low.with_number(min(high, Fraction(math.floor(self._at(Fraction(share), high + 1)))))
        value = Fraction(f"{float(self._at(Fraction(share), high)):.{_DIGITS_BETWEEN}g}")
        return self.low.with_number(min(high, max(self.low.number, value)))


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{number.quantize(Decimal('1e-12')).normalize():f}"


def texts(raw: object, kind: type[Range] = Range) -> list[str] | Span:
    """Return the values of a list or a range, as YAML texts. `kind`: that of ranges; a continuous one is returned."""
    if isinstance(raw, list) and raw:
        found = [as_text(each) for each in raw]
        for place in repeated(found):
            raise refuse(f"{found[place]} occurs twice", place)
        return found
    if isinstance(raw, dict) and {"from", "to"} & raw.keys():
        span = nested(kind, raw)
        return span if isinstance(span, Span) and not span.is_stepped else span.values()
    example = "write a list, like [10, 20], or a range, like {from: 10, to: 40, step: 10}"
    raise refuse(f"{'it is empty' if not raw else f'{shown(raw)} is not a list of values'}; {example}")

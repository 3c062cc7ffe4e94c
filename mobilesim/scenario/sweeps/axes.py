"""The axes of a sweep: keys of the scenario that vary, each with a list or a range of values."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema

from mobilesim.errors import shown
from mobilesim.scenario.pydantic_errors import nested
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import Whole
from mobilesim.scenario.values.units import NUMBER, UNIT
from mobilesim.scenario.values.validation_error import Fault, refuse, repeated
from mobilesim.scenario.yaml_document import Place, as_text

MOST: Final = 1_000

_FORM: Final = re.compile(rf"\s*({NUMBER})\s*({UNIT}|%)?\s*", re.ASCII)
_DIGITS: Final = 3
"""The number of significant digits of values on a logarithmic scale. Values between two integers are integers."""

NUMBER_PATTERN: Final = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_TEXT: Final = {"type": "string", "pattern": rf"^\s*{NUMBER_PATTERN}\s*([A-Za-zµμ]+(/[A-Za-z]+)?|%)?\s*$"}
_NUMBER: Final[dict[str, Any]] = {"anyOf": [{"type": "number"}, _TEXT]}
_POSITIVE: Final[dict[str, Any]] = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "pattern": r"^\s*\+?[0.]*[1-9]"}]
}


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an axis. `text`: as in the sweep file. `setting`: for the scenario, with absolute file names."""

    text: str
    setting: str
    at: Place


@dataclass(frozen=True, slots=True)
class Axis:
    """Keys that vary together. Each value of the axis is a tuple with a value for each key."""

    keys: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]


class _Bound(NamedTuple):
    raw: object
    number: Fraction
    unit: str


def _bound(raw: object) -> _Bound:
    parts = None if isinstance(raw, bool) else _FORM.fullmatch(str(raw))
    if parts is None:
        raise refuse(f"{shown(raw)} is not a number, with or without a unit, like 10 or '5 s'")
    return _Bound(raw, Fraction(parts[1]), parts[2] or "")


_ABSENT: Final[dict[str, Any]] = {"default": None}

_Number = Annotated[_Bound, PlainValidator(_bound), WithJsonSchema(_NUMBER)]
_Step = Annotated[_Bound, PlainValidator(_bound), WithJsonSchema({"allOf": [_NUMBER, _POSITIVE]})]


class Range(Section):
    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["step"]}, {"required": ["steps"]}],
            "if": {"properties": {"scale": {"const": "log"}}, "required": ["scale"]},
            "then": {"required": ["steps"], "properties": {"from": _POSITIVE}},
            "examples": [{"from": 10, "to": 40, "step": 10}, {"from": 10, "to": 1000, "steps": 5, "scale": "log"}],
        }
    )

    low: _Number = Field(alias="from", description="The least value.")
    high: _Number = Field(alias="to", description="The greatest value, in the same unit.")
    step: _Step = Field(**_ABSENT, description="The difference between consecutive values.")
    steps: Annotated[Whole, Field(ge=2, le=MOST)] = Field(**_ABSENT, description="The number of values.")
    scale: Literal["linear", "log"] = Field(
        default="linear", description="The spacing of values: 'linear', or 'log' with a constant ratio."
    )

    def faults(self) -> Iterator[Fault]:
        low, high, written = self.low, self.high, self.model_fields_set
        if ("step" in written) == ("steps" in written):
            yield Fault("write either 'step', the difference of values, or 'steps', the number of values")
        elif low.unit != high.unit:
            yield Fault(f"{shown(low.raw)} and {shown(high.raw)} have different units; write both in one unit", ("to",))
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
        elif self.step.number <= 0 or self.step.unit != unit:
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
        return list(dict.fromkeys(f"{_written(value)} {self.low.unit}".strip() for value in found))

    def _between(self, index: int) -> Fraction:
        low, high, share = self.low.number, self.high.number, Fraction(index, self.steps - 1)
        if self.scale == "linear":
            value = low + (high - low) * share
        else:
            value = Fraction(math.exp(math.log(low) + math.log(high / low) * share))
        if not self.low.unit and low.denominator == high.denominator == 1:
            return Fraction(round(value))
        return value if self.scale == "linear" else Fraction(f"{float(value):.{_DIGITS}g}")


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{number.quantize(Decimal('1e-12')).normalize():f}"


def texts(raw: object) -> list[str]:
    """Return the values of a list or a range, as YAML texts."""
    if isinstance(raw, list) and raw:
        found = [as_text(each) for each in raw]
        for place in repeated(found):
            raise refuse(f"{found[place]} occurs twice", place)
        return found
    if isinstance(raw, dict) and {"from", "to"} & raw.keys():
        return nested(Range, raw).values()
    example = "write a list, like [10, 20], or a range, like {from: 10, to: 40, step: 10}"
    raise refuse(f"{'it is empty' if not raw else f'{shown(raw)} is not a list of values'}; {example}")

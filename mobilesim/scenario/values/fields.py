"""The types of the model's fields, with their form as texts, their checks and their JSON Schemas."""

import hashlib
import os
import re
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

from mobilesim.errors import shown
from mobilesim.scenario.values import distributions, units
from mobilesim.scenario.values.validation_error import refuse

MANY: Final = 1_000_000
NAME_LENGTH: Final = 100


def setting(default: object, description: str, *examples: object) -> Any:  # noqa: ANN401 (as pydantic's Field)
    """Return a field. Its default has the form of values in files, and is shown in the schema and the template."""
    return Field(default=default, description=description, validate_default=True, examples=list(examples) or None)


def optional(description: str, *examples: object) -> Any:  # noqa: ANN401 (as pydantic's Field)
    return setting(None, description, *examples)


def required(description: str, *examples: object) -> Any:  # noqa: ANN401 (as pydantic's Field)
    return Field(description=description, examples=list(examples) or None)


def _is_number(raw: object) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool)


def text_schema(pattern: str, *examples: str, title: str | None = None) -> dict[str, Any]:
    titled = {} if title is None else {"title": title}
    return {"type": "string", **titled, "pattern": rf"^\s*{pattern}\s*$", "examples": list(examples)}


_NUMBER: Final = r"\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_WORD: Final = "[A-Za-zµμ]+"
_RATE: Final = f"({_WORD}/{_WORD}|[kMG]?bps)"
_MOMENT: Final = rf"{_NUMBER}\s*{_WORD}"
_DRAWN: Final = (
    rf"(((constant|exponential)\s+)?{_MOMENT}|uniform\s+{_MOMENT}\s+{_MOMENT}|pareto\s+{_NUMBER}\s+{_MOMENT})"
)


class Quantity:
    """Marks a number that is written with a unit. `listed`: the units that descriptions name."""

    def __init__(self, measure: units.Measure, listed: str, *examples: str, signed: bool = False) -> None:
        self.measure = measure
        self.signed = signed
        unit = _RATE if "/" in measure.base else _WORD
        noun, sign = (f"{measure.noun} to either side", r"(-\s*)?") if signed else (measure.noun, "")
        self.schema = text_schema(rf"{sign}{_NUMBER}\s*{unit}", *examples, title=f"{noun} ({listed})")

    def __get_pydantic_core_schema__(self, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        most = self.measure.limit
        least = -most if self.signed else 0
        written = core_schema.plain_serializer_function_ser_schema(self.measure.write, when_used="json")
        number: CoreSchema = core_schema.int_schema(strict=True, ge=least, le=most)
        if not self.measure.whole:
            number = core_schema.float_schema(strict=True, ge=least, le=most, allow_inf_nan=False)
        return core_schema.with_info_before_validator_function(self._read, number, serialization=written)

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**self.schema}

    def _read(self, raw: object, info: ValidationInfo) -> object:
        if isinstance(raw, str):
            text = raw.lstrip()
            negative = self.signed and re.match(r"-\s*[0-9.]", text)
            return -self.measure.read(text[1:]) if negative else self.measure.read(raw)
        if not _is_number(raw):
            raise refuse(self.measure.misread(raw))
        if isinstance(info.context, Path):  # the value is from a file, which has this folder
            raise refuse(self.measure.unitless(raw))
        return raw


Time = Annotated[int, Quantity(units.TIME, "ns, us, ms, s, min, h", "7 ms", "500 us", "1.5 s", "2 min")]
Bandwidth = Annotated[
    int,
    Quantity(units.BANDWIDTH, "bit/s, kbit/s, Mbit/s, Gbit/s, kB/s, bps, kbps, Mbps", "1 Mbit/s", "64 kB/s"),
    Field(gt=0),
]
Size = Annotated[int, Quantity(units.SIZE, "B, kB, KiB, MB", "100 B", "1.5 kB", "1 KiB")]
Power = Annotated[float, Quantity(units.POWER, "W, mW", "1.4 W", "830 mW")]
Joules = Annotated[int, Quantity(units.ENERGY, "J, mJ, kJ, Wh, mWh", "500 J", "1.5 Wh", "200 uJ")]
Length = Annotated[float, Quantity(units.LENGTH, "m, km", "500 m", "1.5 km")]
Shift = Annotated[float, Quantity(units.LENGTH, "m, km", "-500 m", "1.5 km", signed=True)]
Speed = Annotated[float, Quantity(units.SPEED, "m/s, km/h", "1.4 m/s", "50 km/h")]

Whole = Annotated[int, Field(strict=True)]
Count = Annotated[Whole, Field(ge=1, le=MANY)]
Flag = Annotated[bool, Field(strict=True)]
Fraction = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
_PERCENT: Final = r"([0-9]{1,3}(?:\.[0-9]{1,10})?)\s*%"


class Share:
    """Marks a number that may also be written in percent. In an annotation, it must be after the bounds."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [handler(schema), text_schema(_PERCENT, "95 %")]}

    @staticmethod
    def _read(raw: object) -> object:
        if not isinstance(raw, str):
            return raw
        if not (found := re.fullmatch(rf"\s*{_PERCENT}\s*", raw, re.ASCII)):
            raise refuse(f"{shown(raw)} is not a number from 0 to 1; write one like 0.95, or '95 %'")
        return float(Decimal(found[1]) / 100)


Chance = Annotated[Fraction, Share()]
Pair = tuple[Whole, Whole]


class Drawn:
    """Marks a quantity that may also be a distribution."""

    def __init__(self, measure: units.Measure, example: str) -> None:
        self.measure = measure
        title = f"{measure.noun} or a distribution of {measure.noun.removeprefix('a ')}s"
        self.schema = text_schema(_DRAWN, example, *distributions.EXAMPLES[measure], title=title)

    def __get_pydantic_core_schema__(self, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(str, when_used="json")
        return core_schema.with_info_plain_validator_function(self._read, serialization=written)

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**self.schema}

    def _read(self, raw: object, info: ValidationInfo) -> distributions.Distribution:
        measure = self.measure
        if isinstance(raw, distributions.Distribution):
            return raw
        if isinstance(raw, str):
            return distributions.read(raw, measure)
        if not _is_number(raw):
            raise refuse(f"{shown(raw)} is not {measure.noun} or a distribution (write {distributions.forms(measure)})")
        if isinstance(info.context, Path) or not isinstance(raw, int):
            raise refuse(measure.unitless(raw))
        return distributions.Constant(raw, measure)


Times = Annotated[distributions.Distribution, Drawn(units.TIME, units.TIME.example)]
Payloads = Annotated[distributions.Distribution, Drawn(units.SIZE, "100 B")]
Batteries = Annotated[distributions.Distribution, Drawn(units.ENERGY, "500 J")]


def readable_file(raw: object, info: ValidationInfo) -> Path:
    if not isinstance(raw, str | Path) or not str(raw) or "\0" in str(raw):
        raise refuse(f"{shown(raw)} is not the name of a file")
    path = info.context / raw if isinstance(info.context, Path) else Path(raw)
    try:
        fault = _unreadable(path)
    except OSError as error:
        fault = f"cannot read {shown(str(path))}: {error.strerror}"
    if fault is not None:
        raise refuse(fault)
    return path


def _unreadable(path: Path) -> str | None:
    if not path.is_file():
        kind = "is a directory" if path.is_dir() else "does not exist"
        return f"the file {shown(str(path))} {kind} (relative names start at the scenario's folder)"
    return None if os.access(path, os.R_OK) else f"the file {shown(str(path))} may not be read"


def digest(path: Path) -> str:
    """Return the digest of a file. It is cached, because a scenario is hashed repeatedly, and tracks are large."""
    status = path.stat()
    return _digest(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _digest(path: Path, _changed: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# In the normal form of a scenario, the digest of a file's content replaces its path.
InputFile = Annotated[Path, PlainValidator(readable_file), PlainSerializer(digest, when_used="json")]


def file_schema(title: str, *examples: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "title": title, "examples": list(examples)})

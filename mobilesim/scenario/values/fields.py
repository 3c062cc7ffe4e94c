"""The field types of the model, with their text form, their checks and their JSON Schema."""

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BeforeValidator,
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
from mobilesim.scenario.sections import protocol_choice
from mobilesim.scenario.values import distributions, units
from mobilesim.scenario.values.validation_error import refuse
from protocols import catalogue

MANY: Final = 1_000_000
NAME_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class Written:
    """The validation context of values from files and options. Without it, numbers count in the model's units."""

    folder: Path


def setting(default: object, description: str, **more: Any) -> Any:  # noqa: ANN401 (as pydantic's Field)
    """A field whose default is the text a user would write, so that schema and template show that text."""
    return Field(default=default, description=description, validate_default=True, **more)


def _is_number(raw: object) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool)


def _measured(measure: units.Measure) -> Callable[[object, ValidationInfo], object]:
    def read(raw: object, info: ValidationInfo) -> object:
        if isinstance(raw, str):
            return measure.read(raw)
        if _is_number(raw) and isinstance(info.context, Written):
            raise refuse(measure.unitless(raw))
        if not _is_number(raw):
            raise refuse(measure.misread(raw))
        return raw

    return read


_NUMBER: Final = r"\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_WORD: Final = "[A-Za-zµμ]+"
_RATE: Final = f"({_WORD}/{_WORD}|[kMG]?bps|kmh|kph|mps)"
_MOMENT: Final = rf"{_NUMBER}\s*{_WORD}"
_ONE: Final = rf"((constant|exponential)\s+)?{_MOMENT}"


def _quantity_schema(noun: str, unit: str, examples: list[str]) -> WithJsonSchema:
    pattern = rf"^\s*{_NUMBER}\s*{unit}\s*$"
    return WithJsonSchema({"type": "string", "title": noun, "pattern": pattern, "examples": examples})


Time = Annotated[
    int,
    BeforeValidator(_measured(units.TIME)),
    Field(strict=True, ge=0, le=units.TIME.limit),
    PlainSerializer(units.TIME.write, when_used="json"),
    _quantity_schema("a time (ns, us, ms, s, min, h)", _WORD, ["7 ms", "500 us", "1.5 s", "2 min"]),
]
Bandwidth = Annotated[
    int,
    BeforeValidator(_measured(units.BANDWIDTH)),
    Field(strict=True, gt=0, le=units.BANDWIDTH.limit),
    PlainSerializer(units.BANDWIDTH.write, when_used="json"),
    _quantity_schema("a bandwidth (bit/s, kbit/s, Mbit/s, Gbit/s, kB/s)", _RATE, ["1 Mbit/s", "64 kB/s"]),
]
Size = Annotated[
    int,
    BeforeValidator(_measured(units.SIZE)),
    Field(strict=True, ge=0, le=units.SIZE.limit),
    PlainSerializer(units.SIZE.write, when_used="json"),
    _quantity_schema("a size (B, kB, KiB, MB)", _WORD, ["100 B", "1.5 kB", "1 KiB"]),
]
Power = Annotated[
    float,
    BeforeValidator(_measured(units.POWER)),
    Field(strict=True, ge=0, le=units.POWER.limit, allow_inf_nan=False),
    PlainSerializer(units.POWER.write, when_used="json"),
    _quantity_schema("a power (W, mW)", _WORD, ["1.4 W", "830 mW"]),
]
Joules = Annotated[
    int,
    BeforeValidator(_measured(units.ENERGY)),
    Field(strict=True, ge=0, le=units.ENERGY.limit),
    PlainSerializer(units.ENERGY.write, when_used="json"),
    _quantity_schema("an energy (J, mJ, kJ, Wh, mWh)", _WORD, ["500 J", "1.5 Wh", "200 uJ"]),
]
Length = Annotated[
    float,
    BeforeValidator(_measured(units.LENGTH)),
    Field(strict=True, ge=0, le=units.LENGTH.limit, allow_inf_nan=False),
    PlainSerializer(units.LENGTH.write, when_used="json"),
    _quantity_schema("a length (m, km)", _WORD, ["500 m", "1.5 km"]),
]
Speed = Annotated[
    float,
    BeforeValidator(_measured(units.SPEED)),
    Field(strict=True, ge=0, le=units.SPEED.limit, allow_inf_nan=False),
    PlainSerializer(units.SPEED.write, when_used="json"),
    _quantity_schema("a speed (m/s, km/h)", _RATE, ["1.4 m/s", "50 km/h"]),
]

Whole = Annotated[int, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Fraction = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
_PERCENT: Final = r"\s*([0-9]{1,3}(?:\.[0-9]{1,10})?)\s*%\s*"


class Share:
    """Marks a number that may also be written in percent. It follows the number's bounds."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [handler(schema), {"type": "string", "pattern": f"^{_PERCENT}$", "examples": ["95 %"]}]}

    @staticmethod
    def _read(raw: object) -> object:
        if not isinstance(raw, str):
            return raw
        if not (found := re.fullmatch(_PERCENT, raw, re.ASCII)):
            raise refuse(f"{shown(raw)} is not a number from 0 to 1; write one like 0.95, or '95 %'")
        return float(Decimal(found[1]) / 100)


Chance = Annotated[Fraction, Share()]
Pair = tuple[Whole, Whole]


def _drawn(measure: units.Measure) -> PlainValidator:
    def read(raw: object, info: ValidationInfo) -> distributions.Distribution:
        if isinstance(raw, distributions.Distribution):
            return raw
        if isinstance(raw, str):
            return distributions.read(raw, measure)
        if not _is_number(raw):
            raise refuse(f"{shown(raw)} is not {measure.noun} or a distribution (write {distributions.forms(measure)})")
        if isinstance(info.context, Written) or not isinstance(raw, int):
            raise refuse(measure.unitless(raw))
        return distributions.Constant(raw, measure)

    return PlainValidator(read)


def _drawn_schema(measure: units.Measure, example: str) -> WithJsonSchema:
    return WithJsonSchema(
        {
            "type": "string",
            "title": f"{measure.noun} or a distribution of {measure.noun.removeprefix('a ')}s",
            "pattern": rf"^\s*({_ONE}|uniform\s+{_MOMENT}\s+{_MOMENT}|pareto\s+{_NUMBER}\s+{_MOMENT})\s*$",
            "examples": [example, *distributions.EXAMPLES[measure].values()],
        }
    )


_AS_TEXT: Final = PlainSerializer(str, when_used="json")

Times = Annotated[
    distributions.Distribution, _drawn(units.TIME), _AS_TEXT, _drawn_schema(units.TIME, units.TIME.example)
]
Payloads = Annotated[distributions.Distribution, _drawn(units.SIZE), _AS_TEXT, _drawn_schema(units.SIZE, "100 B")]
"""Payload sizes in bytes."""
Batteries = Annotated[distributions.Distribution, _drawn(units.ENERGY), _AS_TEXT, _drawn_schema(units.ENERGY, "500 J")]
"""Battery capacities in microjoules."""


def _destinations(raw: object) -> int | Literal["all"]:
    if raw == "all":
        return "all"
    if isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= MANY:
        return raw
    raise refuse(f"{shown(raw)} is not a number of hosts; write a whole number of 1 or more, or 'all'")


Destinations = Annotated[
    int | Literal["all"],
    PlainValidator(_destinations),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": MANY}, {"const": "all"}]}),
]


def _file(raw: object, info: ValidationInfo) -> Path:
    return readable_file(raw, info)


def readable_file(raw: object, info: ValidationInfo, *below: str) -> Path:
    if not isinstance(raw, str | Path) or not str(raw) or "\0" in str(raw):
        raise refuse(f"{shown(raw)} is not the name of a file", *below)
    path = info.context.folder / raw if isinstance(info.context, Written) else Path(raw)
    try:
        fault = _unreadable(path)
    except OSError as error:
        fault = f"cannot read {shown(str(path))}: {error.strerror}"
    if fault is not None:
        raise refuse(fault, *below)
    return path


def _unreadable(path: Path) -> str | None:
    if not path.is_file():
        kind = "is a directory" if path.is_dir() else "does not exist"
        return f"the file {shown(str(path))} {kind} (relative names start at the scenario's folder)"
    return None if os.access(path, os.R_OK) else f"the file {shown(str(path))} may not be read"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# In the normal form a file is the digest of its content, not its path.
_HeldFile = Annotated[Path, PlainValidator(_file), PlainSerializer(digest, when_used="json")]
GraphFile = Annotated[
    _HeldFile, WithJsonSchema({"type": "string", "title": "a GraphML file", "examples": ["backbone.graphml"]})
]
CellsFile = Annotated[
    _HeldFile,
    WithJsonSchema({"type": "string", "title": "a GraphML or CSV file", "examples": ["cells.graphml", "sites.csv"]}),
]
MessagesFile = Annotated[
    Path,
    PlainValidator(_file),
    PlainSerializer(digest, when_used="json"),
    WithJsonSchema({"type": "string", "title": "a CSV or Parquet file of messages", "examples": ["messages.csv"]}),
]


def _protocol_schema() -> dict[str, object]:
    pairs = list(catalogue.pairs())
    named = {"type": "string", "enum": [*catalogue.ROWS, *(f"{row.placement}+{row.ordering}" for row in pairs)]}
    rows = [_with_options({"name": {"const": row.name}}, row.options) for row in catalogue.ROWS.values()]
    alike: dict[tuple[str, tuple[str, ...]], list[catalogue.ProtocolRow]] = {}
    for row in pairs:
        alike.setdefault((row.placement, tuple(row.options)), []).append(row)
    for (placement, _), same in alike.items():
        pair = {"placement": {"const": placement}, "ordering": {"enum": [row.ordering for row in same]}}
        rows.append(_with_options(pair, same[0].options))
    return {"anyOf": [named, *rows]}


def _allowed(option: catalogue.Option) -> dict[str, object]:
    if isinstance(option.values, range):
        return {"type": "integer", "minimum": option.values[0], "maximum": option.values[-1]}
    return {"enum": list(option.values)}


def _with_options(fixed: dict[str, object], options: Mapping[str, catalogue.Option]) -> dict[str, object]:
    free = {
        key: {"description": option.help, "default": option.default, **_allowed(option)}
        for key, option in options.items()
    }
    return {"type": "object", "properties": {**fixed, **free}, "required": list(fixed), "additionalProperties": False}


Protocol = Annotated[
    protocol_choice.ProtocolChoice,
    PlainValidator(protocol_choice.choose),
    PlainSerializer(protocol_choice.brief, when_used="json"),
    WithJsonSchema(_protocol_schema()),
]

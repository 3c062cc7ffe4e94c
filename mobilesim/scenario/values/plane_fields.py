"""Field types of mobility models on a plane: shifts, which may be negative, and track files."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final

from pydantic import PlainSerializer, PlainValidator, ValidationInfo, WithJsonSchema

from mobilesim.scenario.values import fields
from mobilesim.scenario.values.fields import Written, readable_file
from mobilesim.scenario.values.units import LENGTH
from mobilesim.scenario.values.validation_error import refuse

_SIGN: Final = re.compile(r"\s*-\s*(?=[0-9.])")


def _shift(raw: object, info: ValidationInfo) -> float:
    """Read a shift; numbers without a unit are metres, except in files and options."""
    if isinstance(raw, str):
        sign = _SIGN.match(raw)
        return -LENGTH.read(raw[sign.end() :]) if sign else LENGTH.read(raw)
    if not isinstance(raw, int | float) or isinstance(raw, bool):
        raise refuse(LENGTH.misread(raw))
    if isinstance(info.context, Written) or not abs(raw) <= LENGTH.limit:
        raise refuse(LENGTH.unitless(raw))
    return float(raw)


def _written(shift: float) -> str:
    return f"-{LENGTH.write(-shift)}" if shift < 0 else LENGTH.write(shift)


Shift = Annotated[
    float,
    PlainValidator(_shift),
    PlainSerializer(_written, when_used="json"),
    WithJsonSchema(
        {
            "type": "string",
            "title": "a length to either side (m, km)",
            "pattern": r"^\s*(-\s*)?\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*[A-Za-zµμ]+\s*$",
            "examples": ["-500 m", "1.5 km"],
        }
    ),
]


def _file(raw: object, info: ValidationInfo) -> Path:
    return readable_file(raw, info)


def digest(path: Path) -> str:
    """The digest of a file, cached: a scenario's hash is computed repeatedly, and tracks are large."""
    about = path.stat()
    return _digest(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=64)
def _digest(path: Path, _changed: int, _size: int) -> str:
    return fields.digest(path)


TrackFile = Annotated[
    Path,
    PlainValidator(_file),
    PlainSerializer(digest, when_used="json"),
    WithJsonSchema({"type": "string", "title": "a file of movement", "examples": ["track.csv"]}),
]

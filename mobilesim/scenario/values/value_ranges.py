"""The values of one key of a sweep: a list of them, or a range."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from mobilesim.errors import did_you_mean, shown
from mobilesim.scenario.values.units import NUMBER, UNIT
from mobilesim.scenario.values.validation_error import Fault
from mobilesim.scenario.yaml_document import DocumentError, parse

MOST: Final = 1_000

_KEYS: Final = ("from", "to", "step", "steps", "scale")
_SCALES: Final = ("linear", "log")
_FORM: Final = re.compile(rf"\s*({NUMBER})\s*({UNIT}|%)?\s*", re.ASCII)
_DIGITS: Final = 3
"""Significant digits of values on a logarithmic scale, unless they are whole numbers without a unit."""


class RangeError(Exception):
    def __init__(self, message: str, *below: str | int) -> None:
        super().__init__(message)
        self.fault = Fault(message, below)


def values(raw: object) -> list[str]:
    """The values of a list or range, as YAML texts."""
    match raw:
        case list() if raw:
            return [text(each) for each in raw]
        case Mapping() if {"from", "to"} & raw.keys():
            return _range(raw)
    example = "write a list, like [10, 20], or a range, like {from: 10, to: 40, step: 10}"
    raise RangeError(f"{'it is empty' if not raw else f'{shown(raw)} is not a list of values'}; {example}")


def text(value: object) -> str:
    if isinstance(value, str):
        return value if _plain(value) else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def _plain(value: str) -> bool:
    try:
        return bool(parse(value).data == value)
    except DocumentError:
        return False


def _range(raw: Mapping[str, Any]) -> list[str]:
    for key in raw:
        if key not in _KEYS:
            raise RangeError(f"unknown key{did_you_mean(key, _KEYS)} (known: {', '.join(_KEYS)})", key)
    for key in ("from", "to"):
        if key not in raw:
            raise RangeError(f"'{key}' is missing; write a range like {{from: 10, to: 40, step: 10}}")
    if ("step" in raw) == ("steps" in raw):
        raise RangeError("write either 'step', from one value to the next, or 'steps', how many values there are")
    scale = raw.get("scale", "linear")
    if scale not in _SCALES:
        raise RangeError(f"{shown(scale)} is not one of {', '.join(_SCALES)}{did_you_mean(scale, _SCALES)}", "scale")
    (low, unit), (high, other) = _number(raw, "from"), _number(raw, "to")
    if unit != other:
        raise RangeError(f"{shown(raw['from'])} and {shown(raw['to'])} are in two units; write both in one", "to")
    if low > high:
        raise RangeError(f"{shown(raw['to'])} is less than {shown(raw['from'])}; write the least value first", "to")
    whole = not unit and low.denominator == high.denominator == 1
    found = _stepping(raw, low, high, unit) if "step" in raw else _steps(raw, low, high, scale, whole=whole)
    return list(dict.fromkeys(f"{_written(value)} {unit}".strip() for value in found))


def _number(raw: Mapping[str, Any], key: str) -> tuple[Fraction, str]:
    value = raw[key]
    parts = None if isinstance(value, bool) else _FORM.fullmatch(str(value))
    if parts is None:
        raise RangeError(f"{shown(value)} is not a number, with or without a unit, like 10 or '5 s'", key)
    return Fraction(parts[1]), parts[2] or ""


def _stepping(raw: Mapping[str, Any], low: Fraction, high: Fraction, unit: str) -> list[Fraction]:
    if raw.get("scale") == "log":
        raise RangeError("a logarithmic scale takes 'steps', how many values there are", "step")
    step, other = _number(raw, "step")
    if step <= 0 or other != unit:
        unit_note = f", in the unit of 'from' and 'to' ({unit})" if unit else ""
        raise RangeError(f"{shown(raw['step'])} is not a step; write more than 0{unit_note}", "step")
    count = int((high - low) / step) + 1
    _check_count(count, "step")
    return [low + step * index for index in range(count)]


def _steps(raw: Mapping[str, Any], low: Fraction, high: Fraction, scale: str, *, whole: bool) -> Iterator[Fraction]:
    count = raw["steps"]
    if not isinstance(count, int) or isinstance(count, bool) or count < 2:
        raise RangeError(f"{shown(count)} is not a number of values; write 2 or more", "steps")
    _check_count(count, "steps")
    if scale == "log" and low <= 0:
        raise RangeError("a logarithmic scale begins above 0", "from")
    for place in range(count):
        if place in {0, count - 1}:
            yield high if place else low
        elif scale == "linear":
            value = low + (high - low) * place / (count - 1)
            yield Fraction(round(value)) if whole else value
        else:
            value = Fraction(math.exp(math.log(low) + math.log(high / low) * place / (count - 1)))
            yield Fraction(round(value)) if whole else Fraction(f"{float(value):.{_DIGITS}g}")


def _check_count(count: int, key: str) -> None:
    if count > MOST:
        raise RangeError(f"{count} values are too many; the most is {MOST}", key)


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{number.quantize(Decimal('1e-12')).normalize():f}"

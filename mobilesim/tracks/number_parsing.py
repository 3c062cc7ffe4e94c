"""Reads numbers and ISO 8601 timestamps in texts. Seconds are converted to whole nanoseconds, and back, exactly."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from mobilesim.errors import UserError
from mobilesim.tracks.position import FARTHEST, LATEST

# Up to this number of seconds, a float is exact to a nanosecond.
_FINE: Final = 1e6
_SECOND: Final = 10**9
_SHOWN: Final = 40
_TIMESTAMP: Final = re.compile(
    r"\s*(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d{1,30}))?(Z|[+-]\d\d:\d\d)?\s*", re.ASCII | re.IGNORECASE
)


class Unreadable(UserError):  # noqa: N818 - the name describes the text
    """An error in a part of a file. The caller adds the file and the line to the message."""


def seconds(text: str, unit: int = _SECOND) -> int:
    """Return a time in nanoseconds. `unit`: the unit of the text, in nanoseconds."""
    count = number(text)
    time = round(count * unit) if -_FINE < count < _FINE else int((Decimal(text) * unit).to_integral_value())
    if not 0 <= time <= LATEST:
        fault = "before 0" if time < 0 else "more than 100 years; are these really seconds?"
        raise Unreadable(f"the time {quoted(text)} is {fault}")
    return time


def number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        advice = "; write decimals with a point" if "," in text else ""
        raise Unreadable(f"{quoted(text)} is not a number{advice}") from None
    if not -1e30 < value < 1e30 or "_" in text:
        raise Unreadable(f"{quoted(text)} is not a finite number")
    return value


def metres(text: str) -> float:
    value = number(text)
    if not -FARTHEST <= value <= FARTHEST:
        raise Unreadable(f"{quoted(text)} is too far away; coordinates are metres, up to 100,000 km")
    return value


def quoted(text: str) -> str:
    """Return a text, or its beginning, in quotes and on one line."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def as_seconds(time: int) -> str:
    """Return the shortest exact text of a time, in seconds."""
    whole, rest = divmod(time, _SECOND)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".") if rest else str(whole)


def is_timestamp(text: str) -> bool:
    return _TIMESTAMP.fullmatch(text) is not None


def parse_timestamp(text: str) -> int:
    """Return the nanoseconds since 1970. A timestamp without a zone is in UTC."""
    parts = _TIMESTAMP.fullmatch(text)
    if parts is None:
        raise Unreadable(f"{quoted(text.strip())} is not a time; write it like 2024-05-01T12:00:00Z")
    whole, fraction, zone = parts.groups()
    try:
        when = datetime.fromisoformat(whole + (zone or "Z").upper())
    except ValueError as error:
        reason = "there is no such time zone" if "offset" in str(error) else error
        raise Unreadable(f"{quoted(text.strip())} is not a time: {reason}") from None
    since = when - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * _SECOND + int((fraction or "").ljust(9, "0")[:9])

"""Numbers and ISO 8601 timestamps in text. Seconds are converted exactly to whole nanoseconds, and back."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from mobilesim.errors import UserError
from mobilesim.tracks.position import FARTHEST, LATEST

# Below this limit, a float resolves nanoseconds.
_FINE: Final = 1e6
_SECOND: Final = 10**9
_SHOWN: Final = 40
_TIMESTAMP: Final = re.compile(
    r"\s*(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d{1,30}))?(Z|[+-]\d\d:\d\d)?\s*", re.ASCII | re.IGNORECASE
)


class Unreadable(UserError):  # noqa: N818 - a property of the text
    """An error in a piece of text; the caller adds file and line."""


def seconds(text: str, unit: int = _SECOND) -> int:
    """Return nanoseconds; `unit` is the number of nanoseconds in a unit of the text."""
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
    """Return a short literal on one line."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def as_seconds(time: int) -> str:
    """Return the shortest exact text."""
    whole, rest = divmod(time, _SECOND)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".") if rest else str(whole)


def is_timestamp(text: str) -> bool:
    return _TIMESTAMP.fullmatch(text) is not None


def parse_timestamp(text: str) -> int:
    """Return nanoseconds since 1970; a time without a zone is UTC."""
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

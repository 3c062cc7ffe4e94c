"""Numbers in text. Seconds are converted exactly to whole nanoseconds, and back."""

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Final

from mobilesim.errors import UserError
from mobilesim.tracks.position import FARTHEST, LATEST

# Below this, a float resolves nanoseconds.
_FINE: Final = 1e6
_SECOND: Final = 10**9
_SHOWN: Final = 40


class Unreadable(UserError):  # noqa: N818 - a property of the text
    """An error in a piece of text; the caller adds file and line."""


def seconds(text: str, unit: int = _SECOND) -> int:
    """Return nanoseconds; `unit` is the number of nanoseconds in a unit of the text."""
    count = number(text)
    time = round(count * unit) if -_FINE < count < _FINE else _exact(text, unit)
    if not 0 <= time <= LATEST:
        fault = "before 0" if time < 0 else "more than 100 years; are these really seconds?"
        raise Unreadable(f"the time {quoted(text)} is {fault}")
    return time


def _exact(text: str, unit: int) -> int:
    try:
        return int((Decimal(text) * unit).to_integral_value(ROUND_HALF_EVEN))
    except InvalidOperation:
        raise Unreadable(f"{quoted(text)} is no time") from None


def number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        advice = "; decimals have a point, and no comma" if "," in text else ""
        raise Unreadable(f"{quoted(text)} is not a number{advice}") from None
    if not -1e30 < value < 1e30 or "_" in text:
        raise Unreadable(f"{quoted(text)} is not a number that can be used here")
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

"""Timestamps of ISO 8601."""

import re
from datetime import UTC, datetime
from typing import Final

from mobilesim.tracks.number_parsing import Unreadable, quoted

_SECOND: Final = 10**9
_TIMESTAMP: Final = re.compile(
    r"\s*(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d{1,30}))?(Z|[+-]\d\d:\d\d)?\s*", re.ASCII | re.IGNORECASE
)


def is_timestamp(text: str) -> bool:
    return _TIMESTAMP.fullmatch(text) is not None


def parse_timestamp(text: str) -> int:
    """Return nanoseconds since 1970; a time without a zone is UTC."""
    parts = _TIMESTAMP.fullmatch(text)
    if parts is None:
        raise Unreadable(f"{quoted(text.strip())} is no time; write it like 2024-05-01T12:00:00Z")
    whole, fraction, zone = parts.groups()
    try:
        when = datetime.fromisoformat(whole + (zone or "Z").upper())
    except ValueError as error:
        reason = "no time zone is so far away" if "offset" in str(error) else error
        raise Unreadable(f"{quoted(text.strip())} is no time: {reason}") from None
    since = when - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * _SECOND + int((fraction or "").ljust(9, "0")[:9])

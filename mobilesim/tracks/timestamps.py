"""Times with a date, as ISO 8601 writes them."""

import re
from datetime import UTC, datetime
from typing import Final

from mobilesim.tracks.number_parsing import Unreadable, quoted

_SECOND: Final = 10**9
_MOMENT: Final = re.compile(
    r"\s*(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d{1,30}))?(Z|[+-]\d\d:\d\d)?\s*", re.ASCII | re.IGNORECASE
)


def is_moment(text: str) -> bool:
    return _MOMENT.fullmatch(text) is not None


def moment(text: str) -> int:
    """Nanoseconds since 1970; without a time zone it is UTC."""
    parts = _MOMENT.fullmatch(text)
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

"""Errors that a user can correct, and the parts of their messages."""

from difflib import get_close_matches
from typing import Final

_SHOWN: Final = 60
_HUGE: Final = 10**30


class UserError(Exception):
    """Bad input, or a machine that cannot do what is asked. The message is one line: where, what is wrong, what would
    be right.
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


def shown(value: object) -> str:
    """A value as a message shows it: short, on one line, and never the inside of a collection."""
    match value:
        case bool():
            return str(value).lower()
        case None:
            return "nothing"
        case int() if abs(value) >= _HUGE:
            return "a huge number"
        case str():
            return repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "…")
        case int() | float():
            return repr(value)
        case dict():
            return "a mapping"
        case list() | tuple():
            return "a list"
    return f"a {type(value).__name__}"


def nearest(word: object, known: list[str]) -> str:
    """` did you mean 'x'?` or nothing, to stand behind a message."""
    close = get_close_matches(word.casefold(), known, n=1, cutoff=0.6) if isinstance(word, str) else []
    return f"; did you mean {close[0]!r}?" if close else ""

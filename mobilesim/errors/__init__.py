"""Errors that a user can correct, and parts of messages."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

_SHOWN: Final = 60
_SECRET: Final = re.compile(r"(\w[\w+.-]*:/{1,2})[^\s'\"@]+@")
_HUGE: Final = 10**30
_PYTHON_CALL: Final = ContextVar("python_call", default=False)
_NONE: Final = MappingProxyType[str, str]({})


class UserError(Exception):
    """Wrong input, or a computer that lacks a resource. Each message is one line with the location, the mistake and the
    correction. If a file has several mistakes, the error has a message for each of them.
    """

    def __init__(self, *messages: str) -> None:
        self.messages = tuple(without_secrets(" ".join(message.split())) for message in messages)
        super().__init__("\n".join(self.messages))

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the messages without a traceback, because the input is to be corrected."""
        return [f"mobilesim: {message}" for message in self.messages]

    def __reduce__(self) -> tuple[type["UserError"], tuple[str, ...]]:
        return type(self), self.messages


def without_secrets(text: str) -> str:
    """Return the text without user names and passwords of addresses. A password may contain slashes."""
    return _SECRET.sub(r"\1", text)


def shown(value: object) -> str:
    """Return the text of a value for a message: short, on one line, and without the elements of a collection."""
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
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


@contextmanager
def python_call() -> Iterator[None]:
    """Let messages name parameters as Python does. This also decorates functions of the Python API."""
    token = _PYTHON_CALL.set(True)
    try:
        yield
    finally:
        _PYTHON_CALL.reset(token)


def is_python_call() -> bool:
    return _PYTHON_CALL.get()


def parameter(name: str, given: object = None) -> str:
    """Return a parameter with the given value, such as `--out DIR`; in calls from Python `out=DIR`."""
    if is_python_call():
        return f"`{name}`" if given is None else f"{name}={given}"
    option = f"--{name.replace('_', '-')}"
    return option if given is None or given is True else f"{option} {given}"


def counted(count: int, noun: str) -> str:
    """Return the count with its noun, such as `1 run`, `2,000 runs` or `2 deliveries`."""
    return f"{count:,} {plural(noun, count)}"


def plural(noun: str, count: float) -> str:
    """Return the noun in its plural, unless the count is 1."""
    if count == 1:
        return noun
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}{'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def did_you_mean(word: object, known: Iterable[str], installed: Mapping[str, str] = _NONE) -> str:
    """Return the end of a message, `; did you mean 'x'?`, for the most similar known word; '' if none is similar.
    `installed`: further known words, each with the package that declares it.
    """
    spelled = {name.casefold(): name for name in (*installed, *known)}
    close = get_close_matches(word.casefold(), spelled, n=1) if isinstance(word, str) else []
    if not close:
        return ""
    name = spelled[close[0]]
    return f"; did you mean {name!r}{f' ({installed[name]})' if name in installed else ''}?"


def suggestion(word: object, known: Iterable[str], others: str = "", installed: Mapping[str, str] = _NONE) -> str:
    """Return `did_you_mean`. If no word is similar, return a list of all known words and `others`."""
    words = list(known)
    listed = [*words, *(f"{name} ({origin})" for name, origin in installed.items()), *filter(None, [others])]
    return did_you_mean(word, words, installed) or f"; there are {', '.join(listed) or 'none'}"

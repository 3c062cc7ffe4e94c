"""Causes as indented lines. JSON documents have all causes; the text omits those that took hardly any time."""

from collections.abc import Iterator, Sequence
from typing import Final

from mobilesim.causes.cause import Cause

_LEAST: Final = 100
"""The text omits causes that took less than this fraction of the delay."""
_INDENT: Final = 4
_MILLISECOND: Final = 1_000_000
_SHORT: Final = "transmission, processing and other parts of less than 1 % each"


def milliseconds(time: int) -> str:
    """Return a time in milliseconds with one decimal, or more for short times."""
    digits = 1 if time >= _MILLISECOND or not time else 3 if time * 1000 >= _MILLISECOND else 6
    return f"{time / _MILLISECOND:,.{digits}f} ms"


def cause_lines(causes: Sequence[Cause]) -> list[str]:
    """Return the lines of the causes of a delay, in the order of time."""
    delay = sum(cause.length for cause in causes)
    return [*_tree(causes, max(1, -(-delay // _LEAST)), 0)]


def _tree(causes: Sequence[Cause], least: int, depth: int) -> Iterator[str]:
    shown = [cause for cause in causes if cause.length >= least]
    rest = sum(cause.length for cause in causes if cause.length < least)
    width = max((len(milliseconds(time)) for time in (*(cause.length for cause in shown), rest)), default=0)
    indent = " " * (2 + depth * _INDENT)
    for cause in shown:
        texts, deepest = _joined(cause)
        yield f"{indent}{milliseconds(cause.length):>{width}}  {texts}"
        if not deepest.is_transmission:
            yield from _tree(deepest.causes, least, depth + 1)
    if rest and shown:
        alone = {cause.text for cause in causes if cause.length < least}
        others = alone.pop() if len(alone) == 1 else _SHORT
        yield f"{indent}{milliseconds(rest):>{width}}  {others}"


def _joined(cause: Cause) -> tuple[str, Cause]:
    """Return the texts of a cause and of the causes that took the whole of its time, and the last of them."""
    texts = [cause.text]
    while len(cause.causes) == 1 and not cause.is_transmission:
        cause = cause.causes[0]
        texts.append(cause.text)
    return ": ".join(texts), cause

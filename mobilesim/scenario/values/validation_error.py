"""What is wrong with a value, said so that a user can put it right."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from pydantic_core import PydanticCustomError

_SHOWN: Final = 60
_HUGE: Final = 10**30

FAULTS: Final = "scenario_faults"


@dataclass(frozen=True, slots=True)
class Fault:
    """`below` leads from the value that was being read down to the part which is at fault."""

    message: str
    below: tuple[str | int, ...] = ()


def refusal(*faults: Fault) -> PydanticCustomError:
    """The exception by which a validator reports faults; they travel in its context."""
    return PydanticCustomError(FAULTS, "{message}", {"message": faults[0].message, "faults": faults})


def refuse(message: str, *below: str | int) -> PydanticCustomError:
    return refusal(Fault(message, below))


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

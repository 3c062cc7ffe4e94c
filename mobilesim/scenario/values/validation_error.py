"""The faults of values, with messages for the user."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pydantic_core import PydanticCustomError

FAULTS: Final = "scenario_faults"


@dataclass(frozen=True, slots=True)
class Fault:
    """`below`: the key path from the validated value to the faulty part."""

    message: str
    below: tuple[str | int, ...] = ()

    def under(self, *keys: str | int) -> "Fault":
        return Fault(self.message, (*keys, *self.below))


def refusal(*faults: Fault) -> PydanticCustomError:
    """Return the exception with which a validator reports faults. Its context has the faults."""
    return PydanticCustomError(FAULTS, "{message}", {"message": faults[0].message, "faults": faults})


def refuse(message: str, *below: str | int) -> PydanticCustomError:
    return refusal(Fault(message, below))


def repeated(items: Iterable[Hashable]) -> Iterator[int]:
    """Yield the index of each item that is equal to an earlier item."""
    seen = set[Hashable]()
    for index, item in enumerate(items):
        if item in seen:
            yield index
        seen.add(item)

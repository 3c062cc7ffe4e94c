"""Faults of values, with messages for the user."""

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
    """The exception by which a validator reports faults; they travel in its context."""
    return PydanticCustomError(FAULTS, "{message}", {"message": faults[0].message, "faults": faults})


def refuse(message: str, *below: str | int) -> PydanticCustomError:
    return refusal(Fault(message, below))

"""What is wrong with a value, said so that a user can put it right."""

from dataclasses import dataclass
from typing import Final

from pydantic_core import PydanticCustomError

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

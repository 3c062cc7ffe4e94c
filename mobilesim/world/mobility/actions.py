"""The actions of hosts in a simulation. All times are absolute, in nanoseconds."""

from dataclasses import dataclass
from typing import Final, TypeAlias

NOWHERE: Final = -1
LOOK_AHEAD: Final = 20_000_000_000
"""A host without departures yields an `Idle` about this often, so that iterators need not compute far ahead."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A host leaves its cell at `left` and enters `target` at `entered`.

    If it is `absent`, it is still away at `entered`: the next action has its return, and `target` counts only if the
    run ends before.
    """

    left: int
    entered: int
    target: int
    disconnects: bool
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Idle:
    """A host stays in its cell until `until` at least."""

    until: int


Action: TypeAlias = Departure | Idle

"""The actions of hosts in a simulation. All times are absolute and in nanoseconds."""

from dataclasses import dataclass
from typing import Final, TypeAlias

NOWHERE: Final = -1
LOOK_AHEAD: Final = 20_000_000_000
"""A host without departures yields an `Idle` at about this interval, so that its path is not computed far ahead."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A host leaves its cell at `left` and enters `target` at `entered`.

    If `absent`, the host is still in no cell at `entered`, and its next action contains the return. If the scenario has
    ended by then, the host enters `target` instead. `cut_off`: the host disconnects because no station reaches it, so
    it cannot announce its disconnection.
    """

    left: int
    entered: int
    target: int
    disconnects: bool
    absent: bool = False
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Idle:
    """A host stays in its cell until `until` at least."""

    until: int


Action: TypeAlias = Departure | Idle

"""What a host does next, as the emulation needs to know it. All times are absolute, in nanoseconds."""

from dataclasses import dataclass
from typing import Final, TypeAlias

NOWHERE: Final = -1
LOOK_AHEAD: Final = 20_000_000_000
"""Whoever asks what a host does next hears no later than this about a host that does nothing."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A host leaves its cell at `left` and turns up in `target` at `entered`. If it is `absent` it is still away then;
    whoever has time for it asks again, and `target` is for those who have not.
    """

    left: int
    entered: int
    target: int
    disconnects: bool
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Idle:
    """A host stays where it is at least `until` then; ask again."""

    until: int


Action: TypeAlias = Departure | Idle

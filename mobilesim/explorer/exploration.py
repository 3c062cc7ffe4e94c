"""The outcome of an exploration, and its progress."""

from enum import StrEnum

from mobilesim.explorer.untimed_world import Action
from mobilesim.oracle.verdicts import FaultKind
from protocols.frozen_value import value


class Ending(StrEnum):
    EXHAUSTED = "exhausted"
    FAULT = "fault"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"


@value
class SearchProgress:
    states: int
    transitions: int
    depth: int
    waiting: int
    seconds: float


@value
class Exploration:
    """`schedule` leads to a fault, of the kind `fault_kind`; it can be replayed on a live world. Only `reduced` counts
    are those of the reduced search, and only a schedule that is not `shortest` may have a shorter one.
    """

    ending: Ending
    states: int
    transitions: int
    depth: int
    seconds: float
    schedule: tuple[Action, ...] = ()
    fault_kind: FaultKind | None = None
    reduced: bool = False
    shortest: bool = True

"""The common part of the explorer's searches: the outcome of an exploration, its progress, and the run of a search."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from time import perf_counter
from typing import TypeAlias

from mobilesim.errors import counted
from mobilesim.explorer.untimed_world import Action
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.frozen_value import value


class Ending(StrEnum):
    EXHAUSTED = "exhausted"
    FAULT = "fault"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"


OnProgress: TypeAlias = Callable[["Search", int], None]
"""Takes a search and the number of states that are not yet expanded."""


@value
class Exploration:
    """`schedule` leads to a fault of kind `fault_kind`, and can be replayed on real machines. `reduced`: whether the
    search skipped interleavings of independent steps. If `schedule` is not `shortest`, a shorter schedule may exist.
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


class Search(ABC):
    """A breadth-first search of all states, which ends at the first fault."""

    reduced = False

    def __init__(self, on_progress: OnProgress | None) -> None:
        self.transitions = 0
        self.depth = 0
        self.on_progress = on_progress
        self.shortens = False
        """Whether a fault is known, and this search looks for a shortest schedule."""
        self.started = perf_counter()

    @property
    @abstractmethod
    def states(self) -> int:
        """The number of discovered states."""

    @abstractmethod
    def search(self, limit: int) -> Ending:
        """Search until there is a fault, all states are expanded, or `limit` states are discovered."""

    @abstractmethod
    def counterexample(self) -> tuple[tuple[Action, ...], FaultKind]:
        """Return the schedule that leads to the fault, and the kind of the fault."""

    @property
    def progress(self) -> str:
        """What this search is doing, in words."""
        aim = "a fault was found; searching for a shortest schedule: " if self.shortens else ""
        return aim + counted(self.states, "state")

    @property
    def seconds(self) -> float:
        return perf_counter() - self.started

    def explore(self, limit: int) -> Exploration:
        try:
            ending = self.search(limit)
        except KeyboardInterrupt:
            ending = Ending.INTERRUPTED
        found = Exploration(ending, self.states, self.transitions, self.depth, self.seconds, reduced=self.reduced)
        if ending is not Ending.FAULT:
            return found
        schedule, fault_kind = self.counterexample()
        return replace(found, schedule=schedule, fault_kind=fault_kind, shortest=not self.reduced)

    def report(self, waiting: int) -> None:
        if self.on_progress:
            self.on_progress(self, waiting)

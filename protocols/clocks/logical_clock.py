"""The common interface of logical clocks.

Every process has a clock. The clock advances at each event of its process, timestamps messages, and merges the
timestamps of received messages. Two timestamps answer whether one of two messages was sent before the other one, in the
sense of Lamport's happened-before relation. A clock sees the events of its process only; so it runs in a simulation, in
tests and in a program in the same way.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum
from operator import le
from typing import Any, Final, Generic, Protocol, TypeVar

from mobilesim.protocols.clocks.links import Links
from mobilesim.protocols.frozen_value import value


class CausalRelation(Enum):
    BEFORE = "before"
    AFTER = "after"
    CONCURRENT = "concurrent"


def relation(before: bool, after: bool) -> CausalRelation:  # noqa: FBT001 - two answers to one question, in its order
    if before:
        return CausalRelation.BEFORE
    return CausalRelation.AFTER if after else CausalRelation.CONCURRENT


def are_at_most(some: tuple[int, ...], others: tuple[int, ...]) -> bool:
    """Return whether no entry of a vector is above the same entry of the other vector."""
    return all(map(le, some, others))


def are_below(some: tuple[int, ...], others: tuple[int, ...]) -> bool:
    """Return whether no entry of a vector is above the same entry of the other vector, and one entry is below."""
    return some != others and are_at_most(some, others)


class Stamp(Protocol):
    """A timestamp. `integers`: the number of integers of 32 bits that it adds to a message."""

    @property
    def integers(self) -> int: ...


S = TypeVar("S", bound=Stamp)


class ProcessClock(ABC, Generic[S]):
    """The clock of one process. `integers`: the number of integers of 32 bits that the process keeps for its clock."""

    __slots__ = ()

    @property
    @abstractmethod
    def integers(self) -> int: ...

    @abstractmethod
    def tick(self) -> None:
        """Advance the clock for an event."""

    @abstractmethod
    def stamp(self) -> S:
        """Return the timestamp of the latest event."""

    def send(self, receivers: Sequence[int]) -> list[S]:
        """Send a message to these receivers in one event; return the timestamps of its copies."""
        self.tick()
        return [self.stamp()] * len(receivers)

    @abstractmethod
    def receive(self, stamp: S) -> S:
        """Process the receipt of a message, which is an event; return the timestamp that the receiver stores."""


class OrderedStamp(Stamp, Protocol):
    def precedes(self, other: Any) -> bool:  # noqa: ANN401 - a stamp of the same clock
        """Return whether the message of this timestamp was sent before that of the other one, as far as they show."""


O = TypeVar("O", bound=OrderedStamp)  # noqa: E741 - the usual kind of name


def compare_stamps(_process: int, one: O, other: O) -> CausalRelation:
    """Return the relation of two messages that their timestamps alone decide."""
    return relation(one.precedes(other), other.precedes(one))


class HasTime(Protocol):
    """The source of physical time. `time`: nanoseconds."""

    @property
    def time(self) -> int: ...


class PhysicalTime:
    """The physical time in nanoseconds. It is 0 until there is a source."""

    __slots__ = ("source",)

    def __init__(self, source: HasTime | None = None) -> None:
        self.source = source

    def now(self) -> int:
        return 0 if self.source is None else self.source.time


SEARCH_LIMIT: Final = 1_000_000


@value
class Network:
    """What clocks know in advance. `fifo`: whether messages of one process arrive at another one in the order of
    sending. `search_limit`: the maximum number of steps of a search for acyclic paths. `pairs`: processes whose events
    are compared, instead of messages to one process.
    """

    links: Links
    physical: PhysicalTime
    fifo: bool = True
    search_limit: int = SEARCH_LIMIT
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        return self.links.size


@value
class ClockSystem(Generic[S]):
    """The clocks of all processes. `compare`: returns the relation of two messages that a process has received, from
    the process and the timestamps that it stored; or the relation of two events of different processes, from any
    process and the timestamps of the events.
    """

    processes: Sequence[ProcessClock[S]]
    compare: Callable[[int, S, S], CausalRelation]

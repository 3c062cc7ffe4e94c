"""The interface of orderings: N processes, the stamps of their messages, and the delivery condition.

An ordering is independent of hosts, stations and cells. A placement defines the processes, carries stamps between
them, and stores their states.

Rules of the interface
- A process never sends to itself: the placement delivers the sender's own copy at the send.
- `missing` returns a key for *one* delivery that must happen first; `deliver` returns the keys of the delivery. So a
  blocked message is examined again only after the delivery that it waits for (`protocols.mailbox`).
- Most processes communicate by the stamps of messages only. An `ActiveProcess` also sends control messages, which
  are transmitted like messages but are delivered to no application. It observes every stamp that arrives, and may
  delay its own messages until it has observed more stamps (`protocols.mailbox`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from protocols.machine import Stamp

Key = Hashable
NO_KEYS: Sequence[Key] = ()
OwnStamp: TypeAlias = Any
"""A stamp of the ordering's own class: a process receives no other stamps."""
Addressed: TypeAlias = tuple[tuple[int, ...], Stamp]
"""The destinations of a stamp, and the stamp."""
Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""Groups of processes, which may overlap. A group is named by its index."""


def memberships(groups: Groups) -> Mapping[int, Sequence[int]]:
    """Return the groups of each process."""
    own: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for member in group:
            own.setdefault(member, []).append(number)
    return own


class Process(ABC):
    __slots__ = ()

    def set_origin(self, origin: int, number: int) -> None:  # noqa: B027 - few orderings use it
        """Set the station where the next message starts, and its number there."""

    @abstractmethod
    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        """Stamp a multicast; return each stamp with its destinations."""

    @abstractmethod
    def missing(self, stamp: OwnStamp) -> Key | None:
        """Return the key of one delivery that must precede a message with this stamp, or None."""

    @abstractmethod
    def deliver(self, stamp: OwnStamp) -> Sequence[Key]:
        """Deliver a message with this stamp; return the keys of this delivery."""

    @property
    @abstractmethod
    def integers(self) -> int:
        """The size of the process's state in integers, as its paper stores it."""


class ActiveProcess(Process):
    """A process that also sends control messages.

    If `send` returns an empty sequence, this message and all later ones wait in a send queue. When the process has
    observed another stamp, `send` is called again with the same message.
    """

    __slots__ = ()

    @abstractmethod
    def observe(self, stamp: OwnStamp) -> Sequence[Key]:
        """Process the stamp of an arriving message before `missing` is called with it; return the satisfied keys."""

    @abstractmethod
    def pending_control(self) -> Sequence[Addressed]:
        """Return the control messages, with their destinations, that no earlier call has returned.

        The call may be delayed, but each `observe` and `send` is eventually followed by one.
        """

    @property
    def max_delay(self) -> int:
        """The maximum delay of the pending control messages in nanoseconds; 0 if there are none."""
        return 0


class Ordering(ABC):
    """An ordering of `size` processes. All other parameters have defaults."""

    def __init__(self, size: int) -> None:
        self.size = size

    @abstractmethod
    def process(self, index: int) -> Process: ...

    def with_stations(self, stations: int) -> "Ordering":
        """Return the ordering in which the last `stations` processes are stations."""
        return self


OrderingFactory = Callable[[int], Ordering]
"""Builds an ordering of a given number of processes."""

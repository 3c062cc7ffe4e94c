"""The interface of orderings: N processes, the stamps that they put on messages, and when a message may be delivered.

An ordering knows nothing of hosts, stations or cells. A placement decides which processes there are, carries stamps
between them, and stores their states.

Rules of the interface
- A process never sends to itself: the placement delivers the sender's own copy at the send.
- `missing` names *one* delivery that a stamp still waits for, as a key; `deliver` returns the keys that it has
  satisfied. So a blocked message is examined again only when the delivery that it waits for has happened
  (`protocols.mailbox`).
- Most processes communicate by the stamps of messages only. An `ActiveProcess` also sends control messages, which
  travel like messages but are delivered to no application. It observes every stamp that arrives, and may let a message
  of its own wait until it has observed more (`protocols.mailbox`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from protocols.machine import Stamp

Key = Hashable
NOTHING: Sequence[Key] = ()
OwnStamp: TypeAlias = Any
"""A stamp of the class that the ordering uses: a process gets those of its own ordering only."""
Addressed: TypeAlias = tuple[tuple[int, ...], Stamp]
"""The processes that a stamp is for, and the stamp."""
Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""Groups of processes, which may overlap. A group is named by its index."""


def memberships(groups: Groups) -> Mapping[int, Sequence[int]]:
    own: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for member in group:
            own.setdefault(member, []).append(number)
    return own


class Process(ABC):
    __slots__ = ()

    @abstractmethod
    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        """Stamp a multicast; return each stamp with the destinations that it is for."""

    @abstractmethod
    def missing(self, stamp: OwnStamp) -> Key | None:
        """Return the key of one delivery that must precede a message with this stamp, or None."""

    @abstractmethod
    def deliver(self, stamp: OwnStamp) -> Sequence[Key]:
        """Deliver a message with this stamp; return the keys that this satisfies."""

    @property
    @abstractmethod
    def integers(self) -> int:
        """The size of this process's state in integers, as its paper stores it."""


class ActiveProcess(Process):
    """A process that sends control messages of its own.

    Its `send` may return nothing: then the message waits in a send queue, with those after it, and `send` is called
    with it again when the process has observed more.
    """

    __slots__ = ()

    @abstractmethod
    def observe(self, stamp: OwnStamp) -> Sequence[Key]:
        """Note a stamp that arrived, with a message or alone; return the keys that this satisfies. `missing` is called
        only after that.
        """

    @abstractmethod
    def pending_control(self) -> Sequence[Addressed]:
        """Return the pending control messages, each with the processes that it is for; they are returned once.

        The call may come late, but it must come eventually after the last `observe` or `send`.
        """

    @property
    def max_delay(self) -> int:
        """By how many nanoseconds the pending control messages may be late; 0 if there are none."""
        return 0


class Ordering(ABC):
    """One ordering among `size` processes. All other parameters have defaults."""

    def __init__(self, size: int) -> None:
        self.size = size

    @abstractmethod
    def process(self, index: int) -> Process: ...


class OriginProcess(Process):
    """A process whose stamps name a message by the station where it starts and its number there."""

    __slots__ = ()

    @abstractmethod
    def set_origin(self, origin: int, number: int) -> None:
        """Set the origin and the number of the next message that is sent."""


class OriginOrdering(Ordering):
    """An ordering of such processes."""

    @abstractmethod
    def with_stations(self, stations: int) -> Ordering:
        """Return the ordering in which the last `stations` processes are stations."""


OrderingFactory = Callable[[int], Ordering]
"""Builds an ordering of a number of processes."""

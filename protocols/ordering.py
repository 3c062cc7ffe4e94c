"""What an ordering is: N processes, the stamps they put on messages, and when an arrival may be delivered.

An ordering knows nothing of hosts, stations or cells. A placement decides which processes there are, carries stamps
from one to another, and keeps a process's state where it wants it.

Rules of the interface
- A process never sends to itself: the placement delivers a process's own copy when it is sent.
- `missing` names *one* delivery that a stamp still waits for, as a key; `deliver` returns the keys that it has
  satisfied. So a blocked message is looked at again only when the very thing it waits for has happened
  (`protocols.mailbox.inbox`).
- Most processes speak only through the stamps of messages. A `ActiveProcess` says more: words of its own, which go to
other
  processes as messages do but are delivered to no application. It hears of everything that arrives, and may let a
  message of its own wait until it has heard more (`protocols.mailbox.mailbox`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

from protocols.machine import Stamp

Key = Hashable
NOTHING: Sequence[Key] = ()
Addressed: TypeAlias = tuple[tuple[int, ...], Stamp]
"""A stamp, and the processes that it is for."""
Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""Of processes; they may overlap. A group is named by its place."""


class Process(ABC):
    __slots__ = ()

    @abstractmethod
    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        """Stamp a multicast: each stamp with those destinations that it is for."""

    @abstractmethod
    def missing(self, stamp: Stamp) -> Key | None:
        """One thing that must happen before a message with this stamp may be delivered; None when it may."""

    @abstractmethod
    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        """Deliver a message with this stamp; what may have waited for that."""

    @property
    @abstractmethod
    def integers(self) -> int:
        """The size of this process's state, in integers, as its paper stores it."""


class ActiveProcess(Process):
    """A process that has something to say besides messages.

    Its `send` may return nothing: the message waits, and those after it, and `send` is called again with it when the
    process has heard more.
    """

    __slots__ = ()

    @abstractmethod
    def observe(self, stamp: Stamp) -> Sequence[Key]:
        """A stamp has come, with a message or alone; what has become true. `missing` is asked only after that."""

    @abstractmethod
    def pending_control(self) -> Sequence[Addressed]:
        """What it has to say by now, each with those that it is for; it is not said twice.

        It may be asked late, but it must be asked some day after the last thing that it has heard or sent.
        """

    @property
    def max_delay(self) -> int:
        """By how many nanoseconds what it has to say may be late; 0 if it has nothing to say."""
        return 0


class Ordering(ABC):
    """One ordering among `size` processes. What else it is told has defaults."""

    __slots__ = ()

    @abstractmethod
    def __init__(self, size: int) -> None: ...

    @abstractmethod
    def process(self, index: int) -> Process: ...


class OriginProcess(Process):
    """Its stamps name a message by the station where it starts and the number that it has there."""

    __slots__ = ()

    @abstractmethod
    def set_origin(self, origin: int, number: int) -> None:
        """What is sent next starts at station `origin`, as its message `number`."""


class OriginOrdering(Ordering):
    """Of such processes."""

    __slots__ = ()

    @abstractmethod
    def with_stations(self, stations: int) -> Ordering:
        """The same, where the last of the processes are so many stations."""


OrderingFactory = Callable[[int], Ordering]
"""Makes one for so many processes."""

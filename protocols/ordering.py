"""What an ordering is: N processes, the stamps they put on messages, and when an arrival may be delivered.

An ordering knows nothing of hosts, stations or cells. A placement decides which processes there are, carries stamps
from one to another, and keeps a process's state where it wants it.

Rules of the interface
- A process never sends to itself: the placement delivers a process's own copy when it is sent.
- `missing` names *one* delivery that a stamp still waits for, as a key; `deliver` returns the keys that it has
  satisfied. So a blocked message is looked at again only when the very thing it waits for has happened
  (`protocols.inbox`).
- A process speaks only through the stamps of messages: a protocol that sends word of its own has no place here yet
  (`docs/design.md` says what it would take).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence

from protocols.machine import Stamp

Key = Hashable
NOTHING: Sequence[Key] = ()


class Process(ABC):
    __slots__ = ()

    @abstractmethod
    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
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


class Ordering(ABC):
    """One ordering among `size` processes. What else it is told has defaults."""

    __slots__ = ()

    @abstractmethod
    def __init__(self, size: int) -> None: ...

    @abstractmethod
    def process(self, index: int) -> Process: ...


Orders = Callable[[int], Ordering]
"""Makes one for so many processes."""

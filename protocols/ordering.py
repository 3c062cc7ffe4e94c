"""The interface of orderings: N processes, the stamps of their messages, and the delivery condition.

An ordering is independent of hosts, stations and cells. A placement assigns the processes to hosts or stations, carries
stamps between the processes, and stores the processes' states.

Rules of the interface
- A process never sends to itself, nor to a process twice, nor to one that does not exist. A placement calls
  `check_destinations` for each message before a process stamps it. If a logical station has destinations in its own
  cell, the placement delivers the message to them at the send, and the ordering does not stamp these copies.
- `missing` returns the key of *one* delivery that must precede the message. `deliver` returns the keys of the delivery.
  A mailbox examines a blocked message again only when `deliver` has returned its key (`protocols.mailbox`).
- If several waiting messages may be delivered, a mailbox delivers the one that arrived first, and then examines the
  others again. Messages between processes of one station come before others. An ordering with another rule for messages
  that may be delivered together refuses the others in `missing`, as `mr` does.
- A send may also meet the condition of a waiting message. A process with such sends sets `releases_at_send`, and
  `sent_keys` returns the keys of its last send. No other process has a cost for this.
- Most processes communicate only by the stamps of messages. An `ActiveProcess` also sends control messages: they are
  transmitted like messages, but are not delivered to an application. An active process observes every stamp that
  arrives, and may delay its own messages until it has observed further stamps.
- A `RelayProcess` also passes on messages of other processes. A stamp that `send` returns is then for the next process
  on the way to some of the destinations.
- If each station has a process of its own, the processes of hosts may share knowledge with it while they are at this
  station (`join_station`, `leave_station`). What a process shares does not migrate, and is no part of its size.
- If the ordering's row has `membership`, processes may join and leave (`protocols.membership`). `member` returns such a
  process. Its state depends on the processes in its view only, and not on those that were removed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from mobilesim.protocols.machine import ProtocolError
from mobilesim.protocols.packets import Message, Stamp
from mobilesim.protocols.view import View

Key = Hashable
NO_KEYS: Sequence[Key] = ()
OwnStamp: TypeAlias = Any
"""A stamp of the class that the ordering defines. A process receives stamps of its own ordering only."""
OwnProcess: TypeAlias = Any
"""A process of the same ordering."""
Addressed: TypeAlias = tuple[tuple[int, ...], Stamp]
"""The destinations of a stamp, and the stamp."""
Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""Groups of processes, which may overlap. A group is named by its index."""


def memberships(groups: Groups) -> Mapping[int, Sequence[int]]:
    """Return the indices of the groups of each process."""
    own: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for member in group:
            own.setdefault(member, []).append(number)
    return own


def check_destinations(message: Message, receivers: int) -> None:
    """Refuse a message that is for its own source, for a destination twice, or for no process below `receivers`."""
    source, destinations = message.source, message.destinations
    valid = len(destinations) < 2 or len(set(destinations)) == len(destinations)
    for destination in destinations:
        if destination == source or not 0 <= destination < receivers:
            valid = False
    if not valid:
        expected = f"expected different processes from 0 to {receivers - 1} other than {source}"
        raise ProtocolError(f"m{message.id} of process {source} is for {destinations}; {expected}")


class Process(ABC):
    __slots__ = ()
    releases_at_send: ClassVar[bool] = False
    """Whether a send of this process may meet the condition of a message that waits at it."""

    def sent_keys(self) -> Sequence[Key]:
        """Return the keys that the last `send` has satisfied. If `releases_at_send` is set, this method is called
        directly after each `send` that returned stamps, and after each `pending_control` of an active process.
        """
        return NO_KEYS

    def set_origin(self, origin: int, number: int) -> None:  # noqa: B027 - few orderings use it
        """Set the station that floods the next message, and the number of the message at this station."""

    def join_station(self, station: OwnProcess) -> None:  # noqa: B027 - few orderings use it
        """From now on, share with the process of a station what is true for all processes at this station."""

    def leave_station(self) -> None:  # noqa: B027 - few orderings use it
        """Forget what belongs to the station. The process migrates, and joins another station before its next use."""

    @abstractmethod
    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        """Stamp a multicast; return each stamp with its destinations."""

    @abstractmethod
    def missing(self, stamp: OwnStamp) -> Key | None:
        """Return the key of one delivery that must precede a message with this stamp, or None."""

    @abstractmethod
    def deliver(self, stamp: OwnStamp) -> Sequence[Key]:
        """Deliver a message with this stamp; return the keys of this delivery."""

    def left(self, process: int) -> None:  # noqa: B027 - few orderings support it
        """Another process has left and delivers nothing any more. Its own messages may still be in transit."""

    def removed(self, process: int) -> None:  # noqa: B027 - few orderings support it
        """All messages of a process that left have been delivered. Remove all state about it."""

    @property
    @abstractmethod
    def integers(self) -> int:
        """The size of the process's state in integers, as the ordering's paper stores the state."""


class ActiveProcess(Process):
    """A process that also sends control messages. If `send` returns an empty sequence, this message and all later
    messages wait in a send queue. After the process has observed another stamp, `send` is called again with the first
    message of the queue.
    """

    __slots__ = ()

    @abstractmethod
    def observe(self, stamp: OwnStamp) -> Sequence[Key]:
        """Process a stamp when it arrives, before `missing` is called with it; return the keys that it satisfies."""

    @abstractmethod
    def pending_control(self) -> Sequence[Addressed]:
        """Return the stamps of the control messages to send now, with their destinations. A control message is returned
        once. Every `observe` and `send` is followed by a call, possibly after a delay.
        """

    @property
    def max_delay(self) -> int:
        """The nanoseconds by which the next call of `pending_control` may be delayed; 0 if it must not be delayed."""
        return 0


class RelayProcess(ActiveProcess):
    """A process that passes on messages. A message is on its way with a stamp that names the remaining destinations. It
    is a control message with a payload if the receiver is no destination itself (`Stamp.only_relayed`). Messages wait
    at receivers only, so `send` always returns stamps.
    """

    __slots__ = ()

    @abstractmethod
    def onward(self, stamp: OwnStamp) -> Sequence[Addressed]:
        """Return the stamps with which a message is passed on, each with its receivers. This method is called directly
        after each `deliver`.
        """

    def observe(self, stamp: OwnStamp) -> Sequence[Key]:
        return NO_KEYS

    def pending_control(self) -> Sequence[Addressed]:
        return ()


class Ordering(ABC):
    """An ordering of `size` processes. Further parameters of a subclass have defaults."""

    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    @abstractmethod
    def process(self, index: int) -> Process: ...

    def member(self, index: int, view: View) -> Process:
        """Return a process that starts with this view, if the ordering's row has `membership`. The caller changes the
        view, and then calls `left` or `removed`. Ids are given in increasing order, without a limit.
        """
        return self.process(index)

    def with_stations(self, stations: int) -> "Ordering":
        """Return the ordering in which the last `stations` processes are stations."""
        return self


OrderingFactory = Callable[[int], Ordering]
"""Builds an ordering of a given number of processes."""

"""Kshemkalyani and Singhal, section 7.1: what is left of KS where sends are serialised by mutual exclusion.

Theory. If one process sends at a time, it is enough to know the latest send to each destination, n entries (sender,
time); of broadcasts the latest of all, one entry. A message waits at a destination for the send that it names there. So
what is for one process is delivered there in the order of the turns, which is an order that causes do not contradict.
(The print's other case, broadcasts at any time, leaves one time for each sender. That is a vector clock: `bss`.)

What the print leaves open. Sends in turn are not enough: if they know nothing of each other they stay concurrent, and
whoever remembers the later one alone forgets the other. So whoever gets the turn has to get the latest entries with it:
they travel in the token (`protocols.orderings.mutual_exclusion`).

A broadcast that is sent while the one before is still on its way to its sender is delivered to others after that one,
and so must be taken to be here: else a third that names only the second would not wait here for the first.

What it costs. Every send counts as caused by the one before. To wait for that is inhibition if the application does not
mean it so; and so is the wait for the turn: a request has to reach the token first, and the token the sender.

Deviation from the print, which leaves the exclusion open. Stamps are as printed, though with a token that brings all
entries along a copy would need only the one for its destination.
"""

from collections.abc import Sequence

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import Key, Ordering
from protocols.orderings.mutual_exclusion import Latest, Send, TurnProcess


@value
class LatestSends(Stamp):
    """By destination, the latest send to it before this one."""

    clock: int
    sends: Latest

    @property
    def units(self) -> int:
        return len(self.sends) - self.sends.count(None)

    @property
    def integers(self) -> int:
        return 1 + 2 * len(self.sends)


@value
class Previous(Stamp):
    """The broadcast before."""

    clock: int
    send: Send | None

    @property
    def units(self) -> int:
        return int(self.send is not None)

    @property
    def integers(self) -> int:
        return 1 + 2 * self.units


class KsSerialised(Ordering):
    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def process(self, index: int) -> "SerialisedProcess":
        return SerialisedProcess(index, self.size)


class SerialisedProcess(TurnProcess):
    __slots__ = ("delivered",)

    def __init__(self, index: int, size: int) -> None:
        super().__init__(index, size, (None,) * size)
        self.delivered = [0] * size
        """The time of the last delivery from each other process, and of the last send here."""

    def stamped(self, destinations: tuple[int, ...], latest: Latest) -> tuple[Stamp, Latest]:
        self.delivered[self.index] += 1
        send = self.index, self.delivered[self.index]
        after = list(latest)
        for destination in destinations:
            after[destination] = send
        return LatestSends(*send, latest), tuple(after)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, LatestSends)
        send = stamp.sends[self.index]
        return None if send is None or self.delivered[send[0]] >= send[1] else send

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, LatestSends)
        self.delivered[stamp.sender] = stamp.clock
        return ((stamp.sender, stamp.clock),)

    @property
    def integers(self) -> int:
        return super().integers + len(self.delivered)


class KsSerialisedBroadcast(Ordering):
    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def process(self, index: int) -> "SerialisedBroadcastProcess":
        return SerialisedBroadcastProcess(index, self.size)


class SerialisedBroadcastProcess(TurnProcess):
    __slots__ = ("clock", "delivered", "early")

    def __init__(self, index: int, size: int) -> None:
        super().__init__(index, size, (None,))
        self.clock = 0
        self.delivered = [0] * size
        self.early: dict[Send, Send] = {}
        """Own broadcasts by the send that has still to be delivered here before each."""

    def check(self, destinations: tuple[int, ...]) -> None:
        others = len(self.delivered) - 1
        if len(destinations) != others:
            raise ValueError(f"serialised broadcasts go to all {others} other processes, not to {len(destinations)}")

    def stamped(self, destinations: tuple[int, ...], latest: Latest) -> tuple[Stamp, Latest]:
        (before,) = latest
        self.clock += 1
        send = self.index, self.clock
        if before is None or self._has(before):
            self._reach(send)
        else:
            self.early[before] = send
        return Previous(*send, before), (send,)

    def _has(self, send: Send) -> bool:
        return self.delivered[send[0]] >= send[1]

    def _reach(self, send: Send) -> None:
        self.delivered[send[0]] = send[1]

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Previous)
        return None if stamp.send is None or self._has(stamp.send) else stamp.send

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Previous)
        reached = [(stamp.sender, stamp.clock)]
        for send in reached:
            self._reach(send)
            if send in self.early:
                reached.append(self.early.pop(send))
        return reached

    @property
    def integers(self) -> int:
        return super().integers + 1 + len(self.delivered) + 4 * len(self.early)

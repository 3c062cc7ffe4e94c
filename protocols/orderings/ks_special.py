"""Kshemkalyani and Singhal, section 7.1: what is left of KS where it is known that sends are more regular.

Broadcasts. Dests is everybody, and need not be said; one time for each sender is left, which is a vector clock: `bss`.

Serialised sends. Some mutual exclusion lets one process send at a time. Then it is enough to know the latest send to
each destination, n entries (sender, time); of broadcasts the latest of all, one entry.

What the print leaves open. Sends in turn are not enough: if they know nothing of each other they stay concurrent, and
whoever remembers the later one alone forgets the other. So whoever gets the turn has to get the latest entries with it:
here they are one `Turn`, which all processes of an ordering share, and which passes in no time and at no cost. Every
send then counts as caused by the one before; waiting for that is inhibition if the application does not mean it so.

What a process broadcasts while the broadcast before is still on its way to it is delivered to others after that one,
and so must be taken to be here: else a third that names only the second would not wait here for the first.
"""

from collections.abc import Sequence
from typing import TypeAlias

from protocols.machine import Stamp
from protocols.ordering import Key, Ordering, Process
from protocols.orderings.bss import Bss
from protocols.values import value

Send: TypeAlias = tuple[int, int]
Turn: TypeAlias = list[Send | None]


class Broadcast(Bss):
    """Broadcasts of anybody at any time."""

    __slots__ = ()


@value
class Latest(Stamp):
    """By destination, the latest send to it before this one."""

    clock: int
    sends: tuple[Send | None, ...]

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


class SerialisedMulticast(Ordering):
    __slots__ = ("size", "turn")

    def __init__(self, size: int) -> None:
        self.size = size
        self.turn: Turn = [None] * size

    def process(self, index: int) -> "TurnProcess":
        return TurnProcess(index, self.size, self.turn)


class TurnProcess(Process):
    __slots__ = ("delivered", "index", "turn")

    def __init__(self, index: int, size: int, turn: Turn) -> None:
        self.index = index
        self.delivered = [0] * size
        self.turn = turn

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        self.delivered[self.index] += 1
        send = self.index, self.delivered[self.index]
        stamp = Latest(*send, tuple(self.turn))
        for destination in destinations:
            self.turn[destination] = send
        return ((destinations, stamp),)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Latest)
        send = stamp.sends[self.index]
        return None if send is None or self.delivered[send[0]] >= send[1] else send

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Latest)
        self.delivered[stamp.sender] = stamp.clock
        return ((stamp.sender, stamp.clock),)

    @property
    def integers(self) -> int:
        return len(self.delivered) + 2 * len(self.turn)


class SerialisedBroadcast(Ordering):
    __slots__ = ("size", "turn")

    def __init__(self, size: int) -> None:
        self.size = size
        self.turn: Turn = [None]

    def process(self, index: int) -> "BroadcastTurnProcess":
        return BroadcastTurnProcess(index, self.size, self.turn)


class BroadcastTurnProcess(Process):
    """`early` has own broadcasts by the send that has still to be delivered here before each."""

    __slots__ = ("clock", "delivered", "early", "index", "turn")

    def __init__(self, index: int, size: int, turn: Turn) -> None:
        self.index = index
        self.clock = 0
        self.delivered = [0] * size
        self.early: dict[Send, Send] = {}
        self.turn = turn

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        others = len(self.delivered) - 1
        if len(destinations) != others:
            raise ValueError(f"serialised broadcasts go to all {others} other processes, not to {len(destinations)}")
        self.clock += 1
        send = self.index, self.clock
        stamp = Previous(*send, self.turn[0])
        if stamp.send is None or self._has(stamp.send):
            self._reach(send)
        else:
            self.early[stamp.send] = send
        self.turn[0] = send
        return ((destinations, stamp),)

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
        return 1 + len(self.delivered) + 2 + 4 * len(self.early)

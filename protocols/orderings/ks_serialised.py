"""Kshemkalyani and Singhal, section 7.1: KS with sends that are serialised by mutual exclusion.

Theory. If one process sends at a time, n entries (sender, time) are enough: the latest send to each destination. For
broadcasts, one entry is enough: the latest broadcast. At a destination, a message waits for the send in the entry of
this destination. So messages to one process are delivered in the order of the turns, which extends the causal order.
(The paper's other case, broadcasts at any time, needs one time for each sender. That is a vector clock: `bss`.)

An omission of the paper. Serialised sends are not enough. Two sends in different turns may be concurrent, and a process
that keeps only the later one loses the earlier one. So the next sender must receive the latest entries with its turn:
the token carries them (`protocols.orderings.mutual_exclusion`).

A process may send a broadcast b2 while the previous broadcast b1 is still in transit to it. Other processes deliver b2
after b1. The sender must count b2 as delivered after b1, too: otherwise a third broadcast that names only b2 would not
wait at this process for b1.

Cost. Every send counts as caused by the previous one. If the application has no such dependency, waiting for it is
inhibition. The wait for the turn is inhibition, too: the request must reach the token, and then the token must reach
the sender.

Addition. The paper does not say how processes exclude each other; a token does it here. Stamps are as printed. The
token carries all entries, so a copy would need only the entry for its destination.
"""

from collections.abc import Sequence

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import Key, Ordering
from protocols.orderings.mutual_exclusion import Latest, Send, TurnProcess


@value
class LatestSends(Stamp):
    """The latest send to each destination before this one."""

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
    clock: int
    send: Send | None

    @property
    def units(self) -> int:
        return int(self.send is not None)

    @property
    def integers(self) -> int:
        return 1 + 2 * self.units


class KsSerialised(Ordering):
    def process(self, index: int) -> "SerialisedProcess":
        return SerialisedProcess(index, self.size)


class SerialisedProcess(TurnProcess):
    __slots__ = ("delivered",)

    def __init__(self, index: int, size: int) -> None:
        super().__init__(index, size, (None,) * size)
        self.delivered = [0] * size
        """The time of the last delivered message of each other process, and of the process's last send."""

    def stamped(self, destinations: tuple[int, ...], latest: Latest) -> tuple[Stamp, Latest]:
        self.delivered[self.index] += 1
        send = self.index, self.delivered[self.index]
        after = list(latest)
        for destination in destinations:
            after[destination] = send
        return LatestSends(*send, latest), tuple(after)

    def missing(self, stamp: LatestSends) -> Key | None:
        send = stamp.sends[self.index]
        return None if send is None or self.delivered[send[0]] >= send[1] else send

    def deliver(self, stamp: LatestSends) -> Sequence[Key]:
        self.delivered[stamp.sender] = stamp.clock
        return ((stamp.sender, stamp.clock),)

    @property
    def integers(self) -> int:
        return super().integers + len(self.delivered)


class KsSerialisedBroadcast(Ordering):
    def process(self, index: int) -> "SerialisedBroadcastProcess":
        return SerialisedBroadcastProcess(index, self.size)


class SerialisedBroadcastProcess(TurnProcess):
    __slots__ = ("clock", "delivered", "early")

    def __init__(self, index: int, size: int) -> None:
        super().__init__(index, size, (None,))
        self.clock = 0
        self.delivered = [0] * size
        self.early: dict[Send, Send] = {}
        """The process's own broadcasts, by the send that must be delivered here first."""

    def check(self, destinations: tuple[int, ...]) -> None:
        others = len(self.delivered) - 1
        if len(destinations) != others:
            raise ValueError(f"serialised broadcasts go to all {others} other processes, not to {len(destinations)}")

    def stamped(self, destinations: tuple[int, ...], latest: Latest) -> tuple[Stamp, Latest]:
        (before,) = latest
        self.clock += 1
        send = self.index, self.clock
        if before is None or self._is_delivered(before):
            self.delivered[self.index] = self.clock
        else:
            self.early[before] = send
        return Previous(*send, before), (send,)

    def _is_delivered(self, send: Send) -> bool:
        return self.delivered[send[0]] >= send[1]

    def missing(self, stamp: Previous) -> Key | None:
        return None if stamp.send is None or self._is_delivered(stamp.send) else stamp.send

    def deliver(self, stamp: Previous) -> Sequence[Key]:
        reached = [(stamp.sender, stamp.clock)]
        for send in reached:
            self.delivered[send[0]] = send[1]
            if send in self.early:
                reached.append(self.early.pop(send))
        return reached

    @property
    def integers(self) -> int:
        return super().integers + 1 + len(self.delivered) + 4 * len(self.early)

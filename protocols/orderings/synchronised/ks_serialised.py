"""Kshemkalyani and Singhal, section 7.1: KS with sends that are serialised by mutual exclusion.

Theory. If one process sends at a time, n entries (sender, time) are enough: the latest send to each destination. For
broadcasts, one entry is enough: the latest broadcast. At a destination, a message waits for the send in the entry of
this destination. So messages to one process are delivered in the order of the sends, which extends the causal order.
(The paper also has a case with broadcasts at any time. It needs one time for each sender, as the vectors of `bss`.)

An omission of the paper. Serialised sends are not enough. Two sends in different turns may be concurrent, and a process
that keeps only the later one loses the earlier one. So the next sender must receive the latest entries with its turn:
the token carries them (`protocols.orderings.synchronised.mutual_exclusion`).

A process may send a broadcast b2 while the previous broadcast b1 is still in transit to it. Other processes deliver b2
after b1. The sender must also count b2 as delivered only after b1. Otherwise the next broadcast, which has only the
entry of b2, would be delivered at this process before b1.

Cost. Every send counts as a causal successor of the previous send. If it is not one, waiting for the previous send is
inhibition. The wait for the turn is inhibition, too: the request must reach the token, and then the token must reach
the sender.

Addition. The paper does not define how processes exclude each other. Here they pass a token. Stamps have all entries,
as printed. Since the token has them, too, a copy would need only the entry of its destination.
"""

from collections.abc import Sequence

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Key, Ordering
from mobilesim.protocols.orderings.synchronised.mutual_exclusion import Latest, Send, TurnProcess
from mobilesim.protocols.packets import Stamp


@value
class LatestSends(Stamp):
    """The stamp of a message. `sends` is the latest earlier send to each destination."""

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
        """By process: the time of its last message delivered here. For this process: the time of its last send."""

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
        """By broadcast that has not been delivered here: the process's own broadcast that follows it."""

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

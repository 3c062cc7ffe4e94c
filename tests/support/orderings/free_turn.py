"""Reference implementation of `protocols.orderings.synchronised.ks_serialised`, and misreadings of the paper.

Turns cost nothing: every sender has the turn at once, and knows the latest sends.
"""

from collections.abc import Sequence
from typing import TypeAlias

from mobilesim.protocols.ordering import Key, Ordering, Process
from mobilesim.protocols.orderings.synchronised.ks_serialised import LatestSends, Previous
from mobilesim.protocols.orderings.synchronised.mutual_exclusion import Send
from mobilesim.protocols.packets import Stamp

Turn: TypeAlias = list[Send | None]


class FreeMulticast(Ordering):
    def __init__(self, size: int) -> None:
        self.size = size
        self.turn: Turn = [None] * size

    def process(self, index: int) -> "FreeProcess":
        return FreeProcess(index, self.size, self.turn)


class FreeProcess(Process):
    def __init__(self, index: int, size: int, turn: Turn) -> None:
        self.index = index
        self.turn = turn
        self.sent = 0
        self.delivered: set[Send] = set()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        self.sent += 1
        stamp = LatestSends(self.index, self.sent, tuple(self.turn))
        for destination in destinations:
            self.turn[destination] = self.index, self.sent
        return ((destinations, stamp),)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, LatestSends)
        send = stamp.sends[self.index]
        return None if send is None or send in self.delivered else send

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, LatestSends)
        self.delivered.add((stamp.sender, stamp.clock))
        return ((stamp.sender, stamp.clock),)

    @property
    def integers(self) -> int:
        return 2 * len(self.delivered)


class FreeBroadcast(Ordering):
    def __init__(self, size: int) -> None:
        self.turn: Turn = [None]

    def process(self, index: int) -> "FreeBroadcastProcess":
        return FreeBroadcastProcess(index, self.turn)


class FreeBroadcastProcess(Process):
    def __init__(self, index: int, turn: Turn) -> None:
        self.index = index
        self.turn = turn
        self.sent = 0
        self.delivered: set[Send | None] = {None}
        self.own: list[Previous] = []
        """The process's own broadcasts that wait here for an earlier broadcast."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        self.sent += 1
        stamp = Previous(self.index, self.sent, self.turn[0])
        self.turn[0] = self.index, self.sent
        self.own.append(stamp)
        self.reached()
        return ((destinations, stamp),)

    def reached(self) -> list[Key]:
        """Count the own broadcasts that wait no longer as delivered; return their keys."""
        here: list[Key] = []
        while self.own and self.own[0].send in self.delivered:
            send = self.index, self.own.pop(0).clock
            self.delivered.add(send)
            here.append(send)
        return here

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Previous)
        return None if stamp.send in self.delivered else stamp.send

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Previous)
        send = stamp.sender, stamp.clock
        self.delivered.add(send)
        return [send, *self.reached()]

    @property
    def integers(self) -> int:
        return 2 * len(self.delivered)


class LatestReceivedSend(FreeBroadcast):
    """Sends are serialised, but the turn does not carry the latest send. Each process uses the last send that it
    received.
    """

    def process(self, index: int) -> FreeBroadcastProcess:
        return LatestReceivedSendProcess(index, [None])


class LatestReceivedSendProcess(FreeBroadcastProcess):
    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Previous)
        self.turn[0] = stamp.sender, stamp.clock
        return super().deliver(stamp)


class Premature(FreeBroadcast):
    """A process counts its own broadcast as delivered at the send, even if the previous broadcast has not arrived."""

    def process(self, index: int) -> FreeBroadcastProcess:
        return PrematureProcess(index, self.turn)


class PrematureProcess(FreeBroadcastProcess):
    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        self.delivered.add((self.index, self.sent + 1))
        return super().send(destinations, group)

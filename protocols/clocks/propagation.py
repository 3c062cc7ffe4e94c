"""Propagation algorithms 1 to 4 of Meldal, Sankar and Vera (1991): one algorithm with different sets.

A clock ticks before every event, receipts included, and then takes the sender's time plus one from a message. With full
sets this is the algorithm of Fidge and Mattern (Lemma 4). An arrival time is the gateway's own time *after* the tick of
the receipt, which the print leaves open. Before it, it may equal the time of the gateway's last send, and an answer to
that send would seem to have been sent after a message that was still in transit.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from protocols.clocks.allocation import Allocation
from protocols.clocks.links import members
from protocols.frozen_value import value


@value
class TimestampedMessage:
    """`number`: the sequence number at its sender; on FIFO links it need not travel."""

    sender: int
    number: int
    times: Mapping[int, int]
    arrival: int | None = None

    @property
    def integers(self) -> int:
        return len(self.times)


class AllocatedClock:
    __slots__ = ("_allocation", "_process", "_sent", "times")

    def __init__(self, allocation: Allocation, process: int) -> None:
        self._allocation = allocation
        self._process = process
        self._sent = 0
        self.times = dict.fromkeys(members(allocation.clocks[process]), 0)

    def tick(self) -> None:
        """Advance the process's own clock before an event, if it keeps one."""
        if self._process in self.times:
            self.times[self._process] += 1

    def send(self, receiver: int) -> TimestampedMessage:
        (message,) = self.multicast((receiver,))
        return message

    def multicast(self, receivers: Iterable[int]) -> list[TimestampedMessage]:
        """Send one message to several receivers in one event: all copies have the same number and sender's time."""
        self.tick()
        self._sent += 1
        carried, times, process = self._allocation.carried, self.times, self._process
        return [
            TimestampedMessage(process, self._sent, {p: times[p] for p in _listed(carried(process, receiver))})
            for receiver in receivers
        ]

    def receive(self, message: TimestampedMessage) -> TimestampedMessage:
        """Return the message as its receiver keeps it for comparisons."""
        self.tick()
        for process, time in message.times.items():
            known = time + 1 if process == message.sender else time
            if self.times.get(process, known) < known:
                self.times[process] = known
        return TimestampedMessage(message.sender, message.number, message.times, self._arrival())

    def _arrival(self) -> int | None:
        is_gateway = self._allocation.gateways >> self._process & 1
        return self.times[self._process] if is_gateway else None


@lru_cache(maxsize=1024)
def _listed(subset: int) -> tuple[int, ...]:
    return tuple(members(subset))

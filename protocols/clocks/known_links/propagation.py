"""Propagation algorithms 1 to 4 of Meldal, Sankar and Vera (1991): one algorithm with different sets.

A process advances its clock before every event. At a receipt, the receiver's entry for the sender then advances at
least to the sender's time plus one. With full sets, this is the algorithm of Fidge and Mattern (Lemma 4). An arrival
time is the gateway's own time *after* it has advanced for the receipt; the paper does not define this. The gateway's
time before the receipt may equal the time of its last send. Then an answer to this send would seem to depend on a
message that arrived later.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from mobilesim.protocols.clocks.known_links.allocation import Allocation
from mobilesim.protocols.clocks.links import members
from mobilesim.protocols.frozen_value import value


@value
class TimestampedMessage:
    """`number`: the sequence number at the sender. It need not be sent on FIFO links, nor if `times` has the sender's
    clock.
    """

    sender: int
    number: int
    times: Mapping[int, int]
    arrival: int | None = None

    @property
    def integers(self) -> int:
        """The number of clocks. The sequence number is not counted."""
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

    def multicast(self, receivers: Iterable[int]) -> list[TimestampedMessage]:
        """Send a message to these receivers in one event: all copies have the same number and sender's time."""
        self.tick()
        self._sent += 1
        carried, times, process = self._allocation.carried, self.times, self._process
        return [
            TimestampedMessage(process, self._sent, {p: times[p] for p in _listed(carried(process, receiver))})
            for receiver in receivers
        ]

    def receive(self, message: TimestampedMessage) -> TimestampedMessage:
        """Process an arrival; return the message that the receiver stores for comparisons."""
        self.tick()
        for process, time in message.times.items():
            known = time + 1 if process == message.sender else time
            if self.times.get(process, known) < known:
                self.times[process] = known
        arrival = self.times[self._process] if self._allocation.gateways >> self._process & 1 else None
        return TimestampedMessage(message.sender, message.number, message.times, arrival)


@lru_cache(maxsize=1024)
def _listed(subset: int) -> tuple[int, ...]:
    return tuple(members(subset))

"""Propagation algorithms 1 to 4 of Meldal, Sankar and Vera (1991): one algorithm with different sets.

A process advances its clock before every event. At a receipt, the receiver's entry for the sender then advances at
least to the sender's time plus one. With full sets, this is the algorithm of Fidge and Mattern (Lemma 4). An arrival
time is the gateway's own time *after* it has advanced for the receipt; the paper does not define this. The gateway's
time before the receipt may equal the time of its last send. Then an answer to this send would seem to depend on a
message that arrived later.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from mobilesim.protocols.clocks.known_links.allocation import Allocation
from mobilesim.protocols.clocks.links import members
from mobilesim.protocols.clocks.logical_clock import ProcessClock
from mobilesim.protocols.frozen_value import value


@value
class TimestampedMessage:
    """`number`: the sequence number at the sender. It need not be sent on FIFO links, nor if `times` has the sender's
    clock. `is_numbered`: whether it is sent.
    """

    sender: int
    number: int
    times: Mapping[int, int]
    arrival: int | None = None
    is_numbered: bool = False

    @property
    def integers(self) -> int:
        """The number of clocks, and the sequence number if it is sent."""
        return len(self.times) + self.is_numbered


class AllocatedClock(ProcessClock[TimestampedMessage]):
    __slots__ = ("_allocation", "_fifo", "_process", "_sent", "times")

    def __init__(self, allocation: Allocation, process: int, *, fifo: bool = True) -> None:
        self._allocation = allocation
        self._process = process
        self._fifo = fifo
        self._sent = 0
        self.times = dict.fromkeys(members(allocation.clocks[process]), 0)

    @property
    def integers(self) -> int:
        """The number of clocks that the process keeps. Arrival times of messages are not counted."""
        return len(self.times)

    def tick(self) -> None:
        """Advance the process's own clock before an event, if it keeps one."""
        if self._process in self.times:
            self.times[self._process] += 1

    def stamp(self) -> TimestampedMessage:
        """Return all clocks of the process."""
        return TimestampedMessage(self._process, self._sent, dict(self.times))

    def send(self, receivers: Sequence[int]) -> list[TimestampedMessage]:
        """Send a message to these receivers in one event: all copies have the same number and sender's time."""
        self.tick()
        self._sent += 1
        carried, process = self._allocation.carried, self._process
        return [self._copy(_listed(carried(process, receiver))) for receiver in receivers]

    def _copy(self, carried: tuple[int, ...]) -> TimestampedMessage:
        process, times = self._process, self.times
        is_numbered = not self._fifo and process not in carried
        return TimestampedMessage(process, self._sent, {p: times[p] for p in carried}, None, is_numbered)

    def receive(self, stamp: TimestampedMessage) -> TimestampedMessage:
        """Process an arrival; return the message that the receiver stores for comparisons."""
        self.tick()
        for process, time in stamp.times.items():
            known = time + 1 if process == stamp.sender else time
            if self.times.get(process, known) < known:
                self.times[process] = known
        arrival = self.times[self._process] if self._allocation.gateways >> self._process & 1 else None
        return TimestampedMessage(stamp.sender, stamp.number, stamp.times, arrival, stamp.is_numbered)


@lru_cache(maxsize=1024)
def _listed(subset: int) -> tuple[int, ...]:
    return tuple(members(subset))

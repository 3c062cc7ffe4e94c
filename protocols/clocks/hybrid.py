"""Kulkarni, Demirbas, Madappa, Avva and Leone: logical physical clocks (2014). Hybrid logical clocks.

A timestamp is a pair (l, c). l is the largest physical time that the process has heard of; c counts the events with the
same l. If a happened before b, the pair of a is smaller, in lexicographic order. As with Lamport's clock, the converse
is false: nearly all concurrent messages are reported as ordered, usually in the order of physical time.

Size. As section 6 of the paper proposes, l has 48 bits and c has 16 bits: two integers of 32 bits. The unit of l is
2^-16 s, the lowest of 48 bits of an NTP time.

Physical clocks. The physical clock of process p differs from the time of the network by a fixed offset. The offsets of
the processes are spread evenly from -`offset` to +`offset` milliseconds.
"""

from typing import Final

from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network, PhysicalTime, ProcessClock, compare_stamps
from mobilesim.protocols.frozen_value import value

_MILLISECOND: Final = 1_000_000
_SECOND: Final = 1_000_000_000
_UNITS_PER_SECOND: Final = 1 << 16


@value
class HybridStamp:
    latest: int
    counter: int

    @property
    def integers(self) -> int:
        return 2

    def precedes(self, other: "HybridStamp") -> bool:
        return (self.latest, self.counter) < (other.latest, other.counter)


class HybridClock(ProcessClock[HybridStamp]):
    """`latest` is l, and `counter` is c."""

    __slots__ = ("_offset", "_physical", "counter", "latest")

    def __init__(self, physical: PhysicalTime, offset: int = 0) -> None:
        """`offset`: nanoseconds that this process's physical clock is ahead of the network's time."""
        self._physical = physical
        self._offset = offset
        self.latest = self.counter = 0

    @property
    def integers(self) -> int:
        return 2

    def _now(self) -> int:
        return (self._physical.now() + self._offset) * _UNITS_PER_SECOND // _SECOND

    def tick(self) -> None:
        self._advance(HybridStamp(self.latest, -1))

    def stamp(self) -> HybridStamp:
        return HybridStamp(self.latest, self.counter)

    def receive(self, stamp: HybridStamp) -> HybridStamp:
        self._advance(stamp)
        return stamp

    def _advance(self, heard: HybridStamp) -> None:
        latest = max(self.latest, heard.latest, self._now())
        counters = [
            counter for time, counter in ((self.latest, self.counter), (heard.latest, heard.counter)) if time == latest
        ]
        self.latest, self.counter = latest, max(counters, default=-1) + 1


def build(network: Network, offset: int = 0) -> ClockSystem[HybridStamp]:
    """`offset`: the largest offset of a physical clock, in milliseconds."""
    steps, widest = max(1, network.size - 1), offset * _MILLISECOND
    offsets = (widest * (2 * process - steps) // steps for process in range(network.size))
    return ClockSystem([HybridClock(network.physical, each) for each in offsets], compare_stamps)

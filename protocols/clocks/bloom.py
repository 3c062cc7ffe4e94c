"""Ramabaja: the Bloom clock (2019). A counting Bloom filter of the events that happened before.

A clock has m counters. An event of a process increments the counters that k hash functions of the event select. A
receipt takes the maximum of each counter, and is an event itself. If a happened before b, no counter of b is smaller
than that of a, and one is larger. The converse is false: the counters that the events of a incremented may have been
incremented in b's past by other events. So "before" may be false for concurrent messages, with a probability that grows
with the number of events and falls with m. "Concurrent" is never false, and an order is never reversed.
"""

from typing import Final

from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network, ProcessClock, are_below, compare_stamps
from mobilesim.protocols.frozen_value import value

_MASK: Final = (1 << 64) - 1


@value
class BloomStamp:
    counters: tuple[int, ...]

    @property
    def integers(self) -> int:
        return len(self.counters)

    def precedes(self, other: "BloomStamp") -> bool:
        return are_below(self.counters, other.counters)


class BloomClock(ProcessClock[BloomStamp]):
    __slots__ = ("_events", "_hashes", "_process", "counters")

    def __init__(self, process: int, counters: int, hashes: int) -> None:
        self._process = process
        self._hashes = hashes
        self._events = 0
        self.counters = [0] * counters

    @property
    def integers(self) -> int:
        """The counters, and the number of the process's own events, which identifies the next one."""
        return len(self.counters) + 1

    def tick(self) -> None:
        self._events += 1
        for function in range(self._hashes):
            self.counters[hashed(self._process, self._events, function) % len(self.counters)] += 1

    def stamp(self) -> BloomStamp:
        return BloomStamp(tuple(self.counters))

    def receive(self, stamp: BloomStamp) -> BloomStamp:
        self.counters = list(map(max, self.counters, stamp.counters))
        self.tick()
        return stamp


def hashed(process: int, event: int, function: int) -> int:
    """Return a hash of an event: the finaliser of SplitMix64, applied to each of the three numbers in turn."""
    mixed = 0
    for number in (process, event, function):
        mixed = (mixed + number + 1) * 0x9E3779B97F4A7C15 & _MASK
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _MASK
        mixed ^= mixed >> 31
    return mixed


def build(network: Network, counters: int = 8, hashes: int = 2) -> ClockSystem[BloomStamp]:
    return ClockSystem([BloomClock(process, counters, hashes) for process in range(network.size)], compare_stamps)

"""Lamport: time, clocks, and the ordering of events in a distributed system (1978). A scalar clock.

IR1: a process increments its clock between two events. IR2: a message carries the clock of its sender, and a receiver
advances its clock beyond this time. So if a happened before b, C(a) < C(b). The converse is false: of two concurrent
messages with different times, the one with the smaller time is reported as sent before the other one. Equal times prove
that the messages are concurrent. (Lamport's total order breaks such ties by process.)
"""

from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network, ProcessClock, compare_stamps
from mobilesim.protocols.frozen_value import value


@value
class ScalarStamp:
    time: int

    @property
    def integers(self) -> int:
        return 1

    def precedes(self, other: "ScalarStamp") -> bool:
        return self.time < other.time


class LamportClock(ProcessClock[ScalarStamp]):
    __slots__ = ("time",)

    def __init__(self) -> None:
        self.time = 0

    @property
    def integers(self) -> int:
        return 1

    def tick(self) -> None:
        self.time += 1

    def stamp(self) -> ScalarStamp:
        return ScalarStamp(self.time)

    def receive(self, stamp: ScalarStamp) -> ScalarStamp:
        self.time = max(self.time, stamp.time) + 1
        return stamp


def build(network: Network) -> ClockSystem[ScalarStamp]:
    return ClockSystem([LamportClock() for _ in range(network.size)], compare_stamps)

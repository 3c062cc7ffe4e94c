"""Torres-Rojas and Ahamad: plausible clocks, constant size logical clocks for distributed systems (1999).

REV, the R-entries vector: a vector clock of R integers, in which process p counts its events in entry p mod R. So
several processes share an entry. If a happened before b, every entry of b is at least that of a, and the entry of b's
process is larger. The converse is false, because an entry may have advanced by events of another process. So causally
ordered messages are never reported as concurrent or in the reverse order, but concurrent ones may be reported as
ordered. With R processes or fewer it is a vector clock, and with R = 1 it is Lamport's clock.

Combinations (Comb). Of two plausible clocks, each may rule out an order that the other one reports: messages are
ordered only if both clocks say so. Option `scalar` adds Lamport's clock, one more integer.
"""

from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network, ProcessClock, are_at_most, compare_stamps
from mobilesim.protocols.frozen_value import value


@value
class PlausibleStamp:
    """`entry`: the entry of the sender, which its process number determines. `scalar`: Lamport's time, or None."""

    entry: int
    times: tuple[int, ...]
    scalar: int | None = None

    @property
    def integers(self) -> int:
        return len(self.times) + (self.scalar is not None)

    def precedes(self, other: "PlausibleStamp") -> bool:
        entry = other.entry
        if self.times[entry] >= other.times[entry]:
            return False
        if self.scalar is not None and other.scalar is not None and self.scalar >= other.scalar:
            return False
        return are_at_most(self.times, other.times)


class PlausibleClock(ProcessClock[PlausibleStamp]):
    __slots__ = ("entry", "scalar", "times")

    def __init__(self, process: int, entries: int, *, scalar: bool = False) -> None:
        self.entry = process % entries
        self.times = [0] * entries
        self.scalar = 0 if scalar else None

    @property
    def integers(self) -> int:
        return len(self.times) + (self.scalar is not None)

    def tick(self) -> None:
        self.times[self.entry] += 1
        if self.scalar is not None:
            self.scalar += 1

    def stamp(self) -> PlausibleStamp:
        return PlausibleStamp(self.entry, tuple(self.times), self.scalar)

    def receive(self, stamp: PlausibleStamp) -> PlausibleStamp:
        self.times = list(map(max, self.times, stamp.times))
        if self.scalar is not None and stamp.scalar is not None:
            self.scalar = max(self.scalar, stamp.scalar)
        self.tick()
        return stamp


def build(network: Network, entries: int = 4, scalar: bool = False) -> ClockSystem[PlausibleStamp]:  # noqa: FBT001, FBT002
    clocks = [PlausibleClock(process, entries, scalar=scalar) for process in range(network.size)]
    return ClockSystem(clocks, compare_stamps)

"""Kshemkalyani and Singhal (1998): section 4.3 as printed, with sets, and the broken lookahead of section 4.5."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Key, Ordering, Process
from mobilesim.protocols.orderings.ks import source_and_time
from mobilesim.protocols.packets import Stamp

Entry: TypeAlias = tuple[int, int]
Log: TypeAlias = dict[Entry, frozenset[int]]
Unit: TypeAlias = tuple[int, int, int]
EMPTY: frozenset[int] = frozenset()


@value
class Printed(Stamp):
    clock: int
    destinations: frozenset[int]
    log: Mapping[Entry, frozenset[int]]

    @property
    def units(self) -> int:
        return sum(map(len, self.log.values()))

    @property
    def integers(self) -> int:
        return 1 + len(self.destinations) + integers_of(self.log)

    def complemented(self, size: int) -> tuple[int, int]:
        """Return the size in units and integers, if the smaller one of each set and its complement is sent."""
        saved = sum(max(2 * len(destinations) - size, 0) for destinations in self.log.values())
        return self.units - saved, self.integers - saved


class Dense(Ordering):
    __slots__ = ("hardware", "size")

    def __init__(self, size: int, *, hardware: bool = False) -> None:
        self.size = size
        self.hardware = hardware

    def process(self, index: int) -> "DenseProcess":
        return DenseProcess(index, self.size, hardware=self.hardware)


class DenseProcess(Process):
    __slots__ = ("clock", "delivered", "hardware", "index", "log")

    def __init__(self, index: int, size: int, *, hardware: bool = False) -> None:
        self.index = index
        self.hardware = hardware
        self.clock = 0
        self.delivered = [0] * size
        self.log: Log = dict.fromkeys(((source, 0) for source in range(size)), EMPTY)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        self.clock += 1
        everybody = frozenset(destinations)
        stamps = [((to,), self.stamp(self.sent(to, everybody), everybody)) for to in destinations]
        self.log = {entry: remaining - everybody for entry, remaining in self.log.items()}
        self.log[self.index, self.clock] = everybody
        self.log = purged(self.log)
        return stamps

    def stamp(self, log: Log, everybody: frozenset[int]) -> Printed:
        return Printed(self.index, self.clock, everybody, log)

    def sent(self, to: int, everybody: frozenset[int]) -> Log:
        return dict(self.log) if self.hardware else pruned(self.log, to, everybody)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Printed)
        for (source, time), remaining in stamp.log.items():
            if self.index in remaining and self.delivered[source] < time:
                return source, time
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Printed)
        self.delivered[stamp.sender] = stamp.clock
        carried = dict(stamp.log)
        if self.hardware:
            carried = pruned(carried, self.index, stamp.destinations)
        carried[stamp.sender, stamp.clock] = stamp.destinations
        self.merge({entry: remaining - {self.index} for entry, remaining in carried.items()})
        return ((stamp.sender, stamp.clock),)

    def merge(self, carried: Log) -> None:
        """Merge two logs by steps RCV(4) and RCV(5)."""
        obsolete = [entry for entry in carried if forgotten(entry, self.log)]
        redundant = [entry for entry in self.log if forgotten(entry, carried)]
        for entry in obsolete:
            del carried[entry]
        for entry in redundant:
            del self.log[entry]
        for entry in carried.keys() & self.log.keys():
            self.log[entry] &= carried.pop(entry)
        self.log = purged(self.log | carried)

    @property
    def integers(self) -> int:
        return 1 + len(self.delivered) + integers_of(self.log)


class Lookahead(Dense):
    """A process that merges the log of a message at its arrival if it cannot deliver the message yet (section 4.5)."""

    __slots__ = ()

    def process(self, index: int) -> DenseProcess:
        return LookaheadProcess(index, self.size)


class LookaheadProcess(DenseProcess):
    __slots__ = ()

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Printed)
        key = super().missing(stamp)
        if key is not None:
            self.merge(dict(stamp.log))
        return key


def pruned(log: Log, to: int, everybody: frozenset[int]) -> Log:
    """Prune a log by step SND(2)."""
    return purged({entry: remaining - (everybody - {to}) for entry, remaining in log.items()})


def purged(log: Log) -> Log:
    latest = dict(sorted(log))
    return {(source, time): to for (source, time), to in log.items() if to or time == latest[source]}


def forgotten(entry: Entry, log: Log) -> bool:
    """Return whether this log has a later entry of the source, and does not contain the given entry."""
    return entry not in log and any(source == entry[0] and time > entry[1] for source, time in log)


def integers_of(log: Mapping[Entry, frozenset[int]]) -> int:
    return sum(2 + len(remaining) for (_, time), remaining in log.items() if time)


def units_of(log: Mapping[Entry, frozenset[int]]) -> set[Unit]:
    return {(source, time, to) for (source, time), remaining in log.items() for to in remaining}


def unpacked(log: Mapping[int, int]) -> Log:
    """Return a log with pairs and sets for a log with integers."""
    return {
        source_and_time(send): frozenset(to for to in range(bits.bit_length()) if bits >> to & 1)
        for send, bits in log.items()
    }

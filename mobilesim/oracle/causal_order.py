"""The oracle computes happened-before exactly, with vector clocks. It observes only submissions, deliveries and drops.

Theory. A host's clock counts, for every host, the submissions that happened before. A submission increments the host's
own entry. A delivery takes the maximum of the host's clock and the message's clock. Message m' happened before message
m if and only if the entry of the source of m' in the clock of m is at least the number of m'.

A delivery of m at h breaks causal order if a message to h that happened before m has not been delivered at h. The
delivery breaks FIFO order if that message has the same source. A message that is still due at the end is lost. If a
station drops a message for a host, the message is no longer due at this host, and is not lost.

Stations that send are sources like hosts, with the numbers after those of the hosts.
"""

from collections.abc import Collection, Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Clock: TypeAlias = npt.NDArray[np.unsignedinteger]

Past: TypeAlias = tuple[Clock, int]
"""The clock of a message, and its number among the submissions of its source."""

_KINDS: Final = (np.uint8, np.uint16, np.uint32, np.uint64)
"""The types of the entries of clocks. With many hosts, narrow types are faster, because clocks take less memory."""

_maximum: Final = np.maximum

_FULL: Final = 0xFF
"""The first number that a type cannot hold is a multiple of 256. So only such numbers are compared with the limit."""


class Oracle:
    __slots__ = (
        *("causal", "clocks", "delivered_copies", "dropped_copies", "due", "duplicates", "fifo", "known"),
        *("outstanding", "sources", "width"),
    )

    def __init__(self, sources: int) -> None:
        """`sources`: the number of hosts, plus the number of stations if these send."""
        self.sources = sources
        self.width = 0
        self.clocks: dict[int, Clock] = {}
        self.known: dict[int, Past] = {}
        self.outstanding: dict[int, int] = {}
        self.due: dict[int, dict[int, list[tuple[int, int]]]] = {}
        self.causal = self.fifo = self.duplicates = self.delivered_copies = self.dropped_copies = 0

    def clock(self, host: int) -> Clock:
        if (clock := self.clocks.get(host)) is None:
            clock = self.clocks[host] = np.zeros(self.sources, _KINDS[self.width])
        return clock

    def _widened(self, number: int, source: int) -> Clock:
        """Widen all clocks until they hold `number`; return the clock of `source`."""
        if number > np.iinfo(_KINDS[self.width]).max:
            self.width += 1
            kind = _KINDS[self.width]
            self.clocks = {host: clock.astype(kind) for host, clock in self.clocks.items()}
            self.known = {message: (clock.astype(kind), count) for message, (clock, count) in self.known.items()}
        return self.clocks[source]

    def submitted(self, message: int, source: int, destinations: tuple[int, ...]) -> Past:
        clock = self.clock(source)
        number = int(clock[source]) + 1
        if not number & _FULL:
            clock = self._widened(number, source)
        clock[source] = number
        past = self.known[message] = (clock.copy(), number)
        self.outstanding[message] = len(destinations)
        entry = (number, message)
        for host in destinations:
            if (sources := self.due.get(host)) is None:
                sources = self.due[host] = {}
            if (numbers := sources.get(source)) is None:
                sources[source] = [entry]
            else:
                numbers.append(entry)
        return past

    def delivered(self, message: int, source: int, host: int) -> int:
        """Check a delivery; return the message that it overtook, or -1."""
        known, sources = self.known.get(message), self.due.get(host, {})
        numbers = sources.get(source)
        if known is None or numbers is None or (known[1], message) not in numbers:
            self.duplicates += 1
            return -1
        clock, number = known
        overtaken = -1
        if len(sources) > 1 or numbers[0][1] != message:
            overtaken = self._overtaken(clock, source, number, sources)
        self._settle(sources, source, (number, message))
        own = self.clock(host)
        _maximum(own, clock, out=own)
        self.delivered_copies += 1
        self._forget(message)
        return overtaken

    def dropped(self, message: int, source: int, host: int) -> bool:
        """Record a drop; return whether the message was due. If not, the drop counts as a duplicate."""
        known, sources = self.known.get(message), self.due.get(host, {})
        if known is None or (known[1], message) not in sources.get(source, ()):
            self.duplicates += 1
            return False
        self._settle(sources, source, (known[1], message))
        self.dropped_copies += 1
        self._forget(message)
        return True

    def _overtaken(self, clock: Clock, source: int, number: int, sources: dict[int, list[tuple[int, int]]]) -> int:
        if sources[source][0][0] < number:
            self.fifo += 1
            self.causal += 1
            return sources[source][0][1]
        for other, numbers in sources.items():
            if other != source and clock[other] >= numbers[0][0]:
                self.causal += 1
                return numbers[0][1]
        return -1

    @staticmethod
    def _settle(sources: dict[int, list[tuple[int, int]]], source: int, entry: tuple[int, int]) -> None:
        numbers = sources[source]
        if numbers[0] == entry:
            del numbers[0]
        else:
            numbers.remove(entry)
        if not numbers:
            del sources[source]

    def _forget(self, message: int) -> None:
        if due := self.outstanding[message] - 1:
            self.outstanding[message] = due
        else:
            del self.outstanding[message], self.known[message]

    def precedes(self, source: int, number: int, message: int) -> bool:
        """Return whether submission `number` of `source` happened before `message`, which is still due at a host."""
        return bool(self.known[message][0][source] >= number)

    def number(self, message: int) -> int:
        return self.known[message][1]

    def stranded(self, gone: Collection[int]) -> int:
        """Return the number of copies that are still due and were sent by or to the hosts `gone`."""
        return sum(
            len(numbers)
            for host, sources in self.due.items()
            for source, numbers in sources.items()
            if host in gone or source in gone
        )

    def lost(self) -> Iterator[tuple[int, int]]:
        """Yield (message, host) for each message that is still due at a host."""
        for host, sources in self.due.items():
            for numbers in sources.values():
                yield from ((message, host) for _, message in numbers)

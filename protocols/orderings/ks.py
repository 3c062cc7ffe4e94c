"""Kshemkalyani and Singhal: necessary and sufficient conditions on information for causal message ordering (1998).

Theory (sections 3.2 and 3.3). A *unit* says that d is a destination of M(i, a), the message that i sent at its time a.
It is carried from that send along every causal path as far as the first event which knows that M(i, a) has been
delivered to d, or that a later message to d waits for it: a fixed point. The send of that later message carries the
unit to d alone. Less is unsafe and more is redundant: no message carries a unit that it need not.

Algorithm (section 4.3). LOG_j has the units of j, as sets of destinations by (i, a), and for every i the greatest a of
which j has heard, be its set empty. What one of two logs has and the other has not, though that has heard of a send of
i as late, has met a fixed point there, and goes. Channels need not be FIFO, nor messages numbered by channel (section
7.1) where they are not: a unit names the very send that has to come first.

Representation. A set of destinations is the bits of an integer. Of the entries with an empty set only the times are
kept, in the vector `known`, which has the greatest a of every i; so an entry that both have heard of stays if both have
it, and any other if it is news. All copies of a multicast share the log that is left when their destinations are taken
out; what only the copy to d has besides are units of d, and they go with it as a list.

Size. `units` counts as section 6.2 does: the sum of |o.Dests| over O_M. `integers` counts the clock and Dests of the
message, and for each entry of O_M its i, its a and its set. `complement` is the encoding of 6.2: whichever of Dests
and the set of all others is smaller travels, told from each other by the sign of a.

Deviations from the print. Entries (i, 0, {}), with which every log starts, are left out: no entry says the same.
`hardware` is the multicast of 4.5: O_M is the log from before the send, the same for all, and a receiver prunes it. The
lookahead of 4.5 is unsafe even on FIFO channels, and is kept with the tests. Processes that join and leave (4.5) are
among the n from the start: who has not joined yet, or has left, sends nothing and is sent nothing. A process never
sends to itself.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import Key, Ordering, Process

Send: TypeAlias = tuple[int, int]
Log: TypeAlias = dict[Send, int]
Entries: TypeAlias = tuple[tuple[Send, int], ...]
Times: TypeAlias = npt.NDArray[np.int32]


@value
class Carried(Stamp):
    """`everybody` is Dests; the entries of O_M are without the message itself, and `known` has it."""

    clock: int
    everybody: int
    entries: Entries
    known: Times
    size: tuple[int, int]

    @property
    def units(self) -> int:
        return self.size[0]

    @property
    def integers(self) -> int:
        return self.size[1]


@value
class Pruned(Carried):
    """To one destination, or to some for whom nothing is `awaited`: sends to that one, of whom others need no word."""

    awaited: tuple[Send, ...]


@value
class Whole(Carried):
    """To all destinations."""


class Ks(Ordering):
    __slots__ = ("complement", "hardware", "size")

    def __init__(self, size: int, *, hardware: bool = False, complement: bool = False) -> None:
        self.size = size
        self.hardware = hardware
        self.complement = complement

    def process(self, index: int) -> "KsProcess":
        kind = HardwareProcess if self.hardware else KsProcess
        return kind(index, self.size, complement=self.complement)


class KsProcess(Process):
    """`delivered[i]` is SR[i]: when i sent what was delivered here last."""

    __slots__ = ("complement", "delivered", "index", "known", "log")

    def __init__(self, index: int, size: int, *, complement: bool) -> None:
        self.index = index
        self.complement = complement
        self.delivered = [0] * size
        self.known: Times = np.zeros(size, np.int32)
        self.log: Log = {}

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        everybody, known = _bits(destinations), self.known
        suppressed = [(send, to & everybody) for send, to in self.log.items() if to & everybody]
        log = _without(everybody, self.log)
        units, integers = self._size(log, known)
        integers += 1 + len(destinations)
        own = self._own(suppressed, log, known)
        stamp = self.index, self._sent(log, everybody), everybody, tuple(log.items()), self.known
        stamps: list[tuple[tuple[int, ...], Stamp]] = [
            ((to,), Pruned(*stamp, (units + more, integers + longer), tuple(awaited)))
            for to, (awaited, (more, longer)) in own.items()
        ]
        if others := tuple([to for to in destinations if to not in own]):
            stamps.append((others, Pruned(*stamp, (units, integers), ())))
        return stamps

    def _sent(self, log: Log, everybody: int) -> int:
        """SND(3) and SND(4)."""
        index, known = self.index, self.known.copy()
        clock = known.item(index) + 1
        known[index] = clock
        self.known = known
        self.log = log | {(index, clock): everybody}
        return clock

    def _own(
        self, suppressed: list[tuple[Send, int]], log: Log, known: Times
    ) -> dict[int, tuple[list[Send], list[int]]]:
        """By destination, the units that its copy alone has, and how many units and integers they add to it."""
        own: dict[int, tuple[list[Send], list[int]]] = {}
        for send, hit in suppressed:
            members = log[send].bit_count() if send in log else 0
            more = self._weight(members + 1) - self._weight(members)
            longer = more if members or known.item(send[0]) == send[1] else more + 2
            for to in _members(hit):
                if to not in own:
                    own[to] = [], [0, 0]
                awaited, added = own[to]
                awaited.append(send)
                added[0] += more
                added[1] += longer
        return own

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Pruned)
        delivered = self.delivered
        for send in stamp.awaited:
            if delivered[send[0]] < send[1]:
                return send
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Pruned)
        self._merge(stamp, dict(stamp.entries))
        return ((stamp.sender, stamp.clock),)

    def _merge(self, stamp: Carried, theirs: Log) -> None:
        """RCV(2) to RCV(5); theirs are pruned, so that no unit of this process is among them."""
        mine, known, heard = self.log, self.known, stamp.known
        log = {send: to for send, to in mine.items() if heard.item(send[0]) < send[1]}
        for send, to in theirs.items():
            if send in mine:
                if rest := to & mine[send]:
                    log[send] = rest
            elif known.item(send[0]) < send[1]:
                log[send] = to
        if rest := stamp.everybody & ~(1 << self.index):
            log[stamp.sender, stamp.clock] = rest
        self.log = log
        self.known = np.maximum(known, heard)
        self.delivered[stamp.sender] = stamp.clock

    def _size(self, log: Log, known: Times) -> tuple[int, int]:
        """Units and integers. An entry whose set is empty travels if it is the last that is known of its sender."""
        units = sum([self._weight(to.bit_count()) for to in log.values()])
        latest = sum([known.item(source) == time for source, time in log])
        return units, units + 2 * (len(log) + int(np.count_nonzero(known)) - latest)

    def _weight(self, members: int) -> int:
        return min(members, len(self.delivered) - members) if self.complement else members

    @property
    def integers(self) -> int:
        return 1 + len(self.delivered) + self._size(self.log, self.known)[1]


class HardwareProcess(KsProcess):
    """One stamp for all destinations, who do for themselves what section 4.3 has the sender do for each."""

    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        everybody, log = _bits(destinations), self.log
        units, integers = self._size(log, self.known)
        clock = self._sent(_without(everybody, log), everybody)
        size = units, integers + 1 + len(destinations)
        return ((destinations, Whole(self.index, clock, everybody, tuple(log.items()), self.known, size)),)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Whole)
        here, delivered = 1 << self.index, self.delivered
        for send, to in stamp.entries:
            if to & here and delivered[send[0]] < send[1]:
                return send
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Whole)
        self._merge(stamp, _without(stamp.everybody, dict(stamp.entries)))
        return ((stamp.sender, stamp.clock),)


def _bits(destinations: tuple[int, ...]) -> int:
    return sum([1 << destination for destination in destinations])


def _without(some: int, log: Log) -> Log:
    kept = ~some
    return {send: rest for send, to in log.items() if (rest := to & kept)}


def _members(bits: int) -> list[int]:
    members = []
    while bits:
        members.append(bits.bit_length() - 1)
        bits ^= 1 << members[-1]
    return members

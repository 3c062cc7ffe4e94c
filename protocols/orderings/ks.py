"""Kshemkalyani and Singhal: necessary and sufficient conditions on information for causal message ordering (1998).

Theory (sections 3.2 and 3.3). A *unit* is a destination d of M(i, a), the message that i sent at its time a. A unit is
carried from this send along every causal path to a fixed point: the first event whose past contains the delivery of
M(i, a) to d, or the send of a later message to d that waits for M(i, a). This later message carries the unit only in
its copy to d. Fewer units would be unsafe, and more units would be redundant.

Algorithm (section 4.3). LOG_j stores the units of the causal past of j, as a set of destinations for each (i, a). For
every i it also stores the greatest a, even if the set is empty. Two logs are merged as follows. Suppose that only one
log has a unit of (i, a). If the other log has an entry of i with time a or later, the unit has reached a fixed point
and is removed. Channels need not be FIFO, and messages need no numbers per channel (section 7.1), since a unit names
the send that must be delivered first.

Representation. A set of destinations is stored as the bits of an integer, and a pair (i, a) as the integer
`send_number(i, a)`, since a dictionary finds integers faster than pairs. The vector `known` has the greatest a of every
i; an entry with an empty set is stored by this time only. A vector covers entry (i, a) if its time of i is at least a.
In a merge, an entry that both vectors cover stays if both logs contain it. An entry that only one vector covers is new
and stays. All copies of a multicast share one log, without the units of the message's destinations. The copy to d also
carries a list of all units of d.

Size. `units` counts the sum of |o.Dests| over O_M, as section 6.2 does. `integers` counts the clock and Dests of the
message, and for each entry of O_M its i, its a and its set. `complement` is the encoding of section 6.2: a message
carries the smaller one of Dests and its complement, and the sign of the time distinguishes them.

Deviations from the paper. The initial entries (i, 0, {}) are omitted, since a missing entry has the same meaning.
`hardware` is the multicast of section 4.5: O_M is the log from before the send, the same for all destinations, and each
receiver prunes it. It is meant for media on which one transmission reaches all destinations. If a host in a cell orders
messages, one uplink frame carries all copies: with ten destinations on average among twenty hosts, their headers have
2.4 kB, and one shared header has 0.3 kB (`rst`: 1.6 kB). On wires, each copy is a packet, and pruned headers are
shorter. The lookahead of section 4.5 is unsafe even on FIFO channels; only the tests contain it. Processes
that join or leave (section 4.5) are in `orderings.members.ks_member`. A process never sends to itself.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process
from mobilesim.protocols.orderings.members.ks_member import KsMember
from mobilesim.protocols.packets import Stamp
from mobilesim.protocols.view import View

Log: TypeAlias = dict[int, int]
"""By number of a send, its destinations."""
Entries: TypeAlias = tuple[tuple[int, int], ...]
"""The items of a log."""
Times: TypeAlias = npt.NDArray[np.int32]

_SOURCE_BITS: Final = 20
"""The bits for a process in the number of a send: for up to a million processes, the limit of a scenario."""
_SOURCE: Final = (1 << _SOURCE_BITS) - 1


def send_number(source: int, time: int) -> int:
    return time << _SOURCE_BITS | source


def source_and_time(send: int) -> tuple[int, int]:
    """Return the i and the a of `send_number(i, a)`."""
    return send & _SOURCE, send >> _SOURCE_BITS


@value
class Carried(Stamp):
    """The stamp of a hardware multicast, for all destinations. `dests` is Dests of the message. `entries` has the
    entries of O_M. `known` is the sender's vector after the send. `size` has the units and the integers of the stamp.
    """

    clock: int
    dests: int
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
    """The stamp for one destination, which must deliver the sends in `awaited` first. If `awaited` is empty, several
    destinations may have the same stamp.
    """

    awaited: tuple[int, ...]


class Ks(Ordering):
    def __init__(self, size: int, *, hardware: bool = False, complement: bool = False) -> None:
        if size > _SOURCE + 1:
            raise ValueError(f"ks orders at most {_SOURCE + 1:,} processes, not {size:,}")
        self.size = size
        self.hardware = hardware
        self.complement = complement

    def process(self, index: int) -> "KsProcess":
        kind = HardwareProcess if self.hardware else KsProcess
        return kind(index, self.size, complement=self.complement)

    def member(self, index: int, view: View) -> Process:
        return KsMember(index, view)


class KsProcess(Process):
    """`delivered[i]` is SR[i]: the send time of the last message of i that was delivered here."""

    __slots__ = ("complement", "delivered", "index", "known", "log")

    def __init__(self, index: int, size: int, *, complement: bool) -> None:
        self.index = index
        self.complement = complement
        self.delivered = [0] * size
        self.known: Times = np.zeros(size, np.int32)
        self.log: Log = {}

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        dests, known = _bits(destinations), self.known
        suppressed = [(send, to & dests) for send, to in self.log.items() if to & dests]
        log = _without(dests, self.log)
        units, integers = self._size(log, known)
        integers += 1 + len(destinations)
        own = self._own(suppressed, log, known)
        stamp = self.index, self._sent(log, dests), dests, tuple(log.items()), self.known
        stamps: list[tuple[tuple[int, ...], Stamp]] = [
            ((to,), Pruned(*stamp, (units + more, integers + longer), tuple(awaited)))
            for to, (awaited, (more, longer)) in own.items()
        ]
        if others := tuple([to for to in destinations if to not in own]):
            stamps.append((others, Pruned(*stamp, (units, integers), ())))
        return stamps

    def _sent(self, log: Log, dests: int) -> int:
        """Execute steps SND(3) and SND(4); return the time of the send."""
        index, known = self.index, self.known.copy()
        clock = known.item(index) + 1
        known[index] = clock
        self.known = known
        self.log = log | {send_number(index, clock): dests}
        return clock

    def _own(self, suppressed: list[tuple[int, int]], log: Log, known: Times) -> dict[int, tuple[list[int], list[int]]]:
        """Return by destination the units that only its copy carries, and their size in units and in integers."""
        own: dict[int, tuple[list[int], list[int]]] = {}
        for send, hit in suppressed:
            members = log[send].bit_count() if send in log else 0
            more = self._weight(members + 1) - self._weight(members)
            source, time = source_and_time(send)
            longer = more if members or known.item(source) == time else more + 2
            for to in _members(hit):
                if to not in own:
                    own[to] = [], [0, 0]
                awaited, added = own[to]
                awaited.append(send)
                added[0] += more
                added[1] += longer
        return own

    def missing(self, stamp: Pruned) -> Key | None:
        delivered = self.delivered
        for send in stamp.awaited:
            if delivered[send & _SOURCE] < send >> _SOURCE_BITS:
                return source_and_time(send)
        return None

    def deliver(self, stamp: Pruned) -> Sequence[Key]:
        return self._merge(stamp, stamp.entries)

    def _merge(self, stamp: Carried, received: Entries) -> Sequence[Key]:
        """Execute steps RCV(2) to RCV(5). `received` is the message's log without units of its destinations."""
        stored, known, latest = self.log, self.known.tolist(), stamp.known.tolist()
        log = {send: to for send, to in stored.items() if latest[send & _SOURCE] < send >> _SOURCE_BITS}
        for send, to in received:
            own = stored.get(send)
            if own is not None:
                if rest := to & own:
                    log[send] = rest
            elif known[send & _SOURCE] < send >> _SOURCE_BITS:
                log[send] = to
        if rest := stamp.dests & ~(1 << self.index):
            log[send_number(stamp.sender, stamp.clock)] = rest
        self.log = log
        self.known = np.maximum(self.known, stamp.known)
        self.delivered[stamp.sender] = stamp.clock
        return ((stamp.sender, stamp.clock),)

    def _size(self, log: Log, known: Times) -> tuple[int, int]:
        """Return the size in units and in integers. An entry with an empty set counts if it is its sender's latest."""
        units = sum([self._weight(to.bit_count()) for to in log.values()])
        times = known.tolist()
        latest = sum([times[send & _SOURCE] == send >> _SOURCE_BITS for send in log])
        return units, units + 2 * (len(log) + int(np.count_nonzero(known)) - latest)

    def _weight(self, members: int) -> int:
        return min(members, len(self.delivered) - members) if self.complement else members

    @property
    def integers(self) -> int:
        return 1 + len(self.delivered) + self._size(self.log, self.known)[1]


class HardwareProcess(KsProcess):
    """Sends one stamp to all destinations. The receivers prune the log; in section 4.3, the sender prunes it."""

    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        dests, log = _bits(destinations), self.log
        units, integers = self._size(log, self.known)
        clock = self._sent(_without(dests, log), dests)
        size = units, integers + 1 + len(destinations)
        return ((destinations, Carried(self.index, clock, dests, tuple(log.items()), self.known, size)),)

    def missing(self, stamp: Carried) -> Key | None:
        here, delivered = 1 << self.index, self.delivered
        for send, to in stamp.entries:
            if to & here and delivered[send & _SOURCE] < send >> _SOURCE_BITS:
                return source_and_time(send)
        return None

    def deliver(self, stamp: Carried) -> Sequence[Key]:
        others = ~stamp.dests
        return self._merge(stamp, tuple([(send, rest) for send, to in stamp.entries if (rest := to & others)]))


def _bits(destinations: tuple[int, ...]) -> int:
    return sum([1 << destination for destination in destinations])


def _without(removed: int, log: Log) -> Log:
    return {send: rest for send, to in log.items() if (rest := to & ~removed)}


def _members(bits: int) -> list[int]:
    members = []
    while bits:
        members.append(bits.bit_length() - 1)
        bits ^= 1 << members[-1]
    return members

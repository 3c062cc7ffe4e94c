"""KS (`mobilesim.protocols.orderings.ks`) for processes that join and leave, with everything stored by id.

Kshemkalyani and Singhal (1998, section 4.5): a new process starts with clock 0, and a departed process appears as
though it never sends messages, until it is removed from the view. Ids are never given again, because a process that
rejoins with its old id and clock 0 breaks causal order. The paper leaves open what is removed when. Here:

- A unit (a destination d of a message) is removed when d has left: d delivers nothing any more. A unit of a message
  *from* a process that left must stay until all messages of this process have been delivered, and is removed with all
  else about the process when the view removes it (`mobilesim.protocols.membership`).
- Stamps in transit, and logs of other processes, may still contain what was removed. So a delivery adds nothing about
  processes that this process's view has removed, and a message does not wait for them.
- An id that the view does not know yet belongs to a process that has just joined. Its units stay.

Representation. In `Ks`, sets are bits and vectors have an entry for each process, which is fast for few ids. Here, sets
are sets of ids and vectors are dictionaries, so that the size depends on the number of members only. As long as the
members do not change, both have stamps of the same size and deliver the same messages at the same times.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key, Process
from mobilesim.protocols.packets import Stamp
from mobilesim.protocols.view import View

Send: TypeAlias = tuple[int, int]
"""The i and the a of a message M(i, a)."""
Members: TypeAlias = frozenset[int]
Log: TypeAlias = dict[Send, Members]
Times: TypeAlias = dict[int, int]

_NONE: Final[Members] = frozenset()


@value
class MemberStamp(Stamp):
    """The fields are those of `Pruned`: `known` has the pairs of the vector after the send."""

    clock: int
    dests: Members
    entries: tuple[tuple[Send, Members], ...]
    known: tuple[tuple[int, int], ...]
    size: tuple[int, int]
    awaited: tuple[Send, ...]

    @property
    def units(self) -> int:
        return self.size[0]

    @property
    def integers(self) -> int:
        return self.size[1]


class KsMember(Process):
    __slots__ = ("delivered", "index", "known", "log", "view")

    def __init__(self, index: int, view: View) -> None:
        self.index = index
        self.view = view
        self.delivered: Times = {}
        self.known: Times = {}
        self.log: Log = {}

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        index, dests, before, known = self.index, frozenset(destinations), self.log, self.known
        awaited: dict[int, list[Send]] = {}
        log: Log = {}
        for send, to in before.items():
            for at in to & dests:
                awaited.setdefault(at, []).append(send)
            if rest := to - dests:
                log[send] = rest
        units, integers = _size(log, known)
        longer = {at: sum([_longer(send, log, known) for send in sends]) for at, sends in awaited.items()}
        clock = known.get(index, 0) + 1
        entries = tuple(log.items())
        known = self.known = known | {index: clock}
        log[index, clock] = dests
        self.log = log
        stamp, integers = (index, clock, dests, entries, tuple(known.items())), integers + 1 + len(dests)
        found: list[tuple[tuple[int, ...], Stamp]] = []
        for at in sorted(awaited):
            size = units + len(awaited[at]), integers + longer[at]
            found.append(((at,), MemberStamp(*stamp, size, tuple(awaited[at]))))
        if others := tuple([at for at in destinations if at not in awaited]):
            found.append((others, MemberStamp(*stamp, (units, integers), ())))
        return found

    def missing(self, stamp: MemberStamp) -> Key | None:
        for send in stamp.awaited:
            source, time = send
            if self.delivered.get(source, 0) < time and not self.view.is_removed(source):
                return send
        return None

    def deliver(self, stamp: MemberStamp) -> Sequence[Key]:
        stored, known, latest, sent = self.log, self.known, dict(stamp.known), (stamp.sender, stamp.clock)
        log = {send: to for send, to in stored.items() if latest.get(send[0], 0) < send[1]}
        for send, to in stamp.entries:
            own = stored.get(send)
            if own is not None:
                if rest := to & own:
                    log[send] = rest
            elif known.get(send[0], 0) < send[1]:
                self._add(log, send, to)
        self._add(log, sent, stamp.dests - {self.index})
        self.log = log
        self.known = known | {
            source: time
            for source, time in stamp.known
            if known.get(source, 0) < time and not self.view.is_removed(source)
        }
        self.delivered[stamp.sender] = stamp.clock
        return (sent,)

    def _add(self, log: Log, send: Send, to: Members) -> None:
        """Add the units of a message that the view has not removed."""
        view = self.view
        rest = _NONE if view.is_removed(send[0]) else frozenset([each for each in to if not view.has_left(each)])
        if rest:
            log[send] = rest

    def left(self, process: int) -> None:
        self.log = {send: rest for send, to in self.log.items() if (rest := to - {process})}

    def removed(self, process: int) -> None:
        self.log = {send: to for send, to in self.log.items() if send[0] != process}
        self.known = {source: time for source, time in self.known.items() if source != process}
        self.delivered.pop(process, None)

    @property
    def integers(self) -> int:
        return 1 + len(self.delivered) + _size(self.log, self.known)[1]


def _size(log: Log, known: Times) -> tuple[int, int]:
    """Return the size in units and in integers. An entry with an empty set counts if it is its sender's latest."""
    units = sum([len(to) for to in log.values()])
    latest = sum([known.get(source, 0) == time for source, time in log])
    return units, units + 2 * (len(log) + len(known) - latest)


def _longer(send: Send, log: Log, known: Times) -> int:
    """Return the integers that one more unit of a message takes: its i and its a, too, if the stamp has no entry."""
    return 1 if send in log or known.get(send[0], 0) == send[1] else 3

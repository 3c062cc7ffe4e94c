"""Kshemkalyani and Singhal, section 7.1: centralised and hierarchical organisations of processes.

Model. Processes pass on messages of other processes. The first R processes are the *representatives* at the top. Every
other process has a parent, which represents it, so the processes form R trees. A process sends a message to its parent,
unless all destinations are in its own subtree. Each process on the way passes the message to its children with
destinations below them, and to its parent if there are other destinations. A representative at the top also sends it to
the other representatives with destinations below them, as a multicast under another ordering, by default `ks`. In the
*centralised* organisation (`central`), R is 1, and all other processes are children of process 0.

Theory. A process handles messages one after another: it sends all copies of one message before it handles the next one.
Channels between parent and child are FIFO, since their copies are numbered. So messages that pass the same process and
then take the same channel stay in the order in which this process has handled them. Let i send m to k and then m1 to j,
or let m1 be m itself, and let j deliver m1 and then send m' to k. In a tree, the ways between i, j and k meet in one
process. It handles m before m1 or together with it, and m1 before m'. From there on, m and m' take the same channels,
so k delivers m first. Longer chains follow by induction. If k is in another tree, the same holds up to the
representatives at the top: the representative that sends m' to that tree has sent or delivered m, or a message of the
chain between m and m', before. So the other ordering delivers m before m' at the representative of k.

Cost. A copy has a number and the destinations that the receiver has to pass it to. Only copies between representatives
at the top have a header that grows with R, and not with the number of processes. The wait for the representatives is
inhibition: the delivery is delayed even if causal order allows it.

Representation. A process stores the number of its messages on each of its channels. The numbers of processes determine
the trees: with c children each, the parent of process i >= R is (i - R) // c. Under `central`, c is the number of
processes. A representative at the top contains a process of the other ordering, with its own keys. If the receiver of a
copy is no destination, the copy is a control message with the payload of the message (`RelayProcess`).

Addition. The paper describes the organisations in words only. In the paper, a representative multicasts a message to
the processes that it represents; here it sends copies only to those with destinations at them or below them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process, RelayProcess
from mobilesim.protocols.orderings.ks import Ks
from mobilesim.protocols.orderings.prs import Prs
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.orderings.ses import Ses
from mobilesim.protocols.packets import Stamp

AMONG: Final[Mapping[str, Callable[[int], Ordering]]] = {"ks": Ks, "rst": Rst, "ses": Ses, "prs": Prs}
"""The orderings for messages among the representatives at the top."""


@value
class Hop(Stamp):
    """The stamp of a copy to the next process. `rest`: the destinations to which the receiver passes the message.
    `final`: whether the receiver is a destination. `inner`: among representatives at the top, the stamp of their
    ordering; between parent and child, the copy is numbered.
    """

    number: int
    rest: tuple[int, ...]
    final: bool
    inner: Stamp | None

    @property
    def integers(self) -> int:
        return len(self.rest) + (1 if self.inner is None else self.inner.integers)

    @property
    def only_relayed(self) -> bool:
        return not self.final


class Hierarchy(Ordering):
    def __init__(self, size: int, *, representatives: int = 3, children: int = 4, among: str = "ks") -> None:
        super().__init__(size)
        self.tops = min(representatives, size)
        self.children = children
        self.inner = AMONG[among](self.tops)

    def process(self, index: int) -> "HierarchyProcess":
        return HierarchyProcess(index, self)


class Central(Hierarchy):
    def __init__(self, size: int) -> None:
        super().__init__(size, representatives=1, children=size)


class HierarchyProcess(RelayProcess):
    __slots__ = ("children", "index", "inner", "received", "sent", "tops")

    def __init__(self, index: int, hierarchy: Hierarchy) -> None:
        self.index = index
        self.tops = hierarchy.tops
        self.children = hierarchy.children
        self.inner: Process | None = hierarchy.inner.process(index) if index < self.tops else None
        self.sent: dict[int, int] = {}
        """By parent or child, the number of copies that were sent to it."""
        self.received: dict[int, int] = {}
        """By parent or child, the number of copies of it that were accepted."""

    def _parent(self, process: int) -> int:
        return (process - self.tops) // self.children

    def _next(self, destination: int) -> int:
        """Return the child of this process, or else the representative at the top, above or at a destination."""
        process = destination
        while process >= self.tops:
            parent = self._parent(process)
            if parent == self.index:
                return process
            process = parent
        return process

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        return self._passed(destinations, group)

    def onward(self, stamp: Hop) -> Sequence[Addressed]:
        return self._passed(stamp.rest, -1) if stamp.rest else ()

    def _passed(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        """Return the stamps with which a message to these destinations leaves this process."""
        ways: dict[int, list[int]] = {}
        up: list[int] = []
        across: dict[int, list[int]] = {}
        for destination in destinations:
            process = self._next(destination)
            if process >= self.tops:
                ways.setdefault(process, []).append(destination)
            elif self.inner is None:
                up.append(destination)
            else:
                across.setdefault(process, []).append(destination)
        if up:
            ways[self._parent(self.index)] = up
        stamps = [self._numbered(process, below) for process, below in ways.items()]
        if across:
            stamps += self._multicast(across, group)
        return stamps

    def _numbered(self, process: int, destinations: list[int]) -> Addressed:
        """Return the stamp of a copy to the parent or to a child."""
        number = self.sent.get(process, 0)
        self.sent[process] = number + 1
        rest = _without(process, destinations)
        return (process,), Hop(self.index, number, rest, len(rest) < len(destinations), None)

    def _multicast(self, across: dict[int, list[int]], group: int) -> list[Addressed]:
        """Return the stamps of copies to other representatives at the top."""
        assert self.inner is not None
        stamps: list[Addressed] = []
        for processes, stamp in self.inner.send(tuple(sorted(across)), group):
            for process in processes:
                rest = _without(process, across[process])
                stamps.append(((process,), Hop(self.index, -1, rest, len(rest) < len(across[process]), stamp)))
        return stamps

    def missing(self, stamp: Hop) -> Key | None:
        if stamp.inner is not None:
            assert self.inner is not None
            key = self.inner.missing(stamp.inner)
            return None if key is None else ("top", key)
        if stamp.number <= self.received.get(stamp.sender, 0):
            return None
        return stamp.sender, stamp.number - 1

    def deliver(self, stamp: Hop) -> Sequence[Key]:
        if stamp.inner is not None:
            assert self.inner is not None
            return [("top", key) for key in self.inner.deliver(stamp.inner)]
        self.received[stamp.sender] = stamp.number + 1
        return ((stamp.sender, stamp.number),)

    @property
    def integers(self) -> int:
        return len(self.sent) + len(self.received) + (0 if self.inner is None else self.inner.integers)


def _without(process: int, destinations: list[int]) -> tuple[int, ...]:
    return tuple([destination for destination in destinations if destination != process])

"""Singhal and Kshemkalyani: an efficient implementation of vector clocks (1992), for the vectors of `bss` and `isis`.

Theory. A message to q carries only the entries of the vector that have changed since the sender's previous message to
q, as pairs of an index and a count. Two vectors tell which these are. LS[q] is the sender's clock at its latest message
to q. LU[k] is its clock at the latest change of entry k. Entry k is carried if it has changed since the time LS[q]. The
receiver delivers the previous message of the sender first, and so has every count that is not carried.

Clock. In the paper every event advances the clock, so a message carries entry k if LU[k] > LS[q]. Here only sends
advance it. A change after the latest message to q may have the same time as this message, so a message carries entry k
if LU[k] >= LS[q].

Channels. The paper requires FIFO channels, since a receiver reads a message when it arrives. Here channels need not be
FIFO. A stamp has the counts from before the send, so the sender's entry for a group has always changed after a message
to this group. The next message to the same process therefore carries this entry, and waits for the previous message.
Messages from one process to another are thus delivered in the order of the sends.

Deviation from the paper. With the counts from after the send, as printed, a message to q would not carry the entry of
the group of the previous message to q. It would be shorter by one pair if the two groups are different. But then a
receiver must reconstruct the whole vector of a message at its arrival, even if the message has to wait, and on FIFO
channels only. For broadcasts (`bss`) the sizes are equal.

Representation. `Changes` has LS and LU. LU is a dictionary whose latest changes are at the end, so a send examines only
the entries that it carries. All broadcasts have the same destinations, so `bss-differential` has one entry of LS. A
stamp is one of `bss` or `isis` in which the entries that are not carried are 0, and no message waits for a count of 0.
The state is counted as in the paper: LS has an entry for each process.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key
from mobilesim.protocols.orderings.vectors.bss import Bss, BssProcess, Vector
from mobilesim.protocols.orderings.vectors.isis import Isis, IsisProcess, Vectors
from mobilesim.protocols.packed_vectors import MAX_COUNT, filled

_ALL: Final = -1
"""Stands for all destinations of a broadcast."""


class Changes:
    """The entries of a vector that have changed since the latest message to a process."""

    __slots__ = ("clock", "sent", "updated")

    def __init__(self) -> None:
        self.clock = 0
        """The number of sends."""
        self.sent: dict[int, int] = {}
        """LS: by process, the clock after the latest message to it."""
        self.updated: dict[int, int] = {}
        """LU: by entry, the clock at its latest change. The latest changes are at the end."""

    def update(self, entries: Iterable[int]) -> None:
        updated, clock = self.updated, self.clock
        for entry in entries:
            updated.pop(entry, None)
            updated[entry] = clock

    def since(self, sent: int) -> list[int]:
        """Return the entries that have changed since a message, which was sent when the clock reached `sent`."""
        changed = []
        for entry, clock in reversed(self.updated.items()):
            if clock < sent:
                break
            changed.append(entry)
        return changed

    def send(self, destinations: Iterable[int], own: int) -> None:
        """Record a message to these processes, and the change of the sender's own entry by this message."""
        self.clock += 1
        for destination in destinations:
            self.sent[destination] = self.clock
        self.update((own,))


@value
class ChangedEntries(Vector):
    """`counts` has only the carried entries, and `carried` is their number."""

    carried: int

    @property
    def integers(self) -> int:
        return 2 * self.carried


@value
class ChangedVectors(Vectors):
    """`counts` has only the carried entries, and `carried` is their number."""

    carried: int

    @property
    def integers(self) -> int:
        return 2 * self.carried


class BssDifferential(Bss):
    def process(self, index: int) -> "BssDifferentialProcess":
        return BssDifferentialProcess(index, self.size, self.borrow)


class BssDifferentialProcess(BssProcess):
    __slots__ = ("changes",)

    def __init__(self, index: int, size: int, borrow: int) -> None:
        super().__init__(index, size, borrow)
        self.changes = Changes()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        counts, changes, index = self.counts, self.changes, self.index
        super().send(destinations, group)
        carried = {index, *changes.since(changes.sent.get(_ALL, 0))}
        changes.send((_ALL,), index)
        return ((destinations, ChangedEntries(index, counts & filled(carried, MAX_COUNT), self.size, len(carried))),)

    def deliver(self, stamp: Vector) -> Sequence[Key]:
        self.changes.update((stamp.sender,))
        return super().deliver(stamp)

    @property
    def integers(self) -> int:
        return 3 * self.size


class IsisDifferential(Isis):
    def process(self, index: int) -> "IsisDifferentialProcess":
        return IsisDifferentialProcess(index, self)


class IsisDifferentialProcess(IsisProcess):
    __slots__ = ("changes", "size")

    def __init__(self, index: int, isis: Isis) -> None:
        super().__init__(index, isis)
        self.size = isis.size
        self.changes = Changes()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        counts, changes, sent = self.counts, self.changes, self.changes.sent
        super().send(destinations, group)
        entry = self.entries[group]
        to: dict[int, list[int]] = {}
        for destination in destinations:
            to.setdefault(sent.get(destination, 0), []).append(destination)
        stamped: list[Addressed] = []
        for latest, receivers in to.items():
            carried = {entry, *changes.since(latest)}
            kept = np.zeros_like(counts)
            for place in carried:
                kept[place] = counts[place]
            stamped.append((tuple(receivers), ChangedVectors(self.index, kept, entry, len(carried))))
        changes.send(destinations, entry)
        return stamped

    def deliver(self, stamp: Vectors) -> Sequence[Key]:
        before = self.counts
        keys = super().deliver(stamp)
        self.changes.update(np.flatnonzero(self.counts > before).tolist())
        return keys

    @property
    def integers(self) -> int:
        return 2 * len(self.counts) + self.size

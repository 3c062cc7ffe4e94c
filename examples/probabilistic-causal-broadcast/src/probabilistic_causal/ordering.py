"""Mostefaoui and Weiss: A Probabilistic Causal Message Ordering Mechanism (PaCT 2017).

Model. Every message is a broadcast to all other processes; the sender delivers it at the send.

Theory. A vector has R entries, however many processes there are. A hash assigns K of these entries to each process, and
processes may share entries. A process increments its own K entries when it sends, and the sender's K entries when it
delivers. A broadcast carries the vector and is delivered when the receiver's vector has reached it, except for the
increments by this broadcast itself. If every process has an entry of its own (R = N, K = 1), this is the vector of
Birman, Schiper and Stephenson. With fewer entries, other broadcasts may increment an entry before the one arrives for
which a broadcast should wait. Then it is delivered too early, which happens to a small part of all deliveries.

Sends. A process's own broadcasts increment entries that other processes share, so a send may also meet the condition of
a broadcast that waits.

Liveness. When all other broadcasts have been delivered, every entry has reached the value in the stamp, so no broadcast
waits for ever.

Inhibition. When a broadcast has overtaken another one, the overtaken one and what depends on it may wait longer than
under an exact ordering.

Representation. A stamp has the R entries of the vector and the number of the sender's set of entries.
"""

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from mobilesim.contract.orderings import (
    Addressed,
    Key,
    Option,
    Ordering,
    OrderingRow,
    Process,
    Stamp,
    declares,
    value,
)

Entries = tuple[int, ...]


@value
class Vector(Stamp):
    counts: tuple[int, ...]
    own: Entries
    """The entries of the sender. In a header, they are one integer: the number of this set of entries."""

    @property
    def integers(self) -> int:
        return len(self.counts) + 1


def entries_of(index: int, entries: int, hashes: int) -> Entries:
    """Return the entries that the hash assigns to a process: `hashes` different ones."""
    return tuple(sorted(Random(f"{index} {entries} {hashes}").sample(range(entries), min(hashes, entries))))


ROW = OrderingRow(
    "hashed-vector",
    "a vector with fewer entries than processes",
    "Mostefaoui & Weiss 2017",
    "entries + 1",
    causal=False,
    fifo=False,
    violation_rate=0.02,
    serves="broadcasts",
    inhibits=True,
    options=(
        ("entries", Option("the number R of entries of the vector", range(1, 1025), 64)),
        ("hashes", Option("the number K of entries of a process", range(1, 17), 4)),
    ),
)


@declares(ROW, contract=1)
class HashedVector(Ordering):
    def __init__(self, size: int, entries: int = 64, hashes: int = 4) -> None:
        super().__init__(size)
        self.entries = entries
        self.hashes = hashes

    def process(self, index: int) -> "HashedVectorProcess":
        return HashedVectorProcess(index, self.size, self.entries, entries_of(index, self.entries, self.hashes))


class HashedVectorProcess(Process):
    __slots__ = ("counts", "index", "own", "size")
    releases_at_send: ClassVar[bool] = True

    def __init__(self, index: int, size: int, entries: int, own: Entries) -> None:
        self.index = index
        self.size = size
        self.own = own
        self.counts = [0] * entries

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        others = self.size - 1
        if len(destinations) != others:
            raise ValueError(f"hashed vectors order broadcasts to {others} other processes, not to {len(destinations)}")
        self._count(self.own)
        return ((destinations, Vector(self.index, tuple(self.counts), self.own)),)

    def sent_keys(self) -> Sequence[Key]:
        return self._reached(self.own)

    def missing(self, stamp: Vector) -> Key | None:
        for entry, count in enumerate(stamp.counts):
            needed = count - (entry in stamp.own)
            if self.counts[entry] < needed:
                return entry, needed
        return None

    def deliver(self, stamp: Vector) -> Sequence[Key]:
        self._count(stamp.own)
        return self._reached(stamp.own)

    def _count(self, entries: Entries) -> None:
        for entry in entries:
            self.counts[entry] += 1

    def _reached(self, entries: Entries) -> Sequence[Key]:
        return [(entry, self.counts[entry]) for entry in entries]

    @property
    def integers(self) -> int:
        return len(self.counts) + 1

"""Raynal, Schiper and Toueg: the causal ordering abstraction and a simple way to implement it (1991).

Theory. SENT[k, j] at a process is the number of messages from k to j in its causal past. A message carries its sender's
SENT from before the send. It may be delivered at i when i has delivered at least SENT[k, i] messages from every k.

Representation. Only sends of k change row k of SENT. So a process stores the *version* of the row instead of the row:
the number of sends of k. The n x n matrix becomes a vector of n versions. `outstanding[i][k]` is the list of the
versions of the sends of k to i that i has not delivered yet, in ascending order. A message with versions V waits, for
each k, exactly for the outstanding sends of k with version <= V[k]. `tests/protocols` compares this with the matrix.
Headers count n * n integers, as printed.

Deviations from the paper. A delivery of a message from j raises SENT[j, i] for *every* destination i, not only for the
receiver. All copies of a multicast carry the same matrix. Versions have both properties. A process never sends to
itself; with the paper's condition, such a message would never be deliverable.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import Addressed, Key, Ordering, Process
from protocols.state import Shared

Versions: TypeAlias = npt.NDArray[np.int32]
Outstanding: TypeAlias = list[dict[int, list[int]]]


@value
class Matrix(Stamp):
    """SENT before the send. The send itself is version `versions[sender] + 1` of the sender's row."""

    versions: Versions

    @property
    def integers(self) -> int:
        return len(self.versions) ** 2


class Rst(Ordering):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.outstanding: Outstanding = [{} for _ in range(size)]

    def process(self, index: int) -> "RstProcess":
        return RstProcess(index, np.zeros(self.size, np.int32), self.outstanding)


class RstProcess(Process):
    __slots__ = ("incoming", "index", "known", "outstanding")

    def __init__(self, index: int, known: Versions, outstanding: Outstanding) -> None:
        self.index = index
        self.known = known
        self.outstanding: Shared[Outstanding] = outstanding
        self.incoming: Shared[dict[int, list[int]]] = outstanding[index]

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        index, known = self.index, self.known
        stamp = Matrix(index, known.copy())
        version = int(known[index]) + 1
        known[index] = version
        for destination in destinations:
            incoming = self.outstanding[destination]
            if index in incoming:
                incoming[index].append(version)
            else:
                incoming[index] = [version]
        return ((destinations, stamp),)

    def missing(self, stamp: Matrix) -> Key | None:
        incoming = self.incoming
        # To read many entries, a list is faster than an array.
        versions = stamp.versions.tolist() if 8 * len(incoming) > len(stamp.versions) else stamp.versions
        for sender, sends in incoming.items():
            known = versions[sender]
            if sends[0] <= known:
                # The sends of one process are delivered in their order, so the message waits for the last of them.
                return sender, sends[bisect_right(sends, int(known)) - 1]
        return None

    def deliver(self, stamp: Matrix) -> Sequence[Key]:
        sender, known = stamp.sender, self.known
        version = int(stamp.versions[sender]) + 1
        np.maximum(known, stamp.versions, out=known)
        known[sender] = version
        sends = self.incoming[sender]
        assert sends[0] == version
        del sends[0]
        if not sends:
            del self.incoming[sender]
        return ((sender, version),)

    @property
    def integers(self) -> int:
        size = len(self.known)
        return size * size + size

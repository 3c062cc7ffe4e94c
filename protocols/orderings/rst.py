"""Raynal, Schiper and Toueg: the causal ordering abstraction and a simple way to implement it (1991).

Theory. SENT[k, j] at a process is the number of messages from k to j in its causal past. A message carries its sender's
SENT from before the send. It may be delivered at i when i has delivered at least SENT[k, i] messages from every k.

Representation. Only sends of k change row k of SENT. So a process stores the *version* of the row instead of the row:
the number of sends of k. The n x n matrix becomes a vector of n versions. `outstanding[i][k]` is the list of the
versions of the sends of k to i that i has not delivered yet, in ascending order. A message with versions V waits, for
each k, exactly for the outstanding sends of k with version <= V[k]. `tests/protocols` compares this with the matrix.
Headers count n * n integers, as printed. A process counts its own sends in `sent`: its own entry in `known` is 0. So a
send changes no vector, and the stamp refers to the vector of the process without a copy.

Deviations from the paper. A delivery of a message from j raises SENT[j, i] for *every* destination i, not only for the
receiver. All copies of a multicast carry the same matrix. Versions have both properties. A process never sends to
itself; with the paper's condition, such a message would never be deliverable.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.narrow_types import NARROWEST, dtype_for, limit
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process
from mobilesim.protocols.packets import Stamp
from mobilesim.protocols.state import Shared

Versions: TypeAlias = npt.NDArray[np.integer]
Incoming: TypeAlias = dict[int, list[int]]
Outstanding: TypeAlias = list[Incoming]

_FEW: Final = 8
"""If more processes than this have outstanding sends to a process, it compares vectors before single versions."""
_NONE: Final = np.iinfo(np.int32).max
_MANY: Final = 256
"""With more processes than this, versions have narrow types. With fewer, changing types costs more than it saves."""
_maximum: Final = np.maximum


@value
class Matrix(Stamp):
    """SENT before the send. `version`: the number of this send at its sender. `versions`: the versions of the other
    rows; the entry of the sender is 0.
    """

    version: int
    versions: Versions

    @property
    def integers(self) -> int:
        size = len(self.versions)
        return size * size


class Rst(Ordering):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.outstanding: Outstanding = [{} for _ in range(size)]

    def process(self, index: int) -> "RstProcess":
        return RstProcess(index, self.size, self.outstanding)


class RstProcess(Process):
    __slots__ = ("first", "incoming", "index", "known", "limit", "outstanding", "sent")

    def __init__(self, index: int, size: int, outstanding: Outstanding) -> None:
        self.index = index
        self.sent = 0
        self.known: Versions = np.zeros(size, NARROWEST if size > _MANY else np.int32)
        self.limit = limit(self.known.dtype)
        """The greatest version that the type of `known` is sure to hold."""
        self.outstanding: Shared[Outstanding] = outstanding
        self.incoming: Shared[Incoming] = outstanding[index]
        self.first: Versions | None = None
        """By sender, the first version in `incoming`, or `_NONE`. The newest senders in `incoming` may still have
        `_NONE`. The attribute is None until `incoming` is large for the first time.
        """

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        index, version = self.index, self.sent + 1
        self.sent = version
        stamp = Matrix(index, version, self.known)
        outstanding: Outstanding = self.outstanding
        for destination in destinations:
            incoming = outstanding[destination]
            if index in incoming:
                incoming[index].append(version)
            else:
                incoming[index] = [version]
        return ((destinations, stamp),)

    def missing(self, stamp: Matrix) -> Key | None:
        incoming: Incoming = self.incoming
        source, versions = stamp.sender, stamp.versions
        many = len(incoming) > _FEW and incoming[source][0] == stamp.version
        if many and 1 not in (self._first_sends(incoming) <= versions).tobytes():
            return None
        for sender, sends in incoming.items():
            known = stamp.version - 1 if sender == source else int(versions.item(sender))
            if sends[0] <= known:
                # The sends of one process are delivered in their order, so the message waits for the last of them.
                return sender, sends[bisect_right(sends, known) - 1]
        return None

    def _first_sends(self, incoming: Incoming) -> Versions:
        """Return `first`, after adding the senders in `incoming` that it lacks."""
        if (first := self.first) is None:
            first = self.first = np.full(len(self.known), _NONE, np.int32)
        for sender in reversed(incoming):
            if first.item(sender) != _NONE:
                break
            first[sender] = incoming[sender][0]
        return first

    def deliver(self, stamp: Matrix) -> Sequence[Key]:
        sender, version, first = stamp.sender, stamp.version, self.first
        known = self.known = _maximum(self.known, stamp.versions)
        if version > self.limit:
            known = self._widen(version)
        known[sender] = version
        known[self.index] = 0
        incoming: Incoming = self.incoming
        sends = incoming[sender]
        assert sends[0] == version
        if len(sends) == 1:
            del incoming[sender]
            if first is not None:
                first[sender] = _NONE
        else:
            del sends[0]
            if first is not None and first.item(sender) != _NONE:
                first[sender] = sends[0]
        return ((sender, version),)

    def _widen(self, version: int) -> Versions:
        """Let the type of `known` hold a version; return `known`. Operations with stamps choose the wider type."""
        dtype = np.promote_types(dtype_for(version), self.known.dtype)
        self.limit = limit(dtype)
        known = self.known = self.known.astype(dtype, copy=False)
        return known

    @property
    def integers(self) -> int:
        size = len(self.known)
        return size * size + size

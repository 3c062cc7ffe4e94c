"""RST with the matrix, as printed: the reference implementation of `protocols.orderings.rst`.

Mutants derive from it.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Key, Ordering, Process
from mobilesim.protocols.packets import Stamp

Counts: TypeAlias = npt.NDArray[np.int32]


@value
class Printed(Stamp):
    """The stamp as printed: SENT before the send, and the destinations of the message."""

    sent: Counts
    destinations: tuple[int, ...]

    @property
    def integers(self) -> int:
        return self.sent.size


class Dense(Ordering):
    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def process(self, index: int) -> "DenseProcess":
        return DenseProcess(index, self.size)


class DenseProcess(Process):
    __slots__ = ("delivered", "index", "sent")

    def __init__(self, index: int, size: int) -> None:
        self.index = index
        self.sent = np.zeros((size, size), np.int32)
        self.delivered = np.zeros(size, np.int32)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        stamp = Printed(self.index, self.sent.copy(), destinations)
        self.sent[self.index, list(destinations)] += 1
        return ((destinations, stamp),)

    def missing(self, stamp: Stamp) -> Key | None:
        """Return a sender and the number of one of its messages that must be delivered first, or None."""
        assert isinstance(stamp, Printed)
        expected = stamp.sent[:, self.index]
        short = np.flatnonzero(self.delivered < expected)
        return (int(short[0]), int(expected[short[0]])) if len(short) else None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Printed)
        sender = stamp.sender
        self.delivered[sender] += 1
        raised = stamp.sent.copy()
        raised[sender, self.raised(stamp)] += 1
        np.maximum(self.sent, raised, out=self.sent)
        return ((sender, int(self.delivered[sender])),)

    def raised(self, stamp: Printed) -> list[int]:
        """Return the processes for which a delivery increments the entries of SENT."""
        return list(stamp.destinations)

    @property
    def integers(self) -> int:
        return self.sent.size + self.delivered.size

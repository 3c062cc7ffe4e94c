"""Kshemkalyani and Singhal, section 7.1, lemma 8: causal order along chains of two messages.

Claim. Let p0 send m0 to p2, and then m1 to p1, and let p1 deliver m1 and then send m2 to p2. The chain of m1 and m2
leads from the send of m0 to the send of m2, so p2 delivers m0 before m2. m1 and m0 may be copies of one multicast.
Messages of one process to another are delivered in the order of the sends, since the second one alone is a chain. Along
chains of three messages and more, the order may be violated: by theorem 8 of the paper, this order would need as much
control information as causal order, which is n * n integers.

Theory. A message from i to j carries two vectors. (1) For each process, the number of the latest message that i has
sent to it. (2) For each process, the number of its latest message to j that i knows of. i knows of the messages of
another process l by vector (1) of the latest message of l that i has delivered. j delivers the message after the
messages in vector (2). A message waits only for messages that precede it along a chain of one or two messages.

Multicasts. The copies of a multicast are sent at once. Vector (1) contains the multicast itself for all of its
destinations, so that a destination that answers it orders its answer after the other copies. Vector (2) is from before
the send, and is different for each destination.

Representation. Row l of the matrix `known` is the latest vector (1) of l, and the process's own row is its own vector.
So vector (2) is the column of the destination. A message is numbered among all messages of its sender; its number is
the entry of the receiver in vector (1).

Deviation from the paper. The receiver does not store vector (2). This vector has only messages to the receiver, which
it has delivered already, and it never sends their numbers.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process
from mobilesim.protocols.packets import Stamp

Numbers: TypeAlias = npt.NDArray[np.int32]


@value
class LatestMessages(Stamp):
    """`latest` is vector (1), and `awaited` is vector (2)."""

    latest: Numbers
    awaited: Numbers

    @property
    def integers(self) -> int:
        return 2 * len(self.latest)


class KsShortChains(Ordering):
    def process(self, index: int) -> "ShortChainsProcess":
        return ShortChainsProcess(index, self.size)


class ShortChainsProcess(Process):
    __slots__ = ("clock", "delivered", "index", "known")

    def __init__(self, index: int, size: int) -> None:
        self.index = index
        self.clock = 0
        """The number of messages that this process has sent."""
        self.known: Numbers = np.zeros((size, size), np.int32)
        self.delivered: Numbers = np.zeros(size, np.int32)
        """By process, the number of its latest message that was delivered here."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        known, index = self.known, self.index
        self.clock += 1
        latest = known[index].copy()
        for destination in destinations:
            latest[destination] = self.clock
        stamps: list[Addressed] = [
            ((destination,), LatestMessages(index, latest, known[:, destination].copy()))
            for destination in destinations
        ]
        known[index] = latest
        return stamps

    def missing(self, stamp: LatestMessages) -> Key | None:
        awaited = stamp.awaited
        sender = (awaited > self.delivered).tobytes().find(1)
        return None if sender < 0 else (sender, int(awaited.item(sender)))

    def deliver(self, stamp: LatestMessages) -> Sequence[Key]:
        sender, latest = stamp.sender, stamp.latest
        number = int(latest.item(self.index))
        self.known[sender] = latest
        self.delivered[sender] = number
        return ((sender, number),)

    @property
    def integers(self) -> int:
        size = len(self.delivered)
        return 1 + size * size + size

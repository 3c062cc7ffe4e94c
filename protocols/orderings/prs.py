"""Prakash, Raynal and Singhal: an adaptive causal ordering algorithm suited to mobile computing environments (1997).

Theory (section 5.2). Process i numbers its messages. CB_i[k], its causal barrier for k, is a set of tuples (l, x): all
later messages of i to k must be delivered at k after the x-th message of l. A message carries the whole CB_i from
before the send, and is delivered at i when every tuple of its CB[i] is satisfied. Only *direct* predecessors are
carried: for each destination of a message, the message's tuple replaces the tuples of its predecessors. Delivered_i[l,
k] = x means: in the causal past of i, the x-th message of l has been delivered to k. Tuples that Delivered satisfies
are no longer carried. Invariant (lemmas 1 and 2): a tuple of CB_i[k] names a causal predecessor to k, and every such
predecessor that Delivered does not cover is named, or precedes a named message.

Representation. CB is a matrix with a row for each k and a column for each l, and Delivered another of the same shape,
so a delivery is a few operations on whole matrices. (l, x) is in CB[k] when the entry x of `barrier` is greater than
that of `known`: step 8, the garbage collection, needs no code of its own, since `known` rises. The process's own row of
Delivered, which step 8 omits, is stored separately in `delivered`. The matrices take 8 N^2 bytes in every process and
in every message in transit: suitable for hundreds of processes, not for thousands.

`prs_stations` numbers messages at the station where they start, not at their sender. Therefore a row is a destination
and a column an `origin`; in this file every process is both. A process without a row receives no messages.

Deviations from the print. None in the contents of messages or the times of deliveries. As the print assumes, a process
is never among its own destinations; the placement delivers a sender's own copy when it is sent.

Options. `barrier: union` keeps the tuples that step 3 of the send would replace, and `collect: false` omits steps 4 and
8; section 7 has results with both. `encoding: bitmap` is the encoding of section 7.1. Section 8.2 is `prs_broadcast`.

Integers. The paper counts tuples (`units`). A header has the message's number, and for each non-empty component its
process, its size, and two integers for each tuple; or, as a bit map, the number, N^2 bits, and one integer for each
tuple. The source and the destinations of a message are in the packet's header.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import Addressed, Key, Ordering, Process

Numbers: TypeAlias = npt.NDArray[np.int32]
Mode: TypeAlias = Literal["replace", "union"]
Encoding: TypeAlias = Literal["tuples", "bitmap"]

WORD: Final = 32
"""The number of bits of an integer in a bit map."""


@value
class Barrier(Stamp):
    """`carried`: CB before the send, with 0 for no tuple. `added`: the tuples that a delivery adds to a barrier."""

    origin: int
    number: int
    carried: Numbers
    added: Numbers
    tuples: int
    length: int

    @property
    def units(self) -> int:
        return self.tuples

    @property
    def integers(self) -> int:
        return self.length


class Prs(Ordering):
    def __init__(
        self, size: int, *, barrier: Mode = "replace", collect: bool = True, encoding: Encoding = "tuples"
    ) -> None:
        _one_of("barrier", barrier, get_args(Mode))
        _one_of("encoding", encoding, get_args(Encoding))
        self.size = size
        self.shape = (size, size)
        self.barrier: Mode = barrier
        self.collect = collect
        self.encoding: Encoding = encoding

    def process(self, index: int) -> Process:
        return PrsProcess(index, self)


def _one_of(option: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{option} is one of {', '.join(known)}, not {given!r}")


class PrsProcess(Process):
    __slots__ = ("barrier", "bitmap", "delivered", "index", "known", "origin", "sent", "tracked", "union")

    def __init__(self, index: int, options: Prs) -> None:
        rows, origins = shape = options.shape
        self.index = self.origin = index
        self.union = options.barrier == "union"
        self.tracked = rows if options.collect else 0
        """The number of rows of `known` that are kept up to date."""
        self.bitmap = options.encoding == "bitmap"
        self.sent = 0
        self.delivered: Numbers = np.zeros(origins, np.int32)
        self.barrier: Numbers = np.zeros(shape, np.int32)
        self.known: Numbers = np.zeros(shape, np.int32)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        origin, barrier = self.origin, self.barrier
        self.sent = number = self.sent + 1
        rows = np.array(destinations, np.intp)
        own: Numbers = np.zeros(len(self.delivered), np.int32)
        own[origin] = number
        carried = barrier * (barrier > self.known)
        added = carried.copy()
        added[self.index : self.index + 1] = 0
        added[rows] = own
        if self.union:
            barrier[rows, origin] = number
        else:
            barrier[rows] = own
        tuples = int(np.count_nonzero(carried))
        length = self._length(carried, tuples)
        return ((destinations, Barrier(self.index, origin, number, carried, added, tuples, length)),)

    def _length(self, carried: Numbers, tuples: int) -> int:
        if self.bitmap:
            return 1 + tuples + (carried.size + WORD - 1) // WORD
        return 1 + 2 * tuples + 2 * int(np.count_nonzero(carried.any(axis=1)))

    def missing(self, stamp: Barrier) -> Key | None:
        needed = stamp.carried[self.index]
        # Searching bytes is the fastest test for the common case that all entries have been delivered.
        index = (needed > self.delivered).tobytes().find(1)
        return None if index < 0 else (index, int(needed[index]))

    def deliver(self, stamp: Barrier) -> Sequence[Key]:
        """Run steps 3 to 8. Tuples that `carried` covers are removed (5 and 7); `added` restores some of them (6)."""
        sender, origin, number, carried = stamp.sender, stamp.origin, stamp.number, stamp.carried
        barrier = self.barrier
        self.delivered[origin] = number
        if sender < self.tracked:
            row = self.known[sender]
            np.maximum(row, carried[sender], out=row)
        # Multiplication is faster than masked assignment.
        barrier *= barrier > carried
        np.maximum(barrier, stamp.added, out=barrier)
        return ((origin, number),)

    @property
    def tuples(self) -> int:
        return int(np.count_nonzero(self.barrier > self.known))

    @property
    def integers(self) -> int:
        return 1 + 2 * self.tuples + self.known.size

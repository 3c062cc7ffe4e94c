"""Prakash, Raynal and Singhal: an adaptive causal ordering algorithm suited to mobile computing environments (1997).

Theory (section 5.2). Process i numbers its messages. CB_i[k], its causal barrier for k, is a set of tuples (l, x): what
i sends to k must be delivered there after the x-th message of l. A message carries the whole of CB_i from before the
send, and is delivered at i when every tuple of its CB[i] is. Only *direct* predecessors are carried: for each process
that a message is for, its tuple takes the place of those that it waits for itself. Delivered_i[l, k] = x says that k is
known to have the x-th message of l; tuples that are known to be satisfied are not carried on. Invariant (lemmas 1 and
2): a tuple of CB_i[k] names a message to k that was sent causally before, and every such message that is not known to
be delivered is named, or precedes one that is.

Representation. CB is a matrix, a row for each k and a column for each l, and Delivered another of the same shape, so
that a delivery is a few operations on whole matrices. (l, x) is in CB[k] when the entry x of `barrier` is greater than
that of `known`: step 8, the garbage collection, comes by itself as `known` rises. The own row of Delivered, which step
8 leaves out, lies apart in `delivered`. That is 8 N^2 bytes in every process and in every message under way: for
hundreds of processes, not for thousands.

`prs_stations` names messages by who numbers them for everybody, and not by who sends them: so here a row is a
destination, a column an `origin`, and in this file every process is both. Who has no row gets nothing.

Deviations from the print. None in what is carried or when it is delivered. As the print assumes, a process is never
among its own destinations; the placement delivers a sender's own copy when it is sent.

Options. `barrier: union` keeps what step 3 of the send would replace, and `collect: false` leaves out steps 4 and 8;
the numbers of section 7 are those of both together. `encoding: bitmap` is that of section 7.1. Section 8.2 is
`prs_broadcast`.

Integers. The paper counts tuples (`units`). On the way they are the message's number, and for each component that is
not empty its process, its size, and two for each tuple; or, as a bit map, the number, N^2 bits, and one for each tuple.
The source and the destinations of a message are the packet's own.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import Key, Ordering, Process

Numbers: TypeAlias = npt.NDArray[np.int32]
Mode: TypeAlias = Literal["replace", "union"]
Encoding: TypeAlias = Literal["tuples", "bitmap"]

WORD: Final = 32
"""The bits of an integer, in a bit map."""


@value
class Barrier(Stamp):
    """CB before the send, 0 where there is no tuple, and what a delivery adds to the barrier of its receiver."""

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
    __slots__ = ("barrier", "collect", "encoding", "shape", "size")

    def __init__(
        self,
        size: int,
        *,
        barrier: Mode = "replace",
        collect: bool = True,
        encoding: Encoding = "tuples",
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
    __slots__ = ("barrier", "bitmap", "delivered", "heard", "index", "known", "origin", "sent", "union")

    def __init__(self, index: int, options: Prs) -> None:
        rows, origins = shape = options.shape
        self.index = self.origin = index
        self.union = options.barrier == "union"
        self.heard = rows if options.collect else 0
        """Of so many it is known what they have."""
        self.bitmap = options.encoding == "bitmap"
        self.sent = 0
        self.delivered: Numbers = np.zeros(origins, np.int32)
        self.barrier: Numbers = np.zeros(shape, np.int32)
        self.known: Numbers = np.zeros(shape, np.int32)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
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

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Barrier)
        needed = stamp.carried[self.index]
        # To look for a byte is the quickest way to find out that there is none.
        late = (needed > self.delivered).tobytes().find(1)
        return None if late < 0 else (late, int(needed[late]))

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        """Steps 3 to 8. Whatever `carried` covers goes (5 and 7), and comes again with `added` where it stays (6)."""
        assert isinstance(stamp, Barrier)
        sender, origin, number, carried = stamp.sender, stamp.origin, stamp.number, stamp.carried
        barrier = self.barrier
        self.delivered[origin] = number
        if sender < self.heard:
            row = self.known[sender]
            np.maximum(row, carried[sender], out=row)
        # No condition is as quick as to multiply by it.
        barrier *= barrier > carried
        np.maximum(barrier, stamp.added, out=barrier)
        return ((origin, number),)

    @property
    def tuples(self) -> int:
        return int(np.count_nonzero(self.barrier > self.known))

    @property
    def integers(self) -> int:
        return 1 + 2 * self.tuples + self.known.size

"""Prakash, Raynal and Singhal: an adaptive causal ordering algorithm suited to mobile computing environments (1997).

Theory (section 5.2). Process i numbers its messages. CB_i[k], its causal barrier for k, is a set of tuples (l, x). The
tuple means that all later messages of i to k must be delivered at k after the x-th message of l. A message from i
carries the whole CB_i from before the send. It may be delivered at k when all tuples of its component CB[k] are
satisfied. Only *direct* predecessors are carried: for each destination of a message, the message's tuple replaces the
tuples of its predecessors. Delivered_i[l, k] = x means that in the causal past of i, the x-th message of l has been
delivered to k. Tuples that Delivered satisfies are no longer carried.

Invariant (lemmas 1 and 2). A tuple of CB_i[k] names a message to k in the causal past of i. Every such message that
Delivered does not cover is named by a tuple, or precedes a named message.

Representation. CB and Delivered are matrices with a row for each k and a column for each l, so a delivery is a few
operations on whole matrices. The tuple (l, x) is in CB[k] if entry [k, l] is x in `barrier` and less than x in `known`.
When `known` rises, tuples disappear, so step 8 (garbage collection) needs no other code. The process's own row of
Delivered, which step 8 omits, is stored separately in `delivered`. A process and a message in transit have two matrices
each, of one, two or four bytes for each entry, as the numbers require: suitable for hundreds of processes, not for
thousands.

`prs_stations` numbers messages at the first station, not at the sender. Therefore a row belongs to a destination, and a
column to an `origin`. In this file, every process has a row and a column. Under `prs_stations`, a station has no row,
since its process receives no messages.

Deviations from the paper: none in the contents of messages and the times of deliveries.

Options. `barrier: union` keeps the tuples that step 3 of the send would replace. `collect: false` omits steps 4 and 8.
Both enlarge barriers: under the printed algorithm, barriers are smaller than in the figures of section 7. `encoding:
bitmap` is the encoding of section 7.1. `units: stored` counts the tuples in the sender's barriers after step 3 of the
send, and not those that the message carries. `prs_broadcast` implements section 8.2.

Integers. The paper counts tuples (`units`). A header has the message's number, and for each non-empty component its
process, its size, and two integers for each tuple. In a bit map, the header has the message's number, N^2 bits, and one
integer for each tuple. The placement, which assigns the processes to hosts or stations, counts the source and the
destinations of a message.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import Stamp
from mobilesim.protocols.narrow_types import NARROWEST, dtype_for, limit
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process

Numbers: TypeAlias = npt.NDArray[np.unsignedinteger]
Mode: TypeAlias = Literal["replace", "union"]
Encoding: TypeAlias = Literal["tuples", "bitmap"]
Counted: TypeAlias = Literal["sent", "stored"]

WORD: Final = 32
"""The number of bits of an integer in a bit map."""


@value
class Barrier(Stamp):
    """`carried`: CB before the send; an entry 0 is no tuple. `added`: the tuples that a delivery adds to a barrier.
    `limit`: the greatest number that the type of both matrices holds.
    """

    origin: int
    number: int
    carried: Numbers
    added: Numbers
    limit: int
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
        self,
        size: int,
        *,
        barrier: Mode = "replace",
        collect: bool = True,
        encoding: Encoding = "tuples",
        units: Counted = "sent",
    ) -> None:
        _one_of("barrier", barrier, get_args(Mode))
        _one_of("encoding", encoding, get_args(Encoding))
        _one_of("units", units, get_args(Counted))
        self.size = size
        self.shape = (size, size)
        self.barrier: Mode = barrier
        self.collect = collect
        self.encoding: Encoding = encoding
        self.units: Counted = units

    def process(self, index: int) -> Process:
        return PrsProcess(index, self)


def _one_of(option: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{option} must be one of {', '.join(known)}, not {given!r}")


class PrsProcess(Process):
    __slots__ = (
        *("barrier", "bitmap", "counts_stored", "delivered", "index", "known", "limit", "origin", "sent", "tracked"),
        "union",
    )

    def __init__(self, index: int, options: Prs) -> None:
        rows, origins = shape = options.shape
        self.index = self.origin = index
        self.union = options.barrier == "union"
        self.tracked = rows if options.collect else 0
        """The number of rows of `known` that are kept up to date."""
        self.bitmap = options.encoding == "bitmap"
        self.counts_stored = options.units == "stored"
        self.sent = 0
        self.limit = limit(NARROWEST)
        """The greatest number that the type of the next three arrays holds."""
        self.delivered: Numbers = np.zeros(origins, NARROWEST)
        self.barrier: Numbers = np.zeros(shape, NARROWEST)
        self.known: Numbers = np.zeros(shape, NARROWEST)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        origin = self.origin
        self.sent = number = self.sent + 1
        if number > self.limit:
            self._widen(dtype_for(number))
        barrier = self.barrier
        rows = np.array(destinations, np.intp)
        own: Numbers = np.zeros(len(self.delivered), barrier.dtype)
        own[origin] = number
        carried = barrier * _bits(barrier > self.known)
        added = carried.copy()
        added[self.index : self.index + 1] = 0
        added[rows] = own
        if self.union:
            barrier[rows, origin] = number
        else:
            barrier[rows] = own
        tuples = int(np.count_nonzero(carried))
        length = self._length(carried, tuples)
        units = self.tuples if self.counts_stored else tuples
        stamp = Barrier(self.index, origin, number, carried, added, self.limit, units, length)
        return ((destinations, stamp),)

    def _length(self, carried: Numbers, tuples: int) -> int:
        if self.bitmap:
            return 1 + tuples + (carried.size + WORD - 1) // WORD
        return 1 + 2 * tuples + 2 * int(np.count_nonzero(carried.any(axis=1)))

    def missing(self, stamp: Barrier) -> Key | None:
        needed = stamp.carried[self.index]
        # In most cases all entries have been delivered. A search in bytes is the fastest test for this case.
        index = (needed > self.delivered).tobytes().find(1)
        return None if index < 0 else (index, int(needed[index]))

    def deliver(self, stamp: Barrier) -> Sequence[Key]:
        """Execute steps 3 to 8. Remove the tuples that `carried` covers (5 and 7), and add those of `added` (6)."""
        sender, origin, number, carried = stamp.sender, stamp.origin, stamp.number, stamp.carried
        if stamp.limit > self.limit:
            self._widen(carried.dtype)
        barrier = self.barrier
        self.delivered[origin] = number
        if sender < self.tracked:
            row = self.known[sender]
            np.maximum(row, carried[sender], out=row)
        # Multiplication is faster than masked assignment.
        barrier *= _bits(barrier > carried)
        np.maximum(barrier, stamp.added, out=barrier)
        return ((origin, number),)

    def _widen(self, dtype: np.dtype[np.unsignedinteger]) -> None:
        self.limit = limit(dtype)
        self.delivered = self.delivered.astype(dtype)
        self.barrier = self.barrier.astype(dtype)
        self.known = self.known.astype(dtype)

    @property
    def tuples(self) -> int:
        return int(np.count_nonzero(self.barrier > self.known))

    @property
    def integers(self) -> int:
        return 1 + 2 * self.tuples + self.known.size


def _bits(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return a mask as numbers 0 and 1. NumPy multiplies bytes by them without converting the mask first."""
    return mask.view(np.uint8)

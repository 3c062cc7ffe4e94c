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

Shared knowledge. The processes at one station may share one matrix Delivered: after `join_station`, a process uses the
matrix of the station's process, to which all of them add. An entry is a fact about all processes: the x-th message of l
has been delivered to k. It stays true. So only CB, the own row of Delivered and the number of sent messages migrate.
- Safety. Delivered_i may now have deliveries that are not in the causal past of i. Lemma 2 needs less: at every moment,
  a message to k in the causal past of i that is not delivered yet has a tuple in CB_i[k], or precedes a message that
  has one. If a fact removes the tuple of message m from CB_i[k], then m has been delivered to k, and so have all
  messages to k that precede m, since deliveries at k have been in causal order so far. So the removal leaves the lemma
  true for all undelivered messages, and the next delivery is in causal order, too (induction over the events).
- Liveness. A message to h waits for messages to h only. With shared matrices, it waits for the same messages: barriers
  in the two forms differ only in tuples of messages that are already delivered (by induction over the events, since
  every step treats the tuples of undelivered messages alike). No message waits for a delivered one.
- The delivery condition reads `delivered`, the deliveries of this process, and never the shared matrix. The matrix at
  a new station may lack these deliveries. So `delivered` migrates, and `join_station` adds it to the matrix.
- Facts never shorten CB_i[i], as in step 8: with it, messages of i report the deliveries of i (step 4).
- Before a process migrates, `leave_station` removes the tuples that the station knows to be satisfied. The process then
  loses this knowledge, and a later message may bring back a satisfied tuple, which costs bytes only.

`prs_stations` numbers messages at the first station, not at the sender. Therefore a row belongs to a destination, and a
column to an `origin`. In this file, every process has a row and a column. Under `prs_stations`, a station has no row,
since its process receives no messages.

Deviations from the paper: none in the contents of messages and the times of deliveries.

Options. `barrier: union` keeps the tuples that step 3 of the send would replace. `collect: false` omits steps 4 and 8.
Both enlarge barriers: under the printed algorithm, barriers are smaller than in the figures of section 7. `encoding:
bitmap` is the encoding of section 7.1. `units: stored` counts the tuples in the sender's barriers after step 3 of the
send, and not those that the message carries. `delivered: process` gives each process its own matrix Delivered, which
migrates with the process, even if a station could share one. `prs_broadcast` implements section 8.2.

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
from mobilesim.protocols.narrow_types import NARROWEST, dtype_for, limit
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process
from mobilesim.protocols.packets import Stamp

Numbers: TypeAlias = npt.NDArray[np.unsignedinteger]
Mode: TypeAlias = Literal["replace", "union"]
Encoding: TypeAlias = Literal["tuples", "bitmap"]
Counted: TypeAlias = Literal["sent", "stored"]
Stored: TypeAlias = Literal["station", "process"]

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
        delivered: Stored = "station",
    ) -> None:
        _one_of("barrier", barrier, get_args(Mode))
        _one_of("encoding", encoding, get_args(Encoding))
        _one_of("units", units, get_args(Counted))
        _one_of("delivered", delivered, get_args(Stored))
        self.size = size
        self.shape = (size, size)
        self.barrier: Mode = barrier
        self.collect = collect
        self.encoding: Encoding = encoding
        self.units: Counted = units
        self.delivered: Stored = delivered

    def process(self, index: int) -> Process:
        return PrsProcess(index, self)


def _one_of(option: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{option} must be one of {', '.join(known)}, not {given!r}")


class Delivered:
    """The matrix Delivered of a process, or of all processes at a station. `limit`: the greatest number of its type."""

    __slots__ = ("known", "limit")

    def __init__(self, shape: tuple[int, int]) -> None:
        self.known: Numbers = np.zeros(shape, NARROWEST)
        self.limit = limit(NARROWEST)

    def add(self, process: int, numbers: Numbers, greatest: int) -> None:
        """Count as delivered to a process: the messages of each origin up to its number. `greatest`: the greatest
        number of their type.
        """
        if greatest > self.limit:
            self.known = self.known.astype(numbers.dtype)
            self.limit = greatest
        row = self.known[process]
        np.maximum(row, numbers, out=row)


class PrsProcess(Process):
    __slots__ = (
        *("barrier", "bitmap", "counts_stored", "delivered", "facts", "index", "limit", "moves", "origin", "sent"),
        *("shareable", "shares", "tracked", "union"),
    )

    def __init__(self, index: int, options: Prs) -> None:
        rows, origins = shape = options.shape
        self.index = self.origin = index
        self.union = options.barrier == "union"
        self.tracked = rows if options.collect else 0
        """The number of rows of Delivered that are kept up to date."""
        self.bitmap = options.encoding == "bitmap"
        self.counts_stored = options.units == "stored"
        self.shareable = options.delivered == "station"
        self.sent = 0
        self.limit = limit(NARROWEST)
        """The greatest number that the type of the next two arrays holds."""
        self.delivered: Numbers = np.zeros(origins, NARROWEST)
        self.barrier: Numbers = np.zeros(shape, NARROWEST)
        self.facts = Delivered(shape)
        """The matrix of this process or of its station. Unset while a process that shares one is between two stations.
        """
        self.shares = self.moves = False
        """Whether `facts` belongs to a station, and has this process's own row too; whether it is unset."""

    def join_station(self, station: "PrsProcess") -> None:
        if self.shareable:
            self.shares = True
            self.moves = False
            self.facts = station.facts
            if self.tracked:
                self.facts.add(self.index, self.delivered, self.limit)

    def leave_station(self) -> None:
        if self.shares:
            self.barrier = self.open_barrier()
            self.moves = True
            del self.facts

    def open_barrier(self) -> Numbers:
        """Return CB without the tuples that Delivered satisfies, but with all tuples for this process itself."""
        barrier = self.barrier
        # Multiplication is faster than masked assignment.
        carried: Numbers = barrier * _bits(barrier > self.facts.known)
        if self.shares:
            carried[self.index] = barrier[self.index]
        return carried

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        origin = self.origin
        self.sent = number = self.sent + 1
        if number > self.limit:
            self._widen(dtype_for(number))
        barrier = self.barrier
        rows = np.array(destinations, np.intp)
        own: Numbers = np.zeros(len(self.delivered), barrier.dtype)
        own[origin] = number
        carried = self.open_barrier()
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
        origin, number, carried = stamp.origin, stamp.number, stamp.carried
        if stamp.limit > self.limit:
            self._widen(carried.dtype)
        barrier = self.barrier
        self.delivered[origin] = number
        if stamp.sender < self.tracked:
            self.facts.add(stamp.sender, carried[stamp.sender], stamp.limit)
        if self.shares and self.tracked:
            self.facts.add(self.index, self.delivered, self.limit)
        barrier *= _bits(barrier > carried)
        np.maximum(barrier, stamp.added, out=barrier)
        return ((origin, number),)

    def _widen(self, dtype: np.dtype[np.unsignedinteger]) -> None:
        self.limit = limit(dtype)
        self.delivered = self.delivered.astype(dtype)
        self.barrier = self.barrier.astype(dtype)

    @property
    def tuples(self) -> int:
        return int(np.count_nonzero(self.barrier if self.moves else self.open_barrier()))

    @property
    def integers(self) -> int:
        """The size of `sent`, of CB, and of Delivered or, if the matrix is a station's, of this process's row."""
        return 1 + 2 * self.tuples + (len(self.delivered) if self.shares else self.facts.known.size)


def _bits(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return a mask as numbers 0 and 1. NumPy multiplies bytes by them without converting the mask first."""
    return mask.view(np.uint8)

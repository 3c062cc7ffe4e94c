"""Broken variants of the clocks of the catalogue. Random executions must find a wrong answer that the row excludes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import gcd
from typing import Any, Final

from mobilesim.protocols.clocks.bloom import BloomClock, BloomStamp
from mobilesim.protocols.clocks.differential import DifferentialClock, DifferentialStamp
from mobilesim.protocols.clocks.encoded import EncodedClock, EncodedStamp, primes
from mobilesim.protocols.clocks.hybrid import HybridClock, HybridStamp
from mobilesim.protocols.clocks.interval_tree import IntervalTreeClock, TreeStamp
from mobilesim.protocols.clocks.interval_trees import Events, Identity, base, highest, identities
from mobilesim.protocols.clocks.known_links import allocated_clocks
from mobilesim.protocols.clocks.known_links.determination import PathsAndVectors
from mobilesim.protocols.clocks.lamport import LamportClock, ScalarStamp
from mobilesim.protocols.clocks.links import Links
from mobilesim.protocols.clocks.logical_clock import (
    CausalRelation,
    ClockSystem,
    Network,
    ProcessClock,
    compare_stamps,
    relation,
)
from mobilesim.protocols.clocks.plausible import PlausibleClock, PlausibleStamp
from mobilesim.protocols.frozen_value import value
from tests.support.clocks.lockstep import Builds

Compares = Callable[[int, Any, Any], CausalRelation]


def each(network: Network, clock: Callable[[int], ProcessClock[Any]], compare: Compares) -> ClockSystem[Any]:
    return ClockSystem([clock(process) for process in range(network.size)], compare)


class DeafLamport(LamportClock):
    """Ignores the times of messages (IR2)."""

    __slots__ = ()

    def receive(self, stamp: ScalarStamp) -> ScalarStamp:
        self.tick()
        return stamp


class IdleLamport(LamportClock):
    """Does not advance beyond the time of a message, and does not tick at a send."""

    __slots__ = ()

    def receive(self, stamp: ScalarStamp) -> ScalarStamp:
        self.time = max(self.time, stamp.time)
        return stamp

    def send(self, receivers: Sequence[int]) -> list[ScalarStamp]:
        return [self.stamp()] * len(receivers)


class PhysicalOnly(HybridClock):
    """Reads the physical clock, whatever it has received."""

    __slots__ = ()

    def receive(self, stamp: HybridStamp) -> HybridStamp:
        self.latest, self.counter = self._now(), 0
        return stamp

    def tick(self) -> None:
        self.latest, self.counter = self._now(), 0


class ForgottenCounter(HybridClock):
    """Starts again to count if a message has the same time."""

    __slots__ = ()

    def receive(self, stamp: HybridStamp) -> HybridStamp:
        super().receive(HybridStamp(stamp.latest, 0))
        return stamp


class OwnEntryOnly(PlausibleClock):
    """Merges the entry of its own process only."""

    __slots__ = ()

    def receive(self, stamp: PlausibleStamp) -> PlausibleStamp:
        self.times[self.entry] = max(self.times[self.entry], stamp.times[self.entry])
        self.tick()
        return stamp


class LastMessageOnly(BloomClock):
    """Replaces its counters by those of a message."""

    __slots__ = ()

    def receive(self, stamp: BloomStamp) -> BloomStamp:
        self.counters = list(stamp.counters)
        self.tick()
        return stamp


class Divisors(EncodedClock):
    """Takes the greatest common divisor, not the least common multiple."""

    __slots__ = ()

    def receive(self, stamp: EncodedStamp) -> EncodedStamp:
        self.exponents = list(map(min, self.exponents, stamp.exponents))
        self.tick()
        return stamp


class Products(EncodedClock):
    """Multiplies the numbers of a receiver and a message."""

    __slots__ = ()

    def receive(self, stamp: EncodedStamp) -> EncodedStamp:
        self.exponents = [mine + theirs for mine, theirs in zip(self.exponents, stamp.exponents, strict=True)]
        self.tick()
        return stamp


class OwnChangesOnly(DifferentialClock):
    """Does not record the changes that messages cause (LU)."""

    __slots__ = ()

    def receive(self, stamp: DifferentialStamp) -> DifferentialStamp:
        changed = list(self._changed)
        stored = super().receive(stamp)
        self._changed = changed
        self._changed[self._process] = self.times[self._process]
        return stored


class SentToAll(DifferentialClock):
    """Takes a message to one process for a message to all (LS)."""

    __slots__ = ()

    def send(self, receivers: Sequence[int]) -> list[DifferentialStamp]:
        stamps = super().send(receivers)
        self._sent = [self.times[self._process]] * len(self.times)
        return stamps


class EverybodysInterval(IntervalTreeClock):
    """Raises the function everywhere, also in the intervals of other processes."""

    __slots__ = ()

    def tick(self) -> None:
        events = self.events
        self.events = (events[0] + 1, events[1], events[2]) if isinstance(events, tuple) else events + 1


class Unjoined(IntervalTreeClock):
    """Ignores the event trees of messages."""

    __slots__ = ()

    def receive(self, stamp: TreeStamp) -> TreeStamp:
        self.tick()
        return stamp


def by_senders_entry_only(_receiver: int, one: PlausibleStamp, other: PlausibleStamp) -> CausalRelation:
    """Report an order only if the entry of the first message's sender has advanced."""
    return relation(one.times[one.entry] < other.times[one.entry], other.times[other.entry] < one.times[other.entry])


def without_equality(_receiver: int, one: BloomStamp, other: BloomStamp) -> CausalRelation:
    """Report an order only if all counters have advanced."""
    return relation(
        all(mine < theirs for mine, theirs in zip(one.counters, other.counters, strict=True)),
        all(theirs < mine for mine, theirs in zip(one.counters, other.counters, strict=True)),
    )


def differentials(clock: type[DifferentialClock], network: Network) -> ClockSystem[Any]:
    size = network.size
    return each(network, lambda process: clock(process, size, rebuilds=True), compare_stamps)


def trees(clock: Callable[[Identity, int], IntervalTreeClock], network: Network) -> ClockSystem[Any]:
    parts = identities(network.size)
    return each(network, lambda process: clock(parts[process], network.size), compare_stamps)


def encodeds(clock: type[EncodedClock], network: Network) -> ClockSystem[Any]:
    return each(network, lambda process: clock(process, network.size), compare_stamps)


def against_the_links(network: Network) -> ClockSystem[Any]:
    """Ask for paths from the other process to the one whose message is older (determination 2)."""
    links = Links(network.links.before, network.links.after)
    vectors = allocated_clocks.build_vectors(network)
    return ClockSystem(vectors.processes, PathsAndVectors(links).compare)


BROKEN: Final[Mapping[str, tuple[str, Builds]]] = {
    "FM: paths in the wrong direction": ("FM", against_the_links),
    "lamport: deaf": ("lamport", lambda network: each(network, lambda _: DeafLamport(), compare_stamps)),
    "lamport: idle": ("lamport", lambda network: each(network, lambda _: IdleLamport(), compare_stamps)),
    "hybrid: physical time only": (
        "hybrid",
        lambda network: each(network, lambda _: PhysicalOnly(network.physical), compare_stamps),
    ),
    "hybrid: counter of messages forgotten": (
        "hybrid",
        lambda network: each(network, lambda _: ForgottenCounter(network.physical), compare_stamps),
    ),
    "plausible: own entry only": (
        "plausible",
        lambda network: each(network, lambda process: OwnEntryOnly(process, 4), compare_stamps),
    ),
    "plausible: the sender's entry must advance": (
        "plausible",
        lambda network: each(network, lambda process: PlausibleClock(process, 4), by_senders_entry_only),
    ),
    "bloom: last message only": (
        "bloom",
        lambda network: each(network, lambda process: LastMessageOnly(process, 8, 2), compare_stamps),
    ),
    "bloom: all counters must advance": (
        "bloom",
        lambda network: each(network, lambda process: BloomClock(process, 8, 2), without_equality),
    ),
    "encoded: greatest common divisor": ("encoded", partial(encodeds, Divisors)),
    "encoded: product": ("encoded", partial(encodeds, Products)),
    "differential: own changes only": ("differential", partial(differentials, OwnChangesOnly)),
    "differential: sent to all": ("differential", partial(differentials, SentToAll)),
    "interval-tree: every interval": ("interval-tree", partial(trees, EverybodysInterval)),
    "interval-tree: no join": ("interval-tree", partial(trees, Unjoined)),
}
"""The broken clocks, each with the name of the row whose claim it breaks."""


@value
class ProductStamp:
    """The number of an encoded vector clock."""

    number: int

    @property
    def integers(self) -> int:
        return -(-self.number.bit_length() // 32)


class ProductClock(ProcessClock[ProductStamp]):
    """The encoded vector clock with the operations of the paper: a reference implementation."""

    __slots__ = ("_prime", "number")

    def __init__(self, process: int, processes: int) -> None:
        self._prime = primes(processes)[process]
        self.number = 1

    @property
    def integers(self) -> int:
        return self.stamp().integers

    def tick(self) -> None:
        self.number *= self._prime

    def stamp(self) -> ProductStamp:
        return ProductStamp(self.number)

    def receive(self, stamp: ProductStamp) -> ProductStamp:
        self.number = self.number * stamp.number // gcd(self.number, stamp.number)
        self.tick()
        return stamp


def by_division(_receiver: int, one: ProductStamp, other: ProductStamp) -> CausalRelation:
    if one.number == other.number:
        return CausalRelation.CONCURRENT
    return relation(other.number % one.number == 0, one.number % other.number == 0)


def products(network: Network) -> ClockSystem[ProductStamp]:
    return ClockSystem([ProductClock(process, network.size) for process in range(network.size)], by_division)


def is_at_most(one: Events, other: Events, above: int = 0) -> bool:
    """Return whether no value of the first tree is above that of the second one ("leq"), as the paper does: by a walk
    through both trees. `above`: added to the first one.
    """
    if not isinstance(one, tuple):
        return above + one <= base(other)
    if not isinstance(other, tuple):
        return above + highest(one) <= other
    below = above + one[0] - other[0]
    return below <= 0 and is_at_most(one[1], other[1], below) and is_at_most(one[2], other[2], below)


def by_trees(_receiver: int, one: TreeStamp, other: TreeStamp) -> CausalRelation:
    if one.events == other.events:
        return CausalRelation.CONCURRENT
    return relation(is_at_most(one.events, other.events), is_at_most(other.events, one.events))

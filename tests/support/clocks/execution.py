"""Random executions over a graph of links: what really happened before what, and what several clocks make of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from protocols.clocks.allocation import Allocation
from protocols.clocks.determination import CausalRelation
from protocols.clocks.links import Links
from protocols.clocks.propagation import AllocatedClock, TimestampedMessage


@dataclass(frozen=True)
class Sending:
    """One message: `past` is the set of sendings before its own, as bits; a copy for each set of clocks."""

    number: int
    sender: int
    receiver: int
    past: int
    copies: list[TimestampedMessage]


Chooses = Callable[[list[Sending]], list[Sending]]


def in_any_order(under_way: list[Sending]) -> list[Sending]:
    return under_way


def fifo(under_way: list[Sending]) -> list[Sending]:
    return [one for one in under_way if not any(_same_link(other, one) for other in under_way)]


def in_causal_order(under_way: list[Sending]) -> list[Sending]:
    return [
        one
        for one in under_way
        if not any(other.receiver == one.receiver and one.past >> other.number & 1 for other in under_way)
    ]


def _same_link(other: Sending, one: Sending) -> bool:
    return (other.sender, other.receiver) == (one.sender, one.receiver) and other.number < one.number


@dataclass
class Execution:
    """The same events for every allocation. `arrived[p]` are the messages at p, each with its copies as kept."""

    links: Links
    allocations: Sequence[Allocation]
    clock: type[AllocatedClock] = AllocatedClock
    under_way: list[Sending] = field(default_factory=list)
    sent: int = 0

    def __post_init__(self) -> None:
        size = self.links.size
        self.clocks = [[self.clock(allocation, p) for p in range(size)] for allocation in self.allocations]
        self.pasts = [0] * size
        self.arrived: list[list[tuple[Sending, list[TimestampedMessage]]]] = [[] for _ in range(size)]

    def send(self, sender: int, receiver: int) -> Sending:
        copies = [clocks[sender].send(receiver) for clocks in self.clocks]
        sending = Sending(self.sent, sender, receiver, self.pasts[sender], copies)
        self.sent += 1
        self.pasts[sender] |= 1 << sending.number
        self.under_way.append(sending)
        return sending

    def arrive(self, sending: Sending) -> None:
        self.under_way.remove(sending)
        receiver = sending.receiver
        kept = [clocks[receiver].receive(copy) for clocks, copy in zip(self.clocks, sending.copies, strict=True)]
        self.pasts[receiver] |= sending.past | 1 << sending.number
        self.arrived[receiver].append((sending, kept))

    def live(self, random: Random, steps: int, arrivals: Chooses) -> None:
        pairs = list(self.links.pairs())
        for _ in range(steps if pairs else 0):
            if self.under_way and random.random() < 0.5:
                self.arrive(random.choice(arrivals(self.under_way)))
            elif random.random() < 0.1:
                self.tick(random.randrange(self.links.size))
            else:
                self.send(*random.choice(pairs))
        while self.under_way:
            self.arrive(random.choice(arrivals(self.under_way)))

    def tick(self, process: int) -> None:
        for clocks in self.clocks:
            clocks[process].tick()

    def comparisons(self) -> Iterator[tuple[int, CausalRelation, list[tuple[TimestampedMessage, TimestampedMessage]]]]:
        """Receiver, what is true, and the two messages as each set of clocks has them."""
        for receiver, arrived in enumerate(self.arrived):
            for (one, kept), (other, others_kept) in combinations(arrived, 2):
                yield receiver, truth(one, other), list(zip(kept, others_kept, strict=True))


def truth(one: Sending, other: Sending) -> CausalRelation:
    if other.past >> one.number & 1:
        return CausalRelation.BEFORE
    return CausalRelation.AFTER if one.past >> other.number & 1 else CausalRelation.CONCURRENT


class TooEarly(AllocatedClock):
    """Takes the arrival time before the receipt ticks."""

    __slots__ = ()

    def receive(self, message: TimestampedMessage) -> TimestampedMessage:
        kept = super().receive(message)
        return TimestampedMessage(
            kept.sender, kept.number, kept.times, None if kept.arrival is None else kept.arrival - 1
        )

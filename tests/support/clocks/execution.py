"""Random executions on a graph of links: the true happened-before relation, and the clocks of several allocations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from mobilesim.protocols.clocks.known_links.allocation import Allocation
from mobilesim.protocols.clocks.known_links.determination import CausalRelation
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock, TimestampedMessage
from mobilesim.protocols.clocks.links import Links


@dataclass(frozen=True)
class Sending:
    """A message with a copy for each allocation. `past` has a bit for each earlier send."""

    number: int
    sender: int
    receiver: int
    past: int
    copies: list[TimestampedMessage]


Chooses = Callable[[list[Sending]], list[Sending]]


def in_any_order(in_transit: list[Sending]) -> list[Sending]:
    return in_transit


def fifo(in_transit: list[Sending]) -> list[Sending]:
    return [one for one in in_transit if not any(_same_link(other, one) for other in in_transit)]


def in_causal_order(in_transit: list[Sending]) -> list[Sending]:
    return [
        one
        for one in in_transit
        if not any(other.receiver == one.receiver and one.past >> other.number & 1 for other in in_transit)
    ]


def _same_link(other: Sending, one: Sending) -> bool:
    return (other.sender, other.receiver) == (one.sender, one.receiver) and other.number < one.number


@dataclass
class Execution:
    """One execution for all allocations. `arrived[p]` has the messages that p has received, with the copies that p
    stores.
    """

    links: Links
    allocations: Sequence[Allocation]
    clock: type[AllocatedClock] = AllocatedClock
    in_transit: list[Sending] = field(default_factory=list)
    sent: int = 0

    def __post_init__(self) -> None:
        size = self.links.size
        self.clocks = [[self.clock(allocation, p) for p in range(size)] for allocation in self.allocations]
        self.pasts = [0] * size
        self.arrived: list[list[tuple[Sending, list[TimestampedMessage]]]] = [[] for _ in range(size)]

    def send(self, sender: int, receiver: int) -> Sending:
        copies = [clocks[sender].multicast((receiver,))[0] for clocks in self.clocks]
        sending = Sending(self.sent, sender, receiver, self.pasts[sender], copies)
        self.sent += 1
        self.pasts[sender] |= 1 << sending.number
        self.in_transit.append(sending)
        return sending

    def arrive(self, sending: Sending) -> None:
        self.in_transit.remove(sending)
        receiver = sending.receiver
        kept = [clocks[receiver].receive(copy) for clocks, copy in zip(self.clocks, sending.copies, strict=True)]
        self.pasts[receiver] |= sending.past | 1 << sending.number
        self.arrived[receiver].append((sending, kept))

    def live(self, random: Random, steps: int, arrivals: Chooses) -> None:
        pairs = list(self.links.pairs())
        for _ in range(steps if pairs else 0):
            if self.in_transit and random.random() < 0.5:
                self.arrive(random.choice(arrivals(self.in_transit)))
            elif random.random() < 0.1:
                self.tick(random.randrange(self.links.size))
            else:
                self.send(*random.choice(pairs))
        while self.in_transit:
            self.arrive(random.choice(arrivals(self.in_transit)))

    def tick(self, process: int) -> None:
        for clocks in self.clocks:
            clocks[process].tick()

    def comparisons(self) -> Iterator[tuple[int, CausalRelation, list[tuple[TimestampedMessage, TimestampedMessage]]]]:
        """Yield the receiver of two messages, their true relation, and the two messages in each allocation."""
        for receiver, arrived in enumerate(self.arrived):
            for (one, kept), (other, others_kept) in combinations(arrived, 2):
                yield receiver, truth(one, other), list(zip(kept, others_kept, strict=True))


def truth(one: Sending, other: Sending) -> CausalRelation:
    if other.past >> one.number & 1:
        return CausalRelation.BEFORE
    return CausalRelation.AFTER if one.past >> other.number & 1 else CausalRelation.CONCURRENT


class ArrivalBeforeTick(AllocatedClock):
    """A clock that takes the arrival time before it advances for the receipt."""

    __slots__ = ()

    def receive(self, message: TimestampedMessage) -> TimestampedMessage:
        kept = super().receive(message)
        return TimestampedMessage(
            kept.sender, kept.number, kept.times, None if kept.arrival is None else kept.arrival - 1
        )

"""Random executions on a graph of links: the true happened-before relation, and several logical clocks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

from mobilesim.protocols.clocks.known_links.allocated_clocks import AllocatedClocks
from mobilesim.protocols.clocks.known_links.allocation import Allocation
from mobilesim.protocols.clocks.known_links.determination import by_arrivals
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock, TimestampedMessage
from mobilesim.protocols.clocks.links import Links
from mobilesim.protocols.clocks.logical_clock import CausalRelation, ClockSystem, PhysicalTime, Stamp


@dataclass(frozen=True)
class Sending:
    """A message with a timestamp of each clock. `past` has a bit for each earlier send."""

    number: int
    sender: int
    receiver: int
    past: int
    stamps: list[Stamp]


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
    """One execution for all clocks. `arrived[p]` has the messages that p has received, with the timestamps that p
    stores. `physical`: the source of physical time of clocks that read it.
    """

    links: Links
    clocks: Sequence[ClockSystem[Any]]
    physical: PhysicalTime = field(default_factory=PhysicalTime)
    in_transit: list[Sending] = field(default_factory=list)
    sent: int = 0
    time: int = 0

    def __post_init__(self) -> None:
        self.physical.source = self
        self.pasts = [0] * self.links.size
        self.arrived: list[list[tuple[Sending, list[Stamp]]]] = [[] for _ in range(self.links.size)]

    def send(self, sender: int, receiver: int) -> Sending:
        stamps = [clock.processes[sender].send((receiver,))[0] for clock in self.clocks]
        sending = Sending(self.sent, sender, receiver, self.pasts[sender], stamps)
        self.sent += 1
        self.pasts[sender] |= 1 << sending.number
        self.in_transit.append(sending)
        return sending

    def arrive(self, sending: Sending) -> None:
        self.in_transit.remove(sending)
        receiver = sending.receiver
        stored = [
            clock.processes[receiver].receive(stamp) for clock, stamp in zip(self.clocks, sending.stamps, strict=True)
        ]
        self.pasts[receiver] |= sending.past | 1 << sending.number
        self.arrived[receiver].append((sending, stored))

    def live(self, random: Random, steps: int, arrivals: Chooses) -> None:
        pairs = list(self.links.pairs())
        pace = random.choice((0, 5_000, 1_000_000))
        for _ in range(steps if pairs else 0):
            self.time += pace
            if self.in_transit and random.random() < 0.5:
                self.arrive(random.choice(arrivals(self.in_transit)))
            elif random.random() < 0.1:
                self.tick(random.randrange(self.links.size))
            else:
                self.send(*random.choice(pairs))
        while self.in_transit:
            self.arrive(random.choice(arrivals(self.in_transit)))

    def tick(self, process: int) -> None:
        for clock in self.clocks:
            clock.processes[process].tick()

    def comparisons(self) -> Iterator[tuple[CausalRelation, list[CausalRelation]]]:
        """Yield the true relation of each two messages to one process, and the answer of each clock."""
        for receiver, arrived in enumerate(self.arrived):
            for (one, stored), (other, others_stored) in combinations(arrived, 2):
                stamps = zip(self.clocks, stored, others_stored, strict=True)
                yield truth(one, other), [clock.compare(receiver, *each) for clock, *each in stamps]

    def wrong_answers(self, clock: int) -> list[tuple[CausalRelation, CausalRelation]]:
        """Return pairs of a true relation and the wrong answer of a clock."""
        return [(true, answers[clock]) for true, answers in self.comparisons() if answers[clock] is not true]


def allocated(allocation: Allocation, clock: type[AllocatedClock] = AllocatedClock) -> AllocatedClocks:
    """Return the clocks of an allocation."""
    processes = [clock(allocation, process) for process in range(len(allocation.clocks))]
    return AllocatedClocks(processes, partial(by_arrivals, allocation), allocation)


def truth(one: Sending, other: Sending) -> CausalRelation:
    if other.past >> one.number & 1:
        return CausalRelation.BEFORE
    return CausalRelation.AFTER if one.past >> other.number & 1 else CausalRelation.CONCURRENT


class ArrivalBeforeTick(AllocatedClock):
    """A clock that takes the arrival time before it advances for the receipt."""

    __slots__ = ()

    def receive(self, stamp: TimestampedMessage) -> TimestampedMessage:
        kept = super().receive(stamp)
        return TimestampedMessage(
            kept.sender, kept.number, kept.times, None if kept.arrival is None else kept.arrival - 1
        )

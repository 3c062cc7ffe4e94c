"""Clocks that look on while the emulator runs: they stamp what hosts submit, and are asked at every delivery.

Nothing depends on what they say. The oracle knows which of two messages was sent first; an observer is an oracle that
compares. Processes are the hosts, with the stations that send after them, and deliveries are the arrivals: under a
protocol that keeps causal order, arrivals are causal.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mobilesim.errors import UserError
from mobilesim.oracle.causal_order import Clock as Vector
from mobilesim.oracle.causal_order import Oracle, Past
from protocols.clocks.allocation import Allocation
from protocols.clocks.determination import Order, by_arrivals
from protocols.clocks.links import Links
from protocols.clocks.propagation import Clock, Message

Sent: TypeAlias = tuple[int, int, Vector]
"""Source, number, and what the oracle's clock said then."""


@dataclass(slots=True)
class ClockAnswers:
    """`integers` are those on all copies; `wrong` counts answers by what is true and what was said."""

    allocation: Allocation
    copies: int = 0
    integers: int = 0
    compared: int = 0
    wrong: Counter[tuple[Order, Order]] = field(default_factory=Counter)

    @property
    def missed(self) -> int:
        """Said to be concurrent, though one was sent before the other."""
        return sum(count for (_, said), count in self.wrong.items() if said is Order.CONCURRENT)

    @property
    def spurious(self) -> int:
        """Said to be in an order, though they were concurrent."""
        return sum(count for (true, _), count in self.wrong.items() if true is Order.CONCURRENT)

    @property
    def reversed(self) -> int:
        return self.wrong.total() - self.missed - self.spurious


class ClockObserver(Oracle):
    """Each delivery is compared with the `memory` deliveries before it at the same host."""

    __slots__ = ("_arrived", "_clocks", "_under_way", "answers", "links")

    def __init__(self, links: Links, allocations: Mapping[str, Allocation], memory: int = 16) -> None:
        super().__init__(links.size)
        self.answers = {name: ClockAnswers(allocation) for name, allocation in allocations.items()}
        self.links = links
        self._clocks = {
            name: [Clock(allocation, host) for host in range(links.size)] for name, allocation in allocations.items()
        }
        self._under_way: dict[tuple[int, int], dict[str, Message]] = {}
        self._arrived: defaultdict[int, deque[tuple[Sent, dict[str, Message]]]]
        self._arrived = defaultdict(lambda: deque(maxlen=memory))

    def submitted(self, message: int, source: int, destinations: tuple[int, ...]) -> Past:
        for host in destinations:
            if not self.links.after[source] >> host & 1:
                raise UserError(f"clocks: host {source} sends to host {host}, and there is no such link")
        stamped = {name: self._stamped(name, source, destinations) for name in self.answers}
        for place, host in enumerate(destinations):
            self._under_way[message, host] = {name: copies[place] for name, copies in stamped.items()}
        return super().submitted(message, source, destinations)

    def delivered(self, message: int, source: int, host: int) -> int:
        stamped = self._under_way.pop((message, host), None)
        if stamped is not None:
            clock, number = self.known[message]
            self._arrive((source, number, clock), host, stamped)
        return super().delivered(message, source, host)

    def dropped(self, message: int, source: int, host: int) -> bool:
        self._under_way.pop((message, host), None)
        return super().dropped(message, source, host)

    def _stamped(self, name: str, source: int, destinations: tuple[int, ...]) -> list[Message]:
        copies = self._clocks[name][source].multicast(destinations)
        self.answers[name].copies += len(copies)
        self.answers[name].integers += sum(copy.integers for copy in copies)
        return copies

    def _arrive(self, sent: Sent, host: int, stamped: Mapping[str, Message]) -> None:
        kept = {name: self._clocks[name][host].receive(message) for name, message in stamped.items()}
        for earlier, copies in self._arrived[host]:
            true = _truth(earlier, sent)
            for name, opinion in self.answers.items():
                said = by_arrivals(opinion.allocation, host, copies[name], kept[name])
                opinion.compared += 1
                if said is not true:
                    opinion.wrong[true, said] += 1
        self._arrived[host].append((sent, kept))


def _truth(one: Sent, other: Sent) -> Order:
    if other[2][one[0]] >= one[1]:
        return Order.BEFORE
    return Order.AFTER if one[2][other[0]] >= other[1] else Order.CONCURRENT

"""Passive clocks: they timestamp submissions during a simulation, and their answers are checked at every delivery.

No protocol depends on these clocks. The observer is an oracle that compares the answers of the clocks with the exact
relation of two messages. The processes of a clock are the hosts, followed by the stations that send. A process receives
a message when the message is delivered. So under a protocol with causal order, clocks receive messages in causal order.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from mobilesim.errors import UserError
from mobilesim.oracle.causal_order import Oracle, Submission
from mobilesim.protocols.clocks.known_links.allocation import Allocation
from mobilesim.protocols.clocks.known_links.determination import CausalRelation, by_arrivals
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock, TimestampedMessage
from mobilesim.protocols.clocks.links import Links


@dataclass(slots=True)
class ClockAnswers:
    """The answers of an allocation's clocks. `integers`: the total of the integers on all copies: their clocks, and
    their sequence numbers where these are needed. `wrong`: the number of wrong answers by (exact relation, answer).
    """

    allocation: Allocation
    copies: int = 0
    integers: int = 0
    compared: int = 0
    wrong: Counter[tuple[CausalRelation, CausalRelation]] = field(default_factory=Counter)

    @property
    def missed(self) -> int:
        """The number of causally ordered pairs of messages for which the answer was "concurrent"."""
        return sum(count for (_, answer), count in self.wrong.items() if answer is CausalRelation.CONCURRENT)

    @property
    def spurious(self) -> int:
        """The number of concurrent pairs of messages for which the answer was an order."""
        return sum(count for (actual, _), count in self.wrong.items() if actual is CausalRelation.CONCURRENT)

    @property
    def reversed(self) -> int:
        return self.wrong.total() - self.missed - self.spurious


class ClockObserver(Oracle):
    """Compares each delivery with up to `window` earlier deliveries at the same host."""

    def __init__(
        self, links: Links, allocations: Mapping[str, Allocation], window: int = 16, *, fifo: bool = True
    ) -> None:
        """`fifo`: whether the messages of a process arrive at another process in the order of sending. Otherwise a
        message without its sender's clock needs its sequence number.
        """
        super().__init__(links.size)
        self._fifo = fifo
        self.answers = {name: ClockAnswers(allocation) for name, allocation in allocations.items()}
        self.links = links
        self._clocks = {
            name: [AllocatedClock(allocation, host) for host in range(links.size)]
            for name, allocation in allocations.items()
        }
        self._in_transit: dict[tuple[int, int], dict[str, TimestampedMessage]] = {}
        self._arrived: defaultdict[int, deque[tuple[Submission, dict[str, TimestampedMessage]]]]
        self._arrived = defaultdict(lambda: deque(maxlen=window))

    def submitted(self, message: int, source: int, destinations: tuple[int, ...]) -> Submission:
        for host in destinations:
            if not self.links.after[source] >> host & 1:
                raise UserError(f"clocks: host {source} sends to host {host}, but there is no such link")
        stamped = {name: self._stamped(name, source, destinations) for name in self.answers}
        for place, host in enumerate(destinations):
            self._in_transit[message, host] = {name: copies[place] for name, copies in stamped.items()}
        return super().submitted(message, source, destinations)

    def delivered(self, message: int, source: int, host: int) -> int:
        if (stamped := self._in_transit.pop((message, host), None)) is not None:
            sent = self.outstanding(message, source, host)
            assert sent is not None
            self._arrive(sent, host, stamped)
        return super().delivered(message, source, host)

    def dropped(self, message: int, source: int, host: int) -> bool:
        self._in_transit.pop((message, host), None)
        return super().dropped(message, source, host)

    def _stamped(self, name: str, source: int, destinations: tuple[int, ...]) -> list[TimestampedMessage]:
        copies = self._clocks[name][source].multicast(destinations)
        self.answers[name].copies += len(copies)
        self.answers[name].integers += sum(
            copy.integers if self._fifo or source in copy.times else copy.integers + 1 for copy in copies
        )
        return copies

    def _arrive(self, sent: Submission, host: int, stamped: Mapping[str, TimestampedMessage]) -> None:
        kept = {name: self._clocks[name][host].receive(message) for name, message in stamped.items()}
        for earlier, copies in self._arrived[host]:
            actual = _actual(earlier, sent)
            for name, answers in self.answers.items():
                answer = by_arrivals(answers.allocation, host, copies[name], kept[name])
                answers.compared += 1
                if answer is not actual:
                    answers.wrong[actual, answer] += 1
        self._arrived[host].append((sent, kept))


def _actual(one: Submission, other: Submission) -> CausalRelation:
    if other.follows(one.source, one.number):
        return CausalRelation.BEFORE
    return CausalRelation.AFTER if one.follows(other.source, other.number) else CausalRelation.CONCURRENT

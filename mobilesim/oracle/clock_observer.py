"""Passive clocks: they timestamp submissions during a simulation, and their answers are checked at every delivery.

No protocol depends on these clocks. The observer is an oracle that compares the answers of the clocks with the exact
relation of two messages. The processes of a clock are the hosts, followed by the stations that send. A process receives
a message when the message is delivered. So under a protocol with causal order, clocks receive messages in causal order.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mobilesim.errors import UserError
from mobilesim.oracle.causal_order import Oracle, Submission
from mobilesim.protocols.clocks.logical_clock import CausalRelation, ClockSystem, Network, Stamp


@dataclass(slots=True)
class ClockAnswers:
    """The answers of a logical clock. `integers`: the total of the integers on all copies. `integers_max`: the integers
    on the largest copy. `wrong`: the number of wrong answers by (exact relation, answer).
    """

    clocks: ClockSystem[Stamp]
    copies: int = 0
    integers: int = 0
    integers_max: int = 0
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


Observed: TypeAlias = tuple[Submission, dict[str, Stamp]]
"""A message or an event, with its timestamps by the name of the clock."""


class ClockObserver(Oracle):
    """Compares each delivery with up to `window` earlier deliveries at the same host."""

    def __init__(self, network: Network, clocks: Mapping[str, ClockSystem[Stamp]], window: int = 16) -> None:
        super().__init__(network.size)
        self.network = network
        self.answers = {name: ClockAnswers(each) for name, each in clocks.items()}
        self._in_transit: dict[tuple[int, int], dict[str, Stamp]] = {}
        self._arrived: defaultdict[int, deque[Observed]] = defaultdict(lambda: deque(maxlen=window))

    def submitted(self, message: int, source: int, destinations: tuple[int, ...]) -> Submission:
        for host in destinations:
            if not self.network.links.after[source] >> host & 1:
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

    def _stamped(self, name: str, source: int, destinations: tuple[int, ...]) -> list[Stamp]:
        answers = self.answers[name]
        copies = answers.clocks.processes[source].send(destinations)
        answers.copies += len(copies)
        for copy in copies:
            size = copy.integers
            answers.integers += size
            answers.integers_max = max(answers.integers_max, size)
        return copies

    def _arrive(self, sent: Submission, host: int, stamped: Mapping[str, Stamp]) -> None:
        """Process the receipt of a message, and compare it with earlier ones."""
        stored = self._received(host, stamped)
        for earlier, others in self._arrived[host]:
            self._compare(host, (earlier, others), (sent, stored))
        self._arrived[host].append((sent, stored))

    def _received(self, host: int, stamped: Mapping[str, Stamp]) -> dict[str, Stamp]:
        return {name: self.answers[name].clocks.processes[host].receive(stamp) for name, stamp in stamped.items()}

    def _compare(self, process: int, earlier: Observed, later: Observed) -> None:
        (one, stamps), (other, others) = earlier, later
        actual = _actual(one, other)
        for name, answers in self.answers.items():
            answer = answers.clocks.compare(process, stamps[name], others[name])
            answers.compared += 1
            if answer is not actual:
                answers.wrong[actual, answer] += 1


class PairObserver(ClockObserver):
    """Compares each event of a process of `network.pairs` with up to `window` earlier events of its partners, instead
    of messages to one host. Events are submissions and deliveries.
    """

    def __init__(self, network: Network, clocks: Mapping[str, ClockSystem[Stamp]], window: int = 16) -> None:
        super().__init__(network, clocks, window)
        self._partners: dict[int, list[int]] = {}
        for pair in network.pairs:
            for process, partner in (pair, pair[::-1]):
                self._partners.setdefault(process, []).append(partner)

    def submitted(self, message: int, source: int, destinations: tuple[int, ...]) -> Submission:
        sent = super().submitted(message, source, destinations)
        self._happened(source, sent)
        return sent

    def delivered(self, message: int, source: int, host: int) -> int:
        is_first = (message, host) in self._in_transit
        overtaken = super().delivered(message, source, host)
        if is_first:
            # What happened after this delivery happened after it through a later submission of this host.
            self._happened(host, Submission(message, host, self.submissions[host] + 1, self._clock(host), None))
        return overtaken

    def _arrive(self, _sent: Submission, host: int, stamped: Mapping[str, Stamp]) -> None:
        self._received(host, stamped)

    def _happened(self, process: int, event: Submission) -> None:
        """Compare an event with earlier ones. The number of a delivery is that of the next submission of its host."""
        if process not in self._partners:
            return
        now: Observed = event, {name: each.clocks.processes[process].stamp() for name, each in self.answers.items()}
        for partner in self._partners[process]:
            for earlier in self._arrived[partner]:
                self._compare(process, earlier, now)
        self._arrived[process].append(now)


def _actual(one: Submission, other: Submission) -> CausalRelation:
    if other.follows(one.source, one.number):
        return CausalRelation.BEFORE
    return CausalRelation.AFTER if one.follows(other.source, other.number) else CausalRelation.CONCURRENT

"""Complete histories of executions: what was sent and delivered before each message."""

from collections.abc import Iterator

from mobilesim.conformance.causality import CheckedRun
from mobilesim.conformance.executions import Event, Sent
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.packets import Message
from tests.support.orderings.dense_ks import Unit


class History:
    """The complete history. An event is represented by the sets of messages that were sent or delivered before it."""

    def __init__(self, size: int) -> None:
        self.sent: list[frozenset[int]] = [frozenset()] * size
        self.delivered: list[frozenset[tuple[int, int]]] = [frozenset()] * size
        self.messages: dict[int, Message] = {}
        self.past: dict[int, tuple[frozenset[int], frozenset[tuple[int, int]]]] = {}
        self.times: dict[int, int] = {}
        self.clocks = [0] * size

    def send(self, message: Message) -> None:
        source = message.source
        self.past[message.id] = self.sent[source], self.delivered[source]
        self.messages[message.id] = message
        self.clocks[source] += 1
        self.times[message.id] = self.clocks[source]
        self.sent[source] |= {message.id}

    def deliver(self, number: int, target: int) -> None:
        sent, delivered = self.past[number]
        self.sent[target] |= sent | {number}
        self.delivered[target] |= delivered | {(number, target)}

    def minimal(self, number: int, copy: int) -> set[Unit]:
        """Return exactly the information that the copy to this destination must carry (KS, section 3.3)."""
        others = {*self.messages[number].destinations} - {copy}
        return {unit for unit in self.open_units(*self.past[number]) if unit[2] not in others}

    def stored(self, process: int) -> set[Unit]:
        """Return the units that a log of a process has to store."""
        return self.open_units(self.sent[process], self.delivered[process])

    def open_units(self, sent: frozenset[int], delivered: frozenset[tuple[int, int]]) -> set[Unit]:
        """Return the sent messages without a later one to the same destination, if they may be undelivered there."""
        return {(self.messages[number].source, self.times[number], to) for number, to in self._open(sent, delivered)}

    def _open(self, sent: frozenset[int], delivered: frozenset[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        for number in sent:
            later = [self.messages[other].destinations for other in sent if number in self.past[other][0]]
            for to in self.messages[number].destinations:
                if (number, to) not in delivered and not any(to in destinations for destinations in later):
                    yield number, to


class Watched(CheckedRun):
    """A checked run that records the complete history."""

    def __init__(self, ordering: Ordering, size: int) -> None:
        super().__init__(ordering, size)
        self.history = History(size)

    def apply(self, event: Event) -> list[int]:
        released = super().apply(event)
        if isinstance(event, Sent):
            self.history.send(event.message)
        else:
            for number in released:
                self.history.deliver(number, event.target)
        return released

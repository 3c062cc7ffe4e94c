"""Causality by brute force, and runs that check any ordering against it.

For every message, the set of all messages that happened before it is kept as the bits of an integer. The sets do not
use the stamps, and never shrink, so they suit only short executions.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from protocols.machine import Copy, Message, Stamp
from protocols.mailbox import Inbox
from protocols.ordering import Ordering
from tests.support.protocols.network import Arrived, Event, Sent, execution


class OvertakenError(AssertionError):
    """A message was delivered before one that happened before it and is for the same process."""


class Causality:
    """The causal past of processes and messages; the caller reports each send, arrival and delivery in order."""

    def __init__(self) -> None:
        self.past: dict[int, int] = {}
        """For each process, the messages whose sends happened before its present."""
        self.before: dict[int, int] = {}
        """For each message, the messages whose sends happened before its send."""
        self.due: dict[int, int] = {}
        """For each process, the messages that were sent to it and are not delivered there."""
        self.waiting: dict[int, list[int]] = {}
        """For each process, the messages that arrived there and are not delivered."""

    def sent(self, message: Message) -> None:
        bit = 1 << message.id
        past = self.past.get(message.source, 0)
        self.before[message.id] = past
        self.past[message.source] = past | bit
        for target in message.destinations:
            self.due[target] = self.due.get(target, 0) | bit

    def arrived(self, message: int, target: int) -> None:
        self.waiting.setdefault(target, []).append(message)

    def allows(self, message: int, target: int) -> bool:
        """Return whether every earlier message to this process has been delivered to it."""
        return not self.before[message] & self.due[target]

    def delivered(self, message: int, target: int) -> None:
        if not self.allows(message, target):
            raise OvertakenError(f"m{message} is delivered to p{target} too early")
        self.waiting[target].remove(message)
        self.due[target] &= ~(1 << message)
        self.past[target] = self.past.get(target, 0) | self.before[message] | 1 << message

    def ready(self, target: int) -> list[int]:
        """Return the waiting messages that causality allows; after an ordering's step, these are inhibited."""
        return [message for message in self.waiting.get(target, ()) if self.allows(message, target)]

    @property
    def missing(self) -> list[tuple[int, int]]:
        """The undelivered messages, each with its destination."""
        pairs = [(number, target) for target, due in self.due.items() for number in range(due.bit_length())]
        return sorted((number, target) for number, target in pairs if self.due[target] >> number & 1)


class CheckedRun:
    """An ordering in an execution, checked against causality: a delivery that is too early raises an exception."""

    def __init__(self, ordering: Ordering, size: int) -> None:
        self.causality = Causality()
        self.inboxes: list[Inbox[Copy]] = [Inbox(ordering.process(index)) for index in range(size)]
        self.stamps: dict[tuple[int, int], Stamp] = {}
        """The stamp of each copy, by message and target."""
        self.inhibited = 0
        """The number of waiting messages that causality allowed, summed over all arrivals."""

    def apply(self, event: Event) -> list[int]:
        """Return the messages that the event releases."""
        message = event.message
        if isinstance(event, Sent):
            self._send(message)
            return []
        return self._arrive(message, event.target)

    def _send(self, message: Message) -> None:
        pairs = self.inboxes[message.source].process.send(message.destinations, message.group)
        stamps = {(message.id, target): stamp for targets, stamp in pairs for target in targets}
        assert sorted(target for _, target in stamps) == sorted(message.destinations)
        self.stamps |= stamps
        self.causality.sent(message)

    def _arrive(self, message: Message, target: int) -> list[int]:
        causality, released = self.causality, []
        causality.arrived(message.id, target)
        copy = Copy(message, (target,), self.stamps[message.id, target])
        for other in self.inboxes[target].arrive(copy):
            causality.delivered(other.message.id, target)
            released.append(other.message.id)
        self.inhibited += len(causality.ready(target))
        return released


def executions(seeds: Iterable[int], messages: int = 30) -> Iterator[tuple[int, list[Event]]]:
    """Yield random executions with their sizes: 3 to 6 processes, with and without FIFO, from unicast to broadcast."""
    for seed in seeds:
        random = Random(seed)
        size = 3 + seed % 4
        widest = random.randint(1, size - 1)
        yield size, list(execution(random, size, messages, widest, fifo=bool(seed >> 2 & 1)))


def checked_run(ordering: Ordering, size: int, events: Sequence[Event]) -> CheckedRun:
    """Return the completed run, after checking that every message was delivered, and none too early."""
    run = CheckedRun(ordering, size)
    for event in events:
        run.apply(event)
    assert run.causality.missing == []
    return run


def overtaking_triangle() -> list[Event]:
    """p0 sends m0 to p2 on a slow channel and m1 to p1; p1 receives m1 and sends m2 to p2, which overtakes m0."""
    first, second, third = Message(0, 0, (2,), 1), Message(1, 0, (1,), 1), Message(2, 1, (2,), 1)
    return [Sent(first), Sent(second), Arrived(second, 1), Sent(third), Arrived(third, 2), Arrived(first, 2)]

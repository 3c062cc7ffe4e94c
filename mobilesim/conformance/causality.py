"""Causality by complete sets, and runs that compare any ordering with it.

For every message, the set of all messages that happened before it is stored as the bits of an integer. The sets do not
depend on stamps. They never shrink, so they are suitable for short executions only.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Final

from mobilesim.conformance.executions import Arrived, Event, Sent, execution
from mobilesim.protocols.mailbox import Inbox
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.packets import Copy, Message, Stamp


class OvertakenError(AssertionError):
    """A message was delivered to a process before a message to the same process that happened before it."""


class Causality:
    """The causal past of processes and messages. The caller reports each send, arrival and delivery in order."""

    def __init__(self) -> None:
        self.past: dict[int, int] = {}
        """By process: the messages that were sent in its causal past."""
        self.before: dict[int, int] = {}
        """By message: the messages that were sent before it, in causal order."""
        self.due: dict[int, int] = {}
        """By process: the messages that were sent to it and have not been delivered there."""
        self.waiting: dict[int, list[int]] = {}
        """By process: the messages that have arrived and have not been delivered there."""

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
        """Return whether all messages to this process that happened before this message have been delivered."""
        return not self.before[message] & self.due[target]

    def delivered(self, message: int, target: int) -> None:
        if not self.allows(message, target):
            earlier = self.before[message] & self.due[target]
            first = (earlier & -earlier).bit_length() - 1
            reason = f"m{first} was sent to p{target} before it, in causal order, and is not yet delivered there"
            raise OvertakenError(f"m{message} is delivered to p{target} too early: {reason}")
        self.waiting[target].remove(message)
        self.due[target] &= ~(1 << message)
        self.past[target] = self.past.get(target, 0) | self.learnt(message)

    def learnt(self, message: int) -> int:
        """Return the messages that a process learns of when it delivers a message."""
        return self.before[message] | 1 << message

    def ready(self, target: int) -> list[int]:
        """Return the waiting messages that causal order allows to deliver. If they still wait after a step of an
        ordering, the ordering inhibits them.
        """
        return [message for message in self.waiting.get(target, ()) if self.allows(message, target)]

    @property
    def missing(self) -> list[tuple[int, int]]:
        """The messages that have not been delivered, each with its destination."""
        pairs = [(number, target) for target, due in self.due.items() for number in range(due.bit_length())]
        return sorted((number, target) for number, target in pairs if self.due[target] >> number & 1)


class ShortChains(Causality):
    """Causality along chains of one or two messages: a process learns of messages of the sender only."""

    def __init__(self) -> None:
        super().__init__()
        self.own: dict[int, int] = {}
        """By process: the messages that it has sent."""
        self.up_to: dict[int, int] = {}
        """By message: the messages of its source up to this one."""

    def sent(self, message: Message) -> None:
        super().sent(message)
        source = message.source
        self.own[source] = self.up_to[message.id] = self.own.get(source, 0) | 1 << message.id

    def learnt(self, message: int) -> int:
        return self.up_to[message]


class CheckedRun:
    """An ordering in an execution. A delivery that violates the order, by default causal order, raises an exception."""

    def __init__(self, ordering: Ordering, size: int, causality: Causality | None = None) -> None:
        self.causality = causality or Causality()
        self.inboxes: list[Inbox[Copy]] = [Inbox(ordering.process(index)) for index in range(size)]
        self.stamps: dict[tuple[int, int], Stamp] = {}
        """The stamp of each copy, by message and target."""
        self.inhibited = 0
        """The number of waiting messages that causal order allowed, summed over all arrivals."""

    def apply(self, event: Event) -> list[int]:
        """Execute an event; return the messages that it releases."""
        message = event.message
        return self._send(message) if isinstance(event, Sent) else self._arrive(message, event.target)

    def _send(self, message: Message) -> list[int]:
        pairs = self.inboxes[message.source].process.send(message.destinations, message.group)
        stamps = {(message.id, target): stamp for targets, stamp in pairs for target in targets}
        assert sorted(target for _, target in stamps) == sorted(message.destinations)
        self.stamps |= stamps
        self.causality.sent(message)
        inbox = self.inboxes[message.source]
        return self._deliver(message.source, inbox.released_by_send()) if inbox.process.releases_at_send else []

    def _arrive(self, message: Message, target: int) -> list[int]:
        self.causality.arrived(message.id, target)
        copy = Copy(message, (target,), self.stamps[message.id, target])
        released = self._deliver(target, self.inboxes[target].arrive(copy))
        self.inhibited += len(self.causality.ready(target))
        return released

    def _deliver(self, target: int, copies: Iterable[Copy]) -> list[int]:
        released = []
        for copy in copies:
            self.causality.delivered(copy.message.id, target)
            released.append(copy.message.id)
        return released


def executions(seeds: Iterable[int], messages: int = 30) -> Iterator[tuple[int, list[Event]]]:
    """Yield random executions, each with its number of processes: 3 to 6 processes, with and without FIFO channels,
    from unicasts to broadcasts.
    """
    for seed in seeds:
        random = Random(seed)
        size = 3 + seed % 4
        widest = random.randint(1, size - 1)
        yield size, list(execution(random, size, messages, widest, fifo=bool(seed >> 2 & 1)))


def checked_run(
    ordering: Ordering, size: int, events: Sequence[Event], causality: Causality | None = None
) -> CheckedRun:
    """Return the completed run, after checking that it delivered every message, and no message too early."""
    run = CheckedRun(ordering, size, causality)
    for event in events:
        run.apply(event)
    assert run.causality.missing == []
    return run


TRIANGLE: Final = "p0 sends m0 to p2, then m1 to p1; p1 delivers m1, then sends m2 to p2; m2 arrives at p2 before m0"


def overtaking_triangle() -> list[Event]:
    """Return the execution that `TRIANGLE` describes."""
    first, second, third = Message(0, 0, (2,), 1), Message(1, 0, (1,), 1), Message(2, 1, (2,), 1)
    return [Sent(first), Sent(second), Arrived(second, 1), Sent(third), Arrived(third, 2), Arrived(first, 2)]

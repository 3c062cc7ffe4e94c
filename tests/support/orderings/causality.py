"""What causality allows, by brute force, and a bench on which any ordering is held against it.

For every message the set of all messages that happened before it, as the bits of an integer. Nothing is ever deduced
from a stamp, and nothing forgotten: for short executions only.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from protocols.machine import Copy, Message, Stamp
from protocols.mailbox import Inbox
from protocols.ordering import Ordering
from tests.support.protocols.network import Arrived, Happening, Sent, execution


class OvertakenError(AssertionError):
    """A message was delivered before one that happened before it and is for the same process."""


class Causality:
    """Told of every send, arrival and delivery, in the order in which they happen."""

    def __init__(self) -> None:
        self.past: dict[int, int] = {}
        """For each process, the messages whose sends happened before its present."""
        self.before: dict[int, int] = {}
        """For each message, those whose sends happened before its own."""
        self.due: dict[int, int] = {}
        """For each process, what has been sent to it and has not been delivered there."""
        self.waiting: dict[int, list[int]] = {}
        """For each process, what has arrived there and has not been delivered."""

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
        """Whether everything for this process that happened before has been delivered to it."""
        return not self.before[message] & self.due[target]

    def delivered(self, message: int, target: int) -> None:
        if not self.allows(message, target):
            raise OvertakenError(f"m{message} is delivered to p{target} too early")
        self.waiting[target].remove(message)
        self.due[target] &= ~(1 << message)
        self.past[target] = self.past.get(target, 0) | self.before[message] | 1 << message

    def ready(self, target: int) -> list[int]:
        """What waits here though causality would let it go: inhibited, if the ordering is done with its input."""
        return [message for message in self.waiting.get(target, ()) if self.allows(message, target)]

    @property
    def missing(self) -> list[tuple[int, int]]:
        """The messages that have not been delivered, each with the process for which it is."""
        pairs = [(number, target) for target, due in self.due.items() for number in range(due.bit_length())]
        return sorted((number, target) for number, target in pairs if self.due[target] >> number & 1)


class Trial:
    """An ordering in an execution, under the eyes of causality: whatever it delivers too early raises.

    Other orderings in the same execution have a trial of their own; what happens is told to each.
    """

    def __init__(self, ordering: Ordering, size: int) -> None:
        self.causality = Causality()
        self.inboxes: list[Inbox[Copy]] = [Inbox(ordering.process(index)) for index in range(size)]
        self.stamps: dict[tuple[int, int], Stamp] = {}
        """Of each copy: by message and target."""
        self.inhibited = 0
        """How often something that causality allowed was left to wait, counted after every arrival."""

    def happens(self, happening: Happening) -> list[int]:
        """What it releases."""
        message = happening.message
        if isinstance(happening, Sent):
            self._send(message)
            return []
        return self._arrive(message, happening.target)

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


def executions(seeds: Iterable[int], messages: int = 30) -> Iterator[tuple[int, list[Happening]]]:
    """Sizes 3 to 6, channels that keep order and that do not, from unicast to broadcast; with the size."""
    for seed in seeds:
        random = Random(seed)
        size = 3 + seed % 4
        widest = random.randint(1, size - 1)
        yield size, list(execution(random, size, messages, widest, fifo=bool(seed >> 2 & 1)))


def judged(ordering: Ordering, size: int, happenings: Sequence[Happening]) -> Trial:
    """A trial at its end; it has delivered nothing too early, and everything."""
    trial = Trial(ordering, size)
    for happening in happenings:
        trial.happens(happening)
    assert trial.causality.missing == []
    return trial


def triangle() -> list[Happening]:
    """p0 sends m0 to p2, slowly, and m1 to p1, which hears it and sends m2 to p2."""
    first, second, third = Message(0, 0, (2,), 1), Message(1, 0, (1,), 1), Message(2, 1, (2,), 1)
    return [Sent(first), Sent(second), Arrived(second, 1), Sent(third), Arrived(third, 2), Arrived(first, 2)]

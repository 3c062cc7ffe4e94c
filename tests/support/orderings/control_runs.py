"""Random executions of processes that also send control messages, compared with causality."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Final, TypeAlias

from mobilesim.conformance.causality import Causality, CheckedRun
from mobilesim.conformance.executions import Arrived, Sent
from mobilesim.protocols.mailbox import mailbox_for
from mobilesim.protocols.ordering import Groups, Ordering
from mobilesim.protocols.orderings.mr import Resynch
from mobilesim.protocols.packets import Copy, Message, Stamp
from tests.support.orderings.dense_mr import Printed

MAX_STEPS: Final = 20_000
"""The maximum number of steps after the last send."""
Channel: TypeAlias = tuple[int, int, int]
"""The source, the target and the group of a channel."""


def grouped(copy: Copy) -> int:
    return copy.stamp.group if isinstance(copy.stamp, Printed | Resynch) else copy.message.group


class ControlRun:
    """A run with control messages. A delivery that is too early raises an exception. `channels`: copies in transit."""

    def __init__(self, ordering: Ordering, size: int) -> None:
        self.causality = Causality()
        self.mailboxes = [mailbox_for(ordering.process(index)) for index in range(size)]
        self.channels: dict[Channel, list[Copy]] = {}
        self.stamps: dict[int, Stamp] = {}
        """The stamp of each transmitted message, in the order of transmission."""
        self.controls: list[Stamp] = []
        self.inhibited = 0
        """The number of waiting messages that causal order allowed, summed over all arrivals of messages."""
        self.held = 0
        """The number of messages that wait at their senders, summed over all sends and arrivals."""

    def send(self, message: Message) -> None:
        self.causality.sent(message)
        self.out(message.source, self.mailboxes[message.source].send(message))
        self.count()

    def arrive(self, channel: Channel, place: int) -> list[int]:
        """Let a copy arrive; return the messages that the arrival releases."""
        target = channel[1]
        arriving = self.channels[channel].pop(place)
        if not self.channels[channel]:
            del self.channels[channel]
        if not arriving.is_control:
            self.causality.arrived(arriving.message.id, target)
        released = []
        for copy in self.mailboxes[target].arrive(arriving):
            self.causality.delivered(copy.message.id, target)
            released.append(copy.message.id)
        self.inhibited += 0 if arriving.is_control else len(self.causality.ready(target))
        self.count()
        return released

    def pending_control(self, index: int) -> None:
        self.out(index, self.mailboxes[index].pending_control())

    def out(self, index: int, copies: Sequence[Copy]) -> None:
        for copy in copies:
            if copy.is_control:
                self.controls.append(copy.stamp)
            else:
                self.stamps[copy.message.id] = copy.stamp
            for target in copy.targets:
                self.channels.setdefault((index, target, grouped(copy)), []).append(copy)

    def count(self) -> None:
        self.held += sum(len(each.held) for each in self.mailboxes)

    @property
    def finished(self) -> bool:
        """Whether every message was transmitted and delivered."""
        return not self.causality.missing and not any(each.held or each.size for each in self.mailboxes)


class Script(ControlRun):
    """An execution written step by step. Control messages are sent at once."""

    def submit(self, source: int, *targets: int) -> None:
        self.send(Message(len(self.causality.before), source, targets, 1))

    def receive(self, target: int, source: int, *, place: int = 0) -> list[int]:
        """Let the copy at index `place` of a channel arrive, by default the oldest; return the released messages."""
        released = self.arrive((source, target, -1), place)
        self.pending_control(target)
        return released

    def in_transit(self, source: int, target: int) -> list[int | str]:
        """Return the copies in a channel: messages by their numbers, control messages by the names of their types."""
        copies = self.channels.get((source, target, -1), ())
        return [type(copy.stamp).__name__ if copy.is_control else copy.message.id for copy in copies]


class TwinnedRun(ControlRun):
    """A run with a second ordering, which sends each message when the first ordering transmits it. The second ordering
    is checked separately.
    """

    def __init__(self, ordering: Ordering, twin: Ordering, size: int) -> None:
        super().__init__(ordering, size)
        self.twin = CheckedRun(twin, size)

    def out(self, index: int, copies: Sequence[Copy]) -> None:
        super().out(index, copies)
        for copy in copies:
            if not copy.is_control:
                self.twin.apply(Sent(copy.message))

    def arrive(self, channel: Channel, place: int) -> list[int]:
        arriving = self.channels[channel][place]
        released = super().arrive(channel, place)
        if not arriving.is_control:
            assert self.twin.apply(Arrived(arriving.message, channel[1])) == released
        return released


class LockstepRun:
    """One execution for several runs: the same messages and the same arrivals."""

    def __init__(self, runs: Sequence[ControlRun], random: Random, *, fifo: bool, patience: int = 0) -> None:
        self.runs = runs
        self.random = random
        self.fifo = fifo
        self.patience = patience
        """The number of steps after which a process may send pending control messages."""
        self.silent: dict[int, int] = {}
        self.most_released = 0
        """The largest number of messages that one arrival has released."""

    def run(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._send(message)
            for _ in range(self.random.randint(0, 3 * len(message.destinations))):
                self._arrival()
        for _ in range(MAX_STEPS):
            if not self.runs[0].channels and not self.silent:
                return
            self._arrival()
        raise AssertionError("the processes send control messages without end")

    def _send(self, message: Message) -> None:
        for run in self.runs:
            run.send(message)
        self._words()

    def _arrival(self) -> None:
        channels = self.runs[0].channels
        if channels:
            channel = self.random.choice(list(channels))
            place = 0 if self.fifo else self.random.randrange(len(channels[channel]))
            released = [run.arrive(channel, place) for run in self.runs]
            assert all(one == released[0] for one in released)
            self.most_released = max(self.most_released, len(released[0]))
            self.silent.setdefault(channel[1], self.patience)
        self._words()

    def _words(self) -> None:
        for index, patience in list(self.silent.items()):
            self.silent[index] = patience - 1
            if patience <= 0:
                del self.silent[index]
                for run in self.runs:
                    run.pending_control(index)


def in_groups(random: Random, groups: Groups, messages: int) -> Iterator[Message]:
    for number in range(messages):
        group = random.randrange(len(groups))
        source = random.choice(groups[group])
        yield Message(number, source, tuple(sorted({*groups[group]} - {source})), 1, group)


def random_multicasts(random: Random, size: int, messages: int, narrowest: int, widest: int) -> Iterator[Message]:
    for number in range(messages):
        source = random.randrange(size)
        others = [process for process in range(size) if process != source]
        yield Message(number, source, tuple(sorted(random.sample(others, random.randint(narrowest, widest)))), 1)

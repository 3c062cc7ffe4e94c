"""Random executions of processes that send words of their own besides messages, under the eyes of causality."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Final, TypeAlias

from protocols.machine import Copy, Message, Stamp
from protocols.mailbox import mailbox_for
from protocols.ordering import Groups, Ordering
from protocols.orderings.mr import Resynch
from tests.support.orderings.causality import Causality, Trial
from tests.support.orderings.dense_mr import Printed
from tests.support.protocols.network import Arrived, Sent

MOST: Final = 20_000
"""Steps after the last send."""
Channel: TypeAlias = tuple[int, int, int]
"""Source, target and group: where order is kept, it is kept in each."""


def grouped(copy: Copy) -> int:
    return copy.stamp.group if isinstance(copy.stamp, Printed | Resynch) else copy.message.group


class SpeakingTrial:
    """Whatever is delivered too early raises. `channels` have what is under way."""

    def __init__(self, ordering: Ordering, size: int) -> None:
        self.causality = Causality()
        self.posts = [mailbox_for(ordering.process(index)) for index in range(size)]
        self.channels: dict[Channel, list[Copy]] = {}
        self.stamps: dict[int, Stamp] = {}
        """Of each message that has gone out, in that order."""
        self.words: list[Stamp] = []
        self.inhibited = 0
        """How often something that causality allowed was left to wait, counted after every arrival of a message."""
        self.held = 0
        """How often something was left to wait by its sender, counted after every send and arrival."""

    def send(self, message: Message) -> None:
        self.causality.sent(message)
        self.out(message.source, self.posts[message.source].send(message))
        self.count()

    def arrive(self, channel: Channel, place: int) -> list[int]:
        """What it releases."""
        target = channel[1]
        arriving = self.channels[channel].pop(place)
        if not self.channels[channel]:
            del self.channels[channel]
        if not arriving.is_control:
            self.causality.arrived(arriving.message.id, target)
        released = []
        for copy in self.posts[target].arrive(arriving):
            self.causality.delivered(copy.message.id, target)
            released.append(copy.message.id)
        self.inhibited += 0 if arriving.is_control else len(self.causality.ready(target))
        self.count()
        return released

    def pending_control(self, index: int) -> None:
        self.out(index, self.posts[index].pending_control())

    def out(self, index: int, copies: Sequence[Copy]) -> None:
        for copy in copies:
            if copy.is_control:
                self.words.append(copy.stamp)
            else:
                self.stamps[copy.message.id] = copy.stamp
            for target in copy.targets:
                self.channels.setdefault((index, target, grouped(copy)), []).append(copy)

    def count(self) -> None:
        self.held += sum(len(each.held) for each in self.posts)

    @property
    def finished(self) -> bool:
        """Whether all messages have gone out, and have been delivered."""
        return not self.causality.missing and not any(each.held or each.size for each in self.posts)


class Script(SpeakingTrial):
    """Steps of an execution, by the processes that take them. What is to be said is said at once."""

    def sends(self, source: int, *targets: int) -> None:
        self.send(Message(len(self.causality.before), source, targets, 1))

    def gets(self, target: int, source: int, *, place: int = 0) -> list[int]:
        """What came first in the channel, if no place is named."""
        released = self.arrive((source, target, -1), place)
        self.pending_control(target)
        return released

    def under_way(self, source: int, target: int) -> list[int | str]:
        """Messages by their numbers, and words by their names."""
        copies = self.channels.get((source, target, -1), ())
        return [type(copy.stamp).__name__ if copy.is_control else copy.message.id for copy in copies]


class Twinned(SpeakingTrial):
    """Whatever goes out is sent by a twin as well, at that moment, and under the eyes of a causality of its own."""

    def __init__(self, ordering: Ordering, twin: Ordering, size: int) -> None:
        super().__init__(ordering, size)
        self.twin = Trial(twin, size)

    def out(self, index: int, copies: Sequence[Copy]) -> None:
        super().out(index, copies)
        for copy in copies:
            if not copy.is_control:
                self.twin.happens(Sent(copy.message))

    def arrive(self, channel: Channel, place: int) -> list[int]:
        arriving = self.channels[channel][place]
        released = super().arrive(channel, place)
        if not arriving.is_control:
            assert self.twin.happens(Arrived(arriving.message, channel[1])) == released
        return released


class Play:
    """One execution, of several trials in lock step: the same messages, the same arrivals."""

    def __init__(self, trials: Sequence[SpeakingTrial], random: Random, *, fifo: bool, patience: int = 0) -> None:
        self.trials = trials
        self.random = random
        self.fifo = fifo
        self.patience = patience
        """After how many steps a process that has something to say is asked for it, unless it sends before."""
        self.silent: dict[int, int] = {}

    def run(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._send(message)
            for _ in range(self.random.randint(0, 3 * len(message.destinations))):
                self._arrival()
        for _ in range(MOST):
            if not self.trials[0].channels and not self.silent:
                return
            self._arrival()
        raise AssertionError("there is no end to what they say")

    def _send(self, message: Message) -> None:
        for trial in self.trials:
            trial.send(message)
        self._words()

    def _arrival(self) -> None:
        channels = self.trials[0].channels
        if channels:
            channel = self.random.choice(list(channels))
            place = 0 if self.fifo else self.random.randrange(len(channels[channel]))
            released = [sorted(trial.arrive(channel, place)) for trial in self.trials]
            assert all(one == released[0] for one in released)
            self.silent.setdefault(channel[1], self.patience)
        self._words()

    def _words(self) -> None:
        for index, patience in list(self.silent.items()):
            self.silent[index] = patience - 1
            if patience <= 0:
                del self.silent[index]
                for trial in self.trials:
                    trial.pending_control(index)


def in_groups(random: Random, groups: Groups, messages: int) -> Iterator[Message]:
    for number in range(messages):
        group = random.randrange(len(groups))
        source = random.choice(groups[group])
        yield Message(number, source, tuple(sorted({*groups[group]} - {source})), 1, group)


def to_some(random: Random, size: int, messages: int, narrowest: int, widest: int) -> Iterator[Message]:
    for number in range(messages):
        source = random.randrange(size)
        others = [process for process in range(size) if process != source]
        yield Message(number, source, tuple(sorted(random.sample(others, random.randint(narrowest, widest)))), 1)

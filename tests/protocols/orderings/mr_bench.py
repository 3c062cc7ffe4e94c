"""Random executions of processes that send words of their own besides messages, under the eyes of causality."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, TypeAlias

from protocols.inbox import Inbox
from protocols.machine import Copy, Message, Stamp
from protocols.ordering import Key, Ordering
from protocols.orderings.isis import Groups
from protocols.orderings.mr import Resynch, SpeakingProcess
from tests.protocols.orderings.causality import Causality
from tests.protocols.orderings.dense_mr import Printed

ARRIVED: Final = "arrived"
Carried: TypeAlias = Copy | Stamp
Channel: TypeAlias = tuple[int, int, int]
"""Source, target and group: where order is kept, it is kept in each."""


class SpeakingInbox(Inbox[Copy]):
    """An inbox that tells its process of whatever comes, in the order in which it comes."""

    __slots__ = ("speaker",)

    def __init__(self, process: SpeakingProcess) -> None:
        super().__init__(process)
        self.speaker = process

    def take(self, carried: Carried) -> Iterator[Copy]:
        if not isinstance(carried, Copy):
            return self._satisfied([*self.speaker.hear(carried)])
        keys: list[Key] = [ARRIVED, *self.speaker.hear(carried.stamp)]
        self.blocked[ARRIVED] = [carried]
        self.size += 1
        return self._satisfied(keys)

    def _satisfied(self, keys: list[Key]) -> Iterator[Copy]:
        for key in keys:
            for item in self.blocked.pop(key, ()):
                if self._goes(item, self.blocked, keys):
                    yield item


class SpeakingTrial:
    """Whatever is delivered too early raises. `channels` have what is under way."""

    def __init__(self, ordering: Ordering, size: int) -> None:
        self.causality = Causality()
        self.inboxes = [SpeakingInbox(_speaking(ordering, index)) for index in range(size)]
        self.channels: dict[Channel, list[Carried]] = {}
        self.stamps: dict[int, Stamp] = {}
        """Of each message."""
        self.words: list[Stamp] = []
        self.inhibited = 0
        """How often something that causality allowed was left to wait, counted after every arrival."""

    def send(self, message: Message) -> None:
        ((targets, stamp),) = self.inboxes[message.source].process.send(message.destinations, message.group)
        self.stamps[message.id] = stamp
        self.causality.sent(message)
        for target in targets:
            self.channels.setdefault((message.source, target, message.group), []).append(
                Copy(message, (target,), stamp)
            )

    def arrive(self, channel: Channel, place: int) -> list[int]:
        """What it releases."""
        target = channel[1]
        carried = self.channels[channel].pop(place)
        if not self.channels[channel]:
            del self.channels[channel]
        if isinstance(carried, Copy):
            self.causality.arrived(carried.message.id, target)
        released = []
        for copy in self.inboxes[target].take(carried):
            self.causality.delivered(copy.message.id, target)
            released.append(copy.message.id)
        self.inhibited += len(self.causality.ready(target))
        return released

    def speak(self, index: int) -> None:
        for targets, word in self.inboxes[index].speaker.speak():
            assert isinstance(word, Printed | Resynch)
            self.words.append(word)
            for target in targets:
                self.channels.setdefault((index, target, word.group), []).append(word)


def _speaking(ordering: Ordering, index: int) -> SpeakingProcess:
    process = ordering.process(index)
    assert isinstance(process, SpeakingProcess)
    return process


class Play:
    """One execution, of several trials in lock step: the same messages, the same arrivals."""

    def __init__(self, trials: Sequence[SpeakingTrial], random: Random, *, fifo: bool, patience: int = 0) -> None:
        self.trials = trials
        self.random = random
        self.fifo = fifo
        self.patience = patience
        """After how many steps a process that has something to say is asked for it."""
        self.silent: dict[int, int] = {}

    def run(self, groups: Groups, messages: int) -> None:
        for number in range(messages):
            group = self.random.randrange(len(groups))
            source = self.random.choice(groups[group])
            targets = tuple(sorted({*groups[group]} - {source}))
            self._send(Message(number, source, targets, 1, group))
            for _ in range(self.random.randint(0, 3 * len(targets))):
                self._arrival()
        while self.trials[0].channels or self.silent:
            self._arrival()

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
                    trial.speak(index)

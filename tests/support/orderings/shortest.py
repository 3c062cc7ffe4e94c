"""The shortest execution in which something goes wrong: all executions that there are, the short ones first.

Two orders of the same events are one execution: only the history of each process tells executions from each other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TypeAlias

from protocols.frozen_value import value
from protocols.machine import Message
from tests.support.protocols.network import Arrived, Happening, Sent

Execution: TypeAlias = tuple[Happening, ...]
Histories: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]


class Bench(ABC):
    """Something that goes through an execution, and judges it."""

    verdict = "fault"
    fault = ""
    says: Execution = ()
    """What is sent of itself because of what has just happened: words, which are known by numbers below 0."""

    @abstractmethod
    def happens(self, happening: Happening) -> None: ...

    @abstractmethod
    def told(self, happening: Happening) -> tuple[str, str]:
        """What has just happened, and what came of it."""


@value
class Sends:
    """Who may send to whom: any of these at any time, `most` in all. With `fifo`, channels keep order."""

    size: int
    messages: tuple[tuple[int, tuple[int, ...], int], ...]
    """Source, destinations and group."""
    fifo: bool = False
    most: int | None = None

    def next(self, execution: Execution) -> Iterator[Happening]:
        yield from self._arrivals(execution)
        number = sum(isinstance(step, Sent) and step.message.id >= 0 for step in execution)
        if number == self.most:
            return
        for source, destinations, group in self.messages:
            yield Sent(Message(number, source, destinations, 1, group))

    def _arrivals(self, execution: Execution) -> Iterator[Arrived]:
        channels = set()
        for arrival in under_way(execution):
            channel = arrival.message.source, arrival.target
            if not self.fifo or channel not in channels:
                channels.add(channel)
                yield arrival


def under_way(execution: Execution) -> list[Arrived]:
    arrived = {(step.message.id, step.target) for step in execution if isinstance(step, Arrived)}
    sent = [step.message for step in execution if isinstance(step, Sent)]
    return [Arrived(message, to) for message in sent for to in message.destinations if (message.id, to) not in arrived]


@value
class Found:
    execution: Execution
    tried: int
    """How many executions, this one included. Words that come of themselves make no execution longer."""


def shortest(bench: Callable[[], Bench], sends: Sends, *, limit: int = 12) -> Found:
    level: list[Execution] = [()]
    tried = 0
    for _ in range(limit):
        level = list(_longer(level, sends).values())
        for place, execution in enumerate(level):
            tried += 1
            if isinstance(execution[-1], Arrived):
                playing = played(bench, execution)
                if playing.fault:
                    return Found(execution, tried)
                level[place] = (*execution, *playing.says)
    raise LookupError(f"nothing goes wrong in {limit} steps")


def _longer(level: list[Execution], sends: Sends) -> dict[Histories, Execution]:
    found: dict[Histories, Execution] = {}
    for execution in level:
        for happening in sends.next(execution):
            longer = (*execution, happening)
            found.setdefault(histories(longer, sends.size), longer)
    return found


def histories(execution: Execution, size: int) -> Histories:
    """What each process has sent and heard. A message is known by its sender and its number there, from 1."""
    told: list[list[tuple[int, ...]]] = [[] for _ in range(size)]
    names: dict[int, tuple[int, int]] = {}
    counts = [0] * size
    for step in execution:
        message = step.message
        if isinstance(step, Sent):
            counts[message.source] += 1
            names[message.id] = message.source, counts[message.source]
            told[message.source].append((message.group, *message.destinations))
        else:
            told[step.target].append((-2, *names[message.id]))
    return tuple(map(tuple, told))


def played(bench: Callable[[], Bench], execution: Execution) -> Bench:
    playing = bench()
    for happening in execution:
        playing.happens(happening)
    return playing


def transcript(bench: Callable[[], Bench], execution: Execution) -> list[str]:
    playing, rows = bench(), []
    for happening in execution:
        playing.happens(happening)
        rows.append(playing.told(happening))
    width = max(len(left) for left, _ in rows)
    steps = [f"{number:3}  {left:{width}}  {right}".rstrip() for number, (left, right) in enumerate(rows, 1)]
    return [*steps, f"{playing.verdict}: {playing.fault}"]

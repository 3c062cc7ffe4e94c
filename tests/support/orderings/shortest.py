"""Breadth-first search for the shortest execution with a fault.

Executions are equal if every process has the same history of events. So two orders of independent events are one
execution.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TypeAlias

from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.packets import Message

Execution: TypeAlias = tuple[Event, ...]
Histories: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]


class Replay(ABC):
    """A replay of an execution. `fault` describes the fault that the replay has found, or is empty."""

    verdict = "fault"
    fault = ""
    control_sent: Execution = ()
    """The control messages that the last event caused. Their numbers are negative."""

    @abstractmethod
    def apply(self, event: Event) -> None: ...

    @abstractmethod
    def row(self, event: Event) -> tuple[str, str]:
        """Return the last event and its effect as text."""


@value
class Sends:
    """The possible sends. Each send may happen at any time, and an execution has at most `most` sends.

    With `fifo`, channels are FIFO.
    """

    size: int
    messages: tuple[tuple[int, tuple[int, ...], int], ...]
    """The source, the destinations and the group of each possible send."""
    fifo: bool = False
    most: int | None = None

    def next(self, execution: Execution) -> Iterator[Event]:
        yield from self._arrivals(execution)
        number = sum(isinstance(step, Sent) and step.message.id >= 0 for step in execution)
        if number == self.most:
            return
        for source, destinations, group in self.messages:
            yield Sent(Message(number, source, destinations, 1, group))

    def _arrivals(self, execution: Execution) -> Iterator[Arrived]:
        channels = set()
        for arrival in in_transit(execution):
            channel = arrival.message.source, arrival.target
            if not self.fifo or channel not in channels:
                channels.add(channel)
                yield arrival


def in_transit(execution: Execution) -> list[Arrived]:
    arrived = {(step.message.id, step.target) for step in execution if isinstance(step, Arrived)}
    sent = [step.message for step in execution if isinstance(step, Sent)]
    return [Arrived(message, to) for message in sent for to in message.destinations if (message.id, to) not in arrived]


@value
class Found:
    execution: Execution
    tried: int
    """The number of executions that the search has tried. Control messages do not count as steps."""


def shortest(replay_of: Callable[[], Replay], sends: Sends, *, limit: int = 12) -> Found:
    level: list[Execution] = [()]
    tried = 0
    for _ in range(limit):
        level = list(_longer(level, sends).values())
        for place, execution in enumerate(level):
            tried += 1
            if isinstance(execution[-1], Arrived):
                replay = replayed(replay_of, execution)
                if replay.fault:
                    return Found(execution, tried)
                level[place] = (*execution, *replay.control_sent)
    raise LookupError(f"no fault within {limit} steps")


def _longer(level: list[Execution], sends: Sends) -> dict[Histories, Execution]:
    found: dict[Histories, Execution] = {}
    for execution in level:
        for event in sends.next(execution):
            longer = (*execution, event)
            found.setdefault(histories(longer, sends.size), longer)
    return found


def histories(execution: Execution, size: int) -> Histories:
    """Return the sends and arrivals of each process. A message is named by its sender and its number at this sender,
    from 1.
    """
    histories_of: list[list[tuple[int, ...]]] = [[] for _ in range(size)]
    names: dict[int, tuple[int, int]] = {}
    counts = [0] * size
    for step in execution:
        message = step.message
        if isinstance(step, Sent):
            counts[message.source] += 1
            names[message.id] = message.source, counts[message.source]
            histories_of[message.source].append((message.group, *message.destinations))
        else:
            histories_of[step.target].append((-2, *names[message.id]))
    return tuple(map(tuple, histories_of))


def replayed(replay_of: Callable[[], Replay], execution: Execution) -> Replay:
    replay = replay_of()
    for event in execution:
        replay.apply(event)
    return replay


def transcript(replay_of: Callable[[], Replay], execution: Execution) -> list[str]:
    replay, rows = replay_of(), []
    for event in execution:
        replay.apply(event)
        rows.append(replay.row(event))
    width = max(len(left) for left, _ in rows)
    steps = [f"{number:3}  {left:{width}}  {right}".rstrip() for number, (left, right) in enumerate(rows, 1)]
    return [*steps, f"{replay.verdict}: {replay.fault}"]

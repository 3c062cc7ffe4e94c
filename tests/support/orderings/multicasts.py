"""Random executions of multicasts to fixed groups, and random groups."""

from collections.abc import Iterator
from random import Random
from typing import TypeAlias

from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.packets import Message

Groups: TypeAlias = tuple[tuple[int, ...], ...]
Channels: TypeAlias = dict[tuple[int, int], list[Arrived]]


def multicasts(random: Random, groups: Groups, messages: int, *, fifo: bool) -> Iterator[Event]:
    """Yield sends of members to the other members of a group, and all arrivals. With `fifo`, channels are FIFO."""
    channels: Channels = {}
    for number in range(messages):
        group = random.randrange(len(groups))
        source = random.choice(groups[group])
        targets = tuple(sorted({*groups[group]} - {source}))
        message = Message(number, source, targets, 1, group)
        yield Sent(message)
        for target in targets:
            channels.setdefault((source, target), []).append(Arrived(message, target))
        for _ in range(random.randint(0, 2 * len(targets))):
            if channels:
                yield _arrival(random, channels, fifo=fifo)
    while channels:
        yield _arrival(random, channels, fifo=fifo)


def _arrival(random: Random, channels: Channels, *, fifo: bool) -> Arrived:
    channel = random.choice(list(channels))
    in_transit = channels[channel]
    arrival = in_transit.pop(0 if fifo else random.randrange(len(in_transit)))
    if not in_transit:
        del channels[channel]
    return arrival


def overlapping(random: Random, size: int, count: int) -> Groups:
    """Return random groups of two or more processes. A process may be in several groups or in none."""
    return tuple(tuple(random.sample(range(size), random.randint(2, size))) for _ in range(count))


CYCLE = ((0, 2), (0, 1), (1, 2))

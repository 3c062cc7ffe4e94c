"""Random executions of one ordering: processes and channels, without hosts, stations or cells."""

from collections.abc import Iterable, Iterator
from random import Random

from protocols.frozen_value import value
from protocols.machine import Copy, Message


@value
class Sent:
    message: Message


@value
class Arrived:
    message: Message
    target: int


Happening = Sent | Arrived


def execution(
    random: Random, size: int, messages: int, widest: int, *, fifo: bool, narrowest: int = 1
) -> Iterator[Happening]:
    """Sends and arrivals. Everything arrives; between two processes in order, with `fifo`."""
    under_way: list[Arrived] = []
    for number in range(messages):
        source = random.randrange(size)
        others = [process for process in range(size) if process != source]
        targets = tuple(sorted(random.sample(others, random.randint(narrowest, min(widest, len(others))))))
        message = Message(number, source, targets, 1)
        yield Sent(message)
        under_way += [Arrived(message, target) for target in targets]
        for _ in range(random.randint(0, 2 * len(targets))):
            if under_way:
                yield _next(random, under_way, fifo=fifo)
    while under_way:
        yield _next(random, under_way, fifo=fifo)


def _next(random: Random, under_way: list[Arrived], *, fifo: bool) -> Arrived:
    chosen = random.choice(under_way)
    if fifo:
        channel = (chosen.message.source, chosen.target)
        chosen = next(arrival for arrival in under_way if (arrival.message.source, arrival.target) == channel)
    under_way.remove(chosen)
    return chosen


def ids(copies: Iterable[Copy]) -> list[int]:
    return [copy.message.id for copy in copies]

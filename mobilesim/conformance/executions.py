"""Random executions of one ordering: processes and channels, without hosts, stations or cells."""

from collections.abc import Iterable, Iterator
from random import Random

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.packets import Copy, Message


@value
class Sent:
    message: Message


@value
class Arrived:
    message: Message
    target: int


Event = Sent | Arrived


def execution(
    random: Random, size: int, messages: int, widest: int, *, fifo: bool, narrowest: int = 1
) -> Iterator[Event]:
    """Yield the events of a random execution, in which every copy arrives. With `fifo`, channels are FIFO."""
    in_transit: list[Arrived] = []
    for number in range(messages):
        source = random.randrange(size)
        others = [process for process in range(size) if process != source]
        targets = tuple(sorted(random.sample(others, random.randint(narrowest, min(widest, len(others))))))
        message = Message(number, source, targets, 1)
        yield Sent(message)
        in_transit += [Arrived(message, target) for target in targets]
        for _ in range(random.randint(0, 2 * len(targets))):
            if in_transit:
                yield _next(random, in_transit, fifo=fifo)
    while in_transit:
        yield _next(random, in_transit, fifo=fifo)


def _next(random: Random, in_transit: list[Arrived], *, fifo: bool) -> Arrived:
    chosen = random.choice(in_transit)
    if fifo:
        channel = (chosen.message.source, chosen.target)
        chosen = next(arrival for arrival in in_transit if (arrival.message.source, arrival.target) == channel)
    in_transit.remove(chosen)
    return chosen


def ids(copies: Iterable[Copy]) -> list[int]:
    return [copy.message.id for copy in copies]

"""What hosts send: each at random intervals, to destinations drawn at random among the others."""

from collections.abc import Callable
from random import Random

from mobilesim.scenario.model import Workload
from mobilesim.streams import Streams, sampler


class Talker:
    """One host's traffic. When it speaks does not depend on how many there are to speak to."""

    __slots__ = ("destinations", "pause")

    def __init__(self, workload: Workload, hosts: int, streams: Streams, host: int) -> None:
        self.pause = sampler(workload.interval, streams.stream("traffic", host))
        self.destinations = _destinations(workload, hosts, host, streams.stream("destinations", host))


def _destinations(workload: Workload, hosts: int, host: int, stream: Random) -> Callable[[], tuple[int, ...]]:
    others = hosts - 1
    copies = others if workload.destinations == "all" else workload.destinations
    random = stream.random
    if copies == others:
        everybody = tuple(other for other in range(hosts) if other != host)
        return lambda: everybody

    def one() -> tuple[int, ...]:
        other = int(random() * others)
        return (other + (other >= host),)

    def several() -> tuple[int, ...]:
        drawn = stream.sample(range(others), copies)
        return tuple(sorted(other + (other >= host) for other in drawn))

    return one if copies == 1 else several

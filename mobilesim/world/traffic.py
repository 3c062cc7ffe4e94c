"""What hosts and stations send: each at random intervals, to destinations drawn at random among the other hosts."""

from collections.abc import Callable
from random import Random
from typing import Literal

from mobilesim.scenario.model import StationWorkload, Workload
from mobilesim.streams import Streams, sampler


class Talker:
    """One host's traffic. When it speaks does not depend on how many there are to speak to."""

    __slots__ = ("destinations", "pause")

    def __init__(self, workload: Workload, hosts: int, streams: Streams, host: int) -> None:
        self.pause = sampler(workload.interval, streams.stream("traffic", host))
        self.destinations = _destinations(workload.destinations, hosts, host, streams.stream("destinations", host))


class StationTalker:
    """One station's traffic, to any hosts."""

    __slots__ = ("destinations", "pause")

    def __init__(self, workload: StationWorkload, hosts: int, streams: Streams, station: int) -> None:
        self.pause = sampler(workload.interval, streams.stream("station traffic", station))
        stream = streams.stream("station destinations", station)
        self.destinations = _destinations(workload.destinations, hosts, hosts, stream)


def _destinations(
    wanted: int | Literal["all"], hosts: int, source: int, stream: Random
) -> Callable[[], tuple[int, ...]]:
    """A source that is no host has all of them for others."""
    others = hosts - (source < hosts)
    copies = others if wanted == "all" else wanted
    random = stream.random
    if copies == others:
        everybody = tuple(other for other in range(hosts) if other != source)
        return lambda: everybody

    def one() -> tuple[int, ...]:
        other = int(random() * others)
        return (other + (other >= source),)

    def several() -> tuple[int, ...]:
        drawn = stream.sample(range(others), copies)
        return tuple(sorted(other + (other >= source) for other in drawn))

    return one if copies == 1 else several

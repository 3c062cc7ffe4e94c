"""What hosts and stations send: each at random intervals, to destinations drawn at random among the other hosts."""

from collections.abc import Callable
from random import Random
from typing import Literal

from mobilesim.scenario.model import Between, StationWorkload, Workload
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
    wanted: int | Literal["all"] | Between, hosts: int, source: int, stream: Random
) -> Callable[[], tuple[int, ...]]:
    """A source that is no host has all of them for others."""
    others = hosts - (source < hosts)
    fewest, most = (wanted.fewest, wanted.most) if isinstance(wanted, Between) else (wanted, wanted)
    low, high = (others if copies == "all" else copies for copies in (fewest, most))
    everybody = tuple(other for other in range(hosts) if other != source) if high == others else ()
    random = stream.random

    def one() -> tuple[int, ...]:
        other = int(random() * others)
        return (other + (other >= source),)

    def several(copies: int) -> tuple[int, ...]:
        if copies == others:
            return everybody
        drawn = stream.sample(range(others), copies)
        return tuple(sorted(other + (other >= source) for other in drawn))

    if low < high:
        return lambda: several(low + int(random() * (high - low + 1)))
    return one if low == 1 < others else lambda: several(low)

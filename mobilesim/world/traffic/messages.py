"""What hosts and stations send: each at random intervals, to destinations drawn at random among the other hosts."""

from bisect import bisect_left
from collections.abc import Callable
from random import Random
from typing import Literal

from mobilesim.scenario.model import Between, StationWorkload, Workload
from mobilesim.scenario.values.distributions import Constant, Distribution
from mobilesim.world.random_streams import Streams, sampler
from mobilesim.world.replication import World
from mobilesim.world.traffic.send_times import send_times
from protocols.ordering import Groups

Address = tuple[tuple[int, ...], int, int]
"""The destinations of a message, the number of the group that they are, or -1, and how many bytes it carries."""


class TrafficSource:
    """One host's traffic. When it speaks does not depend on how many there are to speak to. With groups, the host is in
    `own` of them.
    """

    __slots__ = ("address", "first", "pause")

    def __init__(
        self,
        workload: Workload,
        hosts: int,
        streams: Streams,
        host: int,
        *,
        groups: Groups = (),
        own: tuple[int, ...] = (),
    ) -> None:
        self.first, self.pause = send_times(workload, streams, host)
        address = _addresses(workload, hosts, streams, host, groups, own)
        self.address = _sized(address, workload.payload, lambda: streams.stream("payload", host))


class StationTrafficSource:
    """One station's traffic, to any hosts."""

    __slots__ = ("address", "pause")

    def __init__(self, workload: Workload, hosts: int, streams: Streams, station: int) -> None:
        own = workload.stations or StationWorkload()
        self.pause = sampler(own.interval, streams.stream("station traffic", station))
        stream = streams.stream("station destinations", station)
        address = _among_all(own.destinations, hosts, hosts, stream, _fixed(workload.payload))
        self.address = _sized(address, workload.payload, lambda: streams.stream("station payload", station))


def traffic_sources(world: World) -> dict[int, TrafficSource]:
    """Who sends. Where there are groups, only who is in one of them has somebody to send to."""
    scenario, groups = world.scenario, world.groups
    if scenario.workload.replay is not None:
        return {}
    own: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for host in group:
            own.setdefault(host, []).append(number)
    senders = range(scenario.hosts if scenario.workload.senders is None else scenario.workload.senders)
    return {
        host: TrafficSource(
            scenario.workload, scenario.hosts, world.streams, host, groups=groups, own=tuple(own.get(host, ()))
        )
        for host in senders
        if host in own or not groups
    }


def all_others(hosts: int, source: int) -> tuple[int, ...]:
    return tuple(other for other in range(hosts) if other != source)


def _addresses(  # noqa: PLR0917 - what a talker is made of
    workload: Workload, hosts: int, streams: Streams, host: int, groups: Groups, own: tuple[int, ...]
) -> Callable[[], Address]:
    size = _fixed(workload.payload)
    if groups:
        return _grouped(groups, own, host, streams.stream("group", host), size)
    address = _among_all(workload.destinations, hosts, host, streams.stream("destinations", host), size)
    if not workload.selectivity:
        return address
    return _selective(address, workload.selectivity, hosts, host, streams.stream("selectivity", host))


def _fixed(payload: Distribution) -> int:
    """The size of all messages, or of none of them."""
    return payload.value if isinstance(payload, Constant) else 0


def _sized(
    address: Callable[[], Address], payload: Distribution, stream: Callable[[], Random]
) -> Callable[[], Address]:
    if isinstance(payload, Constant):
        return address
    draw = sampler(payload, stream())
    return lambda: (*address()[:2], draw())


def _grouped(groups: Groups, own: tuple[int, ...], host: int, stream: Random, size: int) -> Callable[[], Address]:
    random, count = stream.random, len(own)

    def one() -> Address:
        number = own[int(random() * count)]
        group = groups[number]
        place = bisect_left(group, host)
        return group[:place] + group[place + 1 :], number, size

    return one


def _selective(
    drawn: Callable[[], Address], chance: float, hosts: int, source: int, stream: Random
) -> Callable[[], Address]:
    """As many destinations as are drawn from all, and often of the source's parity instead."""
    first, before = source % 2, source // 2
    alike = range(len(range(first, hosts, 2)) - 1)

    def chosen() -> Address:
        among_all = drawn()
        if stream.random() >= chance:
            return among_all
        some = stream.sample(alike, len(among_all[0]))
        return tuple(sorted(first + 2 * (other + (other >= before)) for other in some)), -1, among_all[2]

    return chosen


def _among_all(
    wanted: int | Literal["all"] | Between, hosts: int, source: int, stream: Random, size: int
) -> Callable[[], Address]:
    """A source that is no host has all of them for others."""
    others = hosts - (source < hosts)
    fewest, most = (wanted.fewest, wanted.most) if isinstance(wanted, Between) else (wanted, wanted)
    low, high = (others if copies == "all" else copies for copies in (fewest, most))
    everybody = all_others(hosts, source) if high == others else ()
    random = stream.random

    def one() -> Address:
        other = int(random() * others)
        return (other + (other >= source),), -1, size

    def several(copies: int) -> Address:
        if copies == others:
            return everybody, -1, size
        drawn = stream.sample(range(others), copies)
        return tuple(sorted(other + (other >= source) for other in drawn)), -1, size

    if low < high:
        return lambda: several(low + int(random() * (high - low + 1)))
    return one if low == 1 < others else lambda: several(low)

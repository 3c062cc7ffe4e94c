"""What hosts and stations send: each at random intervals, to destinations drawn at random among the other hosts."""

from bisect import bisect_left
from collections.abc import Callable
from math import ceil
from random import Random
from statistics import fmean
from typing import Literal

from mobilesim.scenario.model import Between, StationWorkload, Workload
from mobilesim.streams import Sampler, Streams, sampler
from mobilesim.world.place import Place
from protocols.ordering import Groups

Address = tuple[tuple[int, ...], int]
"""The destinations of a message, and the number of the group that they are, or -1."""


class Talker:
    """One host's traffic. When it speaks does not depend on how many there are to speak to. With groups, the host is in
    `own` of them.
    """

    __slots__ = ("address", "pause")

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
        self.pause = _paced(sampler(workload.interval, streams.stream("traffic", host)), workload.rates, host)
        if groups:
            self.address = _grouped(groups, own, host, streams.stream("group", host))
            return
        self.address = _among_all(workload.destinations, hosts, host, streams.stream("destinations", host))
        if workload.selectivity:
            stream = streams.stream("selectivity", host)
            self.address = _selective(self.address, workload.selectivity, hosts, host, stream)


class StationTalker:
    """One station's traffic, to any hosts."""

    __slots__ = ("address", "pause")

    def __init__(self, workload: StationWorkload, hosts: int, streams: Streams, station: int) -> None:
        self.pause = sampler(workload.interval, streams.stream("station traffic", station))
        stream = streams.stream("station destinations", station)
        self.address = _among_all(workload.destinations, hosts, hosts, stream)


def talkers(place: Place) -> dict[int, Talker]:
    """Who sends. Where there are groups, only who is in one of them has somebody to send to."""
    scenario, groups = place.scenario, place.groups
    own: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for host in group:
            own.setdefault(host, []).append(number)
    senders = range(scenario.hosts if scenario.workload.senders is None else scenario.workload.senders)
    return {
        host: Talker(
            scenario.workload, scenario.hosts, place.streams, host, groups=groups, own=tuple(own.get(host, ()))
        )
        for host in senders
        if host in own or not groups
    }


def _paced(draw: Sampler, rates: tuple[int, ...] | None, host: int) -> Sampler:
    """Intervals as long as the host's rate is small: the mean of all rates has the interval of the workload."""
    if rates is None:
        return draw
    factor = fmean(rates) / rates[host % len(rates)]
    return lambda: ceil(draw() * factor)


def _grouped(groups: Groups, own: tuple[int, ...], host: int, stream: Random) -> Callable[[], Address]:
    random, count = stream.random, len(own)

    def one() -> Address:
        number = own[int(random() * count)]
        group = groups[number]
        place = bisect_left(group, host)
        return group[:place] + group[place + 1 :], number

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
        return tuple(sorted(first + 2 * (other + (other >= before)) for other in some)), -1

    return chosen


def _among_all(
    wanted: int | Literal["all"] | Between, hosts: int, source: int, stream: Random
) -> Callable[[], Address]:
    """A source that is no host has all of them for others."""
    others = hosts - (source < hosts)
    fewest, most = (wanted.fewest, wanted.most) if isinstance(wanted, Between) else (wanted, wanted)
    low, high = (others if copies == "all" else copies for copies in (fewest, most))
    everybody = tuple(other for other in range(hosts) if other != source) if high == others else ()
    random = stream.random

    def one() -> Address:
        other = int(random() * others)
        return (other + (other >= source),), -1

    def several(copies: int) -> Address:
        if copies == others:
            return everybody, -1
        drawn = stream.sample(range(others), copies)
        return tuple(sorted(other + (other >= source) for other in drawn)), -1

    if low < high:
        return lambda: several(low + int(random() * (high - low + 1)))
    return one if low == 1 < others else lambda: several(low)

"""The traffic of hosts and stations: messages to random destinations, at random intervals and in bursts."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from math import ceil, isinf
from random import Random
from statistics import fmean
from typing import Literal

from mobilesim.errors import UserError
from mobilesim.extensions.resolution import Extension
from mobilesim.protocols.ordering import memberships
from mobilesim.protocols.view import View
from mobilesim.scenario.sections.workload import Between, Bursts, StationWorkload, Workload
from mobilesim.scenario.traffic_checks import destination_bounds
from mobilesim.scenario.values.distributions import Constant, Distribution
from mobilesim.world.random_streams import Sampler, Streams, residual_time, sampler
from mobilesim.world.replication import World

Address = tuple[tuple[int, ...], int, int]
"""The destinations of a message, the number of its group or -1, and its payload in bytes."""
Draw = Callable[[], Address]


class TrafficSource:
    """The traffic of one host. Its send times do not depend on the number of destinations. A workload of another
    package replaces `first` (the time of the first message), `pause` (the time to the next one), or `address`.
    """

    def __init__(
        self, workload: Workload, hosts: int, streams: Streams, host: int, groups: Mapping[int, tuple[int, ...]] = {}
    ) -> None:
        """`groups`: the host's groups, by number."""
        self.host = host
        self.hosts = hosts
        self.streams = streams
        self.first: Sampler
        self.pause: Sampler
        self.first, self.pause = send_times(workload, streams, host)
        size = _fixed_size(workload.payload)
        if groups:
            address = _to_groups(groups, host, streams.stream("group", host), size)
        else:
            address = _to_hosts(workload.destinations, hosts, host, streams.stream("destinations", host), size)
            if workload.selectivity:
                stream = streams.stream("selectivity", host)
                address = _to_same_parity(address, workload.selectivity, hosts, host, stream)
        self.address: Draw = _with_size(address, workload.payload, lambda: streams.stream("payload", host))


class MemberTrafficSource(TrafficSource):
    """The traffic of a host that may join and leave, to hosts that are members in its view. If these are fewer than the
    wanted destinations, a message is for all of them.
    """

    def __init__(self, workload: Workload, streams: Streams, host: int, view: View) -> None:
        self.host = host
        self.streams = streams
        self.first, self.pause = send_times(workload, streams, host)
        stream = streams.stream("destinations", host)
        address = _to_members(workload.destinations, view, host, stream, _fixed_size(workload.payload))
        self.address = _with_size(address, workload.payload, lambda: streams.stream("payload", host))


class StationTrafficSource:
    def __init__(self, workload: Workload, hosts: int, streams: Streams, station: int) -> None:
        settings = workload.stations or StationWorkload()
        self.pause = sampler(settings.interval, streams.stream("station traffic", station))
        stream = streams.stream("station destinations", station)
        address = _to_hosts(settings.destinations, hosts, hosts, stream, _fixed_size(workload.payload))
        self.address = _with_size(address, workload.payload, lambda: streams.stream("station payload", station))


def traffic_sources(world: World) -> dict[int, TrafficSource]:
    """Return the sources of the hosts that send. If there are groups, only their members send."""
    scenario, groups = world.scenario, world.groups
    if scenario.workload.replay is not None:
        return {}
    own = {host: {number: groups[number] for number in numbers} for host, numbers in memberships(groups).items()}
    senders = range(scenario.hosts if scenario.workload.senders is None else scenario.workload.senders)
    usual = {
        host: TrafficSource(scenario.workload, scenario.hosts, world.streams, host, own.get(host, {}))
        for host in senders
        if host in own or not groups
    }
    outside = scenario.workload.extension
    return usual if outside is None else {host: changed(world, outside, host, usual[host]) for host in usual}


def changed(world: World, outside: Extension, host: int, traffic: TrafficSource) -> TrafficSource:
    """Return the traffic of a host as the workload of another package changes it, with a check of every message."""
    scenario = world.scenario
    with outside.errors_in_one_line():
        outside.load()(scenario.workload.settings, traffic)
    draw, others = traffic.address, frozenset(all_others(scenario.hosts, host))
    fewest, most = destination_bounds(scenario)

    def address() -> Address:
        with outside.errors_in_one_line():
            destinations, group, size = draw()
            chosen = frozenset(destinations)
        if not fewest <= len(destinations) <= most or len(chosen) < len(destinations) or not chosen <= others:
            expected = f"{fewest} to {most} different hosts other than {host}, as the scenario's other keys say"
            raise UserError(f"workload.model: {outside.name} sends a message to {destinations}; expected {expected}")
        return tuple(sorted(destinations)), group, size

    traffic.address = address
    return traffic


def station_traffic_sources(world: World) -> list[StationTrafficSource]:
    """Return the sources of all stations, [] if stations do not send."""
    workload, hosts = world.scenario.workload, world.scenario.hosts
    stations = range(0 if workload.stations is None else world.stations)
    return [StationTrafficSource(workload, hosts, world.streams, station) for station in stations]


def all_others(hosts: int, source: int) -> tuple[int, ...]:
    return tuple(other for other in range(hosts) if other != source)


def _fixed_size(payload: Distribution) -> int:
    """Return the size of all messages, 0 if sizes are drawn."""
    return payload.value if isinstance(payload, Constant) else 0


def _with_size(address: Draw, payload: Distribution, stream: Callable[[], Random]) -> Draw:
    if isinstance(payload, Constant):
        return address
    draw = sampler(payload, stream())
    return lambda: (*address()[:2], draw())


def _to_groups(groups: Mapping[int, tuple[int, ...]], host: int, stream: Random, size: int) -> Draw:
    random, numbers = stream.random, list(groups)

    def address() -> Address:
        number = numbers[int(random() * len(numbers))]
        group = groups[number]
        index = bisect_left(group, host)
        return group[:index] + group[index + 1 :], number, size

    return address


def _to_same_parity(draw: Draw, probability: float, hosts: int, source: int, stream: Random) -> Draw:
    """With this probability, draw destinations among the hosts with numbers of the same parity as the source's."""
    first, before = source % 2, source // 2
    same_parity = range(len(range(first, hosts, 2)) - 1)

    def address() -> Address:
        destinations, group, size = draw()
        if stream.random() >= probability:
            return destinations, group, size
        drawn = stream.sample(same_parity, len(destinations))
        return tuple(sorted(first + 2 * (other + (other >= before)) for other in drawn)), -1, size

    return address


def _to_hosts(copies: int | Literal["all"] | Between, hosts: int, source: int, stream: Random, size: int) -> Draw:
    """Draw destinations among the other hosts. For a station, `source` is `hosts`, so that no host is excluded."""
    others = hosts - (source < hosts)
    bounds = (copies.fewest, copies.most) if isinstance(copies, Between) else (copies, copies)
    low, high = (others if bound == "all" else bound for bound in bounds)
    broadcast = all_others(hosts, source) if high == others else ()
    random = stream.random

    def one() -> Address:
        other = int(random() * others)
        return (other + (other >= source),), -1, size

    def several(copies: int) -> Address:
        if copies == others:
            return broadcast, -1, size
        drawn = stream.sample(range(others), copies)
        return tuple(sorted(other + (other >= source) for other in drawn)), -1, size

    if low < high:
        return lambda: several(low + int(random() * (high - low + 1)))
    return one if low == 1 < others else lambda: several(low)


def _to_members(copies: int | Literal["all"] | Between, view: View, host: int, stream: Random, size: int) -> Draw:
    bounds = (copies.fewest, copies.most) if isinstance(copies, Between) else (copies, copies)

    def address() -> Address:
        others = sorted(view.members - {host})
        low, high = (len(others) if bound == "all" else bound for bound in bounds)
        wanted = low + int(stream.random() * (high - low + 1)) if low < high else low
        if wanted < len(others):
            others = sorted(stream.sample(others, wanted))
        return tuple(others), -1, size

    return address


def send_times(workload: Workload, streams: Streams, host: int) -> tuple[Sampler, Sampler]:
    """Return samplers of the time until the first message, and from each message to the next."""
    pause = sampler(workload.interval, streams.stream("traffic", host))
    if (rates := workload.rates) is not None:
        pause = _scaled(pause, fmean(rates) / rates[host % len(rates)])
    first = pause
    if workload.first_message is not None:
        first = sampler(workload.first_message, streams.stream("first message", host))
    if workload.bursts is None:
        return first, pause
    return (bursting := _Bursting(workload.bursts, streams, host)).spread(first), bursting.spread(pause)


def _scaled(draw: Sampler, factor: float) -> Sampler:
    return lambda: ceil(draw() * factor)


class _Bursting:
    """Stretches the intervals between messages by silences.

    Time counts only during bursts. An interval that is longer than the rest of a burst continues in the next burst. The
    probability of a burst at time 0 is the long-run share of bursts. If bursts or silences have an infinite mean, there
    is no steady state, and a burst begins at time 0.
    """

    def __init__(self, bursts: Bursts, streams: Streams, host: int) -> None:
        stream = streams.stream("bursts", host)
        self._length, self._silence = sampler(bursts.length, stream), sampler(bursts.silence, stream)
        sending, silent = bursts.length.mean, bursts.silence.mean
        self._silent = 0
        """The rest of the initial silence."""
        if isinf(sending + silent):
            self._left = self._length()
        elif stream.random() * (sending + silent) < sending:
            self._left = residual_time(bursts.length, stream)
        else:
            self._silent, self._left = residual_time(bursts.silence, stream), self._length()

    def spread(self, draw: Sampler) -> Sampler:
        def pause() -> int:
            wait, silent, self._silent = draw(), self._silent, 0
            while wait > self._left:
                wait -= self._left
                silent += self._left + self._silence()
                self._left = self._length()
            self._left -= wait
            return silent + wait

        return pause

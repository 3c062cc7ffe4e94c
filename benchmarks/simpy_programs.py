"""Baselines in SimPy: a message makes three hops (host to station, station to station, station to host).
A thousand hosts send at random times to random hosts. On each hop a message waits in the link's queue, and then takes a
transmission time and a propagation time. There are no protocols, no acknowledgements and no mobility.
"""

from collections.abc import Callable, Generator
from random import Random
from typing import Any, Final, TypeAlias

import simpy

HOSTS: Final = 1_000
STATIONS: Final = 100
SIZE: Final = 124
WIRELESS: Final = (992_000, 500_000)
WIRED: Final = (992, 7_000_000)
"""Transmission time of a packet of SIZE bytes, and propagation time, in nanoseconds."""

_SEED: Final = 1
_PAUSE: Final = 1_000_000_000

Path: TypeAlias = tuple[int, int, int]
"""The uplink, the wired link and the downlink of a message."""


class Traffic:
    """The times and destinations of messages, the same for all programs."""

    def __init__(self, messages: int) -> None:
        self.random = Random(_SEED)
        self.left = messages

    def pause(self) -> int:
        return int(self.random.expovariate(1 / _PAUSE))

    def target(self) -> int:
        self.left -= 1
        return int(self.random.random() * HOSTS)

    def path(self, source: int) -> Path:
        target = self.target()
        return source, 2 * HOSTS + source % STATIONS * STATIONS + target % STATIONS, HOSTS + target


class Links:
    """The time at which each link becomes free."""

    def __init__(self) -> None:
        self.free = [0] * (2 * HOSTS + STATIONS * STATIONS)

    def cross(self, link: int, now: int, length: int, latency: int) -> int:
        """Return the delay of a message that enters the queue now."""
        free = self.free
        start = free[link] if free[link] > now else now  # noqa: FURB136 - a call of `max` is slower
        free[link] = start + length
        return start + length + latency - now


class ProcessPerMessage:
    """A program in the style of SimPy's tutorials: each message is a process, which waits three times."""

    def __init__(self, messages: int) -> None:
        self.environment: Any = simpy.Environment()
        self.traffic, self.links = Traffic(messages), Links()
        self.arrived = 0
        for host in range(HOSTS):
            self.environment.process(self._sender(host))

    def run(self) -> int:
        self.environment.run()
        return self.arrived

    def _sender(self, host: int) -> Generator[simpy.Event, Any, None]:
        environment, traffic = self.environment, self.traffic
        while True:
            yield environment.timeout(traffic.pause())
            if traffic.left <= 0:
                return
            environment.process(self._forward(traffic.path(host)))

    def _forward(self, way: Path) -> Generator[simpy.Event, Any, None]:
        environment, cross = self.environment, self.links.cross
        up, wire, down = way
        yield environment.timeout(cross(up, environment.now, *WIRELESS))
        yield environment.timeout(cross(wire, environment.now, *WIRED))
        yield environment.timeout(cross(down, environment.now, *WIRELESS))
        self.arrived += 1


class CallbackPerHop:
    """A program without processes: each hop is a `Timeout` with a callback."""

    def __init__(self, messages: int) -> None:
        self.environment: Any = simpy.Environment()
        self.traffic, self.links = Traffic(messages), Links()
        self.arrived = 0
        for host in range(HOSTS):
            self._after(self.traffic.pause(), self._send, host)

    def run(self) -> int:
        self.environment.run()
        return self.arrived

    def _after(self, delay: int, callback: Callable[[Any], None], value: object) -> None:
        self.environment.timeout(delay, value).callbacks.append(callback)

    def _send(self, event: Any) -> None:  # noqa: ANN401 - SimPy's values have any type
        traffic = self.traffic
        if traffic.left <= 0:
            return
        way = traffic.path(event.value)
        self._after(self.links.cross(way[0], self.environment.now, *WIRELESS), self._at_station, way)
        self._after(traffic.pause(), self._send, event.value)

    def _at_station(self, event: Any) -> None:  # noqa: ANN401 - SimPy's values have any type
        self._after(self.links.cross(event.value[1], self.environment.now, *WIRED), self._at_other_station, event.value)

    def _at_other_station(self, event: Any) -> None:  # noqa: ANN401 - SimPy's values have any type
        self._after(self.links.cross(event.value[2], self.environment.now, *WIRELESS), self._at_host, event.value)

    def _at_host(self, event: Any) -> None:  # noqa: ANN401 - SimPy's values have any type
        self.arrived += 1

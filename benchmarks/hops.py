"""Three hops and nothing else: host, station, station, host. The least that an emulator on SimPy has to do for a
message.

A thousand hosts send at random moments to hosts drawn at random. Each hop takes a transmission time, behind what the
link has still to send, and a propagation time. No protocol, no acknowledgements, and nobody moves.
"""

from collections.abc import Callable, Generator
from random import Random
from typing import Any, Final, TypeAlias

import simpy

HOSTS: Final = 1_000
STATIONS: Final = 100
SIZE: Final = 124
AIR: Final = (992_000, 500_000)
WIRE: Final = (992, 7_000_000)
"""How long a link sends a packet of that size, and how long that is on its way, in nanoseconds."""

_SEED: Final = 1
_PAUSE: Final = 1_000_000_000

Way: TypeAlias = tuple[int, int, int]
"""The links of a message: up, between two stations, down."""


class Talk:
    """Who sends to whom, and when: the same for all."""

    def __init__(self, messages: int) -> None:
        self.random = Random(_SEED)
        self.left = messages

    def pause(self) -> int:
        return int(self.random.expovariate(1 / _PAUSE))

    def target(self) -> int:
        self.left -= 1
        return int(self.random.random() * HOSTS)

    def way(self, source: int) -> Way:
        target = self.target()
        return source, 2 * HOSTS + source % STATIONS * STATIONS + target % STATIONS, HOSTS + target


class Links:
    """A link is busy until some moment."""

    def __init__(self) -> None:
        self.free = [0] * (2 * HOSTS + STATIONS * STATIONS)

    def cross(self, link: int, now: int, length: int, latency: int) -> int:
        """How long until a message that is offered now is at the other end."""
        free = self.free
        start = free[link] if free[link] > now else now  # noqa: FURB136 - a call of `max` costs more than a hop should
        free[link] = start + length
        return start + length + latency - now


class Processes:
    """The way of SimPy's tutorials: a process for each message, which waits three times."""

    def __init__(self, messages: int) -> None:
        self.environment: Any = simpy.Environment()
        self.talk, self.links = Talk(messages), Links()
        self.arrived = 0
        for host in range(HOSTS):
            self.environment.process(self._talks(host))

    def run(self) -> int:
        self.environment.run()
        return self.arrived

    def _talks(self, host: int) -> Generator[simpy.Event, Any, None]:
        environment, talk = self.environment, self.talk
        while True:
            yield environment.timeout(talk.pause())
            if talk.left <= 0:
                return
            environment.process(self._travels(talk.way(host)))

    def _travels(self, way: Way) -> Generator[simpy.Event, Any, None]:
        environment, cross = self.environment, self.links.cross
        up, wire, down = way
        yield environment.timeout(cross(up, environment.now, *AIR))
        yield environment.timeout(cross(wire, environment.now, *WIRE))
        yield environment.timeout(cross(down, environment.now, *AIR))
        self.arrived += 1


class Callbacks:
    """The lean way: no processes, a `Timeout` with a callback for each hop."""

    def __init__(self, messages: int) -> None:
        self.environment: Any = simpy.Environment()
        self.talk, self.links = Talk(messages), Links()
        self.arrived = 0
        for host in range(HOSTS):
            self._after(self.talk.pause(), self._send, host)

    def run(self) -> int:
        self.environment.run()
        return self.arrived

    def _after(self, delay: int, callback: Callable[[Any], None], value: object) -> None:
        self.environment.timeout(delay, value).callbacks.append(callback)

    def _send(self, event: Any) -> None:  # noqa: ANN401 - SimPy's values may be anything
        talk = self.talk
        if talk.left <= 0:
            return
        way = talk.way(event.value)
        self._after(self.links.cross(way[0], self.environment.now, *AIR), self._at_station, way)
        self._after(talk.pause(), self._send, event.value)

    def _at_station(self, event: Any) -> None:  # noqa: ANN401 - as above
        self._after(self.links.cross(event.value[1], self.environment.now, *WIRE), self._at_other_station, event.value)

    def _at_other_station(self, event: Any) -> None:  # noqa: ANN401 - as above
        self._after(self.links.cross(event.value[2], self.environment.now, *AIR), self._at_host, event.value)

    def _at_host(self, event: Any) -> None:  # noqa: ANN401 - as above
        self.arrived += 1

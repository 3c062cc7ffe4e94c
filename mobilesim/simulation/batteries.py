"""Hosts with batteries: one whose battery is empty is gone for good: it neither talks nor moves, and is not reached.

Nobody looks at a battery all the time. What is left lasts at least as long as the radio takes at its highest power to
use it up; only then is it looked at again, and so on until nothing is left.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.recorder import Watch
from mobilesim.scenario.model import Energy
from mobilesim.simulation.cells import Cells, Move
from mobilesim.simulation.links.shared_lossy_wireless import RadioAir
from mobilesim.simulation.links.wireless import NOWHERE
from mobilesim.simulation.simulation import ENDLESS, Rows
from mobilesim.world.mobility.actions import Departure
from mobilesim.world.random_streams import sampler
from mobilesim.world.replication import World
from mobilesim.world.traffic.replies import Answer
from protocols.machine import System

_SECOND: Final = 1e9
_MICRO: Final = 1e-6
_SOON: Final = 100_000
"""A battery is looked at no more often: so much longer than it should a host may live."""


class Batteries:
    """What each host has used, by what its radio did."""

    __slots__ = ("_air", "_energy", "_gone", "_off", "full", "highest")

    def __init__(self, air: RadioAir, world: World, energy: Energy) -> None:
        assert energy.battery is not None
        hosts, streams = world.scenario.hosts, world.streams
        self._air, self._energy = air, energy
        self.full = [sampler(energy.battery, streams.stream("battery", host))() * _MICRO for host in range(hosts)]
        self.highest = max(energy.transmit + energy.receive, energy.idle, energy.doze)
        self._off = [0] * hosts
        """How long each host has been switched off."""
        self._gone: dict[int, int] = {}
        """Since when those are who are now."""

    def off(self, host: int) -> None:
        self._gone.setdefault(host, self._air.engine.time)

    def on(self, host: int, entered: int) -> None:
        """It is back, and has listened for a beacon since it was in a cell again."""
        self._off[host] += entered - self._gone.pop(host)

    def is_off(self, host: int) -> bool:
        return host in self._gone

    def left(self, host: int) -> float:
        return self.full[host] - self._used(host)

    def _used(self, host: int) -> float:
        air, energy = self._air, self._energy
        now = air.engine.time
        sends, gets, both = air.so_far(host)
        dozing, wake_ups = air.dozed(host)
        off = self._off[host] + now - self._gone.get(host, now)
        idle = now - off - sends - gets + both - dozing
        joules = energy.transmit * sends + energy.receive * gets + energy.idle * idle + energy.doze * dozing
        return joules / _SECOND + energy.switch * wake_ups * _MICRO

    def safe(self, host: int) -> int:
        """How long what is left is sure to last."""
        return max(_SOON, int(self.left(host) / self.highest * _SECOND)) if self.highest else 0


class MortalCells(Cells):
    def __init__(
        self, world: World, system: System, oracle: Oracle | None, watch: Watch | None, *, at_host: bool
    ) -> None:
        super().__init__(world, system, oracle, watch, at_host=at_host)
        assert isinstance(self.air, RadioAir)
        self.batteries = Batteries(self.air, world, world.scenario.energy)
        self._unwatched = set(range(len(self.hosts)))
        """Whose battery nobody is going to look at."""
        for host in range(len(self.hosts)):
            self._look_later(host)

    def _look_later(self, host: int) -> None:
        """Once: who was away for a while has used nothing, and is looked at as it was to be."""
        if self.batteries.highest and host in self._unwatched:
            self._unwatched.remove(host)
            self._intend(self.engine.time + self.batteries.safe(host), self._look, host)

    def _look(self, host: int) -> None:
        """Who is switched off uses nothing, and is looked at when it is back."""
        self._unwatched.add(host)
        if host in self.died or self.batteries.is_off(host):
            return
        if self.batteries.left(host) > 0:
            self._look_later(host)
        else:
            self._die(host)

    def _die(self, host: int) -> None:
        now = self.died[host] = self.engine.time
        self.air.leave(host)
        self.hosts[host].detach()
        self.batteries.off(host)
        if self.watch is not None:
            self.watch.left(host, now, disconnects=True)
        if self._all_is_said:
            self._is_over()

    @property
    def _all_is_said(self) -> bool:
        """Nobody says anything any more. Without a duration, survivors that use nothing would move on for ever."""
        if self.world.scenario.workload.stations is not None:
            return False
        unasked = self.end == ENDLESS and self._replies is None and bool(self._talkers)
        return len(self.died) == len(self.hosts) or (unasked and self._talkers.keys() <= self.died.keys())

    @property
    def stranded(self) -> int:
        return 0 if self.oracle is None else self.oracle.stranded(self.died)

    @property
    def intentions(self) -> tuple[Callable[[Any], None], ...]:
        return (*super().intentions, self._look)

    # The dead do nothing.

    def _talk(self, host: int) -> None:
        if host not in self.died:
            super()._talk(host)

    def _answer(self, answer: Answer) -> None:
        if answer.host not in self.died:
            super()._answer(answer)

    def _begin(self, host: int, destinations: tuple[int, ...], group: int, size: int) -> None:
        if host not in self.died:
            super()._begin(host, destinations, group, size)

    def _plan(self, host: int) -> None:
        if host not in self.died:
            super()._plan(host)

    def _leave(self, move: Move) -> None:
        if move[0] not in self.died:
            super()._leave(move)

    def _enter(self, move: Move) -> None:
        if move[0] not in self.died:
            super()._enter(move)

    def _depart(self, move: Move) -> None:
        host, departure = move
        if host in self.died:
            return
        super()._depart(move)
        if departure.disconnects:
            self.batteries.off(host)

    def _attach(self, entry: tuple[int, Departure, int, int]) -> None:
        host, _, _, entered = entry
        super()._attach(entry)
        if self.batteries.is_off(host) and self.air.cells[host] != NOWHERE:
            self.batteries.on(host, entered)
            self._look_later(host)

    def census(self, watch: Watch) -> Mapping[str, Rows]:
        tables = super().census(watch)
        for host, row in enumerate(tables["hosts"]):
            row["battery"] = max(0.0, self.batteries.left(host))
            if host in self.died:
                row["died"] = self.died[host]
        return tables

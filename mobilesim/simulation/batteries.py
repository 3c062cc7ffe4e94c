"""Simulation of hosts with batteries. A host with an empty battery does not send, receive or move.

A check of a battery computes how long the remaining energy lasts at the highest power of radio and processor. After
this time, the battery is checked again. This is repeated until the battery is empty.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from mobilesim.recording.link_counters import Columns
from mobilesim.recording.recorder import RunRecorder
from mobilesim.scenario.sections.energy_and_costs import Energy
from mobilesim.simulation import final_tables
from mobilesim.simulation.cells import CellularSimulation, Entry, Move
from mobilesim.simulation.links.metered_air import MeteredAir
from mobilesim.simulation.links.wireless import NOWHERE
from mobilesim.simulation.simulation import ENDLESS
from mobilesim.world.random_streams import sampler
from mobilesim.world.replication import World

_SECOND: Final = 1e9
_MICRO: Final = 1e-6
_SOON: Final = 100_000
"""The shortest time between two checks of a battery. A host may stop up to this time after its battery is empty."""


class Batteries:
    """The energy that each host's radio and processor have used."""

    def __init__(self, air: MeteredAir, world: World, energy: Energy) -> None:
        assert energy.battery is not None
        hosts, streams = world.scenario.hosts, world.streams
        self._air, self._energy = air, energy
        self.full = [sampler(energy.battery, streams.stream("battery", host))() * _MICRO for host in range(hosts)]
        self.highest = max(energy.transmit + energy.receive, energy.idle, energy.doze)
        if air.processors is not None:
            self.highest += energy.compute
        self._off = [0] * hosts
        """The total time for which each host has been switched off."""
        self._off_since: dict[int, int] = {}
        """For each host that is switched off now, the time at which it was switched off."""

    def off(self, host: int) -> None:
        self._off_since.setdefault(host, self._air.engine.time)

    def on(self, host: int, entered: int) -> None:
        """Record that a host is in a cell again. It was switched on at `entered`, and then waited for a beacon."""
        self._off[host] += entered - self._off_since.pop(host)

    def is_off(self, host: int) -> bool:
        return host in self._off_since

    def left(self, host: int) -> float:
        return self.full[host] - self._used(host)

    def _used(self, host: int) -> float:
        air, energy = self._air, self._energy
        now = air.engine.time
        sends, gets, both = air.so_far(host)
        dozing, wake_ups = air.dozed(host)
        off = self._off[host] + now - self._off_since.get(host, now)
        beacons = air.beacon_time(host)
        idle = now - off - sends - gets + both - beacons - dozing
        received = energy.receive * (gets + beacons)
        joules = energy.transmit * sends + received + energy.idle * idle + energy.doze * dozing
        if air.processors is not None:
            joules += energy.compute * air.processors.so_far(host, now)[0]
        return joules / _SECOND + energy.switch * wake_ups * _MICRO

    def safe(self, host: int) -> int:
        """Return the time until the next check: how long the battery lasts at the highest power without wake-ups."""
        return max(_SOON, int(self.left(host) / self.highest * _SECOND)) if self.highest else 0


class BatterySimulation(CellularSimulation):
    def start(self) -> None:
        super().start()
        assert isinstance(self.air, MeteredAir)
        self.batteries = Batteries(self.air, self.world, self.world.scenario.energy)
        self._unchecked = set(range(len(self.hosts)))
        """Hosts without a scheduled check of the battery."""
        for host in range(len(self.hosts)):
            self._schedule_check(host)

    def _schedule_check(self, host: int) -> None:
        """Schedule the next check of a battery, unless a check is already scheduled."""
        if self.batteries.highest and host in self._unchecked:
            self._unchecked.remove(host)
            self._schedule(self.engine.time + self.batteries.safe(host), self._check, host)

    def _check(self, host: int) -> None:
        """Check a battery. A host that is switched off uses no energy: it is checked again after it is switched on."""
        self._unchecked.add(host)
        if host in self.died or self.batteries.is_off(host):
            return
        if self.batteries.left(host) > 0:
            self._schedule_check(host)
        else:
            self._die(host)

    def _die(self, host: int) -> None:
        now = self.died[host] = self.engine.time
        self.departures[host] += 1
        self.air.leave(host)
        self.hosts[host].detach()
        self.batteries.off(host)
        self.recorder.left(host, now, disconnects=True)
        if self._no_more_traffic:
            self._end_scenario()

    @property
    def _no_more_traffic(self) -> bool:
        """Return whether all senders have died. Then the scenario ends, even if other hosts could move forever."""
        if self.world.scenario.workload.stations is not None:
            return False
        by_sources = self.end == ENDLESS and self._replies is None and bool(self._traffic)
        return len(self.died) == len(self.hosts) or (by_sources and self._traffic.keys() <= self.died.keys())

    def _depart(self, move: Move) -> None:
        super()._depart(move)
        host, departure = move
        if departure.disconnects and host not in self.died:
            self.batteries.off(host)

    def _attach(self, entry: Entry) -> None:
        super()._attach(entry)
        host, _, _, entered = entry
        if self.batteries.is_off(host) and self.air.radios[host].cell != NOWHERE:
            self.batteries.on(host, entered)
            self._schedule_check(host)

    def final_tables(self, recorder: RunRecorder) -> Mapping[str, Columns]:
        tables, hosts = super().final_tables(recorder), range(len(self.hosts))
        left = np.array([max(0.0, self.batteries.left(host)) for host in hosts])
        died = final_tables.by_number(self.died, len(self.hosts))
        return {**tables, "hosts": {**tables["hosts"], "battery": left, "died": died}}

"""Wireless channels with radios that are metered at any moment, as batteries need; beacons may be frames."""

from collections.abc import Callable
from typing import Any

from mobilesim.recording.link_counters import Links
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.beacons import Beacons
from mobilesim.simulation.links.wireless import Air, cell_bandwidths
from mobilesim.world.replication import World


class MeteredAir(Air):
    def __init__(self, engine: Engine, world: World, *, counted: bool) -> None:
        super().__init__(engine, world, counted=counted)
        wireless = world.scenario.wireless
        self.beacons: Beacons | None = None
        if (frames := wireless.beacon_frames) is not None:
            bandwidths = cell_bandwidths(wireless, world.stations, up=False)
            self.beacons = Beacons(frames, world, bandwidths, shared=self.shared)

    def so_far(self, host: int) -> tuple[int, int, int]:
        """Return the times for which a host has sent, has received, and has sent and received simultaneously."""
        raise NotImplementedError

    def detect(self, host: int, station: int, detected: Callable[[Any], None], argument: object) -> None:
        if self.beacons is None:
            super().detect(host, station, detected, argument)
            return
        due = self.beacons.first_due(host, station, self.engine.time)
        self.engine.call_at(max(due, self.engine.time), self._hear, (station, due, detected, argument))

    def _hear(self, awaited: tuple[int, int, Callable[[Any], None], object]) -> None:
        station, due, detected, argument = awaited
        assert self.beacons is not None
        end = self.beacons.received(self.beacons.stations[station], due)
        self.engine.call_at(end + self.latency, detected, argument)

    def beacon_links(self) -> Links:
        return {} if self.beacons is None else self.beacons.links(self.engine.time)

"""Wireless channels that hosts of a cell share, that differ between cells, or that lose frames.

A lost frame is sent again, and occupies its channel until it is received. So channels are reliable and FIFO. A loss is
detected at the end of the frame. Between two attempts, the host's radio is idle and does not doze.

With shared channels, a cell has one uplink and one downlink. Each serves frames in the order in which they were ready.
If a host leaves the cell before its uplink frame starts, the time reserved for this frame stays unused. A downlink
frame for the host is still sent.

A frame for a host that dozes waits at the station for the next beacon, even if the host wakes up earlier.
"""

from mobilesim.protocols.packets import Packet
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.beacons import BeaconTimes
from mobilesim.simulation.links.broadcast import BroadcastDownlink
from mobilesim.simulation.links.csma import CsmaAir
from mobilesim.simulation.links.lossy_channel import LossyChannel, overlap, total_length
from mobilesim.simulation.links.metered_air import MeteredAir
from mobilesim.simulation.links.power_save import PowerSave
from mobilesim.simulation.links.wireless import NOWHERE, Air
from mobilesim.world.replication import World


def wireless_channels(engine: Engine, world: World, *, counted: bool) -> Air:
    """Return `Air`, or `CsmaAir` or `LossyAir` if the scenario uses one of their features."""
    if world.scenario.wireless.medium == "csma":
        return CsmaAir(engine, world, counted=counted)
    plain = world.scenario.wireless.plain and world.scenario.energy.battery is None
    return (Air if plain else LossyAir)(engine, world, counted=counted)


Waiting = tuple[int, int, int, list[Packet]]
"""Frames for a dozing host that wait for a beacon: the host, the station, the entries of the host, and the frames."""


class PowerSaveDownlink(LossyChannel):
    """The downlinks of hosts that doze. `waiting`: by host, the frames that wait for a beacon."""

    def __init__(self, air: "LossyAir", world: World, *, up: bool = False) -> None:
        super().__init__(air, world, up=up)
        self.waiting: dict[int, list[Packet]] = {}

    def transmit(self, host: int, station: int, frame: Packet, work: int = 0) -> None:
        assert self.power_save is not None
        now = self.engine.time
        radio = self.channels[host].radio
        if radio.cell != station:
            self.miss(host, station, frame)
        elif host in self.waiting:
            self.waiting[host].append(frame)
        elif self.power_save.asleep(host, now):
            frames = self.waiting[host] = [frame]
            self._await_beacon(self.power_save.beacon(host, now), (host, station, radio.entries, frames))
        else:
            self.send(host, station, frame, now)

    def _await_beacon(self, due: int, waited: Waiting) -> None:
        if self.beacons is None:
            self.engine.call_at(due, self._beacon, waited)
            return
        if self.losses is not None:
            due = self.beacons.first_received(self.losses, waited[0], due)
        self.engine.call_at(due, self._beacon_due, waited)

    def _beacon_due(self, waited: Waiting) -> None:
        host, _, entry, _ = waited
        assert self.beacons is not None
        if entry == self.channels[host].radio.entries:
            end = self.beacons.received(self.beacons.downlinks[host], self.engine.time)
            self.engine.call_at(end, self._beacon, waited)
        else:
            self._beacon(waited)

    def _beacon(self, waited: Waiting) -> None:
        host, station, entry, frames = waited
        there = entry == self.channels[host].radio.entries
        if there:
            del self.waiting[host]
        for frame in frames:
            if there:
                self.send(host, station, frame, self.engine.time)
            else:
                self.miss(host, station, frame)

    def break_off(self, host: int, station: int, *, sends_on: bool) -> None:
        self.waiting.pop(host, None)
        super().break_off(host, station, sends_on=sends_on)


class LossyAir(MeteredAir):
    def __init__(self, engine: Engine, world: World, *, counted: bool) -> None:
        super().__init__(engine, world, counted=counted)
        wireless = world.scenario.wireless
        self.power_save = None
        if wireless.doze is not None:
            self.ideal = [BeaconTimes(phase, wireless.beacon, 0) for phase in self.phases]
            downlinks = [self.ideal[cell] for cell in world.starting_cells]
            self.power_save = PowerSave(wireless.doze, downlinks if self.beacons is None else self.beacons.downlinks)
        self.uplinks = LossyChannel(self, world, up=True)
        self.downlinks = self._downlinks(world)
        self.uplinks.opposite_channel, self.downlinks.opposite_channel = self.downlinks, self.uplinks
        self.up, self.down = self.uplinks, self.downlinks
        self._join_directions()

    def _downlinks(self, world: World) -> LossyChannel:
        if world.scenario.wireless.broadcast:
            return BroadcastDownlink(self, world)
        return LossyChannel(self, world, up=False) if self.power_save is None else PowerSaveDownlink(self, world)

    def leave(self, host: int) -> None:
        if self.power_save is not None:
            self.power_save.leave(host, self.engine.time)
        self._break_off(host, sends_on=self.shared)
        if self.beacons is not None:
            self.beacons.leave(host, self.engine.time)
        super().leave(host)

    def enter(self, host: int, station: int) -> None:
        if self.beacons is not None:
            self.beacons.enter(host, station, self.engine.time)
        if self.power_save is not None:
            if self.beacons is None:
                self.power_save.downlinks[host] = self.ideal[station]
            self.power_save.enter(host, self.engine.time)
        super().enter(host, station)

    def beacon_time(self, host: int) -> int:
        if self.beacons is None:
            return 0
        missed = sum([self.beacons.sent_during(host, *span) for span in self.uplinks.begun(host)])
        return self.beacons.heard(host, self.engine.time) - missed

    def so_far(self, host: int) -> tuple[int, int, int]:
        sends, gets = self.uplinks.remaining(host), self.downlinks.remaining(host)
        both = self.radios[host].both - overlap(sends, gets)
        return self.uplinks.total[host] - total_length(sends), self.downlinks.total[host] - total_length(gets), both

    def duplex(self, host: int) -> int:
        return self.so_far(host)[2]

    def dozed(self, host: int) -> tuple[int, int]:
        return (0, 0) if self.power_save is None else self.power_save.so_far(host, self.engine.time)

    def stop(self, host: int) -> None:
        self._break_off(host, sends_on=False)

    def _break_off(self, host: int, *, sends_on: bool) -> None:
        radio, station = self.radios[host], self.radios[host].cell
        if station == NOWHERE:
            return
        radio.both -= overlap(self.uplinks.remaining(host), self.downlinks.remaining(host))
        self.uplinks.break_off(host, station, sends_on=False)
        self.downlinks.break_off(host, station, sends_on=sends_on)

"""Wireless channels that hosts of a cell share, that differ between cells, or that lose frames.

A lost frame is sent again, and occupies its channel until it is received. So channels are reliable and FIFO. A loss is
detected at the end of the frame. Between two attempts, the host's radio is idle and does not doze.

With shared channels, a cell has one uplink and one downlink. Each serves frames in the order in which they were ready.
If a host leaves the cell before its uplink frame starts, the time reserved for this frame stays unused. A downlink
frame for the host is still sent.

A frame for a host that dozes waits at the station for the next beacon, even if the host wakes up earlier.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mobilesim.errors import UserError
from mobilesim.protocols.machine import Packet
from mobilesim.recording.link_counters import LinkCounter
from mobilesim.scenario.sections.wireless import Wireless
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.losses import attempts_drawer
from mobilesim.simulation.links.power_save import PowerSave
from mobilesim.simulation.links.wireless import NOWHERE, Air, Direction, FrameArrival, join_directions, transmission
from mobilesim.world.replication import World

Span = tuple[int, int]
"""The start and the end of a transmission."""


def wireless_channels(engine: Engine, world: World, *, counted: bool) -> Air:
    """Return `Air`, or `LossyAir` if the scenario uses one of its features."""
    plain = world.scenario.wireless.plain and world.scenario.energy.battery is None
    return (Air if plain else LossyAir)(engine, world, counted=counted)


class Retransmission(NamedTuple):
    """A frame with several attempts. `busy`: the duration of an attempt. `every`: the time between two starts."""

    frame: Packet
    busy: int
    every: int
    start: int
    attempts: int

    @property
    def over(self) -> int:
        return self.start + self.attempts * self.every

    def not_begun(self, now: int) -> int:
        """Return the number of attempts that have not begun at `now`. The first attempt counts as begun."""
        begun = -((self.start - now) // self.every)
        return self.attempts - min(max(begun, 1), self.attempts)


class LossyChannel(Direction):
    """All uplinks or all downlinks. `free_at`: by cell, the time at which a shared channel is free.

    `spans`: by host, the transmissions that have not ended. `repeated`: by host, the frames in transit that need more
    than one attempt. Ended entries are removed when an entry is added.
    """

    def __init__(self, air: "LossyAir", world: World, *, up: bool) -> None:
        super().__init__(air, 0)
        self.opposite_channel: LossyChannel
        wireless = world.scenario.wireless
        self.bandwidths = bandwidths = _bandwidths(wireless, world.stations, up=up)
        self.draw_attempts = attempts_drawer(world, "lost-up" if up else "lost-down")
        self.repeated: list[deque[Retransmission]] = [deque() for _ in air.radios]
        self.power_save = air.power_save
        self.retry = wireless.retry
        self.free_at = [0] * len(bandwidths) if wireless.medium == "shared" else None
        self.queues: dict[int, LinkCounter] = {}
        self.in_use = [0] * len(self.free_at or air.radios)
        """By cell if channels are shared, else by host: how long the channel was in use, also for repetitions."""
        self.spans: list[deque[Span]] = [deque() for _ in air.radios]
        self.total = [0] * len(air.radios)
        """By host, the total duration of its transmissions, including those of pending frames."""

    def transmit(self, host: int, station: int, frame: Packet) -> None:
        if self.channels[host].radio.cell == station:
            self.send(host, station, frame)
        else:
            self.miss(host, station, frame)

    def send(self, host: int, station: int, frame: Packet) -> None:
        engine, channel = self.engine, self.channels[host]
        busy = self._busy(frame, station)
        start = max(engine.time, channel.free if self.free_at is None else self.free_at[station])
        attempts = 1
        if self.draw_attempts is not None:
            attempts = self.draw_attempts(host, self._size(frame), start, busy + self.retry)
        spans = _attempts(start, busy, attempts, self.retry)
        end = channel.free = spans[-1][1]
        if self.free_at is not None:
            self.free_at[station] = end
        self._add_use(host, station, end - start)
        channel.radio.both += overlap(spans, self.opposite_channel.spans[host])
        self._keep_spans(host, spans)
        if self.counted:
            counter = self._count(host, station, frame, busy, start)
            if attempts > 1:
                self._repeat(host, counter, Retransmission(frame, busy, busy + self.retry, start, attempts))
        if self.power_save is not None:
            self.power_save.mark_busy(host, engine.time, end)
        engine.push(end + self.latency, FrameArrival(self, channel.radio, host, station, frame, start))

    def _add_use(self, host: int, station: int, time: int) -> None:
        self.in_use[host if self.free_at is None else station] += time

    def occupied(self) -> Mapping[int, int]:
        """Return how long each channel was in use. Time reserved for frames that did not start is included."""
        return dict(enumerate(self.in_use))

    def _keep_spans(self, host: int, spans: list[Span]) -> None:
        pending, now = self.spans[host], self.engine.time
        while pending and pending[0][1] <= now:
            pending.popleft()
        pending.extend(spans)
        self.total[host] += _length(spans)

    def _count(self, host: int, station: int, frame: Packet, busy: int, start: int) -> LinkCounter:
        counter = self.channels[host].counter or self.enter_counter(host, station)
        counter.add(frame, self.sizes, busy)
        now = self.engine.time
        if start > now:
            queue = counter if self.free_at is None else self.queues.setdefault(station, LinkCounter())
            queue.queued(start, now)
            counter.queue_peak = max(counter.queue_peak, queue.queue_peak)
        return counter

    def _repeat(self, host: int, counter: LinkCounter, repeated: Retransmission) -> None:
        pending, now = self.repeated[host], self.engine.time
        while pending and pending[0].over <= now:
            pending.popleft()
        pending.append(repeated)
        self._count_again(host, counter, repeated, repeated.attempts - 1)

    def _in_transit(self) -> list[object]:
        repeated = ((host, each.start) for host, frames in enumerate(self.repeated) for each in frames)
        return [*super()._in_transit(), *repeated]

    def remaining_time(self, host: int) -> int:
        return _length(self.remaining(host))

    def restart_queue_peaks(self) -> None:
        super().restart_queue_peaks()
        for queue in self.queues.values():
            queue.restart_queue_peak(self.engine.time)

    def _count_again(self, host: int, counter: LinkCounter, repeated: Retransmission, times: int) -> None:
        """Count `times` lost attempts. If `times` is negative, subtract attempts that never begin."""
        for target in (counter, counter.lost()):
            target.add(repeated.frame, self.sizes, repeated.busy, times)
        self.receiver.repeated(host, repeated.frame, times)

    def miss(self, host: int, station: int, frame: Packet) -> None:
        super().miss(host, station, frame)
        if self.free_at is not None:
            busy = self._busy(frame, station)
            self.free_at[station] = max(self.free_at[station], self.engine.time) + busy
            self._add_use(host, station, busy)

    def _busy(self, frame: Packet, station: int) -> int:
        return transmission(self._size(frame), self.bandwidths[station])

    def remaining(self, host: int) -> list[Span]:
        """Return the remaining transmissions of the pending frames."""
        now = self.engine.time
        return [(max(start, now), end) for start, end in self.spans[host] if end > now]

    def break_off(self, host: int, station: int, *, sends_on: bool) -> None:
        """Cancel the frames of a host that leaves its cell. If the station `sends_on`, it still sends them."""
        rest, channel = _length(self.remaining(host)), self.channels[host]
        if self.free_at is None and channel.free > (now := self.engine.time):
            self._add_use(host, station, now - channel.free)
            channel.free = now
        self.spans[host].clear()
        self.total[host] -= rest
        counter = self.links.get((host, station))
        if counter is not None and sends_on:
            counter.missed += rest
        elif counter is not None:
            recalled = self._recall(host, station, counter)  # changes counter.busy
            counter.busy -= rest - recalled
        self.repeated[host].clear()
        channel.counter = None

    def _recall(self, host: int, station: int, counter: LinkCounter) -> int:
        """Subtract the cancelled attempts of repeated frames from the counters; return their duration."""
        recalled = 0
        for repeated in self.repeated[host]:
            if never := repeated.not_begun(self.engine.time):
                self._count_again(host, counter, repeated, -never)
                recalled += never * repeated.busy
                for snapshot in self.snapshots:
                    earlier = snapshot.counter_of((host, repeated.start), (host, station))
                    if earlier is not None:  # its busy time does not include the time that was still to come
                        earlier.add(repeated.frame, self.sizes, 0, -never)
                        earlier.lost().add(repeated.frame, self.sizes, 0, -never)
        return recalled


class PowerSaveDownlink(LossyChannel):
    """The downlinks of hosts that doze. `waiting`: by host, the frames that wait for a beacon."""

    def __init__(self, air: "LossyAir", world: World, *, up: bool = False) -> None:
        super().__init__(air, world, up=up)
        self.waiting: dict[int, list[Packet]] = {}

    def transmit(self, host: int, station: int, frame: Packet) -> None:
        assert self.power_save is not None
        now = self.engine.time
        radio = self.channels[host].radio
        if radio.cell != station:
            self.miss(host, station, frame)
        elif host in self.waiting:
            self.waiting[host].append(frame)
        elif self.power_save.asleep(host, now):
            frames = self.waiting[host] = [frame]
            self.engine.call_at(self.power_save.beacon(now), self._beacon, (host, station, radio.entries, frames))
        else:
            self.send(host, station, frame)

    def _beacon(self, waited: tuple[int, int, int, list[Packet]]) -> None:
        host, station, entry, frames = waited
        there = entry == self.channels[host].radio.entries
        if there:
            del self.waiting[host]
        for frame in frames:
            (self.send if there else self.miss)(host, station, frame)

    def break_off(self, host: int, station: int, *, sends_on: bool) -> None:
        self.waiting.pop(host, None)
        super().break_off(host, station, sends_on=sends_on)


class LossyAir(Air):
    def __init__(self, engine: Engine, world: World, *, counted: bool) -> None:
        super().__init__(engine, world, counted=counted)
        wireless, hosts = world.scenario.wireless, world.scenario.hosts
        self.power_save = None if wireless.doze is None else PowerSave(wireless.doze, wireless.beacon, hosts)
        downlink = LossyChannel if self.power_save is None else PowerSaveDownlink
        self.uplinks, self.downlinks = LossyChannel(self, world, up=True), downlink(self, world, up=False)
        self.uplinks.opposite_channel, self.downlinks.opposite_channel = self.downlinks, self.uplinks
        self.up, self.down = self.uplinks, self.downlinks
        join_directions(self.up, self.down)

    def leave(self, host: int) -> None:
        if self.power_save is not None:
            self.power_save.leave(host, self.engine.time)
        self._break_off(host, sends_on=self.shared)
        super().leave(host)

    def enter(self, host: int, station: int) -> None:
        if self.power_save is not None:
            self.power_save.enter(host, self.engine.time)
        super().enter(host, station)

    def so_far(self, host: int) -> tuple[int, int, int]:
        """Return the times for which a host has sent, has received, and has sent and received simultaneously."""
        sends, gets = self.uplinks.remaining(host), self.downlinks.remaining(host)
        both = self.radios[host].both - overlap(sends, gets)
        return self.uplinks.total[host] - _length(sends), self.downlinks.total[host] - _length(gets), both

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


def _bandwidths(wireless: Wireless, stations: int, *, up: bool) -> list[int]:
    """Return the bandwidth of each cell. Cell numbers are checked here, because the cells may come from a file."""
    bandwidths = [wireless.up if up else wireless.down] * stations
    for row in wireless.cells:
        if row.cell >= stations:
            raise UserError(f"wireless.cells: there is no cell {row.cell}; cells are numbered from 0 to {stations - 1}")
        bandwidths[row.cell] = (row.uplink if up else row.downlink) or row.bandwidth or bandwidths[row.cell]
    return bandwidths


def _attempts(start: int, busy: int, attempts: int, retry: int) -> list[Span]:
    if not retry:
        return [(start, start + attempts * busy)]
    return [(start + done * (busy + retry), start + done * (busy + retry) + busy) for done in range(attempts)]


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)


def overlap(these: Iterable[Span], others: Iterable[Span]) -> int:
    """Return the total overlap of two sequences of spans, each in order of time."""
    left, right = deque(these), deque(others)
    shared = 0
    while left and right:
        (start, end), (first, last) = left[0], right[0]
        shared += max(0, min(end, last) - max(start, first))
        (left if end <= last else right).popleft()
    return shared

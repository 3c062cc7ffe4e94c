"""One direction of wireless channels that hosts of a cell share, that differ between cells, or that lose frames."""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from mobilesim.protocols.packets import Packet
from mobilesim.recording.link_counters import LinkCounter
from mobilesim.simulation.links.frame_arrivals import FrameGivenUp
from mobilesim.simulation.links.losses import UNLIMITED, frame_losses
from mobilesim.simulation.links.wireless import Direction, cell_bandwidths, transmission
from mobilesim.world.replication import World

if TYPE_CHECKING:
    from mobilesim.simulation.links.shared_lossy_wireless import LossyAir

Span = tuple[int, int]
"""The start and the end of a transmission."""


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
        self.bandwidths = bandwidths = cell_bandwidths(wireless, world.stations, up=up)
        self.losses = frame_losses(world, "lost-up" if up else "lost-down", wireless.retries)
        self.most = UNLIMITED if wireless.retries is None else wireless.retries
        self.repeated: list[deque[Retransmission]] = [deque() for _ in air.radios]
        self.power_save = air.power_save
        self.beacons = None if up else air.beacons
        self.missed_beacons = air.beacons if up else None
        self.retry = wireless.retry
        self.free_at = [0] * len(bandwidths) if air.shared else None
        self.queues: dict[int, LinkCounter] = {}
        self.in_use = [0] * len(self.free_at or air.radios)
        """By cell if channels are shared, else by host: how long the channel was in use, also for repetitions."""
        self.spans: list[deque[Span]] = [deque() for _ in air.radios]
        self.total = [0] * len(air.radios)
        """By host, the total duration of its transmissions, including those of pending frames."""

    def transmit(self, host: int, station: int, frame: Packet, work: int = 0) -> None:
        radio, now = self.channels[host].radio, self.engine.time
        if radio.cell != station:
            self.miss(host, station, frame)
        elif work and self.free_at is not None:
            # Other hosts may need the shared channel before this host has processed the frame.
            self.engine.call_at(now + work, self._processed, (host, station, frame, radio.entries, work))
            if self.power_save is not None:
                self.power_save.mark_busy(host, now, now + work)
        else:
            self.send(host, station, frame, now + work, work)

    def _processed(self, sent: tuple[int, int, Packet, int, int]) -> None:
        host, station, frame, entry, work = sent
        if entry == self.channels[host].radio.entries:
            self.send(host, station, frame, self.engine.time, work)
            return
        counter = self.links[host, station]
        for target in (counter, counter.lost()):
            target.add(frame, self.sizes, 0)

    def send(self, host: int, station: int, frame: Packet, ready: int, work: int = 0) -> None:
        """Queue a frame for its channel. `ready`: when its sender has processed it, after the time `work`."""
        engine, channel = self.engine, self.channels[host]
        busy = self._busy(frame, station)
        if ready > engine.time and ready > channel.free:
            channel.wait(engine.time, ready)
        if self.beacons is not None:
            start = self.beacons.downlinks[host].begin(ready)
        else:
            start = max(ready, channel.free if self.free_at is None else self.free_at[station])
        attempts = 1
        if self.losses is not None:
            attempts = self.losses.attempts(host, self._size(frame), start, busy + self.retry)
        received = attempts <= self.most
        attempts = min(attempts, self.most)
        spans = _attempts(start, busy, attempts, self.retry)
        end = channel.free = spans[-1][1]
        if self.free_at is not None:
            self.free_at[station] = end
        if self.beacons is not None:
            self.beacons.downlinks[host].free = end
        self._add_use(host, station, end - start)
        self._occupy(host, spans)
        if self.counted:
            counter = self._count(host, station, frame, busy, ready, start)
            if attempts > 1:
                self._repeat(host, counter, Retransmission(frame, busy, busy + self.retry, start, attempts))
        if received:
            self.arrive(host, station, frame, start, end + self.latency, work)
        else:
            engine.push(end, FrameGivenUp(self, channel.radio, host, station, frame, start))

    def _add_use(self, host: int, station: int, time: int) -> None:
        self.in_use[host if self.free_at is None else station] += time

    def occupied(self) -> Mapping[int, int]:
        """Return how long each channel was in use, also by beacons. Time reserved for frames that did not start is
        included.
        """
        if self.beacons is None:
            return dict(enumerate(self.in_use))
        beacons = self.beacons.occupied(self.engine.time)
        return {number: used + beacons[number] for number, used in enumerate(self.in_use)}

    def _occupy(self, host: int, spans: list[Span]) -> None:
        """Occupy the radio of a host with transmissions."""
        self.channels[host].radio.both += overlap(spans, self.opposite_channel.spans[host])
        self._keep_spans(host, spans)
        if self.power_save is not None:
            self.power_save.mark_busy(host, self.engine.time, spans[-1][1])

    def _keep_spans(self, host: int, spans: list[Span]) -> None:
        pending, now = self.spans[host], self.engine.time
        while pending and pending[0][1] <= now:
            span = pending.popleft()
            if self.missed_beacons is not None:
                self.missed_beacons.miss(host, *span)
        pending.extend(spans)
        self.total[host] += total_length(spans)

    def _count(  # noqa: PLR0917 - called for every frame, and keywords are slow
        self, host: int, station: int, frame: Packet, busy: int, ready: int, start: int
    ) -> LinkCounter:
        counter = self.channels[host].counter or self.enter_counter(host, station)
        counter.add(frame, self.sizes, busy)
        if start > ready:
            queue = counter if self.free_at is None else self.queues.setdefault(station, LinkCounter())
            queue.queued(start, ready)
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
        return total_length(self.remaining(host))

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
            busy, start = self._busy(frame, station), max(self.free_at[station], self.engine.time)
            if self.beacons is not None:
                times = self.beacons.stations[station]
                start = times.begin(self.engine.time)
                times.free = start + busy
            self.free_at[station] = start + busy
            self._add_use(host, station, busy)

    def _busy(self, frame: Packet, station: int) -> int:
        return transmission(self._size(frame), self.bandwidths[station])

    def remaining(self, host: int) -> list[Span]:
        """Return the remaining transmissions of the pending frames."""
        now = self.engine.time
        return [(max(start, now), end) for start, end in self.spans[host] if end > now]

    def begun(self, host: int) -> list[Span]:
        """Return the parts until now of the transmissions in `spans`."""
        now = self.engine.time
        return [(start, min(end, now)) for start, end in self.spans[host] if start < now]

    def break_off(self, host: int, station: int, *, sends_on: bool) -> None:
        """Cancel the frames of a host that leaves its cell. If the station `sends_on`, it still sends them."""
        rest, channel = total_length(self.remaining(host)), self.channels[host]
        if self.free_at is None and channel.free > (now := self.engine.time):
            self._add_use(host, station, now - channel.free + channel.waits(now, channel.free))
            channel.free, channel.gaps = now, None
        if self.missed_beacons is not None:
            for span in self.begun(host):
                self.missed_beacons.miss(host, *span)
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


def _attempts(start: int, busy: int, attempts: int, retry: int) -> list[Span]:
    if not retry:
        return [(start, start + attempts * busy)]
    return [(start + done * (busy + retry), start + done * (busy + retry) + busy) for done in range(attempts)]


def total_length(spans: Iterable[Span]) -> int:
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

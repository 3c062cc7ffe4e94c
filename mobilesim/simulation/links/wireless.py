"""Wireless channels: a FIFO uplink and a FIFO downlink for each host.

When a host leaves its cell, its frames in transit are lost. The state of a link is the time at which it is free again.
A frame is one event in the engine, its arrival; on a downlink, the end of the host's work on it.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping
from math import gcd
from typing import Any, Final

from mobilesim.errors import UserError
from mobilesim.protocols.packets import Packet
from mobilesim.recording.link_counters import LinkCounter, Links, LinksSnapshot
from mobilesim.scenario.sections.wireless import Wireless
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.frame_arrivals import ComputedFrame, FrameArrival, ProcessedFrame
from mobilesim.simulation.links.host_processors import HostProcessors, host_processors
from mobilesim.world.replication import World

NOWHERE: Final = -1
BYTE: Final = 8 * 1_000_000_000
"""The transmission time of a byte at 1 bit/s, in nanoseconds."""


def cell_bandwidths(wireless: Wireless, stations: int, *, up: bool) -> list[int]:
    """Return the bandwidth of each cell. Cell numbers are checked here, because the cells may come from a file."""
    bandwidths = [wireless.up if up else wireless.down] * stations
    for row in wireless.cells:
        if row.cell >= stations:
            raise UserError(f"wireless.cells: there is no cell {row.cell}; cells are numbered from 0 to {stations - 1}")
        bandwidths[row.cell] = (row.uplink if up else row.downlink) or row.bandwidth or bandwidths[row.cell]
    return bandwidths


def beacon_phases(world: World) -> list[int]:
    """Return for each station the time of its first beacon."""
    streams, interval = world.streams, world.scenario.wireless.beacon
    return [int(streams.stream("beacon-phase", station).random() * interval) for station in range(world.stations)]


class FrameReceiver(ABC):
    """Passes the frames of one direction to machines."""

    @abstractmethod
    def received(self, host: int, station: int, frame: Packet, started: int, work: int) -> None:
        """Pass a frame to its target: the host, or the station of the host's cell. `work`: the time that the host took
        for the frame, with the wait for its processor.
        """

    @abstractmethod
    def repeated(self, host: int, frame: Packet, times: int) -> None:
        """Record that a frame is sent again `times` times."""

    def lost(  # noqa: B027 - only a tape records these frames
        self, host: int, station: int, frame: Packet, started: int
    ) -> None:
        """Record that a frame was lost, because its host left the cell before the frame arrived."""


def transmission(size: int, bandwidth: int) -> int:
    """Return the transmission time of `size` bytes in nanoseconds, rounded up."""
    return -(size * BYTE // -bandwidth)


def byte_time(bandwidth: int) -> tuple[int, int]:
    """Return the transmission time of a byte in nanoseconds, as a fraction in lowest terms.

    With small numbers, the code compiled by mypyc is faster: it multiplies numbers below 2^30 without Python objects.
    """
    common = gcd(BYTE, bandwidth)
    return BYTE // common, bandwidth // common


class Radio:
    """The radio of a host. `cell`: its present cell, or NOWHERE. `entries`: how many cells it has left. `both`: the
    time for which it sent and received simultaneously.
    """

    __slots__ = ("both", "cell", "entries")

    def __init__(self, cell: int) -> None:
        self.cell = cell
        self.entries = self.both = 0


class Channel:
    """A host's channel in one direction. `free`: when it is free again. `gaps`: when it waits for the host's processor
    until then. `counter`: the counter of the channel in the present cell; None before the first frame there.
    `opposite`: the channel in the other direction.
    """

    __slots__ = ("counter", "free", "gaps", "opposite", "radio")

    def __init__(self, radio: Radio) -> None:
        self.radio = radio
        self.free = 0
        self.gaps: list[tuple[int, int]] | None = None
        self.counter: LinkCounter | None = None
        self.opposite: Channel

    def wait(self, now: int, ready: int) -> None:
        """Record that the next frame is sent at `ready`, when the channel has been free for some time."""
        gaps = [gap for gap in self.gaps or () if gap[1] > now]
        gaps.append((max(now, self.free), ready))
        self.gaps = gaps

    def waits(self, begin: int, end: int) -> int:
        """Return the time between `begin` and `end` in which the channel waits for the host's processor."""
        if self.gaps is None:
            return 0
        return sum([max(0, min(until, end) - max(since, begin)) for since, until in self.gaps])


class Direction:
    """All uplinks or all downlinks: one link for each host, in the host's cell."""

    def __init__(self, air: "Air", bandwidth: int) -> None:
        self.air, self.engine = air, air.engine
        self.channels = [Channel(radio) for radio in air.radios]
        self.latency = air.latency
        self.bandwidth = bandwidth
        self.byte_time, self.divisor = byte_time(bandwidth or BYTE)
        self.sizes, self.integer, self.framing = air.sizes, air.sizes.integer, air.sizes.header
        self.counted = air.counted
        self.links: Links = defaultdict(LinkCounter)
        self.snapshots: list[LinksSnapshot] = []
        self.receiver: FrameReceiver
        self.processors: HostProcessors | None = None
        """The processors of the hosts that receive the frames, if their work takes time."""

    def transmit(self, host: int, station: int, frame: Packet, work: int = 0) -> None:
        """Transmit a frame. `work`: how long it takes until its sender, a host, has processed it."""
        channel = self.channels[host]
        radio = channel.radio
        if radio.cell != station:
            self.miss(host, station, frame)
            return
        engine, integer = self.engine, self.integer
        payload, ordering, control = frame.payload, integer * frame.header, integer * frame.control
        size = self.framing + payload + ordering + control
        busy = -(size * self.byte_time // -self.divisor)
        start, free = engine.time + work, channel.free
        if self.counted:
            counter = channel.counter or self.enter_counter(host, station)
            counter.count(frame.purpose, payload, ordering, control, self.framing, size, busy)
            if free > start:
                counter.queued(free, start)
            # From now until it is free, the link in the other direction is busy, except for its waits.
            begin, opposite = max(start, free), channel.opposite
            if opposite.free > begin:
                until = min(opposite.free, begin + busy)
                radio.both += until - begin - opposite.waits(begin, until)
        if work and start > free:
            channel.wait(engine.time, start)
        start = max(start, free)
        end = channel.free = start + busy
        if self.processors is None and not work:
            engine.push(end + self.latency, FrameArrival(self, radio, host, station, frame, start))
        else:
            self.arrive(host, station, frame, start, end + self.latency, work)

    def arrive(  # noqa: PLR0917 - called for every frame, and keywords are slow
        self, host: int, station: int, frame: Packet, start: int, came: int, work: int
    ) -> FrameArrival:
        """Schedule the arrival of a frame at `came` or, on a downlink, the end of the host's work on it; return it."""
        radio = self.channels[host].radio
        if self.processors is None:
            arrival = FrameArrival(self, radio, host, station, frame, start)
            if work:
                arrival = ComputedFrame(self, radio, host, station, frame, start, work)
            self.engine.push(came, arrival)
            return arrival
        job = self.processors.expect(host, frame, came)
        processed = ProcessedFrame(self, radio, host, station, frame, start, job)
        self.engine.push(job.earliest, processed)
        return processed

    def enter_counter(self, host: int, station: int) -> LinkCounter:
        counter = self.channels[host].counter = self.links[host, station]
        return counter

    def count_lost(self, arrival: FrameArrival) -> None:
        """Count a frame that was lost in transit."""
        self.receiver.lost(arrival.host, arrival.station, arrival.frame, arrival.start)
        ends, frame = (arrival.host, arrival.station), arrival.frame
        busy = self._busy(frame, arrival.station)
        self.links[ends].lost().add(frame, self.sizes, busy)
        for snapshot in self.snapshots:
            if (counter := snapshot.counter_of(arrival, ends)) is not None:
                counter.lost().add(frame, self.sizes, busy)

    def snapshot(self, *, settled: bool) -> Links:
        """Return the present counters of all links. `settled`: a copy without the busy time that is still to come."""
        if not settled:
            return self.links
        snapshot = LinksSnapshot(self.links, self._in_transit())
        self.snapshots.append(snapshot)
        for host, channel in enumerate(self.channels):
            if (counter := snapshot.links.get((host, channel.radio.cell))) is not None:
                counter.busy -= self.remaining_time(host)
        return snapshot.links

    def _in_transit(self) -> list[object]:
        return [event for event in self.engine.events() if isinstance(event, FrameArrival) and event.direction is self]

    def remaining_time(self, host: int) -> int:
        """Return the remaining transmission time of the frames of a host that is in a cell."""
        channel, now = self.channels[host], self.engine.time
        return channel.free - now - channel.waits(now, channel.free) if channel.free > now else 0

    def restart_queue_peaks(self) -> None:
        for counter in self.links.values():
            counter.restart_queue_peak(self.engine.time)

    def miss(self, host: int, station: int, frame: Packet) -> None:
        """Count a frame that a station sends to a host that has left the cell. The frame is lost."""
        self.receiver.lost(host, station, frame, self.engine.time)
        counter, busy = self.links[host, station], self._busy(frame, station)
        counter.missed += busy
        for target in (counter, counter.lost()):
            target.add(frame, self.sizes, busy)

    def occupied(self) -> Mapping[int, int]:
        """Return how long the link of each host was busy. Frames sent after the host had left do not count."""
        total: dict[int, int] = defaultdict(int)
        for (host, _), counter in self.links.items():
            total[host] += counter.received
        return total

    def _busy(self, frame: Packet, station: int) -> int:
        return transmission(self._size(frame), self.bandwidth)

    def _size(self, frame: Packet) -> int:
        return self.framing + frame.payload + self.integer * (frame.header + frame.control)

    def leave(self, host: int, station: int) -> None:
        """Cancel the frames of a host that are not yet sent."""
        rest = self.remaining_time(host)
        if rest > 0 and (host, station) in self.links:
            self.links[host, station].busy -= rest
        self.channels[host].counter = self.channels[host].gaps = None


class Air:
    """The radios of all hosts, with their uplinks and downlinks."""

    def __init__(self, engine: Engine, world: World, *, counted: bool) -> None:
        """`counted`: whether to count bytes and busy time."""
        wireless, self.sizes = world.scenario.wireless, world.scenario.sizes
        self.engine = engine
        self.counted = counted
        self.lose_contact: Callable[[int], None]
        """Called for a host that is cut off."""
        self.cut_offs = [0] * len(world.starting_cells)
        """By host, how often it was cut off."""
        self.latency, self.beacon = wireless.latency, wireless.beacon
        self.phases = beacon_phases(world) if wireless.beacon else []
        self.shared = wireless.medium != "dedicated"
        self.radios = [Radio(cell) for cell in world.starting_cells]
        self.up, self.down = Direction(self, wireless.up), Direction(self, wireless.down)
        self.processors = host_processors(world)
        self._join_directions()

    def _join_directions(self) -> None:
        self.down.processors = self.processors
        for one, other in zip(self.up.channels, self.down.channels, strict=True):
            one.opposite, other.opposite = other, one

    def cut_off(self, host: int) -> None:
        """Cut off a host from its station, because a frame between them was given up."""
        self.cut_offs[host] += 1
        self.lose_contact(host)

    def leave(self, host: int) -> None:
        self.stop(host)
        if self.processors is not None:
            self.processors.leave(host, self.engine.time)
        radio = self.radios[host]
        radio.cell = NOWHERE
        radio.entries += 1

    def stop(self, host: int) -> None:
        """Cancel the frames of a host that are not yet sent."""
        radio, station = self.radios[host], self.radios[host].cell
        if station != NOWHERE:
            radio.both -= self._remaining_duplex(host)
            self.up.leave(host, station)
            self.down.leave(host, station)

    def detect(self, _host: int, station: int, detected: Callable[[Any], None], argument: object) -> None:
        """Call a function when a host that enters a cell detects it: now, or at the next beacon of its station."""
        if self.beacon:
            phase, now = self.phases[station], self.engine.time
            beacon = max(0, -((phase - now) // self.beacon))
            self.engine.call_at(phase + beacon * self.beacon, detected, argument)
        else:
            detected(argument)

    def quiet_at(self, host: int) -> int:
        """Return when the frames of a host that are in transit have arrived and are processed; a past time if there
        are none. Frames that contend for a medium, or that are broadcast, are not included.
        """
        arrived = max(self.up.channels[host].free, self.down.channels[host].free) + self.latency
        return arrived if self.processors is None else max(arrived, self.processors.busy_until(host))

    def beacon_time(self, _host: int) -> int:
        """Return for how long a host has received beacons, without the time in which it sent."""
        return 0

    def beacon_links(self) -> Links:
        """Return for each station the counter of its beacons."""
        return {}

    def dozed(self, host: int) -> tuple[int, int]:
        """Return the time for which a host has dozed, and the number of its wake-ups."""
        return 0, 0

    def duplex(self, host: int) -> int:
        """Return the time for which a host has sent and received simultaneously until now."""
        radio = self.radios[host]
        if radio.cell == NOWHERE:
            return radio.both
        return radio.both - self._remaining_duplex(host)

    def _remaining_duplex(self, host: int) -> int:
        """Return how long a host in a cell still sends and receives simultaneously."""
        up, down, now = self.up.channels[host], self.down.channels[host], self.engine.time
        until = min(up.free, down.free)
        return until - now - up.waits(now, until) if until > now else 0

    def enter(self, host: int, station: int) -> None:
        self.radios[host].cell = station
        self.up.channels[host].free = self.down.channels[host].free = 0

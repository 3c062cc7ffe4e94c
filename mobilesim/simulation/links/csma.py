"""Wireless channels on one half-duplex medium for each cell, with contention (CSMA/CA).

A frame is repeated until it is received, so the channels of each host are reliable and FIFO, as long as the host stays
in the cell. A host's radio sends or receives its own frames and their acknowledgements. It is idle while it waits, and
during frames of others.
A frame of a host contends when the host has processed it.

When a host leaves its cell, its frames no longer contend. The station sends each frame for a host that has left once.
Frames and bytes are counted at the end of each attempt.
"""

from collections.abc import Mapping

from mobilesim.protocols.packets import Packet
from mobilesim.recording.link_counters import LinkCounter, Links, LinksSnapshot
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.contention import Attempt, Contender, Job, Medium
from mobilesim.simulation.links.losses import frame_losses
from mobilesim.simulation.links.metered_air import MeteredAir
from mobilesim.simulation.links.wireless import NOWHERE, Direction, cell_bandwidths, transmission
from mobilesim.world.replication import World


class CsmaChannel(Direction):
    """All uplinks or all downlinks. A contender is a host on the uplinks, and a station on the downlinks."""

    def __init__(self, air: "CsmaAir", world: World, *, up: bool) -> None:
        super().__init__(air, 0)
        self.up, self.media = up, air.media
        self.other: CsmaChannel
        self.ack, self.preamble = air.rules.ack, air.rules.preamble
        self.bandwidths = cell_bandwidths(world.scenario.wireless, world.stations, up=up)
        self.losses = frame_losses(world, "lost-up" if up else "lost-down")
        purpose, contenders = ("backoff", len(air.radios)) if up else ("station-backoff", world.stations)
        self.contenders = [Contender(self, world.streams.stream(purpose, number)) for number in range(contenders)]
        self.csma, self.retries = air, world.scenario.wireless.retries
        self.total = [0] * len(air.radios)
        """By host, the time for which its radio has sent (uplinks) or received (downlinks), until the last attempt."""

    def transmit(self, host: int, station: int, frame: Packet, work: int = 0) -> None:
        radio = self.channels[host].radio
        entry = radio.entries if radio.cell == station else -1
        if work:
            self.engine.call_at(self.engine.time + work, self._processed, (host, station, frame, entry, work))
        else:
            self._enqueue(host, station, frame, entry)

    def _processed(self, sent: tuple[int, int, Packet, int, int]) -> None:
        host, station, frame, entry, work = sent
        if entry == self.channels[host].radio.entries:
            self._enqueue(host, station, frame, entry, work)

    def miss(self, host: int, station: int, frame: Packet) -> None:
        self._enqueue(host, station, frame, -1)

    def _enqueue(self, host: int, station: int, frame: Packet, entry: int, work: int = 0) -> None:
        contender = self.contenders[host if self.up else station]
        job = Job(host, self.channels[host].radio, frame, entry, work)
        job.size, job.busy = self._size(frame), self._busy(frame, station)
        self.media[station].enter(contender, job)
        self.csma.demanded[station] += job.busy + self.csma.overhead
        if self.counted:
            self._count_waiting(host, station, len(contender.queue) - 1)

    def _count_waiting(self, host: int, station: int, waiting: int) -> None:
        counter = self.links[host, station]
        counter.queue_peak = max(counter.queue_peak, waiting)

    def restart_queue_peaks(self) -> None:
        super().restart_queue_peaks()
        for medium in self.media:
            for contender in medium.contenders:
                if contender.channel is self:
                    self._count_waiting(contender.queue[0].host, medium.station, len(contender.queue) - 1)

    def _busy(self, frame: Packet, station: int) -> int:
        return self.preamble + transmission(self._size(frame), self.bandwidths[station])

    # Attempts

    def begin(self, contender: Contender, now: int) -> Attempt:
        """Begin an attempt to send the first frame of a contender."""
        job = contender.queue[0]
        job.attempts += 1
        if job.attempts == 1:
            job.started = now
        else:
            self.receiver.repeated(job.host, job.frame, 1)
        attempt = Attempt(contender, job, now)
        if not job.present:
            attempt.cut = now
        return attempt

    def is_received(self, attempt: Attempt) -> bool:
        """Return whether a frame that does not collide is received. If so, schedule its arrival."""
        job = attempt.job
        if not job.present or (self.losses is not None and self.losses.lost(job.host, job.size, attempt.start)):
            return False
        came = attempt.end + self.latency
        attempt.arrival = self.arrive(job.host, job.radio.cell, job.frame, job.started, came, job.work)
        return True

    def is_last(self, job: Job) -> bool:
        """Return whether a frame that was not received is not sent again."""
        return not job.present or job.attempts == self.retries

    def settle(self, attempt: Attempt, station: int) -> None:
        """Count an attempt that has ended. Count for the host's radio only the time in which it was in the cell."""
        job = attempt.job
        own, acknowledging = self.metered(attempt, attempt.cut)
        self.total[job.host] += own
        self.other.total[job.host] += acknowledging
        if not self.counted:
            return
        counter = self.links[job.host, station]
        sent = own if self.up else job.busy
        counter.add(job.frame, self.sizes, sent)
        counter.missed += sent - own
        if attempt.arrival is None:
            counter.lost().add(job.frame, self.sizes, sent)
        if acknowledging:
            self.other.links[job.host, station].busy += acknowledging

    def metered(self, attempt: Attempt, until: int) -> tuple[int, int]:
        """Return how long the host's radio has sent or received a frame, and its acknowledgement, until a moment."""
        until = min(until, attempt.cut)
        acknowledging = max(0, min(until - attempt.acknowledged, self.ack))
        return max(0, min(until, attempt.end) - attempt.start), acknowledging

    # Counters

    def so_far(self, host: int) -> int:
        """Return how long a host's radio has sent (uplinks) or received (downlinks) until now."""
        return self.total[host] + sum([time for other, _, time in self.csma.in_progress(self) if other == host])

    def snapshot(self, *, settled: bool) -> Links:
        if not settled:
            self._settle_all()
            return self.links
        snapshot = LinksSnapshot(self.links, self._in_transit())
        self.snapshots.append(snapshot)
        for host, station, time in self.csma.in_progress(self):
            snapshot.links.setdefault((host, station), LinkCounter()).busy += time
        return snapshot.links

    def _settle_all(self) -> None:
        """Count the transmissions of now, at the end of an interrupted run."""
        for medium in self.media:
            own = [attempt for attempt in medium.attempts if attempt.contender.channel is self]
            medium.attempts = [attempt for attempt in medium.attempts if attempt not in own]
            for attempt in own:
                self.settle(attempt, medium.station)

    def _in_transit(self) -> list[object]:
        """Return the arrivals of frames that are counted already."""
        unsettled = [attempt.arrival for medium in self.media for attempt in medium.attempts]
        return [arrival for arrival in super()._in_transit() if arrival not in unsettled]

    def occupied(self) -> Mapping[int, int]:
        """Return how long the medium of each cell was needed by frames of both directions and by beacons."""
        return self.csma.occupied()


class CsmaAir(MeteredAir):
    def __init__(self, engine: Engine, world: World, *, counted: bool) -> None:
        super().__init__(engine, world, counted=counted)
        self.rules = rules = world.scenario.wireless.contention_rules
        self.overhead = rules.difs + rules.sifs + rules.ack
        beacons = None if self.beacons is None else self.beacons.stations
        self.media = [
            Medium(engine, rules, station, None if beacons is None else beacons[station])
            for station in range(world.stations)
        ]
        self.demanded = [0] * world.stations
        """By cell, how long the medium would be needed by the frames until now without collisions and losses."""
        self.uplinks, self.downlinks = CsmaChannel(self, world, up=True), CsmaChannel(self, world, up=False)
        self.uplinks.other, self.downlinks.other = self.downlinks, self.uplinks
        self.up, self.down = self.uplinks, self.downlinks
        self._join_directions()

    def enter(self, host: int, station: int) -> None:
        self.radios[host].cell = station
        if self.beacons is not None:
            self.beacons.enter(host, station, self.engine.time)

    def leave(self, host: int) -> None:
        super().leave(host)
        if self.beacons is not None:
            self.beacons.leave(host, self.engine.time)

    def stop(self, host: int) -> None:
        """Remove the frames of a host from its contention, and end its transmissions."""
        station = self.radios[host].cell
        if station == NOWHERE:
            return
        medium = self.media[station]
        for attempt in medium.attempts:
            if attempt.job.host == host and attempt.job.present:
                attempt.cut = self.engine.time
        medium.remove(self.uplinks.contenders[host])

    def in_progress(self, channel: CsmaChannel) -> list[tuple[int, int, int]]:
        """Return for each transmission of now the host, the cell, and for how long the host's radio has been sending
        (uplinks) or receiving (downlinks).
        """
        now = self.engine.time
        found = []
        for medium in self.media:
            for attempt in medium.attempts:
                own, acknowledging = attempt.contender.channel.metered(attempt, now)
                if time := own if attempt.contender.channel is channel else acknowledging:
                    found.append((attempt.job.host, medium.station, time))
        return found

    def occupied(self) -> Mapping[int, int]:
        if self.beacons is None:
            return dict(enumerate(self.demanded))
        beacons = self.beacons.occupied(self.engine.time)
        return {station: time + beacons[station] for station, time in enumerate(self.demanded)}

    def so_far(self, host: int) -> tuple[int, int, int]:
        return self.uplinks.so_far(host), self.downlinks.so_far(host), 0

    def duplex(self, _host: int) -> int:
        return 0

    def beacon_time(self, host: int) -> int:
        """Return how long a host has received beacons. It cannot send meanwhile."""
        return 0 if self.beacons is None else self.beacons.heard(host, self.engine.time)

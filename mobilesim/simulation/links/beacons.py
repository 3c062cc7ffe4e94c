"""Beacons that are frames: each occupies the downlink, uses energy of the hosts that hear it, and may be lost.

A beacon is due every interval, from a random phase of its station on. It is sent at this time or, if the downlink is
busy, before the next frame that waits there. The engine has no events for beacons: the beacons of a time are counted
when a frame enters the downlink or a counter is read.

If the hosts of a cell share a downlink, beacons are sent there. If each host has a downlink of its own, a station sends
each beacon on all downlinks of its cell at once.
"""

from bisect import bisect_left

from mobilesim.recording.link_counters import ALL_HOSTS, LinkCounter, Links
from mobilesim.scenario.sections.wireless import BeaconFrames
from mobilesim.simulation.links.losses import FrameLosses, frame_losses
from mobilesim.simulation.links.wireless import NOWHERE, beacon_phases, transmission
from mobilesim.world.replication import World


class BeaconTimes:
    """The beacons on one downlink. Beacon `k` is due at `phase + k * interval`, and takes the time `length`.

    `free`: when the downlink is free of frames and of the beacons before `following`, the next one to be scheduled.
    """

    __slots__ = ("_late", "_starts", "following", "free", "interval", "length", "phase")

    def __init__(self, phase: int, interval: int, length: int, now: int = 0) -> None:
        self.phase, self.interval, self.length = phase, interval, length
        self.following = self.passed(now - 1) + 1
        self.free = 0
        self._late: list[int] = []
        self._starts: list[int] = []
        """The beacons that are sent later than they are due, and the start of each of them."""

    def passed(self, now: int) -> int:
        """Return the number of the last beacon that is due until `now`; -1 if there is none."""
        return max(-1, (now - self.phase) // self.interval)

    def due(self, beacon: int) -> int:
        return self.phase + beacon * self.interval

    def begin(self, ready: int) -> int:
        """Return when a frame that is ready now can start, after the earlier frames and the beacons that are due."""
        free = self.free
        start = max(ready, free)
        due = self.due(self.following)
        while due <= start:
            if due >= free:  # this beacon and those after it are on time
                self.following = self.passed(start)
                free = self.due(self.following) + self.length
            else:
                self._late.append(self.following)
                self._starts.append(free)
                free += self.length
            self.following += 1
            start = max(ready, free)
            due = self.due(self.following)
        self.free = free
        return start

    def start(self, beacon: int) -> int:
        """Return the start of a beacon that is scheduled, or that was due before this downlink began."""
        if not self._late or beacon > self._late[-1]:
            return self.due(beacon)
        place = bisect_left(self._late, beacon)
        late = place < len(self._late) and self._late[place] == beacon
        return self._starts[place] if late else self.due(beacon)

    def end(self, beacon: int) -> int:
        return self.start(beacon) + self.length

    def sent(self, until: int) -> int:
        """Return the number of beacons that start until a past moment."""
        self.begin(until)
        last = self.passed(until)
        while last >= 0 and self.start(last) > until:
            last -= 1
        return last + 1

    def air(self, until: int) -> int:
        """Return the total air time of beacons until a past moment."""
        self.begin(until)
        last = self.passed(until)
        total = (last + 1) * self.length
        while last >= 0 and (rest := self.end(last) - until) > 0:
            total -= min(rest, self.length)
            last -= 1
        return total

    def awake(self, beacon: int, listen: int) -> int:
        """Return how long a dozing host is awake for a beacon: the time `listen`, or longer until it has heard it."""
        return min(self.interval, max(listen, self.end(beacon) - self.due(beacon)))

    def awake_for(self, first: int, last: int, listen: int) -> int:
        """Return the sum of `awake` for the beacons from `first` to before `last`."""
        usual = min(self.interval, max(listen, self.length))
        late = self._late[bisect_left(self._late, first) : bisect_left(self._late, last)]
        return (last - first) * usual + sum([self.awake(beacon, listen) - usual for beacon in late])


class Beacons:
    """The beacons of all stations, and the time for which each host has heard beacons of its cell."""

    def __init__(self, frames: BeaconFrames, world: World, bandwidths: list[int], *, shared: bool) -> None:
        scenario, hosts = world.scenario, world.scenario.hosts
        self.interval = interval = scenario.wireless.beacon
        self.header, self.body = scenario.sizes.header, frames.size
        self.size = self.header + self.body
        self.shared = shared
        self.stations = [
            BeaconTimes(phase, interval, transmission(self.size, bandwidth))
            for phase, bandwidth in zip(beacon_phases(world), bandwidths, strict=True)
        ]
        self.downlinks = [self.stations[0]] * hosts
        """By host, the beacons on the downlink of its cell, or of its last cell."""
        self._losses = frame_losses(world, "lost-beacons")
        self._total, self._since, self._present = [0] * hosts, [0] * hosts, [False] * hosts
        for host, cell in enumerate(world.starting_cells):
            if cell != NOWHERE:
                self.enter(host, cell, 0)

    def enter(self, host: int, station: int, now: int) -> None:
        times = self.stations[station]
        if not self.shared:
            times = BeaconTimes(times.phase, times.interval, times.length, now)
        self.downlinks[host] = times
        self._since[host], self._present[host] = times.air(now), True

    def leave(self, host: int, now: int) -> None:
        if self._present[host]:
            self._total[host], self._present[host] = self.heard(host, now), False

    def heard(self, host: int, now: int) -> int:
        """Return for how long a host has received beacons, without the time in which it sent."""
        if not self._present[host]:
            return self._total[host]
        return self._total[host] + self.downlinks[host].air(now) - self._since[host]

    def occupied(self, now: int) -> list[int]:
        """Return how long beacons have occupied each downlink: of each cell if it is shared, else of each host."""
        if self.shared:
            return [times.air(now) for times in self.stations]
        return [self.heard(host, now) for host in range(len(self.downlinks))]

    def sent_during(self, host: int, start: int, end: int) -> int:
        """Return the air time of beacons in a past time in which the host sent."""
        times = self.downlinks[host]
        times.begin(end)
        last = times.passed(end)
        if last < 0 or times.end(last) <= start:
            return 0  # this is usual, and fast
        return times.air(end) - times.air(start)

    def miss(self, host: int, start: int, end: int) -> None:
        """Record that a host sent in a past time, and so did not hear the beacons in it."""
        self._total[host] -= self.sent_during(host, start, end)

    def first_due(self, host: int, station: int, now: int) -> int:
        """Return when the first beacon is due that a host in this cell receives, from now on."""
        times = self.stations[station]
        times.begin(now)
        beacon = times.passed(now)
        if beacon < 0 or times.start(beacon) < now:
            beacon += 1
        return self.first_received(self._losses, host, times.due(beacon))

    def first_received(self, losses: FrameLosses | None, host: int, due: int) -> int:
        """Return when the first beacon is due, from this one on, that is not lost."""
        if losses is None:
            return due
        return due + (losses.attempts(host, self.size, due, self.interval) - 1) * self.interval

    def received(self, times: BeaconTimes, due: int) -> int:
        """Return the end of the beacon that is due now, or was due before."""
        times.begin(due)
        return times.end(times.passed(due))

    def links(self, now: int) -> Links:
        """Return for each station the counter of its beacons until now."""
        counted: Links = {}
        for station, times in enumerate(self.stations):
            sent = times.sent(now)
            counted[station, ALL_HOSTS] = LinkCounter(
                packets=sent,
                bytes=sent * self.size,
                busy=times.air(now),
                framing=sent * self.header,
                control=sent * self.body,
            )
        return counted

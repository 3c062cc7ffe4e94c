"""Power save: a host that neither sends nor receives for some time dozes, and wakes up briefly at every beacon.

The engine has no events for beacons. At the end of a period of dozing, the beacons in this period are counted.
"""

from mobilesim.scenario.sections.wireless import Doze
from mobilesim.simulation.links.beacons import BeaconTimes


class PowerSave:
    def __init__(self, doze: Doze, downlinks: list[BeaconTimes]) -> None:
        """`downlinks`: by host, the beacons on its downlink, which may change when the host enters a cell."""
        hosts = len(downlinks)
        self._after, self._listen, self.downlinks = doze.after, doze.listen, downlinks
        self._quiet = [0] * hosts
        """The time until which each host is busy."""
        self._inside = [True] * hosts
        self._total = [0] * hosts
        self._switches = [0] * hosts

    def mark_busy(self, host: int, now: int, until: int) -> None:
        self._wake(host, now)
        self._quiet[host] = max(self._quiet[host], until)

    def leave(self, host: int, now: int) -> None:
        """End the dozing of a host that leaves its cell. It receives no beacons until it is in a cell again."""
        if self._inside[host]:
            self._wake(host, now)
            self._inside[host] = False

    def enter(self, host: int, now: int) -> None:
        self._inside[host] = True
        self._quiet[host] = now

    def asleep(self, host: int, now: int) -> bool:
        """Return whether the host dozes and is not awake for a beacon."""
        times, since = self.downlinks[host], self._since(host, now)
        beacon = times.passed(now)
        due = times.due(beacon)
        return since < now and not (due > since and now - due < max(1, times.awake(beacon, self._listen)))

    def beacon(self, host: int, now: int) -> int:
        """Return when the next beacon is due after now."""
        times = self.downlinks[host]
        return times.due(times.passed(now) + 1)

    def so_far(self, host: int, now: int) -> tuple[int, int]:
        """Return the time for which the host has dozed, and the number of its wake-ups."""
        total, switches = self._total[host], self._switches[host]
        if not self._inside[host]:
            return total, switches
        dozing, beacons, _ = self._stretch(host, now)
        return total + dozing, switches + beacons

    def _since(self, host: int, now: int) -> int:
        """Return when the host begins to doze: after some time without a frame, but not before the end of a beacon that
        is due already.
        """
        times, since = self.downlinks[host], self._quiet[host] + self._after
        times.begin(now)
        return since if since >= now else max(since, times.end(times.passed(since)))

    def _wake(self, host: int, now: int) -> None:
        dozing, beacons, asleep = self._stretch(host, now)
        self._total[host] += dozing
        self._switches[host] += beacons + asleep

    def _stretch(self, host: int, now: int) -> tuple[int, int, bool]:
        """Return the time of dozing since the host was busy, the number of beacons since, and whether it dozes now.

        A beacon at `now` is not counted. If the host wakes up at `now`, `_wake` counts this wake-up.
        """
        since = self._since(host, now)
        if now <= since:
            return 0, 0, False
        times = self.downlinks[host]
        last = times.passed(now - 1)
        first = times.passed(since) + 1
        if last < first:
            return now - since, 0, True
        awake, listen = now - times.due(last), times.awake(last, self._listen)
        listened = times.awake_for(first, last, self._listen) + min(listen, awake)
        return now - since - listened, last - first + 1, awake > listen

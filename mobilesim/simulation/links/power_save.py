"""Power save: a host that neither sends nor receives for some time dozes, and wakes up briefly at every beacon.

The engine has no events for beacons. At the end of a period of dozing, the beacons in this period are counted.
"""

from mobilesim.scenario.sections.wireless import Doze


class PowerSave:
    def __init__(self, doze: Doze, beacon: int, hosts: int) -> None:
        self._after, self._listen, self._period = doze.after, doze.listen, beacon
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
        beacon, since = now - now % self._period, self._quiet[host] + self._after
        return since < now and not (beacon > since and now - beacon < max(1, self._listen))

    def beacon(self, now: int) -> int:
        return (now // self._period + 1) * self._period

    def so_far(self, host: int, now: int) -> tuple[int, int]:
        """Return the time for which the host has dozed, and the number of its wake-ups."""
        total, switches = self._total[host], self._switches[host]
        if not self._inside[host]:
            return total, switches
        dozing, beacons, _ = self._stretch(host, now)
        return total + dozing, switches + beacons

    def _wake(self, host: int, now: int) -> None:
        dozing, beacons, asleep = self._stretch(host, now)
        self._total[host] += dozing
        self._switches[host] += beacons + asleep

    def _stretch(self, host: int, now: int) -> tuple[int, int, bool]:
        """Return the time of dozing since the host was busy, the number of beacons since, and whether it dozes now.

        A beacon at `now` is not counted. If the host wakes up at `now`, `_wake` counts this wake-up.
        """
        since = self._quiet[host] + self._after
        if now <= since:
            return 0, 0, False
        last = (now - 1) // self._period
        beacons = last - since // self._period
        if not beacons:
            return now - since, 0, True
        awake = now - last * self._period
        listened = (beacons - 1) * self._listen + min(self._listen, awake)
        return now - since - listened, beacons, awake > self._listen

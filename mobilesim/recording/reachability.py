"""When each host can be reached: it is attached, and its state is at the station of its cell."""


class Reachability:
    """How long each host has been out of reach, up to any moment since its last change."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts
        self._total = [0] * hosts
        self._since = [-1] * hosts

    def lose(self, host: int, now: int) -> None:
        if self._since[host] < 0:
            self._since[host] = now

    def regain(self, host: int, now: int) -> None:
        since = self._since[host]
        if since >= 0:
            self._total[host] += now - since
            self._since[host] = -1

    def lost_since(self, host: int) -> int:
        """Return since when the host has been out of reach, or -1 if it can be reached."""
        return self._since[host]

    def total(self, host: int, now: int) -> int:
        since = self._since[host]
        return self._total[host] if since < 0 else self._total[host] + now - since

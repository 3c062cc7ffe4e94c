"""When each host can be reached: attached, and its state at its cell's station. Else it moves or is disconnected."""


class Reach:
    """How long each host has been out of reach, up to any moment since its last change."""

    __slots__ = ("_since", "_total")

    def __init__(self, hosts: int) -> None:
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

    def lost(self, host: int) -> int:
        """Since when the host has been out of reach; negative if it is not."""
        return self._since[host]

    def total(self, host: int, now: int) -> int:
        since = self._since[host]
        return self._total[host] if since < 0 else self._total[host] + now - since

"""Reachability: the time for which hosts cannot be reached by messages, or cannot send messages.

A host can be reached if it is in a cell and its state is at the station of this cell. It can send if it is registered:
if it has received the station's answer to its registration.
"""

from collections.abc import Sequence


class Reachability:
    """The time for which each host has been out of reach, or unable to send. `total` returns this time up to a moment
    `now`, which must not be earlier than the last call of `lose` or `regain` for the host.
    """

    def __init__(self, homes: Sequence[int]) -> None:
        """`homes`: the cell of each host at time 0."""
        self.homes = homes
        self._total = [0] * len(homes)
        self._since = [-1] * len(homes)

    def lose(self, host: int, now: int) -> None:
        if self._since[host] < 0:
            self._since[host] = now

    def regain(self, host: int, now: int) -> None:
        since = self._since[host]
        if since >= 0:
            self._total[host] += now - since
            self._since[host] = -1

    def lost_since(self, host: int) -> int:
        """Return the moment from which the host has been out of reach, or -1 if it can be reached."""
        return self._since[host]

    def total(self, host: int, now: int) -> int:
        since = self._since[host]
        return self._total[host] if since < 0 else self._total[host] + now - since

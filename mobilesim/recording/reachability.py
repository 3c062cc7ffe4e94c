"""Reachability: the time for which hosts cannot be reached by messages, or cannot send messages.

A host can be reached if it is in a cell and its state is at the station of this cell. It can send if it is registered:
if it has received the station's answer to its registration.
"""

from collections.abc import Sequence

from mypy_extensions import i64, mypyc_attr


@mypyc_attr(acyclic=True)
class Absences:
    """The absences of a host. `total`: the time of the finished ones. `since`: the begin of the present one, or -1."""

    __slots__ = ("since", "total")
    since: i64
    total: i64

    def __init__(self) -> None:
        self.since, self.total = -1, 0


class Reachability:
    """The time for which each host has been out of reach, or unable to send. `total` returns this time up to a moment
    `now`, which must not be earlier than the last call of `lose` or `regain` for the host.
    """

    def __init__(self, homes: Sequence[int]) -> None:
        """`homes`: the cell of each host at time 0."""
        self.homes = homes
        self._absences = [Absences() for _ in homes]

    def lose(self, host: int, now: int) -> None:
        absences = self._absences[host]
        if absences.since < 0:
            absences.since = now

    def regain(self, host: int, now: int) -> None:
        absences = self._absences[host]
        if absences.since >= 0:
            absences.total += now - absences.since
            absences.since = -1

    def lost_since(self, host: int) -> int:
        """Return the moment from which the host has been out of reach, or -1 if it can be reached."""
        return self._absences[host].since

    def total(self, host: int, now: i64) -> i64:
        absences = self._absences[host]
        return absences.total if absences.since < 0 else absences.total + now - absences.since

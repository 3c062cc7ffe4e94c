"""Reachability: the time for which hosts cannot be reached by messages, or cannot send messages.

A host can be reached if it is in a cell and its state is at the station of this cell. It can send if it is registered:
if it has received the station's answer to its registration.
"""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import i64, mypyc_attr

NEVER_AGAIN: Final = 1 << 62
"""A time after all others."""


@mypyc_attr(acyclic=True)
class Absences:
    """The absences of a host. `total`: the time of the finished ones. `since`: the begin of the present one, or -1.
    `finished`: begin and end of those that `Reachability.forget` has not removed.
    """

    __slots__ = ("finished", "since", "total")
    since: i64
    total: i64
    finished: list[tuple[i64, i64]]

    def __init__(self) -> None:
        self.since, self.total = -1, 0
        self.finished = []

    def before(self, moment: i64) -> tuple[i64, i64]:
        """Return the time of the absences before a moment, and the first moment from it on at which the host is
        present; `NEVER_AGAIN` if it is still absent.
        """
        total = self.total
        if 0 <= self.since <= moment:
            return total + moment - self.since, NEVER_AGAIN
        for begin, end in reversed(self.finished):
            if end <= moment:
                break
            total -= end - begin
            if begin <= moment:
                return total + moment - begin, end
        return total, moment


class Reachability:
    """The time for which each host has been out of reach, or unable to send. `total` returns this time up to a moment
    `now`, which must not be earlier than the last call of `lose` or `regain` for the host.
    """

    def __init__(self, homes: Sequence[int], *, remembers: bool = True) -> None:
        """`homes`: the cell of each host at time 0. `remembers`: whether `before` is called."""
        self.homes = homes
        self._remembers = remembers
        self._absences = [Absences() for _ in homes]

    def lose(self, host: int, now: int) -> None:
        absences = self._absences[host]
        if absences.since < 0:
            absences.since = now

    def regain(self, host: int, now: int) -> None:
        absences = self._absences[host]
        if absences.since >= 0:
            absences.total += now - absences.since
            if self._remembers:
                absences.finished.append((absences.since, now))
            absences.since = -1

    def lost_since(self, host: int) -> int:
        """Return the moment from which the host has been out of reach, or -1 if it can be reached."""
        return self._absences[host].since

    def forget(self, host: int) -> None:
        """Forget the absences of a host that are over. `before` is not called for earlier moments any more."""
        finished = self._absences[host].finished
        if finished:
            finished.clear()

    def before(self, host: int, moment: i64) -> tuple[i64, i64]:
        """Return the time for which the host had been out of reach before a moment, which may be in the past, and the
        first moment from it on at which the host could be reached.
        """
        return self._absences[host].before(moment)

    def total(self, host: int, now: i64) -> i64:
        absences = self._absences[host]
        return absences.total if absences.since < 0 else absences.total + now - absences.since

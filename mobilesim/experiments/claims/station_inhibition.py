"""What stations hold back without need, as far as they can know.

A station stamps what a host has said after it has sent the host a message, though the host may not have heard that by
the time it spoke: the stamp has a dependency that the host never had. The oracle, which judges by what hosts say and
hear, calls a wait for it inhibition. Here a message is sent when it is stamped and delivered when it goes down to its
host, and every wait is judged once more by that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.reachability import Reach
from mobilesim.simulation.engine import Engine
from protocols.machine import Copy, Message

Moment = tuple[int, int]
"""The time, and how long the host had been out of reach in all by then."""


@dataclass(frozen=True, slots=True)
class _Lowering:
    at: Moment
    source: int
    number: int


class StationsView:
    """Counts the messages that were lowered, and those among them that waited although all they depend on was there."""

    def __init__(self, hosts: int, engine: Engine, reach: Reach) -> None:
        self.lowerings = self.needless = 0
        self._oracle = Oracle(hosts)
        self._engine = engine
        self._reach = reach
        self._stamped: set[int] = set()
        self._came: dict[tuple[int, int], Moment] = {}
        self._lowered: set[tuple[int, int]] = set()
        self._log: list[list[_Lowering]] = [[] for _ in range(hosts)]

    def stamped(self, copies: Sequence[Copy]) -> None:
        for copy in copies:
            message = copy.message
            if message.id not in self._stamped:
                self._stamped.add(message.id)
                self._oracle.submitted(message.id, message.source, message.destinations)

    def came(self, copies: Sequence[Copy]) -> None:
        for copy in copies:
            for host in copy.targets:
                if (copy.message.id, host) not in self._lowered:
                    self._came[copy.message.id, host] = self._now(host)

    def lowered(self, message: Message, host: int) -> None:
        """Only the first time: what is sent down again has been judged."""
        came = self._came.pop((message.id, host), None)
        if came is None:
            return
        self._lowered.add((message.id, host))
        now = self._now(host)
        last = max((cause.at for cause in self._causes(message, host) if cause.at[0] > came[0]), default=came)
        self.lowerings += 1
        self.needless += _reachable(came, now) > max(0, _reachable(came, last))
        self._log[host].append(_Lowering(now, message.source, self._oracle.number(message.id)))
        self._oracle.delivered(message.id, message.source, host)

    def _now(self, host: int) -> Moment:
        now = self._engine.time
        return now, self._reach.total(host, now)

    def _causes(self, message: Message, host: int) -> Iterator[_Lowering]:
        for lowering in self._log[host]:
            if self._oracle.precedes(lowering.source, lowering.number, message.id):
                yield lowering


def _reachable(start: Moment, end: Moment) -> int:
    """How much of the time between the host could be reached."""
    return (end[0] - start[0]) - (end[1] - start[1])

"""Inhibition as measured at stations: waits for messages on which a delivery does not depend.

A station may stamp a host's message after it has transmitted another message to that host, although the host sent first
and received later: the stamp has a false dependency. The oracle uses the events at hosts, so it counts a wait for that
message as inhibition. In this module a message is sent when it is stamped, and delivered when it is transmitted to its
host; every wait is checked again with these events.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.reachability import Reachability
from mobilesim.simulation.engine import Engine
from protocols.machine import Copy, Message

Moment = tuple[int, int]
"""A time, and the total time for which the host was unreachable until then."""


@dataclass(frozen=True, slots=True)
class _Transmission:
    at: Moment
    source: int
    number: int


class StationInhibition:
    """Counts messages whose transmission was delayed although all their predecessors had been transmitted."""

    def __init__(self, hosts: int, engine: Engine, reachability: Reachability) -> None:
        self.transmissions = self.avoidable = 0
        self._oracle = Oracle(hosts)
        self._engine = engine
        self._reachability = reachability
        self._stamped: set[int] = set()
        self._arrivals: dict[tuple[int, int], Moment] = {}
        self._transmitted: set[tuple[int, int]] = set()
        self._log: list[list[_Transmission]] = [[] for _ in range(hosts)]

    def stamped(self, copies: Sequence[Copy]) -> None:
        for copy in copies:
            message = copy.message
            if message.id not in self._stamped:
                self._stamped.add(message.id)
                self._oracle.submitted(message.id, message.source, message.destinations)

    def arrived(self, copies: Sequence[Copy]) -> None:
        for copy in copies:
            for host in copy.targets:
                if (copy.message.id, host) not in self._transmitted:
                    self._arrivals[copy.message.id, host] = self._now(host)

    def transmitted(self, message: Message, host: int) -> None:
        """Classify the wait of a transmitted message; retransmissions are ignored."""
        arrival = self._arrivals.pop((message.id, host), None)
        if arrival is None:
            return
        self._transmitted.add((message.id, host))
        now = self._now(host)
        causes = (
            earlier.at
            for earlier in self._log[host]
            if earlier.at[0] > arrival[0] and self._oracle.precedes(earlier.source, earlier.number, message.id)
        )
        deliverable = max(causes, default=arrival)
        self.transmissions += 1
        self.avoidable += _reachable_time(arrival, now) > max(0, _reachable_time(arrival, deliverable))
        self._log[host].append(_Transmission(now, message.source, self._oracle.number(message.id)))
        self._oracle.delivered(message.id, message.source, host)

    def _now(self, host: int) -> Moment:
        now = self._engine.time
        return now, self._reachability.total(host, now)


def _reachable_time(start: Moment, end: Moment) -> int:
    return (end[0] - start[0]) - (end[1] - start[1])

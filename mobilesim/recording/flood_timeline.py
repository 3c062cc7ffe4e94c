"""The timeline of messages under the placement `flood`, which sends a copy of every message to every station.

The recorded path of a message to a host is the path of one copy: the first copy that is at the same station as the
host's state. This copy may be at the station before the state. Then the host was out of reach, and the copy's arrival
time is the time at which this period began, or the time at which the station had read the copy, whichever is later. So
the hand-off counts as time in which the receiver is unreachable, and not as a part of the message's path.
"""

from typing import TypeAlias

from mobilesim.protocols.packets import Copy
from mobilesim.recording.delivery_record import NEVER
from mobilesim.recording.message_timeline import MessageTimeline
from mobilesim.recording.message_trace import MessageTrace
from mobilesim.recording.reachability import Reachability
from mobilesim.recording.sinks import Sink

CopyTimes: TypeAlias = tuple[int, int, int]
"""The times at which a copy was sent to a station, arrived at this station, and was read."""


class FloodTimeline(MessageTimeline):
    def __init__(self, reachability: Reachability, registration: Reachability, sink: Sink, *, at_host: bool) -> None:
        super().__init__(reachability, registration, sink, at_host=at_host)
        self._copies: dict[int, dict[int, CopyTimes]] = {}
        """The times of each copy, by message and by station."""
        self._state_at = [(home, 0) for home in reachability.homes]
        """By host, the station with the host's state, and the number of the visit (stay in a cell) that it came for."""

    def sent(self, copies: tuple[Copy, ...], station: int, target: int, now: int, done: int) -> None:
        """Record that a station sent the copies of a message. The first station that sends them has stamped them."""
        number = copies[0].message.id
        if (trace := self._traces.get(number)) is None:
            return
        if number not in self._copies:
            self._copies[number] = {}
            header, units = sum([copy.stamp.integers for copy in copies]), sum([copy.stamp.units for copy in copies])
            trace.widen(header, units)
            for copy in copies:
                for host in copy.targets:
                    trace.stamp(host, station, now, header, units)
        self._copies[number][target] = (done, NEVER, NEVER)

    def kept(self, copies: tuple[Copy, ...], station: int, now: int, done: int) -> None:
        """Record the copy that stays at the station that stamped it. In a network of one station, no copy is sent."""
        if (times := self._copies.get(copies[0].message.id)) is None:
            super().kept(copies, station, now, done)
        else:
            times[station] = (done, done, done)
            self._assign_copies(copies, station, done)

    def landed(self, copies: tuple[Copy, ...], station: int, came: int, now: int) -> None:
        self._arriving = copies[0].message.id
        if (times := self._copies.get(copies[0].message.id)) is not None:
            times[station] = (times[station][0], came, now)
            self._assign_copies(copies, station, now)

    def installed(self, host: int, visit: int, station: int, now: int) -> None:
        """Record that a host's state has arrived at a station, and assign the copies at this station to the host."""
        self._state_at[host] = (station, visit)
        since = self._reachability.lost_since(host)
        since = now if since < 0 else since
        for trace in self.waiting[host]:
            times = self._copies.get(trace.message.id, {}).get(station)
            if times is not None and times[2] >= 0 and trace.record(host).arrived < 0:
                self._assign_copy(trace, host, station, max(times[2], since))

    def withdrawn(self, host: int, visit: int, station: int) -> None:
        if self._state_at[host] == (station, visit - 1):
            self._state_at[host] = (NEVER, NEVER)

    def _forget(self, number: int) -> None:
        super()._forget(number)
        self._copies.pop(number, None)

    def _assign_copies(self, copies: tuple[Copy, ...], station: int, now: int) -> None:
        """Assign copies to the hosts whose state is at the station of the copies."""
        trace = self._traces.get(copies[0].message.id)
        assert trace is not None
        for copy in copies:
            for host in copy.targets:
                if self._state_at[host][0] == station and trace.record(host).arrived < 0:
                    self._assign_copy(trace, host, station, now)

    def _assign_copy(self, trace: MessageTrace, host: int, station: int, moment: int) -> None:
        """Record that the copy at this station is the one that reaches the host."""
        record = trace.record(host)
        record.sent, record.landed, record.first = self._copies[trace.message.id][station]
        record.stations_passed += station != record.station
        record.station = station
        record.arrived, record.arrived_away = moment, self._reachability.total(host, moment)

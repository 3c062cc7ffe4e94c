"""Counts packets and inhibition at stations, by their calls. Of the recorder, it uses only the reachability."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.machine import Milestone, Station, StationOutbox, Telemetry
from mobilesim.protocols.packets import Copy, DataPacket, HandoffPacket, Message, Packet, Purpose
from mobilesim.recording.reachability import Reachability
from mobilesim.simulation.engine import Engine

Moment = tuple[int, int]
"""A time, and the total time for which the host was unreachable before this time."""


@dataclass(frozen=True, slots=True)
class _Transmission:
    at: Moment
    source: int
    number: int


class StationInhibition:
    """Counts messages that were delayed although all their predecessors had been transmitted.

    A host may send a message before it receives a message that its station has already transmitted to it. The station
    then stamps the host's message with a false dependency on the transmitted message. The oracle uses the events at
    hosts, so a wait due to this dependency counts as inhibition. This class checks every wait again, with the events
    at stations: a message is sent when it is stamped, and delivered when it is transmitted to its host.
    """

    def __init__(self, hosts: int, engine: Engine, reachability: Reachability) -> None:
        self.transmissions = self.avoidable = 0
        self._oracle = Oracle(hosts)
        self._engine = engine
        self._reachability = reachability
        self._stamped: set[int] = set()
        self._arrivals: dict[tuple[int, int], Moment] = {}
        self._transmitted: set[tuple[int, int]] = set()
        self._log: list[list[_Transmission]] = [[] for _ in range(hosts)]

    def stamped(self, copies: tuple[Copy, ...]) -> None:
        for copy in copies:
            message = copy.message
            if message.id not in self._stamped:
                self._stamped.add(message.id)
                self._oracle.submitted(message.id, message.source, message.destinations)

    def arrived(self, copies: tuple[Copy, ...]) -> None:
        for copy in copies:
            for host in copy.targets:
                if (copy.message.id, host) not in self._transmitted:
                    self._arrivals[copy.message.id, host] = self._now(host)

    def transmitted(self, message: Message, host: int) -> None:
        """Check the wait of a message that is transmitted. Retransmissions are ignored."""
        arrival = self._arrivals.pop((message.id, host), None)
        if arrival is None:
            return
        self._transmitted.add((message.id, host))
        now, sent = self._now(host), self._oracle.outstanding(message.id, message.source, host)
        assert sent is not None
        causes = (
            earlier.at
            for earlier in self._log[host]
            if earlier.at[0] > arrival[0] and sent.follows(earlier.source, earlier.number)
        )
        deliverable = max(causes, default=arrival)
        self.transmissions += 1
        self.avoidable += _reachable_time(arrival, now) > max(0, _reachable_time(arrival, deliverable))
        self._log[host].append(_Transmission(now, message.source, sent.number))
        self._oracle.delivered(message.id, message.source, host)

    def _now(self, host: int) -> Moment:
        now = self._engine.time
        return now, self._reachability.total(host, now)


def _reachable_time(start: Moment, end: Moment) -> int:
    return (end[0] - start[0]) - (end[1] - start[1])


Handoff = tuple[int, int]
"""A host, and the number of its visit (its stay in the new cell)."""

DATA: Final = Purpose.DATA


class StationProbe:
    def __init__(self) -> None:
        self.headers: Counter[int] = Counter()
        """The number of data packets, by the integers of their ordering header."""
        self.handoffs: dict[Handoff, int] = {}
        """The number of packets of each hand-off on wired links."""
        self.forwarded = 0
        """The number of packets that carried a message over a link after its first transmission."""
        self.inhibition: StationInhibition | None = None
        """The measurement that is notified of the messages at stations; None without this measurement."""
        self._call = 0
        self._first_sent: dict[tuple[int, int], int] = {}
        """By message and destination, the number of the station call that first sent the copy, or stored it for a host
        of its own cell.
        """

    def attach(self, stations: Sequence[Station]) -> list[Station]:
        return [_ProbedStation(self, index, station) for index, station in enumerate(stations)]

    def called(self) -> None:
        """Count a call of a station. A message is forwarded if it is sent again in a later call."""
        self._call += 1

    def sent(self, source: int, target: int, packet: Packet) -> None:
        if isinstance(packet, HandoffPacket):
            handoff = (packet.host, packet.visit)
            self.handoffs[handoff] = self.handoffs.get(handoff, 0) + (source != target)
        elif isinstance(packet, DataPacket) and packet.purpose is DATA:
            self.headers[packet.header] += 1
            self.forwarded += self._is_forwarded(packet.copies) and source != target
            if self.inhibition is not None:
                self.inhibition.stamped(packet.copies)

    def kept(self, copies: tuple[Copy, ...]) -> None:
        self._is_forwarded(copies)
        if self.inhibition is not None:
            self.inhibition.stamped(copies)
            self.inhibition.arrived(copies)

    def _is_forwarded(self, copies: tuple[Copy, ...]) -> bool:
        calls = [
            self._first_sent.setdefault((copy.message.id, host), self._call) for copy in copies for host in copy.targets
        ]
        return any(call != self._call for call in calls)

    def searching(self, copy: Copy) -> None:
        if self.inhibition is not None and not copy.is_control:
            self.inhibition.stamped((copy,))

    def received(self, packet: Packet) -> None:
        if self.inhibition is not None and isinstance(packet, DataPacket) and packet.purpose is DATA:
            self.inhibition.arrived(packet.copies)

    def transmitted(self, host: int, frame: Any) -> None:  # noqa: ANN401 - a packet; a data packet has `copies`
        if self.inhibition is not None and frame.purpose is DATA:
            self.inhibition.transmitted(frame.copies[0].message, host)

    def stored(self, host: int, copy: Copy) -> None:
        """Count a message as transmitted that would be, if its host had not announced that it switches off."""
        if self.inhibition is not None and not copy.is_control:
            self.inhibition.transmitted(copy.message, host)

    def reached(self, milestone: Milestone) -> None:
        """Count a hand-off from its registration on, even if it sends no packet over a wired link."""
        if milestone.visit:
            self.handoffs.setdefault((milestone.host, milestone.visit), 0)


class _ProbedStation(Station):
    def __init__(self, probe: StationProbe, index: int, station: Station) -> None:
        self._probe = probe
        self._index = index
        self._station = station

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        self._probe.received(packet)
        self._station.receive(packet, self._probed(out))

    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        self._station.receive_frame(host, frame, self._probed(out))

    def submit(self, message: Message, out: StationOutbox) -> None:
        self._station.submit(message, self._probed(out))

    def wake(self, host: int, out: StationOutbox) -> None:
        self._station.wake(host, self._probed(out))

    def _probed(self, out: StationOutbox) -> StationOutbox:
        self._probe.called()
        return _ProbedOutbox(self._probe, self._index, out)

    @property
    def integers(self) -> int:
        return self._station.integers

    @property
    def pending(self) -> int:
        return self._station.pending

    @property
    def stored(self) -> tuple[int, int]:
        return self._station.stored


class _ProbedOutbox(StationOutbox):
    def __init__(self, probe: StationProbe, index: int, out: StationOutbox) -> None:
        super().__init__(_ProbedTelemetry(probe, out.telemetry))
        self._probe = probe
        self._index = index
        self._out = out

    def send(self, station: int, packet: Packet) -> None:
        self._probe.sent(self._index, station, packet)
        self._out.send(station, packet)

    def transmit(self, host: int, frame: Packet) -> None:
        self._probe.transmitted(host, frame)
        self._out.transmit(host, frame)

    def wake(self, host: int, after: int) -> None:
        self._out.wake(host, after)

    def drop(self, message: Message, host: int) -> None:
        self._out.drop(message, host)


class _ProbedTelemetry(Telemetry):
    def __init__(self, probe: StationProbe, telemetry: Telemetry) -> None:
        self._probe = probe
        self._telemetry = telemetry

    def held(self, message: Message) -> None:
        self._telemetry.held(message)

    def reached(self, milestone: Milestone) -> None:
        self._probe.reached(milestone)
        self._telemetry.reached(milestone)

    def kept(self, copies: tuple[Copy, ...]) -> None:
        self._probe.kept(copies)
        self._telemetry.kept(copies)

    def stored(self, host: int, copy: Copy) -> None:
        self._probe.stored(host, copy)
        self._telemetry.stored(host, copy)

    def searching(self, copy: Copy) -> None:
        self._probe.searching(copy)
        self._telemetry.searching(copy)

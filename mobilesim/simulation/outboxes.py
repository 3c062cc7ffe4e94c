"""What a machine of the simulation finds behind its outbox: the air and the wires. Where somebody watches, they are
told first.

A frame or a packet whose purpose is data carries copies of one message; nothing else is known here of what travels.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from mobilesim.recording.recorder import Watch
from mobilesim.simulation.engine import Engine
from protocols.machine import NO_TELEMETRY, Copy, HandoffPacket, Message, Milestone, Packet, Purpose, Telemetry

if TYPE_CHECKING:
    from mobilesim.simulation.cells import Cells


DATA: Final = Purpose.DATA
"""Looked up once: it is asked for with every frame."""


class HostPort:
    __slots__ = ("_cells", "_delivered", "_transmit", "_wake", "host", "telemetry")

    def __init__(self, simulation: "Cells", host: int, telemetry: Telemetry = NO_TELEMETRY) -> None:
        self.host = host
        self.telemetry = telemetry
        self._cells = simulation.air.cells
        self._transmit = simulation.air.up.transmit
        self._delivered = simulation.delivered
        self._wake = simulation.wake_host

    def transmit(self, frame: Packet) -> None:
        station = self._cells[self.host]
        if station >= 0:
            self._transmit(self.host, station, frame)

    def deliver(self, message: Message) -> None:
        self._delivered(message, self.host)

    def wake(self, after: int) -> None:
        self._wake(self.host, after)


class HostTelemetry(Telemetry):
    __slots__ = ("_engine", "_journeys")

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self._engine = engine
        self._journeys = watch.journeys

    def held(self, message: Message) -> None:
        self._journeys.held(message, self._engine.time)

    def let_go(self, message: Message) -> None:
        self._journeys.let_go(message, self._engine.time)


class WatchedHostPort(HostPort):
    __slots__ = ()

    def __init__(self, simulation: "Cells", host: int, watch: Watch) -> None:
        super().__init__(simulation, host, HostTelemetry(simulation.engine, watch))

    def transmit(self, frame: Any) -> None:  # noqa: ANN401 - a packet; one of data has copies
        station = self._cells[self.host]
        if station >= 0:
            if frame.purpose is DATA:
                frame.copies[0].message.trip.transmissions += 1
            self._transmit(self.host, station, frame)


class StationTelemetry(Telemetry):
    """`since`: when the station began the work that the report is about."""

    __slots__ = ()

    def kept_since(self, copies: Sequence[Copy], since: int) -> None: ...

    def held_since(self, message: Message, since: int) -> None: ...


NO_STATION_TELEMETRY: Final = StationTelemetry()


class WatchedStationTelemetry(StationTelemetry):
    __slots__ = ("_cells", "_engine", "_watch", "station")

    def __init__(self, simulation: "Cells", station: int, watch: Watch) -> None:
        self.station = station
        self._engine = simulation.engine
        self._cells = simulation.air.cells
        self._watch = watch

    def held(self, message: Message) -> None:
        self.held_since(message, self._engine.time)

    def held_since(self, message: Message, since: int) -> None:
        self._watch.journeys.held(message, since, self.station)

    def reached(self, milestone: Milestone) -> None:
        self._watch.reached(milestone, self.station, self._engine.time, self._cells[milestone.host])

    def kept(self, copies: Sequence[Copy]) -> None:
        self.kept_since(copies, self._engine.time)

    def kept_since(self, copies: Sequence[Copy], since: int) -> None:
        self._watch.journeys.kept(copies, self.station, since, self._engine.time)


class StationPort:
    __slots__ = ("_dropped", "_miss", "_send", "_transmit", "_wake", "station", "telemetry")

    def __init__(self, simulation: "Cells", station: int) -> None:
        self.station = station
        self.telemetry: StationTelemetry = NO_STATION_TELEMETRY
        self._send = simulation.wires.send
        self._transmit = simulation.air.down.transmit
        self._miss = simulation.air.down.miss
        self._dropped = simulation.dropped
        self._wake = simulation.wake_station

    def send(self, station: int, packet: Packet) -> None:
        self._send(self.station, station, packet)

    def sent(self, station: int, packet: Packet, since: int) -> None:
        """A packet for which the station has worked `since` then."""
        self._send(self.station, station, packet)

    def transmit(self, host: int, frame: Packet) -> None:
        self._transmit(host, self.station, frame)

    def wake(self, host: int, after: int) -> None:
        self._wake(self.station, host, after)

    def miss(self, host: int, frame: Packet) -> None:
        """A frame for a host as it was before it left."""
        self._miss(host, self.station, frame)

    def drop(self, message: Message, host: int) -> None:
        self._dropped(message, host)


class WatchedStationPort(StationPort):
    __slots__ = ("_engine", "_watch")

    def __init__(self, simulation: "Cells", station: int, watch: Watch) -> None:
        super().__init__(simulation, station)
        self.telemetry = WatchedStationTelemetry(simulation, station, watch)
        self._engine = simulation.engine
        self._watch = watch

    def send(self, station: int, packet: Packet) -> None:
        self.sent(station, packet, self._engine.time)

    def sent(self, station: int, packet: Any, since: int) -> None:  # noqa: ANN401 - a packet; one of data has copies
        done = self._send(self.station, station, packet)
        if packet.purpose is DATA:
            if packet.floods:
                self._watch.journeys.spread(packet.copies, self.station, station, since, done)
            else:
                for copy in packet.copies:
                    self._watch.journeys.dispatched(copy, self.station, since, done)
        elif isinstance(packet, HandoffPacket):
            self._watch.handoffs.controlled(packet)

    def transmit(self, host: int, frame: Any) -> None:  # noqa: ANN401 - a packet; one of data has copies
        if frame.purpose is DATA:
            self._watch.journeys.handed(frame.copies[0].message, host, self.station, self._engine.time)
        self._transmit(host, self.station, frame)

    def miss(self, host: int, frame: Any) -> None:  # noqa: ANN401 - as above
        if frame.purpose is DATA:
            self._watch.journeys.handed(frame.copies[0].message, host, self.station, self._engine.time)
        self._miss(host, self.station, frame)

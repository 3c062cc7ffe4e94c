"""Outboxes that send over the simulated links, and record what is sent.

A frame or a packet whose purpose is data carries copies of one message; other contents are opaque here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from protocols.machine import Copy, HandoffPacket, Message, Milestone, Packet, Telemetry

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation


class SimHostOutbox:
    __slots__ = ("_cells", "_delivered", "_records", "_timeline", "_transmit", "_wake", "host", "telemetry")

    def __init__(self, simulation: "CellularSimulation", host: int) -> None:
        self.host = host
        self.telemetry = HostTelemetry(simulation)
        self._timeline = simulation.recorder.timeline
        self._records = self._timeline.records
        self._cells = simulation.air.cells
        self._transmit = simulation.air.up.transmit
        self._delivered = simulation.delivered
        self._wake = simulation.wake_host

    def transmit(self, frame: Any) -> None:  # noqa: ANN401 - a packet; one of data has copies
        station = self._cells[self.host]
        if station >= 0:
            if frame.purpose is self._records:
                self._timeline.uplink_sent(frame.copies[0].message)
            self._transmit(self.host, station, frame)

    def deliver(self, message: Message) -> None:
        self._delivered(message, self.host)

    def wake(self, after: int) -> None:
        self._wake(self.host, after)


class HostTelemetry(Telemetry):
    __slots__ = ("_engine", "_timeline")

    def __init__(self, simulation: "CellularSimulation") -> None:
        self._engine = simulation.engine
        self._timeline = simulation.recorder.timeline

    def held(self, message: Message) -> None:
        self._timeline.held(message, self._engine.time)

    def let_go(self, message: Message) -> None:
        self._timeline.let_go(message, self._engine.time)


class SimStationOutbox:
    __slots__ = (
        "_drop",
        "_engine",
        "_miss",
        "_recorder",
        "_records",
        "_send",
        "_timeline",
        "_transmit",
        "_wake",
        "station",
        "telemetry",
    )

    def __init__(self, simulation: "CellularSimulation", station: int) -> None:
        self.station = station
        self.telemetry = StationTelemetry(simulation, station)
        self._recorder = simulation.recorder
        self._timeline = simulation.recorder.timeline
        self._records = self._timeline.records
        self._engine = simulation.engine
        self._send = simulation.wired.send
        self._transmit = simulation.air.down.transmit
        self._miss = simulation.air.down.miss
        self._drop = simulation.dropped
        self._wake = simulation.wake_station

    def send(self, station: int, packet: Packet) -> None:
        if packet.purpose is self._records or isinstance(packet, HandoffPacket):
            self.send_since(station, packet, self._engine.time)
        else:
            self._send(self.station, station, packet)

    def send_since(self, station: int, packet: Any, since: int) -> None:  # noqa: ANN401 - a packet; one of data has copies
        """Send a packet that the station has processed since `since`."""
        done = self._send(self.station, station, packet)
        if packet.purpose is self._records:
            self._timeline.sent(packet, self.station, station, since, done)
        elif isinstance(packet, HandoffPacket):
            self._recorder.handoff_packet_sent(packet)

    def transmit(self, host: int, frame: Any) -> None:  # noqa: ANN401 - a packet; one of data has copies
        if frame.purpose is self._records:
            self._timeline.downlink_sent(frame.copies[0].message, host, self.station, self._engine.time)
        self._transmit(host, self.station, frame)

    def miss(self, host: int, frame: Any) -> None:  # noqa: ANN401 - as for `transmit`
        """Transmit a frame for a visit that the host has ended: the host does not receive it."""
        if frame.purpose is self._records:
            self._timeline.downlink_sent(frame.copies[0].message, host, self.station, self._engine.time)
        self._miss(host, self.station, frame)

    def wake(self, host: int, after: int) -> None:
        self._wake(self.station, host, after)

    def drop(self, message: Message, host: int) -> None:
        self._drop(message, host)


class StationTelemetry(Telemetry):
    """`since`: when the station began the work that is reported."""

    __slots__ = ("_cells", "_engine", "_recorder", "_timeline", "station")

    def __init__(self, simulation: "CellularSimulation", station: int) -> None:
        self.station = station
        self._engine = simulation.engine
        self._cells = simulation.air.cells
        self._recorder = simulation.recorder
        self._timeline = simulation.recorder.timeline

    def reached(self, milestone: Milestone) -> None:
        self._recorder.reached(milestone, self.station, self._cells[milestone.host], self._engine.time)

    def kept(self, copies: Sequence[Copy]) -> None:
        self.kept_since(copies, self._engine.time)

    def kept_since(self, copies: Sequence[Copy], since: int) -> None:
        self._timeline.kept(copies, self.station, since, self._engine.time)

    def held(self, message: Message) -> None:
        self.held_since(message, self._engine.time)

    def held_since(self, message: Message, since: int) -> None:
        self._timeline.held(message, since, self.station)

"""Outboxes: they send over the simulated links, and record data packets.

A frame or a packet with the purpose data carries copies of one message. Other contents are not read here.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from protocols.machine import NO_TELEMETRY, Copy, HandoffPacket, Message, Milestone, Telemetry

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation


class SimHostOutbox(Telemetry):
    def __init__(self, simulation: "CellularSimulation", host: int) -> None:
        self.host = host
        self.telemetry = self if simulation.recorder.records else NO_TELEMETRY
        self._engine = simulation.engine
        self._timeline = simulation.recorder.timeline
        self._records = self._timeline.records
        self._cells = simulation.air.cells
        self._transmit = simulation.air.up.transmit
        self.deliver: Callable[[Message], None] = partial(simulation.delivered, host=host)
        self.wake: Callable[[int], None] = partial(simulation.wake_host, host)

    def transmit(self, frame: Any) -> None:  # noqa: ANN401 - a packet; one of data has copies
        station = self._cells[self.host]
        if station >= 0:
            if frame.purpose is self._records:
                self._timeline.uplink_sent(frame.copies[0].message)
            self._transmit(self.host, station, frame)

    def held(self, message: Message) -> None:
        self._timeline.held(message, self._engine.time)

    def departed(self, message: Message) -> None:
        self._timeline.departed(message, self._engine.time)


class SimStationOutbox(Telemetry):
    """The outbox of a station. `since`: the start of the station's work, if this work takes time."""

    def __init__(self, simulation: "CellularSimulation", station: int) -> None:
        self.station = station
        self.telemetry = self if simulation.recorder.records else NO_TELEMETRY
        self._recorder = simulation.recorder
        self._timeline = simulation.recorder.timeline
        self._records = self._timeline.records
        self._engine = simulation.engine
        self._cells = simulation.air.cells
        self._send = simulation.wired.send
        self._transmit = simulation.air.down.transmit
        self._miss = simulation.air.down.miss
        self.drop: Callable[[Message, int], None] = simulation.dropped
        self.wake: Callable[[int, int], None] = partial(simulation.wake_station, station)

    def send(self, station: int, packet: Any, since: int | None = None) -> None:  # noqa: ANN401 - a packet; one of data has copies
        done = self._send(self.station, station, packet)
        if packet.purpose is self._records:
            self._timeline.sent(packet, self.station, station, self._engine.time if since is None else since, done)
        elif isinstance(packet, HandoffPacket):
            self._recorder.handoff_packet_sent(packet)

    def transmit(self, host: int, frame: Any) -> None:  # noqa: ANN401 - as for `send`
        if frame.purpose is self._records:
            self._timeline.downlink_sent(frame.copies[0].message, host, self.station, self._engine.time)
        self._transmit(host, self.station, frame)

    def miss(self, host: int, frame: Any) -> None:  # noqa: ANN401 - as for `send`
        """Transmit a frame for an earlier visit of the host: the host does not receive the frame."""
        if frame.purpose is self._records:
            self._timeline.downlink_sent(frame.copies[0].message, host, self.station, self._engine.time)
        self._miss(host, self.station, frame)

    def reached(self, milestone: Milestone) -> None:
        self._recorder.reached(milestone, self.station, self._cells[milestone.host], self._engine.time)

    def kept(self, copies: Sequence[Copy], since: int | None = None) -> None:
        now = self._engine.time
        self._timeline.kept(copies, self.station, now if since is None else since, now)

    def held(self, message: Message, since: int | None = None) -> None:
        self._timeline.held(message, self._engine.time if since is None else since, self.station)

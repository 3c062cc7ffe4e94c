"""Pass frames and packets to the machines, and send the output of machines over simulated links.

The wired links simulate the time that a station needs for a packet, so a machine processes its input at once. If
processing is measured, `mobilesim.simulation.measured_processing` is used instead. A frame or packet of purpose DATA
has copies of one message, and its events are recorded in the timeline. The contents of other packets are not read here.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mobilesim.simulation.links.wired import Arrival
from protocols.machine import NO_TELEMETRY, Copy, HandoffPacket, Message, Milestone, Packet, Telemetry

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

    def transmit(self, frame: Any) -> None:  # noqa: ANN401 - a packet; a data packet has `copies`
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
    """The outbox of a station. `since`: the start of the station's work on an input; None if work takes no time."""

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

    def send(self, station: int, packet: Any, since: int | None = None) -> None:  # noqa: ANN401 - a packet; a data packet has `copies`
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
        """Transmit a frame that belongs to an earlier visit of the host. The host does not receive the frame."""
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


class Dispatch:
    def __init__(self, simulation: "CellularSimulation") -> None:
        self.hosts = simulation.hosts
        self.stations = simulation.stations
        self.engine = simulation.engine
        self.recorder = simulation.recorder
        self.timeline = simulation.recorder.timeline
        self.records = self.timeline.records
        self.host_outboxes = [SimHostOutbox(simulation, host) for host in range(len(self.hosts))]
        self.station_outboxes = [SimStationOutbox(simulation, station) for station in range(len(self.stations))]

    def uplink_received(self, host: int, station: int, frame: Any, started: int) -> None:  # noqa: ANN401 - a packet; a data packet has `copies`
        if frame.purpose is self.records:
            self.timeline.uplink_received(frame.copies[0].message, station, started, self.engine.time)
        self.stations[station].receive_frame(host, frame, self.station_outboxes[station])

    def downlink_received(self, host: int, station: int, frame: Packet, started: int) -> None:
        machine = self.hosts[host]
        if frame.purpose is self.records:
            self.timeline.downlink_received(machine, frame, host, started, self.engine.time)
        machine.receive_frame(frame, self.host_outboxes[host])

    def packet_processed(self, arrival: Arrival) -> None:
        station, packet, came = arrival
        machine, now = self.stations[station], self.engine.time
        if packet.purpose is self.records:
            self.timeline.landed(packet, station, came, now)
        machine.receive(packet, self.station_outboxes[station])
        self.recorder.packet_processed(station, machine, packet, now)

    def submit(self, station: int, message: Message) -> None:
        self.timeline.originated(message, station, self.engine.time)
        self.stations[station].submit(message, self.station_outboxes[station])

    def wake(self, timer: tuple[int, int]) -> None:
        station, host = timer
        self.stations[station].wake(host, self.station_outboxes[station])

    def uplink_repeated(self, _host: int, frame: Any, times: int) -> None:  # noqa: ANN401 - as for `uplink_received`
        if frame.purpose is self.records:
            self.timeline.uplink_sent(frame.copies[0].message, times)

    def downlink_repeated(self, host: int, frame: Any, times: int) -> None:  # noqa: ANN401 - as for `uplink_received`
        if frame.purpose is self.records:
            self.timeline.downlink_repeated(frame.copies[0].message, host, times)

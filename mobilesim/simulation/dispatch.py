"""Pass frames and packets to the machines, and send the output of machines over simulated links.

The wired links simulate the time that a station needs for a packet, so a machine processes its input at once. If
processing is measured, `mobilesim.simulation.measured_processing` is used instead. A frame or packet of purpose DATA
has copies of one message, and its events are recorded in the timeline. The contents of other packets are not read here.
"""

from typing import TYPE_CHECKING

from mobilesim.protocols.handoff.wireless_hop import ControlFrame, Data, Registered, SwitchOff
from mobilesim.protocols.machine import NO_TELEMETRY, HostOutbox, Milestone, StationOutbox, Telemetry
from mobilesim.protocols.packets import ORDERING, Copy, DataPacket, Message, Packet
from mobilesim.recording.null_recorder import Recorder
from mobilesim.simulation.links.wired import PacketReceiver
from mobilesim.simulation.links.wireless import FrameReceiver

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation


class HostTelemetry(Telemetry):
    """Reports the trace points of a host to the recorder."""

    __slots__ = ("_engine", "_timeline")

    def __init__(self, simulation: "CellularSimulation") -> None:
        self._engine = simulation.engine
        self._timeline = simulation.recorder.timeline

    def held(self, message: Message) -> None:
        self._timeline.held(message, self._engine.time)

    def departed(self, message: Message, sender: int, hosts: tuple[int, ...]) -> None:
        self._timeline.departed(message, sender, hosts, self._engine.time)


class StationTelemetry(Telemetry):
    """Reports the trace points of a station to the recorder."""

    __slots__ = ("_engine", "_radios", "_recorder", "_station", "_timeline")

    def __init__(self, simulation: "CellularSimulation", station: int) -> None:
        self._station = station
        self._engine = simulation.engine
        self._recorder = simulation.recorder
        self._timeline = simulation.recorder.timeline
        self._radios = simulation.air.radios

    def reached(self, milestone: Milestone) -> None:
        self._recorder.reached(milestone, self._station, self._radios[milestone.host].cell, self._engine.time)

    def kept(self, copies: tuple[Copy, ...]) -> None:
        self.kept_since(copies, self._engine.time)

    def kept_since(self, copies: tuple[Copy, ...], since: int) -> None:
        """Report copies that the station has stamped. `since`: the start of its work, if this work takes time."""
        self._timeline.kept(copies, self._station, since, self._engine.time)

    def held(self, message: Message) -> None:
        self.held_since(message, self._engine.time)

    def held_since(self, message: Message, since: int) -> None:
        self._timeline.held(message, since, self._station)

    def stored(self, host: int, copy: Copy) -> None:
        if not copy.is_control:
            self._timeline.stored(copy.message, host, self._station, self._engine.time)

    def searching(self, copy: Copy) -> None:
        self.searching_since(copy, self._engine.time)

    def searching_since(self, copy: Copy, since: int) -> None:
        self._recorder.searching(self._station, len(copy.targets))
        if not copy.is_control:
            self._timeline.searching(copy, since)


class SimHostOutbox(HostOutbox):
    __slots__ = ("_air", "_engine", "_processors", "_radio", "_records", "_simulation", "_timeline", "host")

    def __init__(self, simulation: "CellularSimulation", host: int) -> None:
        super().__init__(HostTelemetry(simulation) if simulation.recorder.records else NO_TELEMETRY)
        self.host = host
        self._simulation = simulation
        self._timeline = simulation.recorder.timeline
        self._records = simulation.recorder.recorded
        self._radio = simulation.air.radios[host]
        self._air = simulation.air.up
        self._engine = simulation.engine
        self._processors = simulation.air.processors

    def transmit(self, frame: Packet) -> None:
        station = self._radio.cell
        if station >= 0:
            if frame.purpose is self._records:
                assert isinstance(frame, Data)
                self._timeline.uplink_sent(frame.copies[0].message, self.host)
            if self._processors is None:
                self._air.transmit(self.host, station, frame)
            else:
                work = self._processors.send(self.host, frame, self._engine.time)
                self._air.transmit(self.host, station, frame, work)

    def deliver(self, message: Message) -> None:
        self._simulation.delivered(message, self.host)

    def wake(self, after: int) -> None:
        self._simulation.wake_host(self.host, after)


class SimStationOutbox(StationOutbox):
    __slots__ = ("_air", "_engine", "_recorder", "_records", "_simulation", "_timeline", "_wired", "station", "trace")

    def __init__(self, simulation: "CellularSimulation", station: int) -> None:
        self.trace = StationTelemetry(simulation, station)
        super().__init__(self.trace if simulation.recorder.records else NO_TELEMETRY)
        self.station = station
        self._simulation = simulation
        self._recorder = simulation.recorder
        self._timeline = simulation.recorder.timeline
        self._records = simulation.recorder.recorded
        self._engine = simulation.engine
        self._wired = simulation.wired
        self._air = simulation.air.down

    def send(self, station: int, packet: Packet) -> None:
        self.send_since(station, packet, self._engine.time)

    def send_since(self, station: int, packet: Packet, since: int) -> None:
        """Send a packet. `since`: the start of the station's work, if this work takes time."""
        done = self._wired.send(self.station, station, packet)
        if packet.purpose is self._records:
            assert isinstance(packet, DataPacket)
            self._timeline.sent(packet.copies, self.station, station, since, done)
        self._recorder.packet_sent(packet, self.station, station, done)

    def transmit(self, host: int, frame: Packet) -> None:
        self._sent_down(host, frame)
        self._air.transmit(host, self.station, frame)

    def miss(self, host: int, frame: Packet) -> None:
        """Transmit a frame that belongs to an earlier visit of the host. The host does not receive the frame."""
        self._sent_down(host, frame)
        self._air.miss(host, self.station, frame)

    def _sent_down(self, host: int, frame: Packet) -> None:
        if frame.purpose is self._records:
            assert isinstance(frame, Data)
            self._timeline.downlink_sent(frame.copies[0].message, host, self.station, self._engine.time)

    def wake(self, host: int, after: int) -> None:
        self._simulation.wake_station(self.station, host, after)

    def drop(self, message: Message, host: int) -> None:
        self._simulation.dropped(message, host)


class Dispatch(PacketReceiver):
    def __init__(self, simulation: "CellularSimulation") -> None:
        self.simulation = simulation
        self.hosts = simulation.hosts
        self.stations = simulation.stations
        self.engine = simulation.engine
        self.recorder: Recorder = simulation.recorder
        self.timeline = simulation.recorder.timeline
        self.records = simulation.recorder.recorded
        self.host_outboxes = [SimHostOutbox(simulation, host) for host in range(len(self.hosts))]
        self.station_outboxes = [SimStationOutbox(simulation, station) for station in range(len(self.stations))]
        self.uplinks: FrameReceiver = UplinkReceiver(self)
        self.downlinks: FrameReceiver = DownlinkReceiver(self)

    def packet_processed(self, station: int, packet: Packet, came: int) -> None:
        machine, now = self.stations[station], self.engine.time
        if packet.purpose is self.records:
            assert isinstance(packet, DataPacket)
            self.timeline.landed(packet.copies, station, came, now)
        elif self.records is not None and packet.purpose is ORDERING:
            assert isinstance(packet, DataPacket)
            self.timeline.control_arrived(packet.copies[0].stamp)
        machine.receive(packet, self.station_outboxes[station])
        self.recorder.packet_processed(station, machine, packet, came, now)

    def submit(self, station: int, message: Message) -> None:
        self.timeline.originated(message, station, self.engine.time)
        self.stations[station].submit(message, self.station_outboxes[station])

    def wake(self, timer: tuple[int, int]) -> None:
        station, host = timer
        self.stations[station].wake(host, self.station_outboxes[station])


class UplinkReceiver(FrameReceiver):
    def __init__(self, dispatch: Dispatch) -> None:
        self.stations, self.outboxes = dispatch.stations, dispatch.station_outboxes
        self.engine, self.timeline, self.records = dispatch.engine, dispatch.timeline, dispatch.records
        self.simulation = dispatch.simulation

    def received(self, host: int, station: int, frame: Packet, started: int, work: int) -> None:
        if frame.purpose is self.records:
            assert isinstance(frame, Data)
            self.timeline.uplink_received(frame.copies[0].message, host, station, started, work, self.engine.time)
        elif type(frame) is SwitchOff:
            self.simulation.announcement_received(host)
        self.stations[station].receive_frame(host, frame, self.outboxes[station])
        if self.records is not None:
            self.timeline.processed()

    def repeated(self, host: int, frame: Packet, times: int) -> None:
        if frame.purpose is self.records:
            assert isinstance(frame, Data)
            self.timeline.uplink_sent(frame.copies[0].message, host, times)


class DownlinkReceiver(FrameReceiver):
    def __init__(self, dispatch: Dispatch) -> None:
        self.hosts, self.outboxes, self.recorder = dispatch.hosts, dispatch.host_outboxes, dispatch.recorder
        self.engine, self.timeline, self.records = dispatch.engine, dispatch.timeline, dispatch.records

    def received(self, host: int, station: int, frame: Packet, started: int, work: int) -> None:
        machine = self.hosts[host]
        if frame.purpose is self.records:
            assert isinstance(frame, Data)
            self.timeline.downlink_received(machine, frame, host, started, work, self.engine.time)
        elif type(frame) is Registered:
            self.recorder.registered(host, self.engine.time)
        elif type(frame) is ControlFrame:
            self.timeline.control_arrived(frame.copies[0].stamp)
        machine.receive_frame(frame, self.outboxes[host])
        if self.records is not None:
            self.timeline.processed()

    def repeated(self, host: int, frame: Packet, times: int) -> None:
        if frame.purpose is self.records:
            assert isinstance(frame, Data)
            self.timeline.downlink_repeated(frame.copies[0].message, host, times)

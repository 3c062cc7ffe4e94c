"""Dispatch: frames and packets are passed to the machines, and recorded.

The wired links account for the work of a station, so a machine processes its input at once. If processing is measured,
`mobilesim.simulation.measured_processing` is used instead.
"""

from typing import TYPE_CHECKING, Any

from mobilesim.simulation.links.wired import Arrival
from mobilesim.simulation.outboxes import SimHostOutbox, SimStationOutbox
from protocols.machine import Message, Packet

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation


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

    def uplink_received(self, host: int, station: int, frame: Any, started: int) -> None:  # noqa: ANN401 - a packet; one of data has copies
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

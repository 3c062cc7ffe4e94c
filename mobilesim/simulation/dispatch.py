"""What comes to the machines, and who is told of it.

A station that has read a packet, or heard a frame, is done with it at once: reading is work that the wires account for.
Where work is measured, `mobilesim.simulation.measured_processing` takes this place.
"""

from typing import TYPE_CHECKING, Any

from mobilesim.recording.recorder import Watch
from mobilesim.simulation.outboxes import DATA, HostPort, StationPort, WatchedHostPort, WatchedStationPort
from protocols.machine import Message, Packet

if TYPE_CHECKING:
    from mobilesim.simulation.cells import Cells


class Intake:
    __slots__ = ("host_ports", "hosts", "station_ports", "stations")

    def __init__(self, simulation: "Cells") -> None:
        self.hosts = simulation.hosts
        self.stations = simulation.stations
        self.host_ports = [HostPort(simulation, host) for host in range(len(self.hosts))]
        self.station_ports = [StationPort(simulation, station) for station in range(len(self.stations))]

    def above(self, host: int, station: int, frame: Packet, start: int) -> None:
        """A station has heard a frame, which had started at `start`."""
        self.stations[station].hear(host, frame, self.station_ports[station])

    def below(self, host: int, station: int, frame: Packet, start: int) -> None:
        """A host has heard a frame."""
        self.hosts[host].hear(frame, self.host_ports[host])

    def read(self, station: int, packet: Packet, came: int) -> None:
        """A station has read a packet, which had come at `came`."""
        self.stations[station].receive(packet, self.station_ports[station])

    def submit(self, station: int, message: Message) -> None:
        """A station sends a message of its own."""
        self.stations[station].submit(message, self.station_ports[station])

    def wake(self, station: int, host: int) -> None:
        """It is time for what a station wanted to be woken for."""
        self.stations[station].wake(host, self.station_ports[station])


class WatchedIntake(Intake):
    __slots__ = ("engine", "journeys", "watch")

    def __init__(self, simulation: "Cells", watch: Watch) -> None:
        self.hosts = simulation.hosts
        self.stations = simulation.stations
        self.engine = simulation.engine
        self.watch = watch
        self.journeys = watch.journeys
        self.host_ports = [WatchedHostPort(simulation, host, watch) for host in range(len(self.hosts))]
        self.station_ports = [WatchedStationPort(simulation, station, watch) for station in range(len(self.stations))]

    def above(self, host: int, station: int, frame: Any, start: int) -> None:  # noqa: ANN401 - as in `ports`
        if frame.purpose is DATA:
            self.journeys.uplinked(frame.copies[0].message, station, start, self.engine.time)
        self.stations[station].hear(host, frame, self.station_ports[station])

    def below(self, host: int, station: int, frame: Any, start: int) -> None:  # noqa: ANN401 - as in `ports`
        machine = self.hosts[host]
        if frame.purpose is DATA and machine.expects(frame):
            self.journeys.heard(frame.copies[0].message, host, start, self.engine.time)
        machine.hear(frame, self.host_ports[host])

    def read(self, station: int, packet: Packet, came: int) -> None:
        machine, now = self.stations[station], self.engine.time
        if packet.purpose is DATA:
            self.watch.landed(packet, station, came, now)
        machine.receive(packet, self.station_ports[station])
        self.watch.read(station, machine, packet, now)

    def submit(self, station: int, message: Any) -> None:  # noqa: ANN401 - a message whose way is followed
        """No frame goes up: it is accepted as soon as it is there."""
        now = self.engine.time
        message.trip.transmissions = 1
        self.journeys.uplinked(message, station, now, now)
        self.stations[station].submit(message, self.station_ports[station])

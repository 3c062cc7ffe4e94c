"""What a machine of the simulation finds behind its outbox: the air, the wires, and those who watch."""

from typing import TYPE_CHECKING

from protocols.hostlink import Data
from protocols.machine import Message, Milestone, Packet, Parcel

if TYPE_CHECKING:
    from mobilesim.simulation.driver import Simulation


class HostPort:
    __slots__ = ("cells", "host", "simulation", "transmit_up")

    def __init__(self, simulation: "Simulation", host: int) -> None:
        self.simulation = simulation
        self.host = host
        self.cells = simulation.air.cells
        self.transmit_up = simulation.air.up.transmit

    def transmit(self, frame: Packet) -> None:
        host = self.host
        station = self.cells[host]
        if station < 0:
            return
        watch = self.simulation.watch
        if watch is not None and type(frame) is Data:
            watch.journeys.sent_up(frame.copies[0].message)
        self.transmit_up(host, station, frame)

    def deliver(self, message: Message) -> None:
        self.simulation.delivered(message, self.host)


class StationPort:
    __slots__ = ("simulation", "station", "transmit_down")

    def __init__(self, simulation: "Simulation", station: int) -> None:
        self.simulation = simulation
        self.station = station
        self.transmit_down = simulation.air.down.transmit

    def send(self, station: int, packet: Packet) -> None:
        simulation = self.simulation
        done = simulation.wires.send(self.station, station, packet)
        watch = simulation.watch
        if watch is not None:
            if type(packet) is Parcel:
                watch.journeys.dispatched(packet.copy, self.station, simulation.engine.time, done)
            else:
                watch.handoffs.controlled(packet)

    def transmit(self, host: int, frame: Packet) -> None:
        simulation = self.simulation
        if simulation.watch is not None and type(frame) is Data:
            simulation.watch.journeys.handed(frame.copies[0].message, host, self.station, simulation.engine.time)
        self.transmit_down(host, self.station, frame)

    def reached(self, milestone: Milestone) -> None:
        watch = self.simulation.watch
        if watch is not None:
            watch.reached(milestone, self.station, self.simulation.engine.time, self.simulation.air.cells[milestone.host])

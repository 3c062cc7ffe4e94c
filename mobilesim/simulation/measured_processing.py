"""Stations whose work is this machine's own: the CPU time that it takes to feed a packet to the station's machine.

Alagar and Venkatesan measured their algorithms so (1994, appendix A). A station does one thing at a time, packets and
frames in the order of arrival; what it puts out leaves when the work is done. No two runs are alike, and the time that
Python takes says little about any other implementation.
"""

from collections import deque
from collections.abc import Callable, Sequence
from time import thread_time_ns
from typing import TYPE_CHECKING, Any

from mobilesim.simulation.dispatch import Intake
from mobilesim.simulation.outboxes import DATA, StationPort
from protocols.machine import Copy, Message, Milestone, Packet, Station, StationOutbox, Telemetry

if TYPE_CHECKING:
    from mobilesim.simulation.cells import Cells

Output = tuple[Callable[..., None], tuple[Any, ...]]


class Inner(Packet):
    """What is in a station's queue, with what comes from elsewhere, though it comes from the station itself."""

    __slots__ = ()

    def feed(self, station: Station, out: StationOutbox) -> None:
        raise NotImplementedError


class Own(Inner):
    """A message of its application."""

    __slots__ = ("message",)

    def __init__(self, message: Message) -> None:
        self.message = message

    def feed(self, station: Station, out: StationOutbox) -> None:
        station.submit(self.message, out)


class Alarm(Inner):
    """It wanted to be woken about a host."""

    __slots__ = ("host",)

    def __init__(self, host: int) -> None:
        self.host = host

    def feed(self, station: Station, out: StationOutbox) -> None:
        station.wake(self.host, out)


class Job(Telemetry):
    """One packet for one station, and what the station makes of it."""

    __slots__ = ("came", "entries", "entry", "host", "outputs", "packet", "port")

    def __init__(self, port: StationPort, came: int, host: int | None, packet: Packet, entries: Sequence[int]) -> None:
        self.port = port
        self.entries = entries
        self.entry = -1 if host is None else entries[host]
        self.came = came
        self.host = host
        """None for a packet by wire, and for what comes from the station itself."""
        self.packet = packet
        self.outputs: list[Output] = []

    @property
    def telemetry(self) -> Telemetry:
        return self

    def send(self, station: int, packet: Packet) -> None:
        self.outputs.append((self.port.sent, (station, packet, self.came)))

    def transmit(self, host: int, frame: Packet) -> None:
        """To the host as it is now, or as it was when its frame came: what answers an entry is not for the next one."""
        entry = self.entry if host == self.host else self.entries[host]
        self.outputs.append((self._transmit, (host, frame, entry)))

    def _transmit(self, host: int, frame: Packet, entry: int) -> None:
        if self.entries[host] == entry:
            self.port.transmit(host, frame)
        else:
            self.port.miss(host, frame)

    def wake(self, host: int, after: int) -> None:
        self.outputs.append((self.port.wake, (host, after)))

    def reached(self, milestone: Milestone) -> None:
        self.outputs.append((self.port.telemetry.reached, (milestone,)))

    def kept(self, copies: Sequence[Copy]) -> None:
        self.outputs.append((self.port.telemetry.kept_since, (copies, self.came)))

    def held(self, message: Message) -> None:
        self.outputs.append((self.port.telemetry.held_since, (message, self.came)))

    def drop(self, message: Message, host: int) -> None:
        self.outputs.append((self.port.drop, (message, host)))


class MeasuredIntake(Intake):
    """Stands before the intake of a run whose stations work in no time."""

    __slots__ = ("_intake", "_jobs", "_simulation")

    def __init__(self, simulation: "Cells", intake: Intake) -> None:
        self.hosts, self.stations = intake.hosts, intake.stations
        self.host_ports, self.station_ports = intake.host_ports, intake.station_ports
        self._intake = intake
        self._simulation = simulation
        self._jobs: list[deque[Job]] = [deque() for _ in self.stations]

    def above(self, host: int, station: int, frame: Packet, start: int) -> None:
        watch, now = self._simulation.watch, self._simulation.engine.time
        if watch is not None:
            watch.heard_above(frame, station, start, now)
        self._enter(station, Job(self.station_ports[station], now, host, frame, self._simulation.air.entries))

    def below(self, host: int, station: int, frame: Packet, start: int) -> None:
        self._intake.below(host, station, frame, start)

    def read(self, station: int, packet: Packet, came: int) -> None:
        self._enter(station, Job(self.station_ports[station], came, None, packet, self._simulation.air.entries))

    def submit(self, station: int, message: Any) -> None:  # noqa: ANN401 - a message whose way may be followed
        watch, now = self._simulation.watch, self._simulation.engine.time
        if watch is not None:
            message.trip.transmissions = 1
            watch.journeys.uplinked(message, station, now, now)
        self._do(station, Own(message))

    def wake(self, station: int, host: int) -> None:
        self._do(station, Alarm(host))

    def _do(self, station: int, inner: Inner) -> None:
        now, entries = self._simulation.engine.time, self._simulation.air.entries
        self._enter(station, Job(self.station_ports[station], now, None, inner, entries))

    def _enter(self, station: int, job: Job) -> None:
        jobs = self._jobs[station]
        jobs.append(job)
        if len(jobs) == 1:
            self._work(station)

    def _work(self, station: int) -> None:
        """The machine runs now; nobody sees what it puts out before as much time has passed as it took."""
        engine, job = self._simulation.engine, self._jobs[station][0]
        before = thread_time_ns()
        if job.host is not None:
            self.stations[station].hear(job.host, job.packet, job)
        elif isinstance(job.packet, Inner):
            job.packet.feed(self.stations[station], job)
        else:
            self.stations[station].receive(job.packet, job)
        elapsed = thread_time_ns() - before
        self._simulation.wires.worked[station] += elapsed
        engine.call_at(engine.time + elapsed, self._finish, station)

    def _finish(self, station: int) -> None:
        jobs = self._jobs[station]
        job = jobs.popleft()
        watch, now = self._simulation.watch, self._simulation.engine.time
        if watch is not None and job.host is None and job.packet.purpose is DATA:
            watch.landed(job.packet, station, job.came, now)
        for perform, arguments in job.outputs:
            perform(*arguments)
        if watch is not None and job.host is None and not isinstance(job.packet, Inner):
            watch.read(station, self.stations[station], job.packet, now)
        if jobs:
            self._work(station)

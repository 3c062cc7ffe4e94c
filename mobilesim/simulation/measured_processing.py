"""Measured processing: the work of a station is the CPU time that its machine takes on this computer.

Alagar and Venkatesan measured their algorithms in this way (1994, appendix A). A station processes one packet or frame
at a time, in the order of arrival. Its output is sent when the work is done. Runs are not reproducible, and the
measured times are those of this implementation in Python.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import thread_time_ns
from typing import TYPE_CHECKING, Any

from mobilesim.simulation.dispatch import Dispatch, SimStationOutbox
from mobilesim.simulation.links.wired import Arrival
from protocols.machine import Copy, Message, Milestone, Packet, StationOutbox, Telemetry

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation

Input = Callable[[StationOutbox], None]
"""Passes an input to a station's machine. The argument is the outbox for the machine's output."""


@dataclass(slots=True)
class Job(Telemetry):
    """One input of a station's machine, and an outbox that keeps the output until the work is done.

    `came`: the arrival time of the input. `host`: the sender of the input, if this is a frame. `packet`: the input, if
    this is a wired packet. `entries`: by host, the number of cells that the host has left.
    """

    outbox: SimStationOutbox
    feed: Input
    came: int
    entries: Sequence[int]
    host: int | None = None
    packet: Packet | None = None
    entry: int = field(init=False)
    outputs: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.entry = -1 if self.host is None else self.entries[self.host]

    @property
    def telemetry(self) -> Telemetry:
        return self

    def send(self, station: int, packet: Packet) -> None:
        self.outputs.append(partial(self.outbox.send, station, packet, self.came))

    def transmit(self, host: int, frame: Packet) -> None:
        """Keep a frame. If the host leaves its cell before the work is done, the host does not receive the frame.

        A frame for the sender of the input is also missed if the sender has left the cell since the input arrived.
        """
        entry = self.entry if host == self.host else self.entries[host]
        self.outputs.append(partial(self._transmit, host, frame, entry))

    def _transmit(self, host: int, frame: Packet, entry: int) -> None:
        if self.entries[host] == entry:
            self.outbox.transmit(host, frame)
        else:
            self.outbox.miss(host, frame)

    def wake(self, host: int, after: int) -> None:
        self.outputs.append(partial(self.outbox.wake, host, after))

    def drop(self, message: Message, host: int) -> None:
        self.outputs.append(partial(self.outbox.drop, message, host))

    def reached(self, milestone: Milestone) -> None:
        self.outputs.append(partial(self.outbox.reached, milestone))

    def kept(self, copies: Sequence[Copy]) -> None:
        self.outputs.append(partial(self.outbox.kept, copies, self.came))

    def held(self, message: Message) -> None:
        self.outputs.append(partial(self.outbox.held, message, self.came))


class MeasuredDispatch(Dispatch):
    def __init__(self, simulation: "CellularSimulation") -> None:
        super().__init__(simulation)
        self._entries = simulation.air.entries
        self._worked = simulation.wired.worked
        self._jobs: list[deque[Job]] = [deque() for _ in self.stations]

    def uplink_received(self, host: int, station: int, frame: Any, started: int) -> None:  # noqa: ANN401 - a packet; one of data has copies
        now = self.engine.time
        if frame.purpose is self.records:
            self.timeline.uplink_received(frame.copies[0].message, station, started, now)
        self._queue(station, partial(self.stations[station].receive_frame, host, frame), now, host=host)

    def packet_processed(self, arrival: Arrival) -> None:
        station, packet, came = arrival
        self._queue(station, partial(self.stations[station].receive, packet), came, packet=packet)

    def submit(self, station: int, message: Message) -> None:
        now = self.engine.time
        self.timeline.originated(message, station, now)
        self._queue(station, partial(self.stations[station].submit, message), now)

    def wake(self, timer: tuple[int, int]) -> None:
        station, host = timer
        self._queue(station, partial(self.stations[station].wake, host), self.engine.time)

    def _queue(
        self, station: int, feed: Input, came: int, *, host: int | None = None, packet: Packet | None = None
    ) -> None:
        jobs = self._jobs[station]
        jobs.append(Job(self.station_outboxes[station], feed, came, self._entries, host=host, packet=packet))
        if len(jobs) == 1:
            self._work(station)

    def _work(self, station: int) -> None:
        """Run the machine now on its next input, and schedule its output after the CPU time that it has taken."""
        job = self._jobs[station][0]
        before = thread_time_ns()
        job.feed(job)
        elapsed = thread_time_ns() - before
        self._worked[station] += elapsed
        self.engine.call_at(self.engine.time + elapsed, self._finish, station)

    def _finish(self, station: int) -> None:
        jobs, now = self._jobs[station], self.engine.time
        job = jobs.popleft()
        packet = job.packet
        if packet is not None and packet.purpose is self.records:
            self.timeline.landed(packet, station, job.came, now)
        for perform in job.outputs:
            perform()
        if packet is not None:
            self.recorder.packet_processed(station, self.stations[station], packet, now)
        if jobs:
            self._work(station)

"""Measured processing: the work of a station is the CPU time that its machine takes on this computer.

Alagar and Venkatesan measured their algorithms in this way (1994, appendix A). A station processes one packet or frame
at a time, in the order of arrival. Its output is sent when the work is done. Runs are not reproducible, and the
measured times are those of this implementation in Python. The times of hosts, which would have other processors than
stations, are not measured: `processing.hosts` has them.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from time import thread_time_ns
from typing import TYPE_CHECKING

from mobilesim.protocols.handoff.wireless_hop import Data, SwitchOff
from mobilesim.protocols.machine import Milestone, StationOutbox, Telemetry
from mobilesim.protocols.packets import Copy, DataPacket, Message, Packet
from mobilesim.simulation.dispatch import Dispatch, SimStationOutbox, UplinkReceiver
from mobilesim.simulation.links.wireless import Radio

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation

Input = Callable[[StationOutbox], None]
"""Passes an input to a station's machine. The argument is the outbox for the machine's output."""


class Job(StationOutbox):
    """One input of a station's machine, and an outbox that keeps the output until the work is done."""

    __slots__ = ("came", "entry", "feed", "host", "outbox", "outputs", "packet", "radios")

    def __init__(
        self,
        outbox: SimStationOutbox,
        feed: Input,
        came: int,
        radios: Sequence[Radio],
        *,
        host: int | None = None,
        packet: Packet | None = None,
    ) -> None:
        """`host`: the sender of a frame. `packet`: a wired packet. `radios`: by host."""
        self.outputs: list[Callable[[], None]] = []
        super().__init__(JobTelemetry(outbox, came, self.outputs))
        self.outbox, self.feed, self.came, self.radios = outbox, feed, came, radios
        self.host, self.packet = host, packet
        self.entry = -1 if host is None else radios[host].entries

    def send(self, station: int, packet: Packet) -> None:
        self.outputs.append(partial(self.outbox.send_since, station, packet, self.came))

    def transmit(self, host: int, frame: Packet) -> None:
        """Keep a frame. If the host leaves its cell before the work is done, the host does not receive the frame.

        A frame for the sender of the input is also missed if the sender has left the cell since the input arrived.
        """
        entry = self.entry if host == self.host else self.radios[host].entries
        self.outputs.append(partial(self._transmit, host, frame, entry))

    def _transmit(self, host: int, frame: Packet, entry: int) -> None:
        if self.radios[host].entries == entry:
            self.outbox.transmit(host, frame)
        else:
            self.outbox.miss(host, frame)

    def wake(self, host: int, after: int) -> None:
        self.outputs.append(partial(self.outbox.wake, host, after))

    def drop(self, message: Message, host: int) -> None:
        self.outputs.append(partial(self.outbox.drop, message, host))


class JobTelemetry(Telemetry):
    """Keeps the trace points of a job until its work is done."""

    __slots__ = ("_came", "_outputs", "_trace")

    def __init__(self, outbox: SimStationOutbox, came: int, outputs: list[Callable[[], None]]) -> None:
        self._trace, self._came, self._outputs = outbox.trace, came, outputs

    def reached(self, milestone: Milestone) -> None:
        self._outputs.append(partial(self._trace.reached, milestone))

    def kept(self, copies: tuple[Copy, ...]) -> None:
        self._outputs.append(partial(self._trace.kept_since, copies, self._came))

    def held(self, message: Message) -> None:
        self._outputs.append(partial(self._trace.held_since, message, self._came))

    def stored(self, host: int, copy: Copy) -> None:
        self._outputs.append(partial(self._trace.stored, host, copy))

    def searching(self, copy: Copy) -> None:
        self._outputs.append(partial(self._trace.searching_since, copy, self._came))


class MeasuredDispatch(Dispatch):
    def __init__(self, simulation: "CellularSimulation") -> None:
        super().__init__(simulation)
        self._radios = simulation.air.radios
        self._processors = simulation.wired.processors
        self._jobs: list[deque[Job]] = [deque() for _ in self.stations]
        self.uplinks = MeasuredUplinkReceiver(self)

    def packet_processed(self, station: int, packet: Packet, came: int) -> None:
        self.queue(station, partial(self.stations[station].receive, packet), came, packet=packet)

    def submit(self, station: int, message: Message) -> None:
        now = self.engine.time
        self.timeline.originated(message, station, now)
        self.queue(station, partial(self.stations[station].submit, message), now)

    def wake(self, timer: tuple[int, int]) -> None:
        station, host = timer
        self.queue(station, partial(self.stations[station].wake, host), self.engine.time)

    def queue(
        self, station: int, feed: Input, came: int, *, host: int | None = None, packet: Packet | None = None
    ) -> None:
        jobs = self._jobs[station]
        jobs.append(Job(self.station_outboxes[station], feed, came, self._radios, host=host, packet=packet))
        if len(jobs) == 1:
            self._work(station)

    def _work(self, station: int) -> None:
        """Run the machine now on its next input, and schedule its output after the CPU time that it has taken."""
        job = self._jobs[station][0]
        before = thread_time_ns()
        job.feed(job)
        elapsed = thread_time_ns() - before
        self._processors[station].worked += elapsed
        self.engine.call_at(self.engine.time + elapsed, self._finish, station)

    def _finish(self, station: int) -> None:
        jobs, now = self._jobs[station], self.engine.time
        job = jobs.popleft()
        packet = job.packet
        if packet is not None and packet.purpose is self.records:
            assert isinstance(packet, DataPacket)
            self.timeline.landed(packet.copies, station, job.came, now)
        for perform in job.outputs:
            perform()
        if packet is not None:
            self.recorder.packet_processed(station, self.stations[station], packet, job.came, now)
        if jobs:
            self._work(station)


class MeasuredUplinkReceiver(UplinkReceiver):
    """Queues the frames of hosts at their stations."""

    def __init__(self, dispatch: MeasuredDispatch) -> None:
        super().__init__(dispatch)
        self.dispatch = dispatch

    def received(self, host: int, station: int, frame: Packet, started: int, work: int) -> None:
        now = self.engine.time
        if frame.purpose is self.records:
            assert isinstance(frame, Data)
            self.timeline.uplink_received(frame.copies[0].message, host, station, started, work, now)
        elif type(frame) is SwitchOff:
            self.simulation.announcement_received(host)
        self.dispatch.queue(station, partial(self.stations[station].receive_frame, host, frame), now, host=host)
        self.timeline.processed()

"""The events at the ends of wireless frames."""

from typing import TYPE_CHECKING

from mobilesim.protocols.packets import Packet
from mobilesim.simulation.engine import Event
from mobilesim.simulation.links.host_processors import Job

if TYPE_CHECKING:
    from mobilesim.simulation.links.wireless import Direction, Radio


class FrameArrival(Event):
    """The arrival of a frame. `entry`: the number of cells that the host had left when the frame was sent."""

    __slots__ = ("direction", "entry", "frame", "host", "radio", "start", "station")

    def __init__(  # noqa: PLR0917 - created for every frame, and keywords are slow
        self, direction: "Direction", radio: "Radio", host: int, station: int, frame: Packet, start: int
    ) -> None:
        self.direction, self.radio, self.host, self.station = direction, radio, host, station
        self.entry, self.frame, self.start = radio.entries, frame, start

    def happen(self) -> None:
        _receive(self, 0)


def _receive(arrival: FrameArrival, work: int) -> None:
    """Pass a frame to its receiver. `work`: the time that the host took for the frame."""
    direction = arrival.direction
    if arrival.entry == arrival.radio.entries:
        direction.receiver.received(arrival.host, arrival.station, arrival.frame, arrival.start, work)
    else:
        # The host left before the frame arrived, and possibly before the frame started.
        direction.count_lost(arrival)


class ComputedFrame(FrameArrival):
    """The arrival of a frame on which its sender, a host, worked for the time `work`."""

    __slots__ = ("work",)

    def __init__(  # noqa: PLR0917 - created for every frame, and keywords are slow
        self, direction: "Direction", radio: "Radio", host: int, station: int, frame: Packet, start: int, work: int
    ) -> None:
        super().__init__(direction, radio, host, station, frame, start)
        self.work = work

    def happen(self) -> None:
        _receive(self, self.work)


class FrameGivenUp(FrameArrival):
    """The end of the last attempt to send a frame that is not received. Its host is then out of reach."""

    __slots__ = ()

    def happen(self) -> None:
        self.direction.count_lost(self)
        if self.entry == self.radio.entries:
            self.direction.air.cut_off(self.host)


class ProcessedFrame(FrameArrival):
    """The end of a host's work on a frame that it receives."""

    __slots__ = ("job",)

    def __init__(  # noqa: PLR0917 - created for every frame, and keywords are slow
        self, direction: "Direction", radio: "Radio", host: int, station: int, frame: Packet, start: int, job: Job
    ) -> None:
        super().__init__(direction, radio, host, station, frame, start)
        self.job = job

    def happen(self) -> None:
        work = 0
        if self.entry == self.radio.entries:
            engine, processors = self.direction.engine, self.direction.processors
            assert processors is not None
            done = processors.done(self.host, self.job, engine.time)
            if done > engine.time:
                engine.push(done, self)
                return
            work = done - self.job.came
        _receive(self, work)

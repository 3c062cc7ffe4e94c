"""The processors of hosts, which work on the frames that the hosts send and receive.

A host works on each frame for `fixed + per_integer x integers`, on one frame at a time: first on the frame that first
arrived or was first to be sent. A frame is sent, or given to the host's machine, when this work is done. When the host
leaves its cell, its processor drops the frames of this cell, like frames in transit.

The work needs no events of its own. A frame on the downlink is announced, and its event is scheduled for the earliest
time at which the host may have processed it. The host may send other frames before it arrives, and then needs longer:
then the event is scheduled again.
"""

from collections import deque

from mobilesim.protocols.packets import Packet
from mobilesim.world.replication import World


class Job:
    """The work on a frame that arrives at `came`. `earliest`: the earliest time at which it can be done. `done`: the
    time at which it is done, or -1 before the arrival.
    """

    __slots__ = ("came", "done", "earliest", "work")

    def __init__(self, came: int, work: int, earliest: int) -> None:
        self.came, self.work, self.earliest, self.done = came, work, earliest, -1


class Processor:
    """The processor of one host. `free`: when it has done all work so far. `given`: the total time of this work.
    `frames`: the number of frames that it has got. `coming`: the frames on the downlink. `earliest`: the earliest time
    at which it may have processed them.
    """

    __slots__ = ("coming", "earliest", "frames", "free", "given")

    def __init__(self) -> None:
        self.free = self.given = self.frames = self.earliest = 0
        self.coming: deque[Job] = deque()

    def begin(self, since: int, work: int) -> int:
        """Queue the work on a frame; return when it is done."""
        done = self.free = max(since, self.free) + work
        self.given += work
        self.frames += 1
        return done

    def catch_up(self, now: int) -> None:
        """Queue the work on the frames that have arrived."""
        coming = self.coming
        while coming and coming[0].came <= now:
            job = coming.popleft()
            job.done = self.begin(job.came, job.work)


class HostProcessors:
    def __init__(self, hosts: int, fixed: int, per_integer: int) -> None:
        self._fixed, self._per_integer = fixed, per_integer
        self._processors = [Processor() for _ in range(hosts)]

    def send(self, host: int, frame: Packet, now: int) -> int:
        """Queue the work on a frame that a host sends; return how long it takes until the frame is ready."""
        processor = self._processors[host]
        processor.catch_up(now)
        return processor.begin(now, self._work(frame)) - now

    def expect(self, host: int, frame: Packet, came: int) -> Job:
        """Announce a frame that will arrive at `came`."""
        work, processor = self._work(frame), self._processors[host]
        earliest = processor.earliest = max(processor.earliest, processor.free, came) + work
        job = Job(came, work, earliest)
        processor.coming.append(job)
        return job

    def done(self, host: int, job: Job, now: int) -> int:
        """Return when the work on a frame that has arrived is done."""
        if job.done < 0:
            self._processors[host].catch_up(now)
        return job.done

    def busy_until(self, host: int) -> int:
        """Return the earliest time at which a host may have processed all its frames."""
        processor = self._processors[host]
        return max(processor.free, processor.earliest)

    def leave(self, host: int, now: int) -> None:
        """Drop the frames of the cell that a host leaves."""
        processor = self._processors[host]
        processor.catch_up(now)
        processor.given -= max(0, processor.free - now)
        processor.free = min(processor.free, now)
        processor.coming.clear()
        processor.earliest = 0

    def so_far(self, host: int, now: int) -> tuple[int, int, int]:
        """Return how long a host has worked, how much work it has got, and on how many frames."""
        processor = self._processors[host]
        processor.catch_up(now)
        return processor.given - max(0, processor.free - now), processor.given, processor.frames

    def _work(self, frame: Packet) -> int:
        return self._fixed + self._per_integer * (frame.header + frame.control)


def host_processors(world: World) -> HostProcessors | None:
    """Return the processors of the hosts; None if their work takes no time."""
    hosts = world.scenario.processing.of_hosts
    return HostProcessors(world.scenario.hosts, *hosts) if any(hosts) else None

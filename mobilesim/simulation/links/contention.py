"""A half-duplex medium for all frames of a cell, with the contention of the IEEE 802.11 DCF (basic access).

The hosts of a cell and its station, each with a queue of frames, contend for the medium. A station of the DCF (here: a
contender) that has a frame waits until the medium has been idle for DIFS, and then for a random number of idle slots.
Contenders that choose the same slot collide. A frame that is received is acknowledged after SIFS. A contender without
an acknowledgement doubles its contention window, and tries again. A frame that becomes ready while the medium is idle
is sent in the next slot, unless the backoff after the contender's last frame is not over.

The engine has one event for the start of each transmission or collision, and one for its end, but none for slots: the
idle slots of a cell are numbered, and each contender has the number of the slot in which it sends.
"""

from collections import deque
from random import Random
from typing import TYPE_CHECKING, Final

from mobilesim.protocols.packets import Packet
from mobilesim.scenario.sections.wireless import Contention
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.beacons import BeaconTimes
from mobilesim.simulation.links.frame_arrivals import FrameArrival
from mobilesim.simulation.links.wireless import Radio

if TYPE_CHECKING:
    from mobilesim.simulation.links.csma import CsmaChannel

NEVER: Final = 1 << 60
"""After every run. Compiled code handles numbers below 2^62 without Python objects."""


class Job:
    """A frame in the queue of a contender. `entry`: the number of cells that the host had left when the frame entered
    the queue, or -1 if the host was not in the cell. `work`: the time that the host took for it before. `busy`: the
    duration of an attempt. `started`: the start of the first attempt.
    """

    __slots__ = ("attempts", "busy", "entry", "frame", "host", "radio", "size", "started", "work")

    def __init__(self, host: int, radio: Radio, frame: Packet, entry: int, work: int) -> None:
        self.host, self.radio, self.frame, self.entry, self.work = host, radio, frame, entry, work
        self.size = self.busy = self.attempts = 0
        self.started = -1

    @property
    def present(self) -> bool:
        """Return whether the host has been in the cell since the frame entered the queue."""
        return self.entry == self.radio.entries


class Contender:
    """A host or a station that contends. `slot`: the number of the idle slot in which it may send. `failures`: how
    often the first frame of its queue has failed.
    """

    __slots__ = ("channel", "failures", "queue", "random", "slot")

    def __init__(self, channel: "CsmaChannel", random: Random) -> None:
        self.channel, self.random = channel, random
        self.queue: deque[Job] = deque()
        self.slot = self.failures = 0

    def reset(self) -> None:
        self.queue.clear()
        self.slot = self.failures = 0


class Attempt:
    """A transmission of a frame. `acknowledged`: the start of its acknowledgement, NEVER without one. `cut`: when the
    host left the cell during the attempt. `arrival`: the arrival of the frame if it is received.
    """

    __slots__ = ("acknowledged", "arrival", "contender", "cut", "end", "job", "start")

    def __init__(self, contender: Contender, job: Job, start: int) -> None:
        self.contender, self.job, self.start = contender, job, start
        self.end = start + job.busy
        self.acknowledged, self.cut = NEVER, NEVER
        self.arrival: FrameArrival | None = None


class Medium:
    """The medium of one cell. `slots`: the number of idle slots until `idle`, the time from which slots are counted.
    `attempts`: the transmissions of now. `beacons`: the beacons of the station if they are frames.
    """

    __slots__ = (
        "_following",
        "_round",
        "_rules",
        "attempts",
        "beacons",
        "contenders",
        "engine",
        "idle",
        "slots",
        "station",
    )

    def __init__(self, engine: Engine, rules: Contention, station: int, beacons: BeaconTimes | None) -> None:
        self.engine, self._rules, self.station, self.beacons = engine, rules, station, beacons
        self.contenders: list[Contender] = []
        """The contenders with frames."""
        self.attempts: list[Attempt] = []
        self.slots = 0
        self.idle = 0
        self._following = 0
        """The number of the first beacon after those that `idle` takes into account."""
        self._round = 0
        """The number of the last scheduled event. Earlier events are void."""

    def enter(self, contender: Contender, job: Job) -> None:
        """Put a frame into the queue of a contender."""
        contender.queue.append(job)
        if len(contender.queue) > 1:
            return
        now = self.engine.time
        if not self.attempts:
            self._pass_beacons(now)
        busy = bool(self.attempts) or now < self.idle
        slot = self.slots if busy else self.slots - (self.idle - now) // self._rules.slot
        if contender.slot < slot or (contender.slot == slot and busy):
            contender.slot = slot + self._backoff(contender) if busy else slot
        self.contenders.append(contender)
        self._schedule()

    def remove(self, contender: Contender) -> None:
        """Remove all frames of a contender, which may be sending."""
        if contender.queue:
            self.contenders.remove(contender)
        contender.reset()
        self._schedule()

    def _backoff(self, contender: Contender) -> int:
        rules = self._rules
        window = min(rules.window_max, rules.window_min << min(contender.failures, 40))
        return int(contender.random.random() * window)

    def _pass_beacons(self, now: int) -> None:
        """Take account of the beacons that are due until now. The medium is busy with them until `beacons.free`."""
        if (beacons := self.beacons) is None:
            return
        beacons.begin(now)
        if self._following < beacons.following:
            first = beacons.start(self._following)
            if first > self.idle:
                self.slots += (first - self.idle) // self._rules.slot
            self.idle = beacons.free + self._rules.difs
            self._following = beacons.following

    def _schedule(self) -> None:
        """Schedule the next transmission, or the next beacon if it is due before."""
        if self.attempts:
            return
        self._pass_beacons(self.engine.time)
        self._round += 1
        if not self.contenders:
            return
        slot = min([contender.slot for contender in self.contenders])
        start = self.idle + (slot - self.slots) * self._rules.slot
        if self.beacons is not None and (due := self.beacons.due(self.beacons.following)) <= start:
            self.engine.call_at(max(due, self.engine.time), self._beacon, self._round)
        else:
            self.engine.call_at(start, self._transmit, self._round)

    def _beacon(self, number: int) -> None:
        if number == self._round:
            self._schedule()

    def _transmit(self, number: int) -> None:
        if number != self._round:
            return
        now, rules = self.engine.time, self._rules
        self.slots = slot = min([contender.slot for contender in self.contenders])
        sending = [contender for contender in self.contenders if contender.slot == slot]
        self.attempts = attempts = [contender.channel.begin(contender, now) for contender in sending]
        free = max([attempt.end for attempt in attempts])
        if len(attempts) == 1 and attempts[0].contender.channel.is_received(attempts[0]):
            attempts[0].acknowledged = free + rules.sifs
            free += rules.sifs + rules.ack
        if self.beacons is not None:
            self.beacons.free = free
        self.engine.call_at(free, self._finish, None)

    def _finish(self, _: None) -> None:
        attempts, self.attempts = self.attempts, []
        self.idle = self.engine.time + self._rules.difs
        given_up: list[Job] = []
        for attempt in attempts:
            contender, job = attempt.contender, attempt.job
            contender.channel.settle(attempt, self.station)
            if not contender.queue or contender.queue[0] is not job:
                continue  # the host left the cell
            contender.failures += 1
            if attempt.acknowledged != NEVER or contender.channel.is_last(job):
                contender.queue.popleft()
                contender.failures = 0
                if attempt.acknowledged == NEVER:
                    given_up.append(job)
                if not contender.queue:
                    self.contenders.remove(contender)
            contender.slot = self.slots + self._backoff(contender)
        for job in given_up:
            if job.present:
                attempts[0].contender.channel.air.cut_off(job.host)
        self._schedule()

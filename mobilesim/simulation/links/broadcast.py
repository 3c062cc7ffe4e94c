"""Shared downlinks on which one transmission carries a message to several hosts of a cell.

A frame with a message joins an earlier frame of the same message that waits for the downlink, if no frame for its host
waits behind it. The transmission has the payload and the stamps once, and the sequence numbers of each host. Each host
loses it independently of the others; the hosts that have lost it get it again, together.

The counter of each host has the whole transmission. Under (ALL_HOSTS, station), a counter has what was counted for more
than one host: it is subtracted from the traffic of the cell, and also counted as `shared`.
"""

from collections import deque
from typing import TYPE_CHECKING

from mobilesim.protocols.handoff.wireless_hop import Data
from mobilesim.protocols.packets import Packet
from mobilesim.protocols.state import key
from mobilesim.recording.link_counters import ALL_HOSTS, LinkCounter, Links
from mobilesim.simulation.links.frame_arrivals import FrameArrival, ProcessedFrame
from mobilesim.simulation.links.host_processors import Job
from mobilesim.simulation.links.lossy_channel import LossyChannel, total_length
from mobilesim.simulation.links.wireless import Radio, transmission
from mobilesim.world.replication import World

if TYPE_CHECKING:
    from mobilesim.simulation.links.shared_lossy_wireless import LossyAir


class Receiver:
    """A host for which a frame waits. `entry`: the number of cells that it had left, or -1 if it was not in the cell.
    `attempts`: the number of attempts until the host receives the frame.
    """

    __slots__ = ("attempts", "entry", "frame", "host", "radio")

    def __init__(self, host: int, radio: Radio, frame: Packet, entry: int) -> None:
        self.host, self.radio, self.frame, self.entry = host, radio, frame, entry
        self.attempts = 1

    @property
    def present(self) -> bool:
        return self.entry == self.radio.entries


class Waiting:
    """A transmission in the queue of a downlink. `number`: its number in this queue."""

    __slots__ = ("number", "receivers")

    def __init__(self, number: int, receiver: Receiver) -> None:
        self.number, self.receivers = number, [receiver]

    def may_join(self, receiver: Receiver, latest: int) -> bool:
        """Return whether a frame of the same message may join. `latest`: the number of the host's last transmission."""
        return latest < self.number and _same_stamps(receiver.frame, self.receivers[0].frame)


class Queue:
    """The queue of the downlink of one cell. `messages`: by message, the last transmission that waits. `latest`: by
    host, the number of its last transmission. `active`: whether the start of the next transmission is scheduled.
    """

    __slots__ = ("active", "latest", "messages", "number", "waiting")

    def __init__(self) -> None:
        self.waiting: deque[Waiting] = deque()
        self.messages: dict[int, Waiting] = {}
        self.latest: dict[int, int] = {}
        self.number = 0
        self.active = False

    def put(self, receiver: Receiver) -> None:
        frame, host = receiver.frame, receiver.host
        message = frame.copies[0].message.id if type(frame) is Data else -1
        other = self.messages.get(message)
        if other is not None and other.may_join(receiver, self.latest.get(host, -1)):
            other.receivers.append(receiver)
            self.latest[host] = other.number
            return
        self.number += 1
        waiting = Waiting(self.number, receiver)
        self.waiting.append(waiting)
        self.latest[host] = self.number
        if message >= 0:
            self.messages[message] = waiting

    def take(self) -> Waiting:
        first = self.waiting.popleft()
        frame = first.receivers[0].frame
        if type(frame) is Data:
            message = frame.copies[0].message.id
            if self.messages.get(message) is first:
                del self.messages[message]
        return first


def _same_stamps(one: Packet, other: Packet) -> bool:
    assert isinstance(one, Data)
    assert isinstance(other, Data)
    if one.integers != other.integers:
        return False
    stamp, another = one.copies[0].stamp, other.copies[0].stamp
    return not one.integers or stamp is another or key(stamp) == key(another)


class Attempt:
    """One attempt to send a frame to several hosts. `left`: the number of hosts that have not lost it."""

    __slots__ = ("end", "left", "receivers", "start")

    def __init__(self, start: int, end: int, receivers: list[Receiver]) -> None:
        self.start, self.end, self.receivers = start, end, receivers
        self.left = len(receivers)


class SharedFrameArrival(FrameArrival):
    """The arrival of a frame that has several receivers."""

    __slots__ = ("attempt",)

    def __init__(self, channel: "BroadcastDownlink", receiver: Receiver, station: int, start: int, at: Attempt) -> None:
        super().__init__(channel, receiver.radio, receiver.host, station, receiver.frame, start)
        self.attempt = at


class SharedProcessedFrame(ProcessedFrame):
    """The end of a host's work on a frame that has several receivers."""

    __slots__ = ("attempt",)

    def __init__(  # noqa: PLR0917 - created for every frame, and keywords are slow
        self, channel: "BroadcastDownlink", receiver: Receiver, station: int, start: int, at: Attempt, job: Job
    ) -> None:
        super().__init__(channel, receiver.radio, receiver.host, station, receiver.frame, start, job)
        self.attempt = at


class BroadcastDownlink(LossyChannel):
    def __init__(self, air: "LossyAir", world: World, *, up: bool = False) -> None:
        super().__init__(air, world, up=up)
        self.cells = [Queue() for _ in self.bandwidths]
        self.attempts: list[deque[Attempt]] = [deque() for _ in self.bandwidths]
        """By cell, the attempts that have not ended. Ended ones are removed when one is added."""

    def transmit(self, host: int, station: int, frame: Packet, work: int = 0) -> None:
        radio = self.channels[host].radio
        self._enqueue(Receiver(host, radio, frame, radio.entries if radio.cell == station else -1), station)

    def miss(self, host: int, station: int, frame: Packet) -> None:
        self._enqueue(Receiver(host, self.channels[host].radio, frame, -1), station)

    def _enqueue(self, receiver: Receiver, station: int) -> None:
        queue = self.cells[station]
        queue.put(receiver)
        if not queue.active:
            queue.active = True
            assert self.free_at is not None
            self.engine.call_at(max(self.engine.time, self.free_at[station]), self._start, station)
        if self.counted:
            counter = self.links[receiver.host, station]
            counter.queue_peak = max(counter.queue_peak, len(queue.waiting))

    def _start(self, station: int) -> None:
        """Start the next transmission, unless a beacon is due. Frames of this moment have joined it."""
        now, queue = self.engine.time, self.cells[station]
        assert self.free_at is not None
        if self.beacons is not None and (start := self.beacons.stations[station].begin(now)) > now:
            self.engine.call_at(start, self._start, station)
            return
        receivers = queue.take().receivers
        if len(receivers) > 1:
            self._send_to_all(station, receivers)
        elif receivers[0].present:
            self.send(receivers[0].host, station, receivers[0].frame, now)
        else:
            super().miss(receivers[0].host, station, receivers[0].frame)
        queue.active = bool(queue.waiting)
        if queue.active:
            self.engine.call_at(self.free_at[station], self._start, station)

    def _send_to_all(self, station: int, receivers: list[Receiver]) -> None:
        """Send a frame until each host has received it, or has left, or the frame is given up."""
        start = begin = self.engine.time
        size = self._size_for(receivers)
        busy = transmission(size, self.bandwidths[station])
        for receiver in receivers:
            if receiver.present and self.losses is not None:
                receiver.attempts = self.losses.attempts(receiver.host, size, start, busy + self.retry)
        number, end = 0, start
        while receivers:
            number += 1
            busy = transmission(self._size_for(receivers), self.bandwidths[station])
            end = begin + busy
            self._attempt(station, Attempt(begin, end, receivers), number, start)
            begin = end + self.retry
            receivers = [each for each in receivers if each.present and number < min(each.attempts, self.most)]
        assert self.free_at is not None
        self.free_at[station] = end
        if self.beacons is not None:
            self.beacons.stations[station].free = end
        self._add_use(0, station, end - start)

    def _size_for(self, receivers: list[Receiver]) -> int:
        frame = receivers[0].frame
        numbers = sum([receiver.frame.control for receiver in receivers])
        return self.framing + frame.payload + self.integer * (frame.header + numbers)

    def _attempt(self, station: int, attempt: Attempt, number: int, first: int) -> None:
        """Send a frame to all hosts that need it. `number`: of the attempt. `first`: the start of the first attempt."""
        busy, several = attempt.end - attempt.start, len(attempt.receivers) > 1
        for receiver in attempt.receivers:
            host, frame = receiver.host, receiver.frame
            if self.counted:
                counter = self.links[host, station]
                counter.add(frame, self.sizes, busy)
                if not receiver.present:
                    counter.missed += busy
                if number > 1:
                    self.receiver.repeated(host, frame, 1)
            if receiver.present:
                self._occupy(host, [(attempt.start, attempt.end)])
            if receiver.present and number == receiver.attempts:
                if several:
                    self._arrive_shared(receiver, station, first, attempt)
                else:
                    self.arrive(host, station, frame, first, attempt.end + self.latency, 0)
            else:
                self._lose(receiver, station, attempt)
                if receiver.present and number == self.most:
                    self.engine.call_at(attempt.end, self._give_up, receiver)
        if self.counted and several:
            shared = self.links[ALL_HOSTS, station]
            self._count_shared(shared, attempt.receivers[0].frame, 1 - len(attempt.receivers))
            shared.busy -= (len(attempt.receivers) - 1) * busy
            self._keep_attempt(station, attempt)

    def _arrive_shared(self, receiver: Receiver, station: int, first: int, attempt: Attempt) -> None:
        came = attempt.end + self.latency
        if self.processors is None:
            self.engine.push(came, SharedFrameArrival(self, receiver, station, first, attempt))
        else:
            job = self.processors.expect(receiver.host, receiver.frame, came)
            self.engine.push(job.earliest, SharedProcessedFrame(self, receiver, station, first, attempt, job))

    def _give_up(self, receiver: Receiver) -> None:
        if receiver.present:
            self.air.cut_off(receiver.host)

    # Counters

    def _lose(self, receiver: Receiver, station: int, attempt: Attempt) -> None:
        if self.counted:
            self.links[receiver.host, station].lost().add(receiver.frame, self.sizes, 0)
            self._lose_share(self.links, receiver.frame, station, attempt.left)
        attempt.left -= 1

    def _lose_share(self, links: Links, frame: Packet, station: int, left: int) -> None:
        """Count a loss for the cell only if no host has received the frame. `left`: the hosts that had received it."""
        if left > 1:
            self._count_shared(links[ALL_HOSTS, station].lost(), frame, -1)
            links[ALL_HOSTS, station].shared -= self._common(frame)

    def count_lost(self, arrival: FrameArrival) -> None:
        super().count_lost(arrival)
        if isinstance(arrival, (SharedFrameArrival, SharedProcessedFrame)):
            left = arrival.attempt.left
            self._lose_share(self.links, arrival.frame, arrival.station, left)
            for snapshot in self.snapshots:
                if snapshot.counter_of(arrival, (ALL_HOSTS, arrival.station)) is not None:
                    self._lose_share(snapshot.links, arrival.frame, arrival.station, left)
            arrival.attempt.left -= 1

    def _common(self, frame: Packet) -> int:
        """Return the bytes that a transmission has once for all its receivers."""
        return self.framing + frame.payload + self.integer * frame.header

    def _count_shared(self, counter: LinkCounter, frame: Packet, times: int) -> None:
        """Count the common part of a frame `times` times, which is negative."""
        payload, ordering, framing = frame.payload, self.integer * frame.header, self.framing
        common = payload + ordering + framing
        counter.count(frame.purpose, times * payload, times * ordering, 0, times * framing, times * common, 0)
        counter.packets += times - 1

    def _keep_attempt(self, station: int, attempt: Attempt) -> None:
        pending, now = self.attempts[station], self.engine.time
        self.links[ALL_HOSTS, station].shared += (len(attempt.receivers) - 1) * self._common(attempt.receivers[0].frame)
        while pending and pending[0].end <= now:
            pending.popleft()
        pending.append(attempt)

    def snapshot(self, *, settled: bool) -> Links:
        links, now = super().snapshot(settled=settled), self.engine.time
        for station, pending in enumerate(self.attempts):
            for attempt in pending:
                present = sum([1 for receiver in attempt.receivers if receiver.present])
                rest = total_length([(max(attempt.start, now), attempt.end)]) if attempt.end > now else 0
                links[ALL_HOSTS, station].busy += max(0, present - 1) * rest
        return links

    def restart_queue_peaks(self) -> None:
        super().restart_queue_peaks()
        for station, queue in enumerate(self.cells):
            for waiting in queue.waiting:
                for receiver in waiting.receivers:
                    counter = self.links[receiver.host, station]
                    counter.queue_peak = max(counter.queue_peak, len(queue.waiting))

"""The timeline of every message, from its submission to its deliveries.

A host submits a message, and the uplink frame starts. The source's station accepts the message, stamps it and sends it.
The destination's station receives the message and hands it to the downlink. The downlink frame starts, and the
destination receives and delivers the message.

A message may wait for causal order at the destination's station, before the downlink, or at the destination. The wait
ends with the event *released*. The time *deliverable* is the last release, at this destination, of a message that
happened before.
"""

from bisect import insort
from operator import attrgetter
from typing import Final

from mypy_extensions import i64

from mobilesim.oracle.causal_order import Submission
from mobilesim.protocols.handoff.wireless_hop import Data
from mobilesim.protocols.machine import Host
from mobilesim.protocols.packets import Copy, Message, Stamp
from mobilesim.recording.by_number import ByNumber
from mobilesim.recording.delivery_record import NEVER, DeliveryRecord
from mobilesim.recording.message_trace import MessageTrace, Release
from mobilesim.recording.null_recorder import Timeline
from mobilesim.recording.reachability import Reachability
from mobilesim.recording.sinks import Sink

_KEEP: Final = 64


class MessageTimeline(Timeline):
    """Keeps a trace of every message in transit and writes a row for every delivery.

    Events may repeat, since protocols retransmit.
    """

    def __init__(self, reachability: Reachability, registration: Reachability, sink: Sink, *, at_host: bool) -> None:
        """`registration`: the times for which hosts cannot send. `at_host`: whether hosts order messages, and not
        stations.
        """
        self._reachability, self._registration = reachability, registration
        self._hosts = len(reachability.homes)
        self._sink = sink
        self._at_host = at_host
        self._arriving: i64 = NEVER
        """The message in the frame or packet that a machine processes at present. Waits that end now end because of it.
        Other frames and packets, and timers, are `NEVER`.
        """
        self._control_from: i64 = NEVER
        """The sender of the control message that a machine processes at present."""
        self._traces: ByNumber[MessageTrace] = ByNumber()
        self._releases: list[list[Release]] = [[] for _ in reachability.homes]
        self.waiting: list[list[MessageTrace]] = [[] for _ in reachability.homes]
        """By host, the messages that the host has not delivered yet, in the order of submission."""

    def submitted(self, message: Message, sent: Submission, now: int) -> None:
        trace = MessageTrace(message, sent, now, self._away(message.source, now))
        self._traces.add(message.id, trace)
        for host in message.destinations:
            self.waiting[host].append(trace)

    def originated(self, message: Message, station: int, now: int) -> None:
        """Record that a station submitted a message and accepted it at once, without an uplink frame."""
        if (trace := self._traces.get(message.id)) is not None:
            trace.transmissions = 1
            trace.uplink_received(station, (now, now, trace.away, 0))

    def held(self, message: Message, now: int, station: int = NEVER) -> None:
        """Record that a message waits in the send queue of its host, or of a station that has accepted it. A message
        that processes pass on waits for each destination until the last process sends the copy for this destination.
        """
        if (trace := self._traces.get(message.id)) is not None:
            trace.held_since = now
            trace.accepted = trace.uplink_to(station)

    def control_arrived(self, stamp: Stamp) -> None:
        self._control_from = stamp.sender

    def processed(self) -> None:
        self._arriving = self._control_from = NEVER

    def readdressed(self, message: Message) -> None:
        """Record the new destinations of a message that has waited in the send queue of its host; () if the message is
        never sent.
        """
        if (trace := self._traces.get(message.id)) is None:
            return
        before, after = trace.message.destinations, message.destinations
        trace.readdress(message)
        for host in before:
            if host not in after:
                self.waiting[host].remove(trace)
        for host in after:
            if host not in before:
                insort(self.waiting[host], trace, key=attrgetter("submitted"))
        if not after:
            self._write(trace)
            self._forget(message.id)

    def departed(self, message: Message, sender: int, hosts: tuple[int, ...], now: int) -> None:
        """Record that a host sends the copies of a message for these destinations, after a wait in a send queue, or
        after the message was passed on to this host.
        """
        if (trace := self._traces.get(message.id)) is None:
            return
        away = self._away(sender, now)
        for host in hosts:
            trace.departed(trace.record(host), now)
        if sender == message.source:
            trace.away = away
        else:
            relayed = trace.relays()
            relayed.away.update(dict.fromkeys(hosts, int(away)))
            relayed.senders.update(dict.fromkeys(hosts, sender))

    def uplink_sent(self, message: Message, host: int, times: int = 1) -> None:
        if (trace := self._traces.get(message.id)) is None:
            return
        if host == message.source:
            trace.transmissions += times
        else:
            frames = trace.relays().frames
            frames[host] = frames.get(host, 0) + times

    def uplink_received(  # noqa: PLR0917 - called for every frame, and keywords are slow
        self, message: Message, host: int, station: int, started: int, work: int, now: int
    ) -> None:
        self._arriving = message.id
        if (trace := self._traces.get(message.id)) is None:
            return
        uplink = started, now, self._away(host, now), work
        if host == message.source:
            trace.uplink_received(station, uplink)
        else:
            trace.relays().times.setdefault((host, station), uplink)

    def searching(self, copy: Copy, now: int) -> None:
        """Record that a station asks for the locations of the targets of a copy, before it sends the copy."""
        if (trace := self._traces.get(copy.message.id)) is None:
            return
        for host in copy.targets:
            record = trace.record(host)
            record.search_started = now
            if not self._at_host:
                trace.departed(record, now)

    def sent(self, copies: tuple[Copy, ...], station: int, target: int, now: int, done: int) -> None:
        """Record that a station sent a data packet on a wired link. Its work on the packet took from `now` to `done`.

        The first station that sends a copy has stamped the copy. Other stations forward the copy.
        """
        for copy in copies:
            if (trace := self._traces.get(copy.message.id)) is None:
                continue
            header, units = copy.stamp.integers, copy.stamp.units
            trace.widen(header, units)
            for host in copy.targets:
                record = trace.record(host)
                if record.sent >= 0:
                    record.forwards += 1
                    continue
                trace.stamp(host, station, now, header, units).sent = done
                if not self._at_host and record.search_started == NEVER:
                    trace.departed(record, now)

    def kept(self, copies: tuple[Copy, ...], station: int, now: int, done: int) -> None:
        """Record that a station keeps the copies that it has stamped for hosts of its cell."""
        if (trace := self._traces.get(copies[0].message.id)) is None:
            return
        for copy in copies:
            for host in copy.targets:
                record = trace.stamp(host, station, now, 0, 0)
                record.sent = record.landed = record.first = record.arrived = done
                record.arrived_away = self._reachability.total(host, done)

    def landed(self, copies: tuple[Copy, ...], station: int, came: int, now: int) -> None:
        """Record that a station has now read a data packet. The packet arrived at `came`."""
        self._arriving = copies[0].message.id
        for copy in copies:
            if (trace := self._traces.get(copy.message.id)) is None:
                continue
            for host in copy.targets:
                record = trace.record(host)
                if record.first < 0:
                    record.landed, record.first = came, now
                if station != record.station:
                    record.stations_passed += 1
                    record.station = station
                record.arrived, record.arrived_away = now, self._reachability.total(host, now)

    def downlink_sent(self, message: Message, host: int, station: int, now: int) -> None:
        if (trace := self._traces.get(message.id)) is None:
            return
        trace.record(host).retransmissions += 1
        self._hand(trace, host, station, now)

    def stored(self, message: Message, host: int, station: int, now: int) -> None:
        """Record that a station would have sent a downlink frame if the host had not announced that it switches off."""
        if (trace := self._traces.get(message.id)) is not None:
            self._hand(trace, host, station, now)

    def _hand(self, trace: MessageTrace, host: int, station: int, now: int) -> None:
        record = trace.record(host)
        if station != record.station:
            record.stations_passed += 1
            record.station = station
        if record.handed < 0:
            record.handed, record.handed_away = now, self._reachability.total(host, now)
            if not self._at_host and now > record.arrived:
                self._note_cause(record)

    def _note_cause(self, record: DeliveryRecord) -> None:
        """Record what ended the wait of a message: the message or the control message that is processed at present."""
        if self._arriving != record.message:
            record.waited_for, record.control_from = self._arriving, self._control_from

    def downlink_repeated(self, message: Message, host: int, times: int) -> None:
        if (trace := self._traces.get(message.id)) is not None:
            trace.record(host).retransmissions += times

    def downlink_received(  # noqa: PLR0917 - called for every frame, and keywords are slow
        self, machine: Host, frame: Data, host: int, started: int, work: int, now: int
    ) -> None:
        """Record a data frame before a host's machine receives it, if the machine would accept the frame."""
        if not machine.expects(frame):
            return
        self._arriving = frame.copies[0].message.id
        if (trace := self._traces.get(frame.copies[0].message.id)) is not None:
            record = trace.record(host)
            record.downlink_started, record.receiver_work = started, work
            record.heard, record.heard_away = now, self._reachability.total(host, now)

    def crossed(self, copy: Copy, host: int, started: int, now: int) -> None:
        """Record that a copy has crossed the link between two hosts of a static network."""
        self._arriving = copy.message.id
        if (trace := self._traces.get(copy.message.id)) is None:
            return
        header, units = copy.stamp.integers, copy.stamp.units
        trace.widen(header, units)
        record = trace.record(host)
        record.header_integers, record.header_units = header, units
        record.uplink_started = record.accepted = record.stamped = record.sent = started
        record.landed = record.first = record.arrived = record.handed = record.downlink_started = record.heard = now
        record.arrived_away = record.handed_away = record.heard_away = record.deliverable_away = 0
        record.stations_passed = record.retransmissions = 0

    def delivered(self, message: Message, host: int, overtaken: int, now: int) -> None:
        """Write the row of a delivery. `overtaken`: the message that this message overtook, or -1 for none."""
        if (trace := self._take(message, host)) is None:
            return
        record = trace.record(host)
        away = self._reachability.total(host, now)
        if self._at_host:
            released, released_away, since, since_away = now, away, record.heard, record.heard_away
            if now > since:
                self._note_cause(record)
        else:
            released, released_away = record.handed, record.handed_away
            since, since_away = record.arrived, record.arrived_away
        log = self._releases[host]
        record.ideal, record.ideal_away = since, since_away
        if log and log[-1].released > since:
            moments = self._deliverable(trace.sent, host, since, released)
            record.deliverable, record.deliverable_away, record.ideal = moments
        if released > since:
            record.ideal_away, present = self._reachability.before(host, record.ideal)
            if not self._at_host:
                # A station that does not know that a host has left its cell releases messages for the host.
                late = present >= released
                record.ideal_away = released_away if late else record.ideal_away + present - record.ideal
                record.ideal = released if late else present
        self._release(host, trace.sent, released, released_away, record.ideal)
        record.overtaken = overtaken
        record.delivered, record.delivered_away = now, away
        record.retransmissions += trace.transmissions_for(host)
        self._sink.delivery(record)
        self._settle(trace)

    def dropped(self, message: Message, host: int, now: int) -> None:
        """Record that a message was dropped for a host. Messages that waited for it may be released from now on."""
        if (trace := self._take(message, host)) is not None:
            away = self._reachability.total(host, now)
            self._release(host, trace.sent, now, away, now)
            self._settle(trace)

    def _away(self, source: int, now: i64) -> i64:
        """Return the total time for which a source has been unable to send. A station can always send."""
        return self._registration.total(source, now) if source < self._hosts else 0

    def close(self) -> None:
        """Write the rows of the messages that have not been delivered to all destinations."""
        for trace in self._traces.values():
            self._write(trace)

    def _take(self, message: Message, host: int) -> MessageTrace | None:
        """Remove a message from those that the host has not delivered. Return None if it is not one of them."""
        if (trace := self._traces.get(message.id)) is not None:
            waiting = self.waiting[host]
            for index in range(len(waiting)):
                if waiting[index] is trace:
                    return waiting.pop(index)
        return None

    def _settle(self, trace: MessageTrace) -> None:
        trace.due -= 1
        if not trace.due:
            self._write(trace)
            self._forget(trace.message.id)

    def _forget(self, number: int) -> None:
        self._traces.remove(number)

    def _write(self, trace: MessageTrace) -> None:
        self._sink.message(trace.message, trace.submitted, trace.header, trace.units)

    def _release(self, host: int, sent: Submission, released: i64, away: i64, ideal: i64) -> None:
        """Store a release if the wait of another message may depend on it."""
        log, waiting = self._releases[host], self.waiting[host]
        if not waiting:
            # A message depends only on releases after its arrival, and all later messages arrive after this one.
            if log:
                log.clear()
            self._reachability.forget(host)
            return
        entry = Release(released, away, ideal, sent)
        if log and log[-1].released > entry.released:
            # Entries come in the order of delivery. A message that was sent again after a hand-off may have an earlier
            # release than a message that was delivered before it.
            insort(log, entry, key=attrgetter("released"))
        else:
            log.append(entry)
        if not len(log) % _KEEP:
            # No waiting message arrived before its submission, so earlier releases are not needed.
            log[:] = [kept for kept in log if kept.released >= waiting[0].submitted]

    def _deliverable(self, sent: Submission, host: int, since: i64, until: i64) -> tuple[i64, i64, i64]:
        """Consider the releases at `host`, after `since` and up to `until`, of messages that `sent` follows. Return the
        last one, the time for which the host had been out of reach before it, and the last ideal release; NEVER, 0 and
        `since` if there are none.
        """
        last: i64 = NEVER
        away: i64 = 0
        ideal = since
        for entry in reversed(self._releases[host]):
            if entry.released <= ideal:
                break  # no earlier release has a later ideal one
            if entry.released <= until and sent.follows(entry.source, entry.number):
                if last < 0:
                    last, away = entry.released, entry.away
                ideal = max(ideal, entry.ideal)
        return last, away, ideal

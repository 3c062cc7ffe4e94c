"""What is recorded about one message until it is delivered to all destinations, and about a release."""

from typing import TypeAlias

from mypy_extensions import i64, mypyc_attr

from mobilesim.oracle.causal_order import Submission
from mobilesim.protocols.packets import Message
from mobilesim.recording.delivery_record import NEVER, DeliveryRecord

UplinkTimes: TypeAlias = tuple[i64, i64, i64, i64]
"""When an uplink frame of a message started, when a station received it, the total time for which the sender had been
unable to send before, and the time for which the sender worked on the frame.
"""


@mypyc_attr(acyclic=True)
class RelayedFrames:
    """The uplink frames in which hosts other than the source send a message.

    `times`: the times of the first frame, by the host that sends it and the station. `frames`: the number of frames, by
    the host that sends them. `away`: by destination, the total time for which the host that sends its copy had been
    unable to send before it did. `senders`: by destination, the host that sent its copy.
    """

    __slots__ = ("away", "frames", "senders", "times")

    def __init__(self) -> None:
        self.times: dict[tuple[int, int], UplinkTimes] = {}
        self.frames: dict[int, int] = {}
        self.away: dict[int, int] = {}
        self.senders: dict[int, int] = {}


@mypyc_attr(acyclic=True)
class MessageTrace:
    """The record of a message that has not been delivered to all destinations.

    `away`: the total time for which the sender had been unable to send before it submitted the message, or before the
    message left the sender's send queue. `station`: the first station that received an uplink frame. `uplink`: the
    times of this frame. `relayed`: the frames of hosts that pass on the message, if there are any.
    """

    __slots__ = (
        *("accepted", "away", "due", "header", "held_since", "message", "relayed", "sent", "station"),
        *("submitted", "transmissions", "units", "uplink", "_others", "_records", "_single"),
    )

    def __init__(self, message: Message, sent: Submission, submitted: i64, away: i64) -> None:
        self.message, self.sent, self.submitted, self.away = message, sent, submitted, away
        self.due: i64 = len(message.destinations)
        zero: i64 = 0
        never: i64 = NEVER
        self.transmissions = self.header = self.units = zero
        self.held_since = self.station = never
        self.uplink: UplinkTimes = (never, never, away, zero)
        self._others: dict[int, UplinkTimes] | None = None
        """By each other station that received uplink frames: the times of the first of these frames."""
        self.relayed: RelayedFrames | None = None
        self.accepted: UplinkTimes | None = None
        """The times of the uplink frame to the station with the message in its send queue. Another one may stamp it."""
        self._single: DeliveryRecord | None = None
        self._records: dict[int, DeliveryRecord] | None = None
        # Most messages have one destination. To create a dictionary for one record takes longer than all lookups in it.
        if self.due == 1:
            self._single = self._new_record(message.destinations[0])
        else:
            self._records = {host: self._new_record(host) for host in message.destinations}

    def _new_record(self, host: int) -> DeliveryRecord:
        message = self.message
        return DeliveryRecord(message.id, message.source, host, message.size, self.submitted)

    def readdress(self, message: Message) -> None:
        """Set the new destinations of a message of which nothing has been sent."""
        before = {host: self.record(host) for host in self.message.destinations}
        self.message, self.due = message, len(message.destinations)
        self._records = {host: before.get(host) or self._new_record(host) for host in message.destinations}
        self._single = None

    def record(self, host: int) -> DeliveryRecord:
        """Return the record of a destination."""
        if self._records is None:
            assert self._single is not None
            return self._single
        return self._records[host]

    def relays(self) -> RelayedFrames:
        if (relayed := self.relayed) is None:
            relayed = self.relayed = RelayedFrames()
        return relayed

    def transmissions_for(self, host: int) -> i64:
        """Return the number of uplink frames by the host that sent the copy for a destination."""
        if (relayed := self.relayed) is not None and host in relayed.senders:
            return relayed.frames.get(relayed.senders[host], 0)
        return self.transmissions

    def uplink_received(self, station: i64, uplink: UplinkTimes) -> None:
        if self.station == NEVER:
            self.station, self.uplink = station, uplink
        elif station != self.station:
            self._others = self._others or {}
            self._others.setdefault(station, uplink)

    def uplink_to(self, station: i64) -> UplinkTimes | None:
        """Return the times of the first uplink frame that a station received; None if it received no such frame."""
        if station == self.station != NEVER:
            return self.uplink
        return None if self._others is None else self._others.get(station)

    def departed(self, record: DeliveryRecord, now: i64) -> None:
        """Record that the copy of a message for one destination leaves the send queue."""
        if self.held_since >= 0:
            record.held = now - self.held_since

    def widen(self, header: i64, units: i64) -> None:
        """Raise the message's header size to that of its largest packet."""
        self.header, self.units = max(self.header, header), max(self.units, units)

    def stamp(self, host: int, station: i64, now: i64, header: i64, units: i64) -> DeliveryRecord:
        record = self.record(host)
        record.source_station = record.station = station
        before, relayed = self.away, self.relayed
        if relayed is not None and host in relayed.senders:
            before = relayed.away[host]
            times = relayed.times.get((relayed.senders[host], int(station)))
        else:
            times = self.accepted or self.uplink_to(station)
        assert times is not None
        record.uplink_started, record.accepted, away, record.sender_work = times
        record.sender_away = away - before
        record.stamped = now
        record.header_integers, record.header_units = header, units
        return record


@mypyc_attr(acyclic=True)
class Release:
    """The release of a message at a host, and the time for which the host had been out of reach before. `ideal`: when
    an ideal order would have released it.
    """

    __slots__ = ("away", "ideal", "number", "released", "source")

    def __init__(self, released: i64, away: i64, ideal: i64, sent: Submission) -> None:
        self.released, self.away, self.ideal = released, away, ideal
        self.source, self.number = sent.source, sent.number

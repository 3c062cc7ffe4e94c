"""The timeline of every delivery, and its parts, which add up to its delay exactly.

A message's way: submitted, up-link frame starts, accepted by the source's station, stamped there, sent, arrived at the
station responsible for the destination, handed to the down-link, down-link frame starts, heard by the host, delivered.
A placement orders at the station (before the hand-over to the down-link) or at the host (after it has heard):
*released* is the later end of that wait, and *deliverable* the last release, at this host, of a message that happened
before.

A flood has a copy at every station, and its way to a host is that of the copy which the host first met: the first that
was at a station together with the host's state. A copy that was there before the host met it when the host left for
that station, or when it came, if that was later: the hand-off is no part of its way but keeps the host out of reach.
"""

from bisect import insort
from collections.abc import Sequence
from dataclasses import field
from typing import Any, Final, NamedTuple, Protocol, cast

from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.delay_parts import (
    ACCEPTED,
    ARRIVED,
    ARRIVED_AWAY,
    DELIVERABLE,
    DELIVERABLE_AWAY,
    DELIVERED,
    DELIVERED_AWAY,
    DOWNLINK_STARTED,
    FIRST,
    FORWARDS,
    HANDED,
    HANDED_AWAY,
    HEADER,
    HEARD,
    HEARD_AWAY,
    HELD,
    LANDED,
    NEVER,
    OVERTAKEN,
    PASSED,
    RETRANSMISSIONS,
    SENT,
    SOURCE_STATION,
    STAMPED,
    STATION,
    UNITS,
    UPLINK_STARTED,
    Journey,
    setting_out,
)
from mobilesim.recording.reachability import Reach
from protocols.frozen_value import value
from protocols.machine import Copy, Message

_KEEP: Final = 64


class Write(Protocol):
    def __call__(self, row: list[int], /) -> None: ...


class WriteList(Protocol):
    def __call__(self, row: list[int], items: tuple[int, ...], /) -> None: ...


class Sink(NamedTuple):
    """Where rows go: journeys that are over, and messages with their destinations."""

    deliveries: Write
    messages: WriteList


class Trip:
    """What has been seen of a message: its frames up, by station, and a journey for each destination."""

    __slots__ = (
        "accepted",
        "due",
        "header",
        "held",
        "journeys",
        "lying",
        "since",
        "submitted",
        "transmissions",
        "units",
        "uplinks",
    )

    def __init__(self, submitted: int) -> None:
        self.submitted = submitted
        self.due = self.transmissions = self.header = self.units = self.held = 0
        self.accepted: tuple[int, int] | None = None
        """Of the uplinks, that of the station whose outlet has had it: another one may have stamped it."""
        self.since = NEVER
        """Since when it stands in an outlet."""
        self.uplinks: dict[int, tuple[int, int]] = {}
        self.journeys: dict[int, Journey] = {}
        self.lying: dict[int, tuple[int, int, int]] | None = None
        """Of a flood, by station: when its copy was sent there, when it landed and when it was read."""


@value
class Tracked(Message):
    trip: Trip = field(kw_only=True)


class Journeys:
    """Follows every message and writes a row for every delivery."""

    __slots__ = ("at_host", "integer", "open", "oracle", "reach", "releases", "served", "sink")

    def __init__(
        self, oracle: Oracle, reach: Reach, homes: tuple[int, ...], *, at_host: bool, integer: int, sink: Sink
    ) -> None:
        self.oracle = oracle
        self.reach = reach
        self.at_host = at_host
        self.integer = integer
        self.sink = sink
        self.releases: list[list[tuple[int, int, int, int]]] = [[] for _ in homes]
        self.open: list[dict[int, Tracked]] = [{} for _ in homes]
        self.served = [(home, 0) for home in homes]
        """The station that has each host's state, and since which visit."""

    def submitted(self, message: Tracked) -> None:
        number, source, size, trip = message.id, message.source, message.size, message.trip
        now = trip.submitted
        trip.due = len(message.destinations)
        for host in message.destinations:
            trip.journeys[host] = setting_out(number, source, host, size, now)
            self.open[host][number] = message

    # What is seen on the way is told with packets, which know no more of a message than that it is one: hence Any.

    @staticmethod
    def held(message: Any, now: int, station: int = NEVER) -> None:  # noqa: ANN401
        """It stands in an outlet: its host's, or that of a station, which has accepted it."""
        message.trip.since = now
        message.trip.accepted = message.trip.uplinks.get(station)

    @staticmethod
    def let_go(message: Any, now: int) -> None:  # noqa: ANN401
        """It may go out now, if it could not before."""
        trip: Trip = message.trip
        if trip.since >= 0:
            trip.held, trip.since = now - trip.since, NEVER

    @staticmethod
    def uplinked(message: Any, station: int, started: int, now: int) -> None:  # noqa: ANN401
        """A station has heard the message from its source."""
        uplinks = message.trip.uplinks
        if station not in uplinks:
            uplinks[station] = (started, now)

    def dispatched(self, copy: Copy, station: int, now: int, done: int) -> None:
        """A station put a copy on the wire: the first one has stamped it, the others forward."""
        trip: Trip = cast("Any", copy.message).trip
        header, units = copy.stamp.integers, copy.stamp.units
        trip.header, trip.units = max(trip.header, header), max(trip.units, units)
        if trip.since >= 0:
            self.let_go(copy.message, now)
        for host in copy.targets:
            journey = trip.journeys[host]
            if journey[SENT] >= 0:
                journey[FORWARDS] += 1
                continue
            journey[SOURCE_STATION] = journey[STATION] = station
            journey[UPLINK_STARTED], journey[ACCEPTED] = trip.accepted or trip.uplinks[station]
            journey[STAMPED] = now
            journey[SENT] = done
            journey[HEADER], journey[UNITS] = header, units

    def spread(self, copies: Sequence[Copy], station: int, target: int, now: int, done: int) -> None:
        """A station put a flood's copies on the wire to one of the others: the first time it has stamped them."""
        trip: Trip = cast("Any", copies[0].message).trip
        if trip.lying is None:
            trip.lying = {}
            header = _header(copies)
            for copy in copies:
                for host in copy.targets:
                    _stamped(trip, host, header, station, now)
        trip.lying[target] = (done, NEVER, NEVER)

    def kept(self, copies: Sequence[Copy], station: int, now: int, done: int) -> None:
        """Copies that a station stamped are there without having travelled; if they are a flood's, the others left."""
        trip: Trip = cast("Any", copies[0].message).trip
        if trip.lying is not None:
            trip.lying[station] = (done, done, done)
            self._meet(copies, station, done)
            return
        for copy in copies:
            for host in copy.targets:
                journey = _stamped(trip, host, (0, 0), station, now)
                journey[SENT] = journey[LANDED] = journey[FIRST] = journey[ARRIVED] = done
                journey[ARRIVED_AWAY] = self.reach.total(host, done)

    def lay(self, copies: Sequence[Copy], station: int, came: int, now: int) -> None:
        """A station has read a flood's copies."""
        trip: Trip = cast("Any", copies[0].message).trip
        assert trip.lying is not None
        trip.lying[station] = (trip.lying[station][0], came, now)
        self._meet(copies, station, now)

    def _meet(self, copies: Sequence[Copy], station: int, now: int) -> None:
        """A flood's copies meet those hosts whose state is here."""
        for copy in copies:
            trip: Trip = cast("Any", copy.message).trip
            for host in copy.targets:
                if self.served[host][0] == station and trip.journeys[host][ARRIVED] < 0:
                    _met(trip, host, station, now, self.reach.total(host, now))

    def installed(self, host: int, visit: int, station: int, now: int) -> None:
        """The host's state has come to a station, and meets the copies that lie there; the host is not back yet."""
        self.served[host] = (station, visit)
        since = self.reach.lost(host)
        since = now if since < 0 else since
        for message in self.open[host].values():
            trip = message.trip
            if trip.lying is None or trip.journeys[host][ARRIVED] >= 0:
                continue
            _, _, read = trip.lying.get(station, (NEVER, NEVER, NEVER))
            if read >= 0:
                moment = max(read, since)
                _met(trip, host, station, moment, self.reach.total(host, moment))

    def withdrawn(self, host: int, visit: int, station: int) -> None:
        """A station has been asked for the state of a host that has left it for `visit`."""
        if self.served[host] == (station, visit - 1):
            self.served[host] = (NEVER, NEVER)

    def landed(self, copy: Copy, station: int, came: int, now: int) -> None:
        """A station has read a copy."""
        trip: Trip = cast("Any", copy.message).trip
        for host in copy.targets:
            journey = trip.journeys[host]
            if journey[FIRST] < 0:
                journey[LANDED] = came
                journey[FIRST] = now
            if station != journey[STATION]:
                journey[PASSED] += 1
                journey[STATION] = station
            journey[ARRIVED] = now
            journey[ARRIVED_AWAY] = self.reach.total(host, now)

    def handed(self, message: Any, host: int, station: int, now: int) -> None:  # noqa: ANN401
        """A frame with the message was put on the air for its destination."""
        journey = message.trip.journeys[host]
        journey[RETRANSMISSIONS] += 1
        if station != journey[STATION]:
            journey[PASSED] += 1
            journey[STATION] = station
        if journey[HANDED] < 0:
            journey[HANDED] = now
            journey[HANDED_AWAY] = self.reach.total(host, now)

    @staticmethod
    def repeated_above(message: Any, times: int) -> None:  # noqa: ANN401
        """Its frame up was not heard, and the air sent it so much more often."""
        message.trip.transmissions += times

    @staticmethod
    def repeated_below(message: Any, host: int, times: int) -> None:  # noqa: ANN401
        """Likewise its frame down to that host."""
        message.trip.journeys[host][RETRANSMISSIONS] += times

    def heard(self, message: Any, host: int, started: int, now: int) -> None:  # noqa: ANN401
        journey = message.trip.journeys[host]
        journey[DOWNLINK_STARTED] = started
        journey[HEARD] = now
        journey[HEARD_AWAY] = self.reach.total(host, now)

    def delivered(self, message: Message, host: int, now: int) -> None:
        number, source, oracle = message.id, message.source, self.oracle
        followed = self.open[host].pop(number, None)
        if followed is None:
            oracle.delivered(number, source, host)
            return
        trip = followed.trip
        journey = trip.journeys[host]
        away = self.reach.total(host, now)
        if self.at_host:
            released, released_away, since = now, away, journey[HEARD]
        else:
            released, released_away, since = journey[HANDED], journey[HANDED_AWAY], journey[ARRIVED]
        log = self.releases[host]
        if log and log[-1][0] > since:
            journey[DELIVERABLE], journey[DELIVERABLE_AWAY] = self._deliverable(number, host, since, released)
        self._released(host, (released, released_away, source, oracle.number(number)))
        journey[OVERTAKEN] = oracle.delivered(number, source, host)
        journey[DELIVERED] = now
        journey[DELIVERED_AWAY] = away
        journey[RETRANSMISSIONS] += trip.transmissions
        journey[HELD] = trip.held
        self.sink.deliveries(journey)
        trip.due -= 1
        if not trip.due:
            self._note(followed)

    def dropped(self, message: Message, host: int, now: int) -> None:
        """There is no row for it. What waited for it may go from now on, as after a release."""
        number, source, oracle = message.id, message.source, self.oracle
        followed = self.open[host].pop(number, None)
        if followed is None:
            oracle.dropped(number, source, host)
            return
        self._released(host, (now, self.reach.total(host, now), source, oracle.number(number)))
        oracle.dropped(number, source, host)
        followed.trip.due -= 1
        if not followed.trip.due:
            self._note(followed)

    def _note(self, message: Tracked) -> None:
        """A message's own row, once it needs no more; header integers are those of its largest packet."""
        trip, destinations = message.trip, message.destinations
        row = [message.id, message.source, message.group, len(destinations), message.size]
        row += (trip.submitted, trip.header, trip.units, trip.header * self.integer)
        self.sink.messages(row, destinations)

    def close(self) -> None:
        """The run is over: messages that are still due somewhere get their rows as well."""
        late = {message.id: message for messages in self.open for message in messages.values()}
        for number in sorted(late):
            self._note(late[number])

    def _released(self, host: int, entry: tuple[int, int, int, int]) -> None:
        log = self.releases[host]
        if log and log[-1] > entry:
            # What was rolled back and sent again may be overtaken by what was released after it.
            insort(log, entry)
        else:
            log.append(entry)
        if not len(log) % _KEEP:
            # A message that has not been submitted yet cannot have arrived before now.
            waiting = [message.trip.submitted for message in self.open[host].values()]
            oldest = min(waiting, default=entry[0])
            log[:] = [kept for kept in log if kept[0] >= oldest]

    def _deliverable(self, message: int, host: int, since: int, until: int) -> tuple[int, int]:
        """The last release at `host`, in that time, of a message that happened before; how long away by then."""
        for released, away, source, number in reversed(self.releases[host]):
            if released <= since:
                break
            if released <= until and self.oracle.precedes(source, number, message):
                return released, away
        return NEVER, 0


def _header(copies: Sequence[Copy]) -> tuple[int, int]:
    """Of a packet with all of them, in integers and in the units of the ordering's paper."""
    return sum([copy.stamp.integers for copy in copies]), sum([copy.stamp.units for copy in copies])


def _stamped(trip: Trip, host: int, size: tuple[int, int], station: int, now: int) -> Journey:
    """Its station has stamped a message for a host; `size` is that of the header."""
    header, units = size
    trip.header, trip.units = max(trip.header, header), max(trip.units, units)
    journey = trip.journeys[host]
    journey[SOURCE_STATION] = journey[STATION] = station
    journey[UPLINK_STARTED], journey[ACCEPTED] = trip.uplinks[station]
    journey[STAMPED] = now
    journey[HEADER], journey[UNITS] = size
    return journey


def _met(trip: Trip, host: int, station: int, moment: int, away: int) -> None:
    """The copy that lies at a station is the one by which the message comes to this host."""
    assert trip.lying is not None
    journey = trip.journeys[host]
    journey[SENT], journey[LANDED], journey[FIRST] = trip.lying[station]
    journey[PASSED] += station != journey[STATION]
    journey[STATION] = station
    journey[ARRIVED] = moment
    journey[ARRIVED_AWAY] = away

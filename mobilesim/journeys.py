"""The timeline of every delivery, and its parts, which add up to its delay exactly.

A message's way: submitted, up-link frame starts, accepted by the source's station, stamped there, sent, arrived at the
station responsible for the destination, handed to the down-link, down-link frame starts, heard by the host, delivered.
A placement orders at the station (before the hand-over to the down-link) or at the host (after it has heard):
*released* is the later end of that wait, and *deliverable* the last release, at this host, of a message that happened
before.
"""

from dataclasses import field
from typing import Any, Final, NamedTuple, Protocol, cast

from mobilesim.oracle import Oracle
from mobilesim.timeline import (
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
    LANDED,
    NEVER,
    OVERTAKEN,
    PASSED,
    RETRANSMISSIONS,
    SENT,
    SOURCE_STATION,
    STAMPED,
    STATION,
    UPLINK_STARTED,
    Journey,
    setting_out,
)
from mobilesim.world.reach import Reach
from protocols.machine import Copy, Message
from protocols.values import value

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

    __slots__ = ("due", "header", "journeys", "submitted", "transmissions", "uplinks")

    def __init__(self, submitted: int) -> None:
        self.submitted = submitted
        self.due = self.transmissions = self.header = 0
        self.uplinks: dict[int, tuple[int, int]] = {}
        self.journeys: dict[int, Journey] = {}


@value
class Tracked(Message):
    trip: Trip = field(kw_only=True)


class Journeys:
    """Follows every message and writes a row for every delivery."""

    __slots__ = ("at_host", "integer", "open", "oracle", "reach", "releases", "sink")

    def __init__(self, oracle: Oracle, reach: Reach, hosts: int, *, at_host: bool, integer: int, sink: Sink) -> None:
        self.oracle = oracle
        self.reach = reach
        self.at_host = at_host
        self.integer = integer
        self.sink = sink
        self.releases: list[list[tuple[int, int, int, int]]] = [[] for _ in range(hosts)]
        self.open: list[dict[int, Tracked]] = [{} for _ in range(hosts)]

    def submitted(self, message: Tracked) -> None:
        number, source, size, trip = message.id, message.source, message.size, message.trip
        now = trip.submitted
        trip.due = len(message.destinations)
        for host in message.destinations:
            trip.journeys[host] = setting_out(number, source, host, size, now)
            self.open[host][number] = message

    # What is seen on the way is told with packets, which know no more of a message than that it is one: hence Any.

    @staticmethod
    def uplinked(message: Any, station: int, started: int, now: int) -> None:  # noqa: ANN401
        """A station has heard the message from its source."""
        uplinks = message.trip.uplinks
        if station not in uplinks:
            uplinks[station] = (started, now)

    @staticmethod
    def dispatched(copy: Copy, station: int, now: int, done: int) -> None:
        """A station put a copy on the wire: the first one has stamped it, the others forward."""
        trip: Trip = cast("Any", copy.message).trip
        header = copy.stamp.integers
        trip.header = max(trip.header, header)
        for host in copy.targets:
            journey = trip.journeys[host]
            if journey[SENT] >= 0:
                journey[FORWARDS] += 1
                continue
            journey[SOURCE_STATION] = journey[STATION] = station
            journey[UPLINK_STARTED], journey[ACCEPTED] = trip.uplinks[station]
            journey[STAMPED] = now
            journey[SENT] = done
            journey[HEADER] = header

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
            journey[DELIVERABLE], journey[DELIVERABLE_AWAY] = self._deliverable(number, host, since)
        self._released(host, (released, released_away, source, oracle.number(number)))
        journey[OVERTAKEN] = oracle.delivered(number, source, host)
        journey[DELIVERED] = now
        journey[DELIVERED_AWAY] = away
        journey[RETRANSMISSIONS] += trip.transmissions
        self.sink.deliveries(journey)
        trip.due -= 1
        if not trip.due:
            self._note(followed)

    def _note(self, message: Tracked) -> None:
        """A message's own row, once it needs no more; header integers are those of its largest copy."""
        trip, destinations = message.trip, message.destinations
        row = [message.id, message.source, message.group, len(destinations), message.size]
        row += (trip.submitted, trip.header, trip.header * self.integer)
        self.sink.messages(row, destinations)

    def close(self) -> None:
        """The run is over: messages that are still due somewhere get their rows as well."""
        late = {message.id: message for messages in self.open for message in messages.values()}
        for number in sorted(late):
            self._note(late[number])

    def _released(self, host: int, entry: tuple[int, int, int, int]) -> None:
        log = self.releases[host]
        log.append(entry)
        if not len(log) % _KEEP:
            # A message that has not been submitted yet cannot have arrived before now.
            waiting = [message.trip.submitted for message in self.open[host].values()]
            oldest = min(waiting, default=entry[0])
            log[:] = [kept for kept in log if kept[0] >= oldest]

    def _deliverable(self, message: int, host: int, since: int) -> tuple[int, int]:
        """The last release at `host`, after `since`, of a message that happened before; how long away by then."""
        for released, away, source, number in reversed(self.releases[host]):
            if released <= since:
                break
            if self.oracle.precedes(source, number, message):
                return released, away
        return NEVER, 0

"""The timeline of every delivery, and its parts, which add up to its delay exactly.

A message's way: submitted, up-link frame starts, accepted by the source's station, stamped there, sent, arrived at the
station responsible for the destination, handed to the down-link, down-link frame starts, heard by the host, delivered.
A placement orders at the station (before the hand-over to the down-link) or at the host (after it has heard):
*released* is the later end of that wait, and *deliverable* the last release, at this host, of a message that happened
before.
"""

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Final, NamedTuple, Protocol, cast

from mobilesim.oracle import Oracle
from mobilesim.world.reach import Reach
from protocols.machine import Copy, Message
from protocols.values import value

NEVER: Final = -1
_KEEP: Final = 64


class Write(Protocol):
    def __call__(self, *row: int) -> None: ...


class WriteList(Protocol):
    def __call__(self, items: Sequence[int], *row: int) -> None: ...


class Sink(NamedTuple):
    """Where rows go: of deliveries, and of messages with their destinations."""

    deliveries: Write
    messages: WriteList


class Journey:
    """One message on its way to one destination. Class attributes are defaults: making one costs next to nothing."""

    source_station = NEVER
    station = NEVER
    uplink_started = NEVER
    accepted = NEVER
    stamped = NEVER
    sent = NEVER
    landed = NEVER
    first = NEVER
    arrived = NEVER
    arrived_unreached = 0
    handed = NEVER
    handed_unreached = 0
    downlink_started = NEVER
    heard = NEVER
    heard_unreached = 0
    header = 0
    passed = 1
    forwards = 0
    transmissions = 0


class Trip:
    """What has been seen of a message: its frames up, by station, and a journey for each destination."""

    __slots__ = ("due", "journeys", "submitted", "transmissions", "uplinks")

    def __init__(self, submitted: int, destinations: tuple[int, ...]) -> None:
        self.submitted = submitted
        self.transmissions = 0
        self.due = len(destinations)
        self.uplinks: dict[int, tuple[int, int]] = {}
        self.journeys = {host: Journey() for host in destinations}


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
        for host in message.destinations:
            self.open[host][message.id] = message

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
        for host in copy.targets:
            journey = trip.journeys[host]
            if journey.sent >= 0:
                journey.forwards += 1
                continue
            journey.source_station = journey.station = station
            journey.uplink_started, journey.accepted = trip.uplinks[station]
            journey.stamped, journey.sent, journey.header = now, done, copy.stamp.integers

    def landed(self, copy: Copy, station: int, came: int, now: int) -> None:
        """A station has read a copy."""
        trip: Trip = cast("Any", copy.message).trip
        for host in copy.targets:
            journey = trip.journeys[host]
            if journey.first < 0:
                journey.landed, journey.first = came, now
            if station != journey.station:
                journey.passed += 1
                journey.station = station
            journey.arrived, journey.arrived_unreached = now, self.reach.total(host, now)

    def handed(self, message: Any, host: int, station: int, now: int) -> None:  # noqa: ANN401
        """A frame with the message was put on the air for its destination."""
        journey = message.trip.journeys[host]
        journey.transmissions += 1
        if journey.handed < 0:
            journey.station, journey.handed, journey.handed_unreached = station, now, self.reach.total(host, now)

    def heard(self, message: Any, host: int, started: int, now: int) -> None:  # noqa: ANN401
        journey = message.trip.journeys[host]
        journey.downlink_started, journey.heard, journey.heard_unreached = started, now, self.reach.total(host, now)

    def delivered(self, message: Message, host: int, now: int) -> None:
        assert isinstance(message, Tracked)
        if self.open[host].pop(message.id, None) is None:
            self.oracle.delivered(message.id, message.source, host)
            return
        journey = message.trip.journeys[host]
        released, since = (now, journey.heard) if self.at_host else (journey.handed, journey.arrived)
        deliverable, unreached = self._deliverable(message, host, since)
        number = self.oracle.number(message.id)
        overtaken = self.oracle.delivered(message.id, message.source, host)
        self._released(host, released, journey.handed_unreached, message.source, number)
        parts = self._parts(message, journey, now, deliverable, unreached)
        integers = journey.header
        self.sink.deliveries(
            message.id,
            message.source,
            host,
            journey.source_station,
            journey.station,
            message.trip.submitted,
            journey.uplink_started,
            journey.accepted,
            journey.sent,
            journey.arrived,
            max(since, deliverable),
            released,
            journey.downlink_started,
            now,
            now - message.trip.submitted,
            *parts,
            journey.passed,
            journey.forwards,
            message.trip.transmissions + journey.transmissions - 2,
            message.size,
            overtaken,
            integers,
            integers * self.integer,
        )

        message.trip.due -= 1
        if not message.trip.due:
            self._note(message)

    def _note(self, message: Tracked) -> None:
        """A message's own row, once it needs no more; header integers are those of its largest copy."""
        header = max([journey.header for journey in message.trip.journeys.values()])
        self.sink.messages(
            message.destinations,
            message.id,
            message.source,
            message.group,
            len(message.destinations),
            message.size,
            message.trip.submitted,
            header,
            header * self.integer,
        )

    def close(self) -> None:
        """The run is over: messages that are still due somewhere get their rows as well."""
        late = {message.id: message for messages in self.open for message in messages.values()}
        for number in sorted(late):
            self._note(late[number])

    def _parts(self, message: Tracked, journey: Journey, now: int, deliverable: int, unreached: int) -> tuple[int, ...]:
        """In the order of `mobilesim.tables.PARTS`."""
        wait = journey.handed - journey.arrived
        unreachable = journey.handed_unreached - journey.arrived_unreached
        inhibition = wait - unreachable
        causal = 0
        if self.at_host:
            causal = max(0, deliverable - journey.heard)
            inhibition += now - journey.heard - causal
        elif inhibition and deliverable >= 0:
            causal = deliverable - journey.arrived - (unreached - journey.arrived_unreached)
            causal = min(max(0, causal), inhibition)
            inhibition -= causal
        queue = journey.downlink_started - journey.handed
        missed = min(journey.heard_unreached - journey.handed_unreached, queue)
        return (
            journey.uplink_started - message.trip.submitted,
            journey.accepted - journey.uplink_started,
            journey.stamped - journey.accepted,
            journey.sent - journey.stamped + journey.first - journey.landed,
            journey.landed - journey.sent,
            journey.arrived - journey.first,
            unreachable + missed,
            causal,
            inhibition,
            queue - missed,
            journey.heard - journey.downlink_started,
        )

    def _released(self, host: int, released: int, unreached: int, source: int, number: int) -> None:
        log = self.releases[host]
        log.append((released, unreached, source, number))
        if not len(log) % _KEEP:
            # A message that has not been submitted yet cannot have arrived before now.
            oldest = min((message.trip.submitted for message in self.open[host].values()), default=released)
            log[:] = [entry for entry in log if entry[0] >= oldest]

    def _deliverable(self, message: Tracked, host: int, since: int) -> tuple[int, int]:
        """The last release at `host`, after `since`, of a message that happened before; how long away by then."""
        for released, unreached, source, number in reversed(self.releases[host]):
            if released <= since:
                break
            if self.oracle.precedes(source, number, message.id):
                return released, unreached
        return NEVER, 0

"""What ended the wait for a release: the arrival of a message, or a packet of a hand-off.

A message is released after the last message that it had to follow (`deliverable`), and perhaps later because of the
protocol. So a wait may have two ends, and each of them its own cause.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from mobilesim.causes.cause import Cause
from mobilesim.causes.happened_before import happened_before
from mobilesim.causes.host_absences import cause_of_absence, named
from mobilesim.causes.names import message_name, waiting_place
from mobilesim.causes.tables import AT_STATIONS, NEVER, Absence, Delivery, RunTables

Path: TypeAlias = Callable[[Delivery, int, int], tuple[Cause, ...]]
"""Returns the causes of the time between two moments on the path of a delivery."""

Blocker: TypeAlias = Callable[[int, int], Cause]
"""Returns the cause of the time between two moments of a wait."""

_FLOOD: Final = "flood"
_AT_OLD_STATION: Final = frozenset({"request", "flush_ack"})
"""The phases of a hand-off that are at the old station."""


def wait_causes(tables: RunTables, delivery: Delivery, begin: int, end: int, path: Path) -> tuple[Cause, ...]:
    """Return the causes of a part of the wait for the release."""
    found: list[Cause] = []
    for first, last, cause in _ends(tables, delivery, path):
        some = max(begin, first), min(end, last)
        if some[1] > some[0]:
            found.append(cause(*some))
    return tuple(found)


def _ends(tables: RunTables, delivery: Delivery, path: Path) -> Iterator[tuple[int, int, Blocker]]:
    """Yield the intervals of the wait, each with the function that returns the cause of a part of it."""
    since, turn, released = delivery.since, delivery.deliverable, delivery.released
    if since < turn < released and (first := _predecessor(tables, delivery, turn, path)) is not None:
        yield since, turn, first
        since = turn
    yield since, released, _last(tables, delivery, path)


def _last(tables: RunTables, delivery: Delivery, path: Path) -> Blocker:
    """Return what ended the wait."""
    moment = delivery.released
    if delivery.waited_for >= 0:
        return _arrival(tables, delivery, delivery.waited_for, moment, path)
    if delivery.control_from >= 0:
        return _control_message(tables, delivery)
    found = _handoff(tables, delivery, moment)
    if found is None and tables.run["placement"] == _FLOOD:
        found = _acknowledgement(tables, delivery, moment, path)
    if found is None and delivery.deliverable == moment:
        found = _predecessor(tables, delivery, moment, path)
    return found or _control(tables, delivery)


def _predecessor(tables: RunTables, delivery: Delivery, moment: int, path: Path) -> Blocker | None:
    """Return why the last message that happened before this one was released when it was."""
    chosen = None
    for other in tables.released_at(delivery.destination, moment):
        if other.message == delivery.message or not happened_before(tables, other, delivery):
            continue
        if other.since == moment:
            return _arrival(tables, delivery, other.message, moment, path)
        if other.waited_for not in {NEVER, delivery.message}:
            return _arrival(tables, delivery, other.waited_for, moment, path)
        chosen = chosen or other
    return None if chosen is None else _release(tables, chosen, path)


def _arrival(tables: RunTables, delivery: Delivery, message: int, moment: int, path: Path) -> Blocker:
    """Return the arrival of a message as the cause."""
    where = waiting_place(tables, delivery)
    name = message_name(tables, message)
    arrived, text = arrival(tables, delivery, message, moment), f"until {name} arrived at {where}"
    if arrived is not None:
        return _of_message(arrived, text, path)

    def cause(begin: int, end: int) -> Cause:
        unknown = f"{text}, as a copy of which the tables have no times"
        return Cause("message", begin, end, unknown, named=True, message=message)

    return cause


def arrival(tables: RunTables, delivery: Delivery, message: int, moment: int) -> Delivery | None:
    """Return the delivery with which a message arrived at a moment where another delivery waited, or None."""
    found = [other for other in tables.of_message(message) if moment in _arrivals(tables, other)]
    here = (other for other in found if other.destination == delivery.destination)
    return next(here, None) or next(iter(found), None)


def _arrivals(tables: RunTables, delivery: Delivery) -> tuple[int, ...]:
    if tables.at_hosts:
        return (delivery.received,)
    return delivery.arrived, delivery.first, delivery.accepted


def _release(tables: RunTables, other: Delivery, path: Path) -> Blocker:
    return _of_message(other, f"until {message_name(tables, other.message)} was released", path)


def _of_message(other: Delivery, text: str, path: Path) -> Blocker:
    """Return another delivery as the cause, with what took the time on its path."""

    def cause(begin: int, end: int) -> Cause:
        causes = path(other, begin, end)
        return Cause("message", begin, end, text, named=True, message=other.message, causes=causes)

    return cause


def _handoff(tables: RunTables, delivery: Delivery, moment: int) -> Blocker | None:
    """Return the hand-off with a phase at this moment: that of the destination, or another one at the same station."""
    found = tables.phases_at(moment)
    own = [absence for absence, _ in found if absence.host == delivery.destination]
    here = [absence for absence, phase in found if _station(absence, phase) == delivery.station]
    if not own and (tables.at_hosts or not here):
        return None
    absence = (own or here)[0]

    def cause(begin: int, end: int) -> Cause:
        text = f"until a packet of {named(absence)} arrived"
        if begin >= absence.left or end <= absence.left:
            return cause_of_absence(absence, begin, end, text)
        before = Cause("before_handoff", begin, absence.left, f"h{absence.host} had not left its cell yet", named=True)
        after = cause_of_absence(absence, absence.left, end, text)
        return Cause("handoff", begin, end, text, named=True, host=absence.host, causes=(before, after))

    return cause


def _station(absence: Absence, phase: str) -> int:
    return absence.from_station if phase in _AT_OLD_STATION else absence.to_station


def _acknowledgement(tables: RunTables, delivery: Delivery, moment: int, path: Path) -> Blocker | None:
    """Return the earlier message of the same first station that had to be acknowledged before this one was sent."""
    host = delivery.destination
    earlier = [
        other
        for other in tables.before("delivered", "destination", host, delivery.submitted, moment)
        if other.source_station == delivery.source_station and other.row != delivery.row and other.delivered <= moment
    ]
    if not earlier:
        return None
    last = earlier[-1]
    name = message_name(tables, last.message)
    return _of_message(last, f"until h{host} acknowledged {name}, which came from s{last.source_station} too", path)


def _control_message(tables: RunTables, delivery: Delivery) -> Blocker:
    """Return the control message of a process as the cause."""
    host = delivery.control_from if tables.at_hosts else -1
    sender = f"h{host}" if host >= 0 else f"process {delivery.control_from}"
    text = f"until a control message of {sender} arrived at {waiting_place(tables, delivery)}"

    def cause(begin: int, end: int) -> Cause:
        return Cause("control", begin, end, text, named=True, host=host)

    return cause


def _control(tables: RunTables, delivery: Delivery) -> Blocker:
    """Return a packet of a hand-off or a timer as the cause."""
    text = "until a timer or a packet that the tables do not show"
    host, named_one = -1, False
    if tables.run["placement"] in AT_STATIONS and (several := tables.under_way(delivery.released)):
        named_one = len(several) == 1
        host = several[0].host if named_one else -1
        only = f"of {named(several[0])}, the only hand-off under way" if named_one else "of a hand-off"
        text = f"until a packet {only} arrived"
        if not named_one:
            text = f"{text}; {len(several):,} were under way, and the tables do not show which it was"

    def cause(begin: int, end: int) -> Cause:
        what = "handoff" if named_one else "unknown"
        return Cause(what, begin, end, text, named=named_one, host=host)

    return cause

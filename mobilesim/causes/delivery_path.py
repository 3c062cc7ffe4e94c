"""The path of a delivery: pieces of time without gaps, each of which belongs to one part of the delay.

The pieces of a part add up to its column. Where several parts fall into one interval, the table has only their sums.
Then the absences of the host show where each of them was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mobilesim.causes.tables import Absence, Delivery

Span: TypeAlias = tuple[int, int]
Amounts: TypeAlias = tuple[tuple[str, int], ...]

SEND_QUEUE: Final = "send_queue"
"""The wait in a send queue, which is the part of `inhibition` before the arrival."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`what`: a part of the delay, or `SEND_QUEUE`. `arriving`: processing at the second station."""

    what: str
    begin: int
    end: int
    arriving: bool = False


def path(delivery: Delivery, *, at_hosts: bool, away: Sequence[Span], unreachable: Sequence[Span]) -> list[Piece]:
    """Return the pieces of a delivery in the order of time. `away`: when its source could not send. `unreachable`: when
    its destination could not be reached.
    """
    before = _before_arrival(delivery, at_hosts=at_hosts, away=away)
    after = (_after_arrival_at_hosts if at_hosts else _after_arrival)(delivery, unreachable)
    return [piece for piece in (*before, *after) if piece.end > piece.begin]


def _before_arrival(delivery: Delivery, *, at_hosts: bool, away: Sequence[Span]) -> Iterator[Piece]:
    parts, start = delivery.parts, delivery.submitted
    if at_hosts:
        yield Piece(SEND_QUEUE, start, start + delivery.held)
        start += delivery.held
    others = (("uplink_queue", parts["uplink_queue"]), ("sender_processing", parts["sender_processing"]))
    yield from _tiled((start, delivery.uplink_started), "sender_away", away, others)
    yield Piece("uplink_air", delivery.uplink_started, delivery.accepted)
    at_arrival = delivery.first - delivery.sent - parts["wired"]
    in_order = (
        ("source_hold", parts["source_hold"]),
        (SEND_QUEUE, 0 if at_hosts else delivery.held),
        ("search", parts["search"]),
        ("processing", parts["processing"] - at_arrival),
        ("wired", parts["wired"]),
    )
    yield from _one_after_another(delivery.accepted, in_order)
    yield Piece("processing", delivery.first - at_arrival, delivery.first, arriving=True)
    yield Piece("detour", delivery.first, delivery.arrived)


def _after_arrival(delivery: Delivery, unreachable: Sequence[Span]) -> Iterator[Piece]:
    """Yield the pieces if stations order messages."""
    parts = delivery.parts
    yield from _until_ideal((delivery.arrived, delivery.ideal), parts["causal_wait"], unreachable)
    yield from _late(delivery, unreachable)
    queue = (("downlink_queue", parts["downlink_queue"]),)
    yield from _tiled((delivery.released, delivery.downlink_started), "unreachable", unreachable, queue)
    yield from _received(delivery)


def _after_arrival_at_hosts(delivery: Delivery, unreachable: Sequence[Span]) -> Iterator[Piece]:
    """Yield the pieces if hosts order messages. If a message has waited for its order at the station too, the table
    does not show for how long; it is assumed to have waited at the host as long as possible.
    """
    parts = delivery.parts
    at_station = max(0, parts["causal_wait"] - (delivery.ideal - delivery.received))
    others = (("causal_wait", at_station), ("downlink_queue", parts["downlink_queue"]))
    yield from _tiled((delivery.arrived, delivery.downlink_started), "unreachable", unreachable, others)
    yield from _received(delivery)
    ordered = (delivery.received, delivery.ideal)
    yield from _until_ideal(ordered, parts["causal_wait"] - at_station, unreachable)
    yield from _late(delivery, unreachable)


def _received(delivery: Delivery) -> Iterator[Piece]:
    air = ("downlink_air", delivery.parts["downlink_air"])
    work = ("receiver_processing", delivery.parts["receiver_processing"])
    return _one_after_another(delivery.downlink_started, (air, work))


def _until_ideal(span: Span, causal: int, unreachable: Sequence[Span]) -> Iterator[Piece]:
    return _tiled(span, "unreachable", unreachable, (("causal_wait", causal),))


def _late(delivery: Delivery, unreachable: Sequence[Span]) -> Iterator[Piece]:
    """Yield the pieces from the ideal release to the release: the knock-on until the message was deliverable, then the
    inhibition, and as knock-on the time for which the destination was out of reach.
    """
    knock_on = delivery.parts["knock_on"]
    turn = delivery.ideal + min(knock_on, max(0, delivery.deliverable - delivery.ideal))
    inhibition = delivery.parts["inhibition"] - delivery.held
    yield Piece("knock_on", delivery.ideal, turn)
    yield from _tiled((turn, delivery.released), "knock_on", unreachable, (("inhibition", inhibition),))


def _one_after_another(start: int, amounts: Amounts) -> Iterator[Piece]:
    for what, length in amounts:
        yield Piece(what, start, start + length)
        start += length


def _tiled(span: Span, away: str, absences: Sequence[Span], others: Amounts) -> Iterator[Piece]:
    """Divide a span into the part `away` and the `others`, which follow one another in the rest of the span."""
    length = span[1] - span[0] - sum(amount for _, amount in others)
    start, queue = span[0], [(what, amount) for what, amount in others if amount]
    for begin, end in (*_absent(span, absences, length), (span[1], span[1])):
        while start < begin:
            what, amount = queue[0]
            stop = min(begin, start + amount)
            yield Piece(what, start, stop)
            queue[:1] = [(what, amount - (stop - start))] if stop - start < amount else []
            start = stop
        yield Piece(away, begin, end)
        start = end


def _absent(span: Span, absences: Sequence[Span], length: int) -> list[Span]:
    """Return disjoint spans of the given total length within a span: the absences, shortened or prolonged."""
    begin, end = span
    found: list[Span] = []
    for first, last in absences:
        some = max(first, begin, found[-1][1] if found else begin), min(last, end)
        if length and some[1] > some[0]:
            some = some[0], min(some[1], some[0] + length)
            found.append(some)
            length -= some[1] - some[0]
    # The table of hand-offs has no answers to registrations: absences last a little longer than it shows.
    for index in reversed(range(len(found))):
        limit = found[index + 1][0] if index + 1 < len(found) else end
        more = min(length, limit - found[index][1])
        found[index] = found[index][0], found[index][1] + more
        length -= more
    if length and found:
        found[0] = found[0][0] - length, found[0][1]
    elif length:
        found.append((begin, begin + length))
    return found


def spans(absences: Sequence[Absence], *, until_registered: bool) -> list[Span]:
    """Return the spans of a host's absences. `until_registered`: the time until stations have received registrations,
    and not the time until stations can send to the host.
    """
    found: list[Span] = []
    for index, absence in enumerate(absences):
        following = absences[index + 1].left if index + 1 < len(absences) else None
        end = _end(absence, until_registered=until_registered)
        if end is None or (following is not None and end > following):
            end = _FOREVER if following is None else following
        found.append((absence.left, end))
    return found


_FOREVER: Final = 1 << 62


def _end(absence: Absence, *, until_registered: bool) -> int | None:
    moment = absence.phases.get("registered", absence.until) if until_registered else absence.until
    return moment if moment >= 0 else None

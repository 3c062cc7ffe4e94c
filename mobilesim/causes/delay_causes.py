"""Explain delays by the tables of a finished run: which messages, hand-offs and queues a delivery waited for."""

from collections.abc import Iterator
from typing import Final

from mobilesim.causes.cause import TRANSMISSION, Cause
from mobilesim.causes.delivery_path import SEND_QUEUE, Piece, path, spans
from mobilesim.causes.explanation import Explanation
from mobilesim.causes.host_absences import causes_of_absence, causes_of_detour
from mobilesim.causes.names import message_name, source_name, waiting_place
from mobilesim.causes.queues import in_front, queue_causes, unknown_hold
from mobilesim.causes.release_waits import wait_causes
from mobilesim.causes.tables import Delivery, RunTables

_DEEPEST: Final = 12
"""The number of messages that wait for one another beyond which no further causes are given."""


class DelayCauses:
    """Explains the deliveries of one run."""

    def __init__(self, tables: RunTables) -> None:
        self.tables = tables
        self._spans: dict[tuple[int, bool], list[tuple[int, int]]] = {}

    def explain(self, row: int) -> Explanation:
        """Return the explanation of a row of `deliveries`."""
        tables = self.tables
        delivery = tables.delivery(row)
        return Explanation(
            protocol=tables.protocol,
            replication=tables.replication,
            message=delivery.message,
            source=source_name(tables, delivery.source),
            destination=delivery.destination,
            submitted=delivery.submitted,
            delay=delivery.delay,
            median=tables.median,
            causes=tuple(self._causes(delivery, delivery.submitted, delivery.delivered, 0)),
        )

    def path(self, delivery: Delivery) -> list[Piece]:
        """Return the pieces of a delivery's delay, in the order of time."""
        return path(
            delivery,
            at_hosts=self.tables.at_hosts,
            away=self._absent(delivery.source, sending=True),
            unreachable=self._absent(delivery.destination, sending=False),
        )

    def _absent(self, host: int, *, sending: bool) -> list[tuple[int, int]]:
        known = self._spans.get((host, sending))
        if known is None:
            known = spans(self.tables.absences_of(host), until_registered=sending)
            self._spans[host, sending] = known
        return known

    def _causes(self, delivery: Delivery, begin: int, end: int, depth: int) -> Iterator[Cause]:
        """Yield the causes of the time between two moments on the path of a delivery. `depth`: the number of messages
        that wait for this one; 0 for the delivery that is explained.
        """
        name = f"m{delivery.message} " if depth else ""
        if begin < delivery.submitted:
            text = f"{name}had not been submitted yet"
            until = min(end, delivery.submitted)
            yield Cause("not_submitted", begin, until, text, named=True, message=delivery.message)
        for piece in self.path(delivery):
            some = max(begin, piece.begin), min(end, piece.end)
            if some[1] > some[0]:
                part = Piece(piece.what, *some, piece.arriving)
                yield self._cause(delivery, part, name, depth)
        if end > delivery.delivered:
            start = max(begin, delivery.delivered)
            text = f"{name}had been delivered, and its acknowledgement was on the way"
            yield Cause("acknowledgement", start, end, text, named=True, message=delivery.message)

    def _cause(self, delivery: Delivery, piece: Piece, name: str, depth: int) -> Cause:
        return Cause(
            piece.what,
            piece.begin,
            piece.end,
            f"{name}{_phrase(self.tables, delivery, piece)}",
            message=delivery.message,
            named=piece.what == "search",
            host=delivery.destination if piece.what == "search" else -1,
            causes=() if depth > _DEEPEST else self._causes_of_piece(delivery, piece, depth),
        )

    def _causes_of_piece(self, delivery: Delivery, piece: Piece, depth: int) -> tuple[Cause, ...]:
        if piece.what in TRANSMISSION or piece.what == "search":
            return ()
        if piece.what == SEND_QUEUE:
            return tuple(self._send_queue(delivery, piece, depth))
        if piece.what in {"uplink_queue", "downlink_queue"}:
            return queue_causes(self.tables, delivery, piece)
        if piece.what in {"causal_wait", "inhibition", "knock_on"}:
            return wait_causes(
                self.tables,
                delivery,
                piece.begin,
                piece.end,
                lambda other, begin, end: tuple(self._causes(other, begin, end, depth + 1)),
            )
        if piece.what == "detour":
            return causes_of_detour(self.tables, delivery, piece.begin, piece.end)
        host = delivery.source if piece.what in {"sender_away", "source_hold"} else delivery.destination
        return causes_of_absence(self.tables, host, piece.begin, piece.end, sending=piece.what == "sender_away")

    def _send_queue(self, delivery: Delivery, piece: Piece, depth: int) -> Iterator[Cause]:
        for other, begin, end in in_front(self.tables, delivery, piece.begin, piece.end):
            if other is None:
                yield unknown_hold(self.tables, begin, end)
                continue
            text = f"behind {message_name(self.tables, other.message)}, which was not acknowledged yet"
            causes = tuple(self._causes(other, begin, end, depth + 1))
            yield Cause("message", begin, end, text, named=True, message=other.message, causes=causes)


def _phrase(tables: RunTables, delivery: Delivery, piece: Piece) -> str:
    """Return what happened to a message in a piece of its path, as a verb phrase."""
    source, host = source_name(tables, delivery.source), f"h{delivery.destination}"
    if not tables.stations:
        return _static_phrase(source, host, piece.what)
    first, last = f"s{delivery.source_station}", f"s{delivery.station}"
    place, direct = waiting_place(tables, delivery), delivery.went_directly
    return {
        "sender_away": f"waited at {source}, which could not send",
        "sender_processing": f"was processed at {source}",
        "uplink_queue": f"waited at {source} for the uplink",
        "uplink_air": f"was on the uplink from {source} to {first}",
        SEND_QUEUE: f"was held in the send queue of {source if tables.at_hosts else first}",
        "source_hold": f"waited at {first} for the state of {source}",
        "search": f"waited at {first} for the location of {host}",
        "processing": f"was processed at {last if direct else 'the next station'}"
        if piece.arriving
        else f"was processed at {first}",
        "wired": f"was on wired links from {first} {'to' if direct else 'towards'} {last}",
        "detour": f"was forwarded, because {host} had left its cell",
        "unreachable": f"waited for {host}, which could not be reached",
        "causal_wait": f"waited at {place} for messages that happened before it (causal wait)",
        "inhibition": f"waited at {place}, held back by the protocol (inhibition)",
        "knock_on": f"waited at {place}, because others had been held back (knock-on)",
        "downlink_queue": f"waited at {last} for the downlink",
        "downlink_air": f"was on the downlink from {last} to {host}",
        "receiver_processing": f"was processed at {host}",
    }[piece.what]


def _static_phrase(source: str, host: str, what: str) -> str:
    return {
        "uplink_queue": f"waited at {source} for the link to {host}",
        SEND_QUEUE: f"was held in the send queue of {source}",
        "wired": f"was on the link from {source} to {host}",
        "causal_wait": f"waited at {host} for messages that happened before it (causal wait)",
        "inhibition": f"waited at {host}, held back by the protocol (inhibition)",
        "knock_on": f"waited at {host}, because others had been held back (knock-on)",
    }.get(what, what.replace("_", " "))

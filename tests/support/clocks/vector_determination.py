"""Determination algorithms 1 and 2 of Meldal et al. (1991): by vectors, and by vectors and links."""

from mobilesim.protocols.clocks.known_links.determination import CausalRelation
from mobilesim.protocols.clocks.known_links.propagation import TimestampedMessage
from mobilesim.protocols.clocks.links import Links, reachable


def by_vectors(one: TimestampedMessage, other: TimestampedMessage) -> CausalRelation:
    """Compare two messages by algorithm 1."""
    return _relation(before=_is_earlier(one, other), after=_is_earlier(other, one))


def by_vectors_and_links(links: Links, one: TimestampedMessage, other: TimestampedMessage) -> CausalRelation:
    """Compare two messages by algorithm 2."""
    if one.sender == other.sender:
        return _relation(before=one.number < other.number, after=other.number < one.number)
    return _relation(
        before=_leads(links, one.sender, other.sender) and _is_earlier(one, other),
        after=_leads(links, other.sender, one.sender) and _is_earlier(other, one),
    )


def _relation(*, before: bool, after: bool) -> CausalRelation:
    if before:
        return CausalRelation.BEFORE
    return CausalRelation.AFTER if after else CausalRelation.CONCURRENT


def _is_earlier(one: TimestampedMessage, other: TimestampedMessage) -> bool:
    return one.times[one.sender] < other.times[one.sender]


def _leads(links: Links, source: int, target: int) -> bool:
    return bool(reachable(links.after, links.after[source], links.all_processes) >> target & 1)

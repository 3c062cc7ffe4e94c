"""Which of two messages to one process was sent first: the determination algorithms of Meldal et al. (1991).

Algorithm 1 compares full vectors. Algorithm 2 reads them only if the links lead from one sender to the other one.
Algorithm 3 is for messages of allocations 1 to 3. Algorithm 4 is for messages of allocations 4 and 5. It is correct
only if messages arrive in causal order: the arrival time of a message is useless if a causally later message arrived
before. For messages without arrival times, algorithm 4 is the same as algorithm 3.
"""

from mobilesim.protocols.clocks.known_links.allocation import Allocation
from mobilesim.protocols.clocks.known_links.propagation import TimestampedMessage
from mobilesim.protocols.clocks.links import Links, reachable
from mobilesim.protocols.clocks.logical_clock import CausalRelation, relation


def by_vectors(_receiver: int, one: TimestampedMessage, other: TimestampedMessage) -> CausalRelation:
    """Compare two messages with full vectors by algorithm 1."""
    return relation(_is_earlier(one, other), _is_earlier(other, one))


class PathsAndVectors:
    """Algorithm 2."""

    __slots__ = ("_reached",)

    def __init__(self, links: Links) -> None:
        self._reached = [reachable(links.after, row, links.all_processes) for row in links.after]

    def compare(self, _receiver: int, one: TimestampedMessage, other: TimestampedMessage) -> CausalRelation:
        if one.sender == other.sender:
            return relation(one.number < other.number, other.number < one.number)
        return relation(
            self._leads(one, other) and _is_earlier(one, other), self._leads(other, one) and _is_earlier(other, one)
        )

    def _leads(self, one: TimestampedMessage, other: TimestampedMessage) -> bool:
        return bool(self._reached[one.sender] >> other.sender & 1)


def by_arrivals(
    allocation: Allocation, receiver: int, one: TimestampedMessage, other: TimestampedMessage
) -> CausalRelation:
    """Compare two messages by algorithm 4. Only messages to gateways have arrival times (end of section 4.4)."""
    if one.sender == other.sender:
        return relation(one.number < other.number, other.number < one.number)
    return relation(
        _came_first(receiver, one, other) or _is_older(allocation, one, other),
        _came_first(receiver, other, one) or _is_older(allocation, other, one),
    )


def _is_earlier(one: TimestampedMessage, other: TimestampedMessage) -> bool:
    return one.times[one.sender] < other.times[one.sender]


def _is_older(allocation: Allocation, one: TimestampedMessage, other: TimestampedMessage) -> bool:
    sender = one.sender
    return bool(allocation.clocks[other.sender] >> sender & 1) and one.times[sender] < other.times[sender]


def _came_first(receiver: int, one: TimestampedMessage, other: TimestampedMessage) -> bool:
    """Return whether `other` depends on an event of the receiver after the arrival of `one`."""
    return one.arrival is not None and receiver in other.times and one.arrival < other.times[receiver]

"""Which of two messages to one process was sent first: determination algorithms 3 and 4 of Meldal et al. (1991).

Algorithm 3 is for messages of allocations 1 to 3. Algorithm 4 is for messages of allocations 4 and 5. It is correct
only if messages arrive in causal order: the arrival time of a message is useless if a causally later message arrived
before. For messages without arrival times, algorithm 4 is the same as algorithm 3.
"""

from enum import Enum

from mobilesim.protocols.clocks.known_links.allocation import Allocation
from mobilesim.protocols.clocks.known_links.propagation import TimestampedMessage


class CausalRelation(Enum):
    BEFORE = "before"
    AFTER = "after"
    CONCURRENT = "concurrent"


def by_arrivals(
    allocation: Allocation, receiver: int, one: TimestampedMessage, other: TimestampedMessage
) -> CausalRelation:
    """Compare two messages by algorithm 4. Only messages to gateways have arrival times (end of section 4.4)."""
    if one.sender == other.sender:
        return _either(one.number < other.number, other.number < one.number)
    return _either(
        _came_first(receiver, one, other) or _is_older(allocation, one, other),
        _came_first(receiver, other, one) or _is_older(allocation, other, one),
    )


def _either(before: bool, after: bool) -> CausalRelation:  # noqa: FBT001 - two answers to one question, in its order
    if before:
        return CausalRelation.BEFORE
    return CausalRelation.AFTER if after else CausalRelation.CONCURRENT


def _is_older(allocation: Allocation, one: TimestampedMessage, other: TimestampedMessage) -> bool:
    sender = one.sender
    return bool(allocation.clocks[other.sender] >> sender & 1) and one.times[sender] < other.times[sender]


def _came_first(receiver: int, one: TimestampedMessage, other: TimestampedMessage) -> bool:
    """Return whether `other` depends on an event of the receiver after the arrival of `one`."""
    return one.arrival is not None and receiver in other.times and one.arrival < other.times[receiver]

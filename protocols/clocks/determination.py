"""Which of two messages to one process was sent first: determination algorithms 1 to 4 of Meldal et al. (1991).

1 takes the vectors of Fidge and Mattern, 2 the same and the links; 3 takes the messages of allocations 1 to 3. 4 takes
those of allocations 4 and 5, and is right only if messages arrive in causal order: a message that is overtaken on its
way, by another that followed from its sending, has an arrival time that says nothing.
"""

from enum import Enum

from protocols.clocks.allocation import Allocation
from protocols.clocks.links import Links, reached
from protocols.clocks.propagation import Message


class Order(Enum):
    BEFORE = "before"
    AFTER = "after"
    CONCURRENT = "concurrent"


def by_vectors(one: Message, other: Message) -> Order:
    """Algorithm 1."""
    return _either(_is_earlier(one, other), _is_earlier(other, one))


def by_vectors_and_links(links: Links, one: Message, other: Message) -> Order:
    """Algorithm 2."""
    if one.sender == other.sender:
        return _by_number(one, other)
    return _either(
        _leads(links, one.sender, other.sender) and _is_earlier(one, other),
        _leads(links, other.sender, one.sender) and _is_earlier(other, one),
    )


def by_clocks(allocation: Allocation, one: Message, other: Message) -> Order:
    """Algorithm 3."""
    if one.sender == other.sender:
        return _by_number(one, other)
    return _either(_is_older(allocation, one, other), _is_older(allocation, other, one))


def by_arrivals(allocation: Allocation, receiver: int, one: Message, other: Message) -> Order:
    """Algorithm 4; only those that an allocation treats as gateways have arrival times (the end of section 4.4)."""
    if one.sender == other.sender:
        return _by_number(one, other)
    return _either(
        _came_first(receiver, one, other) or _is_older(allocation, one, other),
        _came_first(receiver, other, one) or _is_older(allocation, other, one),
    )


def _either(before: bool, after: bool) -> Order:  # noqa: FBT001 - two answers to one question, in its order
    if before:
        return Order.BEFORE
    return Order.AFTER if after else Order.CONCURRENT


def _by_number(one: Message, other: Message) -> Order:
    return _either(one.number < other.number, other.number < one.number)


def _is_earlier(one: Message, other: Message) -> bool:
    return one.times[one.sender] < other.times[one.sender]


def _is_older(allocation: Allocation, one: Message, other: Message) -> bool:
    return bool(allocation.clocks[other.sender] >> one.sender & 1) and _is_earlier(one, other)


def _came_first(receiver: int, one: Message, other: Message) -> bool:
    """Whether the other follows from something that the receiver did when it already had this one."""
    return one.arrival is not None and receiver in other.times and one.arrival < other.times[receiver]


def _leads(links: Links, source: int, target: int) -> bool:
    return bool(reached(links.after, links.after[source], links.everybody) >> target & 1)

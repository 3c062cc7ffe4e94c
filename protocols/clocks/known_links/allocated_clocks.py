"""The clocks of all processes of a network, by the number of their allocation."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from mobilesim.protocols.clocks.known_links.allocation import BUDGET, Allocation, allocate, full_vectors
from mobilesim.protocols.clocks.known_links.determination import PathsAndVectors, by_arrivals, by_vectors
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock, TimestampedMessage
from mobilesim.protocols.clocks.links import Links
from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network
from mobilesim.protocols.frozen_value import value

VECTORS: Final = 0
"""The number of the vectors of Fidge and Mattern, which are not an allocation of the paper."""


@value
class AllocatedClocks(ClockSystem[TimestampedMessage]):
    allocation: Allocation


@lru_cache(maxsize=12)
def allocation_of(
    number: int, links: Links, kept: int = 1, budget: int = BUDGET, pairs: tuple[tuple[int, int], ...] = ()
) -> Allocation:
    return full_vectors(links) if number == VECTORS else allocate(links, number, kept, budget, pairs)


def builder(number: int) -> Callable[..., AllocatedClocks]:
    """Return the function that makes the clocks of an allocation for a network."""
    return build_vectors if number == VECTORS else partial(build, number=number)


def build(network: Network, number: int, kept: int = 1) -> AllocatedClocks:
    """`kept`: the number of messages with arrival times that a gateway stores for each incoming link (allocation 5)."""
    allocation = allocation_of(number, network.links, kept, network.search_limit, network.pairs)
    return AllocatedClocks(_clocks(network, allocation), partial(by_arrivals, allocation), allocation)


def build_vectors(network: Network, determination: int = 1) -> AllocatedClocks:
    """`determination`: the number of the algorithm that compares two messages."""
    allocation = allocation_of(VECTORS, network.links)
    compare = by_vectors if determination == 1 else PathsAndVectors(network.links).compare
    return AllocatedClocks(_clocks(network, allocation), compare, allocation)


def _clocks(network: Network, allocation: Allocation) -> list[AllocatedClock]:
    fifo = network.fifo or bool(network.pairs)  # numbers only serve to compare two messages of one sender
    return [AllocatedClock(allocation, process, fifo=fifo) for process in range(network.size)]

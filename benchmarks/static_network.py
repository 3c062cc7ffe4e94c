"""Benchmarks of every ordering in the static network of Prakash, Raynal and Singhal (1997, section 7.1).

The number of destinations of a message is uniform in 1 to N - 1. The time between two messages of a host and the delay
of a link are exponential with a mean of a second. There are no oracle and no trace. The time of a message includes its
send, its arrivals and all control messages. With an ordering for broadcasts, a host sends to all other hosts. With an
ordering for groups, it sends to the next N/2 hosts, and belongs to N/2 + 1 groups. An ordering for unicasts holds
messages in a send queue, and hosts submit messages faster than the queue sends them. Its run ends when all messages
have been delivered.
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from random import Random
from time import process_time
from typing import Any, Final

from benchmarks.simulator import CpuMeter, run_scenario
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import Serves
from mobilesim.scenario.model import Scenario

PLACEMENT: Final = "resident"

PAIRS: Final = 1_000_000
PENDING: Final = 1_000

SHARES: Final = {20: 10, 50: 10, 200: 100}
"""By number of hosts: the number by which the option `--messages` is divided."""

SHARES_IN_LARGE_GROUPS: Final = {("isis", 200): 500, ("mr", 200): 2_000}
"""By ordering and number of hosts: larger divisors for orderings that take longer for a message."""

# Messages per second of naive implementations in pure Python, on a machine where a push and a pop on the heap of
# `heap_seconds` took PAIR microseconds together.
PAIR: Final = 0.35
NAIVE: Final[Mapping[tuple[str, int], int]] = {
    ("rst", 20): 3_781,
    ("rst", 50): 365,
    ("ses", 20): 1_696,
    ("ses", 50): 124,
    ("prs", 20): 3_190,
    ("prs", 50): 333,
    ("ks", 20): 1_520,
    ("ks", 50): 162,
}
# The minimum speedup over the naive implementations, by number of hosts.
TARGETS: Final = {20: 2.0, 50: 6.0}


def scenario(ordering: str, hosts: int, messages: int) -> Scenario:
    values: dict[str, Any] = {
        "name": "benchmark",
        "network": "static",
        "protocols": {"placement": PLACEMENT, "ordering": ordering},
        "hosts": hosts,
        "messages": messages,
        "links": {"delay": "exponential 1 s", "service": "independent"},
        "oracle": False,
        "trace": False,
        **_sends(catalogue.ORDERINGS[ordering].serves, hosts),
    }
    return Scenario.model_validate(values)


def _sends(serves: Serves, hosts: int) -> dict[str, Any]:
    every: dict[str, Any] = {"interval": "exponential 1 s"}
    match serves:
        case "groups":
            return {"workload": every, "groups": {"rule": "ring", "size": hosts // 2 + 1}}
        case "unicasts":
            return {"workload": {**every, "kind": "unicast"}}
        case "broadcasts":
            return {"workload": {**every, "kind": "multicast", "destinations": "all"}}
        case "all":
            return {"workload": {**every, "kind": "multicast", "destinations": "1..all"}}


def number_of_messages(ordering: str, hosts: int, messages: int) -> int:
    """Return how many messages a static network sends if the other programs send `messages`."""
    return max(1, messages // SHARES_IN_LARGE_GROUPS.get((ordering, hosts), SHARES[hosts]))


def run_ordering(ordering: str, hosts: int, messages: int) -> CpuMeter:
    return run_scenario(scenario(ordering, hosts, messages))


def heap_seconds(pairs: int = PAIRS) -> float:
    """Return the CPU time in seconds of `pairs` pushes onto a heap of PENDING entries, each followed by a pop."""
    random = Random(1).random
    heap = [(random(), number) for number in range(PENDING)]
    heapify(heap)
    start = process_time()
    for number in range(pairs):
        heappush(heap, (random(), number))
        heappop(heap)
    return process_time() - start


def speedup(ordering: str, hosts: int, microseconds: float, pair: float) -> float | None:
    """Return the speedup over the naive implementation, or None if there is none.

    `pair` is the time of a push and a pop on this machine in microseconds. It scales the naive rate to this machine.
    """
    naive = NAIVE.get((ordering, hosts))
    return None if naive is None else 1e6 / microseconds / naive * pair / PAIR

"""Every ordering in the static network, as Prakash, Raynal and Singhal (1997, section 7.1) simulate one: a message for
1 to N - 1 hosts, all numbers alike; a mean second between two messages of a host, and as long on a link, exponentially.

Nobody watches or judges. A message is a send with all its arrivals, and with whatever else processes say. What orders
broadcasts only sends to all others, and what orders messages to groups to the next N/2 hosts, each in N/2 + 1 groups.
What orders unicasts gets more of them than its outlet lets through in the time: it goes on until all have arrived.
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from random import Random
from time import process_time
from typing import Any, Final

from benchmarks.emulation import Meter, run
from mobilesim.scenario.model import Scenario
from protocols import catalogue

PLACEMENT: Final = "resident"

PAIRS: Final = 1_000_000
PENDING: Final = 1_000

# A naive implementation of each in pure Python, in messages a second, where a pair of heap operations takes so long.
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
# How many times as quick the same should be here.
AIMS: Final = {20: 2.0, 50: 6.0}


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


def _sends(serves: catalogue.Serves, hosts: int) -> dict[str, Any]:
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


def play(ordering: str, hosts: int, messages: int) -> Meter:
    return run(scenario(ordering, hosts, messages))


def calibrate(pairs: int = PAIRS) -> float:
    """CPU seconds for so many times putting a (float, int) into a heap of a thousand and taking the least out."""
    random = Random(1).random
    heap = [(random(), number) for number in range(PENDING)]
    heapify(heap)
    start = process_time()
    for number in range(pairs):
        heappush(heap, (random(), number))
        heappop(heap)
    return process_time() - start


def quickness(ordering: str, hosts: int, microseconds: float, pair: float) -> float | None:
    """How many times as quick as the naive one a message is, had both run on one machine; `pair` in microseconds."""
    naive = NAIVE.get((ordering, hosts))
    return None if naive is None else 1e6 / microseconds / naive * pair / PAIR

"""Meldal, Sankar and Vera: exploiting locality in maintaining potential causality (1991), sections 4.1 to 4.4.

Model. Links are known in advance and never change. Only messages that arrive at the *same* process are compared.

Theory. The clock of p1 shows whether a message of p1 to pR was sent before a message of p2 to pR, if the times of p1
reach p2. Therefore the processes on the paths from p1 to p2 keep p1's clock. In allocation 1, these are all paths. In
allocations 2 and 3, they are the acyclic paths, since a new time spreads without visiting a process twice. In
allocation 3, a link carries only the clocks that its receiver uses. In allocation 4, paths through pR itself need no
clock of p1. Instead pR is a *gateway*: messages carry the clock of pR, and the arrival times at pR determine causality
through pR. Allocation 5 uses arrival times only if they are cheaper.

Representation. ClockSet of p has the processes whose clocks p keeps. ObsSet of p has the processes whose clocks p reads
from messages. A set is stored as the bits of an integer. `carriers[p]` is the set of the processes that keep p's clock;
the ClockSets are the transposed sets.

Deviations from the paper
- p1 is added to ObsSet of pR if it is in ClockSet of p2. The paper requires a path from p1 to p2. Then the centre of a
  star would observe all processes, but section 5 has {p}. For allocation 3, both conditions are equivalent.
- Step 3 of allocation 4 tests whether a process of a loop lacks p's clock. All these tests are made before the first
  gateway is added, so the order of the loops has no effect. Allocation 5 adds gateways one after another, in ascending
  order.
- If arrival times at a receiver are not cheaper, allocation 5 uses allocation 2 for this receiver. After step 2, this
  is equivalent to the paper.
- Section 6 allows comparisons of any events of two processes, without a common receiver. Then these processes take the
  places of the two senders, ObsSets are ClockSets, and allocations 4 and 5 are allocation 3: gateways are receivers.
- The search for acyclic paths has a budget (`BiconnectedComponents`, `DirectedPaths`). If `exact` is true, the sets are
  those of the paper. Otherwise they are supersets, which also give correct answers.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from mobilesim.protocols.clocks.known_links.blocks import BiconnectedComponents
from mobilesim.protocols.clocks.known_links.path_questions import DirectedPaths
from mobilesim.protocols.clocks.links import Adjacency, Links, members, reachable, transposed
from mobilesim.protocols.clocks.logical_clock import SEARCH_LIMIT
from mobilesim.protocols.frozen_value import value

ALLOCATIONS: Final = (1, 2, 3, 4, 5)
BUDGET: Final = SEARCH_LIMIT

Paths: TypeAlias = BiconnectedComponents | DirectedPaths


@value
class Allocation:
    """`clocks` has the ClockSets, and `observed` the ObsSets. Messages to `gateways` have arrival times."""

    clocks: tuple[int, ...]
    observed: tuple[int, ...]
    gateways: int = 0
    exact: bool = True

    def clock_set(self, process: int) -> frozenset[int]:
        return frozenset(members(self.clocks[process]))

    def obs_set(self, process: int) -> frozenset[int]:
        return frozenset(members(self.observed[process]))

    def carried(self, sender: int, receiver: int) -> int:
        """Return the processes whose clocks a message carries."""
        return self.clocks[sender] & self.observed[receiver]


def full_vectors(links: Links) -> Allocation:
    """Return the allocation of every clock to every process: the vectors of Fidge (1988) and Mattern (1988)."""
    all_processes = (links.all_processes,) * links.size
    return Allocation(all_processes, all_processes)


def allocate(
    links: Links, number: int, kept: int = 1, budget: int = BUDGET, pairs: Sequence[tuple[int, int]] = ()
) -> Allocation:
    """Return allocation `number`. `kept`: the number of messages with arrival times that a gateway stores for each
    incoming link (allocation 5). `pairs`: processes whose events are compared, instead of messages to one process.
    """
    rivals = _partners(links, pairs) if pairs else [_rivals(links, p) for p in range(links.size)]
    if number == 1:
        return Allocation(transposed(_along_paths(links, rivals)), full_vectors(links).observed)
    paths: Paths = BiconnectedComponents(links, budget) if links.symmetric else DirectedPaths(links, budget)
    gateways = 0
    match number:
        case 2 | 3:
            carriers = [paths.on_paths(p, others) for p, others in enumerate(rivals)]
        case 4 | 5 if pairs:  # without a receiver, there are no arrival times
            return allocate(links, 3, kept, budget, pairs)
        case 4:
            carriers, gateways = _with_gateways(links, paths)
        case 5:
            carriers, gateways = _with_cheap_gateways(links, paths, kept)
        case _:
            raise ValueError(number)
    clocks = transposed(carriers)
    observed = clocks if pairs else _observed(links, clocks)
    if number == 2:
        observed = full_vectors(links).observed
    return Allocation(clocks, observed, gateways, paths.exact)


def _rivals(links: Links, process: int) -> int:
    """Return the processes whose messages some receiver compares with those of this process."""
    rivals = 0
    for receiver in members(links.after[process]):
        rivals |= links.before[receiver]
    return rivals & ~(1 << process)


def _partners(links: Links, pairs: Sequence[tuple[int, int]]) -> list[int]:
    partners = [0] * links.size
    for one, other in pairs:
        partners[one] |= 1 << other
        partners[other] |= 1 << one
    return partners


def _along_paths(links: Links, rivals: Sequence[int]) -> list[int]:
    return [
        reachable(links.after, 1 << p, links.all_processes) & reachable(links.before, others, links.all_processes)
        for p, others in enumerate(rivals)
    ]


def _past_the_receivers(links: Links, paths: Paths) -> list[int]:
    """Return the carriers by steps 1 and 2 of allocations 4 and 5."""
    carriers = [0] * links.size
    for receiver, senders in enumerate(links.before):
        for sender in members(senders):
            carriers[sender] |= paths.on_paths(sender, senders & ~(1 << sender), 1 << receiver)
    return carriers


def _with_gateways(links: Links, paths: Paths) -> tuple[list[int], int]:
    carriers = _past_the_receivers(links, paths)
    around = [_around(links, paths, carriers, gateway) for gateway in range(links.size)]
    gateways = sum(1 << gateway for gateway, subset in enumerate(around) if subset)
    return [subset | more for subset, more in zip(carriers, around, strict=True)], gateways


def _with_cheap_gateways(links: Links, paths: Paths, kept: int) -> tuple[list[int], int]:
    carriers, gateways = _past_the_receivers(links, paths), 0
    for gateway, senders in enumerate(links.before):
        around = _around(links, paths, carriers, gateway)
        if not around:
            continue
        through = {p: paths.on_paths(p, senders & ~(1 << p)) for p in members(senders)}
        price = (around & ~carriers[gateway]).bit_count() + kept * senders.bit_count()
        if price < sum((subset & ~carriers[p]).bit_count() for p, subset in through.items()):
            carriers[gateway] |= around
            gateways |= 1 << gateway
        else:
            for p, subset in through.items():
                carriers[p] |= subset
    return carriers, gateways


def _around(links: Links, paths: Paths, carriers: Adjacency, gateway: int) -> int:
    """Return the processes on the loops through the gateway on which a process lacks the clock of a sender that sends
    to the gateway and is not on the loop.
    """
    subset = 0
    for outside in members(links.before[gateway]):
        loops = paths.loops(gateway, 1 << outside)
        lacking = loops & ~carriers[outside]
        if lacking >> gateway & 1:
            subset |= loops
        elif lacking:
            subset |= lacking | 1 << gateway
            for process in members(loops & ~subset):
                if paths.share_a_loop(gateway, process, lacking, 1 << outside):
                    subset |= 1 << process
    return subset


def _observed(links: Links, clocks: Adjacency) -> tuple[int, ...]:
    """Return the ObsSets: the clocks that a process keeps, and the clocks by which messages to it are compared."""
    observed = list(clocks)
    carriers = transposed(clocks)
    for receiver, senders in enumerate(links.before):
        for sender in members(senders):
            if carriers[sender] & senders & ~(1 << sender):
                observed[receiver] |= 1 << sender
    return tuple(observed)

"""Meldal, Sankar and Vera: exploiting locality in maintaining potential causality (1991), sections 4.1 to 4.4.

Model. Links are known in advance and never change; only messages that arrive at the *same* process are compared.

Theory. What p1's clock is needed for: to tell whether a message of p1 to pR was sent before one of p2 to pR. It was
only if p1's clock has come to p2, so p1's clock is kept along the paths from p1 to p2: all paths (allocation 1), the
acyclic ones (2, 3: what raises a clock never comes twice to one process). Allocation 3 sends along a link only what
the other end has a use for. Allocation 4 keeps nothing for paths through pR itself: whatever came back from there is
compared by arrival times at pR, a *gateway*, whose own clock goes around with it instead. Allocation 5 takes
arrival times only where they are cheaper.

Representation. `carriers[p]` are the processes which keep p's clock, as a bit set: the ClockSets, transposed.

Deviations from the print.
- p1 is added to ObsSet of pR if ClockSet of p2 has it; the print asks for a path from p1 to p2, with which the centre
  of the star observes everybody and section 5's {p} does not come out. For allocation 3 both are the same.
- Whether a process of a loop lacks p's clock (step 3 of allocation 4) is asked before any gateway is added, so the
  order of the loops does not matter. Allocation 5 visits gateways in ascending order, one on top of the other.
- The second option of allocation 5 is written as allocation 2 for this receiver: together with step 2, which went
  before, that is the same.
- Acyclic paths are found as well as a budget allows (`Blocks`, `Walks`); `exact` says whether the sets are those of
  the paper or safe supersets: with these, too, every answer is right.
"""

from typing import Final, TypeAlias

from protocols.clocks.blocks import Blocks
from protocols.clocks.links import Links, Rows, members, reached, transposed
from protocols.clocks.path_questions import Walks
from protocols.frozen_value import value

ALLOCATIONS: Final = (1, 2, 3, 4, 5)
BUDGET: Final = 1_000_000

Paths: TypeAlias = Blocks | Walks


@value
class Allocation:
    """`clocks` and `observed` are the ClockSets and ObsSets; all messages to gateways are marked with arrival times."""

    clocks: tuple[int, ...]
    observed: tuple[int, ...]
    gateways: int = 0
    exact: bool = True

    def clock_set(self, process: int) -> frozenset[int]:
        return frozenset(members(self.clocks[process]))

    def obs_set(self, process: int) -> frozenset[int]:
        return frozenset(members(self.observed[process]))

    def carried(self, sender: int, receiver: int) -> int:
        """Whose clocks travel with a message."""
        return self.clocks[sender] & self.observed[receiver]


def full(links: Links) -> Allocation:
    """Every clock everywhere: the vectors of Fidge (1988) and Mattern (1988)."""
    everybody = (links.everybody,) * links.size
    return Allocation(everybody, everybody)


def allocate(links: Links, number: int, kept: int = 1, budget: int = BUDGET) -> Allocation:
    """One of the five; `kept` messages of each link into a gateway need their arrival times (allocation 5)."""
    if number == 1:
        return Allocation(transposed(_along_paths(links)), full(links).observed)
    paths: Paths = Blocks(links, budget) if links.symmetric else Walks(links, budget)
    gateways = 0
    match number:
        case 2 | 3:
            carriers = [_along_acyclic_paths(links, paths, p) for p in range(links.size)]
        case 4:
            carriers, gateways = _with_gateways(links, paths)
        case 5:
            carriers, gateways = _with_cheap_gateways(links, paths, kept)
        case _:
            raise ValueError(number)
    clocks = transposed(carriers)
    observed = full(links).observed if number == 2 else _observed(links, clocks)
    return Allocation(clocks, observed, gateways, paths.exact)


def _rivals(links: Links, process: int) -> int:
    """Whose messages are compared with those of this process, somewhere."""
    found = 0
    for receiver in members(links.after[process]):
        found |= links.before[receiver]
    return found & ~(1 << process)


def _along_paths(links: Links) -> list[int]:
    return [
        reached(links.after, 1 << p, links.everybody) & reached(links.before, _rivals(links, p), links.everybody)
        for p in range(links.size)
    ]


def _along_acyclic_paths(links: Links, paths: Paths, process: int) -> int:
    return paths.between(process, _rivals(links, process))


def _past_the_receivers(links: Links, paths: Paths) -> list[int]:
    """Steps 1 and 2 of allocations 4 and 5."""
    carriers = [0] * links.size
    for receiver, senders in enumerate(links.before):
        for sender in members(senders):
            carriers[sender] |= paths.between(sender, senders & ~(1 << sender), 1 << receiver)
    return carriers


def _with_gateways(links: Links, paths: Paths) -> tuple[list[int], int]:
    carriers = _past_the_receivers(links, paths)
    around = [_around(links, paths, carriers, gateway) for gateway in range(links.size)]
    gateways = sum(1 << gateway for gateway, some in enumerate(around) if some)
    return [some | more for some, more in zip(carriers, around, strict=True)], gateways


def _with_cheap_gateways(links: Links, paths: Paths, kept: int) -> tuple[list[int], int]:
    carriers, gateways = _past_the_receivers(links, paths), 0
    for gateway, senders in enumerate(links.before):
        around = _around(links, paths, carriers, gateway)
        if not around:
            continue
        through = {p: paths.between(p, senders & ~(1 << p)) for p in members(senders)}
        price = (around & ~carriers[gateway]).bit_count() + kept * senders.bit_count()
        if price < sum((some & ~carriers[p]).bit_count() for p, some in through.items()):
            carriers[gateway] |= around
            gateways |= 1 << gateway
        else:
            for p, some in through.items():
                carriers[p] |= some
    return carriers, gateways


def _around(links: Links, paths: Paths, carriers: Rows, gateway: int) -> int:
    """Who shares a loop with the gateway in which somebody lacks the clock of a sender from outside."""
    found = 0
    for outside in members(links.before[gateway]):
        loops = paths.loops(gateway, 1 << outside)
        lacking = loops & ~carriers[outside]
        if lacking >> gateway & 1:
            found |= loops
        elif lacking:
            found |= lacking | 1 << gateway
            for process in members(loops & ~found):
                if paths.share_a_loop(gateway, process, lacking, 1 << outside):
                    found |= 1 << process
    return found


def _observed(links: Links, clocks: Rows) -> tuple[int, ...]:
    """A clock is of use to whoever keeps it, and to whoever compares messages by it."""
    observed = list(clocks)
    carriers = transposed(clocks)
    for receiver, senders in enumerate(links.before):
        for sender in members(senders):
            if carriers[sender] & senders & ~(1 << sender):
                observed[receiver] |= 1 << sender
    return tuple(observed)

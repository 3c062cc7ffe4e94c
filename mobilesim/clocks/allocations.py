"""Clock allocations by name, and their costs: the vectors of Fidge and Mattern, and the allocations of Meldal et al."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from mobilesim.protocols.clocks.catalogue import CLOCKS
from mobilesim.protocols.clocks.known_links.allocation import ALLOCATIONS, BUDGET, Allocation
from mobilesim.protocols.clocks.links import Links, members

NUMBERS: Final = {row.name: row.allocation for row in CLOCKS.values() if row.allocation is not None}
"""The numbers of the allocations by name. The vectors of Fidge and Mattern have the number 0."""

MOST_PROCESSES: Final = 1_000
MOST_PROCESSES_TIMES_LINKS: Final = 20_000_000
"""The limit of processes times links. In larger networks, the computation takes minutes."""


Pairs: TypeAlias = tuple[tuple[int, int], ...]


def named_allocation(name: str, links: Links, kept: int = 1, budget: int = BUDGET, pairs: Pairs = ()) -> Allocation:
    """`pairs`: processes whose events are compared, instead of messages to one process."""
    from mobilesim.protocols.clocks.known_links.allocated_clocks import allocation_of

    return allocation_of(NUMBERS[name], links, kept, budget, pairs)


def most_links(processes: int) -> int:
    return MOST_PROCESSES_TIMES_LINKS // processes


@dataclass(frozen=True, slots=True)
class ClockCost:
    """Sizes in integers. `messages`: for each link, the clocks in a message. `arrivals`: the links to gateways."""

    name: str
    allocation: Allocation
    has_obs_sets: bool
    messages: tuple[int, ...]
    arrivals: int

    @property
    def clock_sets(self) -> list[int]:
        return [subset.bit_count() for subset in self.allocation.clocks]

    @property
    def obs_sets(self) -> list[int]:
        return [subset.bit_count() for subset in self.allocation.observed]

    @property
    def space(self) -> int:
        return sum(self.clock_sets)

    @property
    def message(self) -> float:
        """The mean message size over all links."""
        return sum(self.messages) / max(1, len(self.messages))

    @property
    def gateways(self) -> int:
        return self.allocation.gateways.bit_count()


def clock_cost(name: str, links: Links, allocation: Allocation, *, fifo: bool = True) -> ClockCost:
    """Return the sizes of an allocation. If links are not `fifo`, a message without its sender's clock has a number."""
    carried = [(p, allocation.carried(p, q)) for p, q in links.pairs()]
    messages = tuple(clocks.bit_count() + (not fifo and not clocks >> p & 1) for p, clocks in carried)
    arrivals = sum(links.before[gateway].bit_count() for gateway in members(allocation.gateways))
    has_obs_sets = NUMBERS[name] > ALLOCATIONS[1]  # the others send all clocks of the sender
    return ClockCost(name, allocation, has_obs_sets, messages, arrivals)

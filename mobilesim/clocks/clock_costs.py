"""Memory and message sizes of each clock allocation."""

from collections.abc import Iterator
from dataclasses import dataclass

from mobilesim.clocks.allocations import NAMES, has_obs_sets, named_allocation
from protocols.clocks.allocation import Allocation
from protocols.clocks.links import Links, members


@dataclass(frozen=True, slots=True)
class ClockCost:
    """Sizes in integers. `messages`: clocks in a message, by link. `arrivals`: links into gateways."""

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


def clock_costs(links: Links, kept: int, budget: int) -> Iterator[ClockCost]:
    for name in NAMES:
        yield clock_cost(name, links, named_allocation(name, links, kept, budget))


def clock_cost(name: str, links: Links, allocation: Allocation) -> ClockCost:
    messages = tuple(allocation.carried(p, q).bit_count() for p, q in links.pairs())
    arrivals = sum(links.before[gateway].bit_count() for gateway in members(allocation.gateways))
    return ClockCost(name, allocation, has_obs_sets(name), messages, arrivals)

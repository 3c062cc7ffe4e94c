"""What each allocation keeps and sends, beside the vectors of Fidge and Mattern."""

from collections.abc import Iterator
from dataclasses import dataclass

from mobilesim.clocks.allocations import NAMES, allocated, observes
from protocols.clocks.allocation import Allocation
from protocols.clocks.links import Links, members


@dataclass(frozen=True, slots=True)
class Cost:
    """Sizes in integers. `observes` says whether the allocation has ObsSets at all; without, whole clocks travel."""

    name: str
    allocation: Allocation
    observes: bool
    messages: tuple[int, ...]
    arrivals: int

    @property
    def clock_sets(self) -> list[int]:
        return [some.bit_count() for some in self.allocation.clocks]

    @property
    def obs_sets(self) -> list[int]:
        return [some.bit_count() for some in self.allocation.observed]

    @property
    def space(self) -> int:
        return sum(self.clock_sets)

    @property
    def message(self) -> float:
        """The mean over the links."""
        return sum(self.messages) / max(1, len(self.messages))

    @property
    def gateways(self) -> int:
        return self.allocation.gateways.bit_count()


def costs(links: Links, kept: int, budget: int) -> Iterator[Cost]:
    for name in NAMES:
        yield cost(name, links, allocated(name, links, kept, budget))


def cost(name: str, links: Links, allocation: Allocation) -> Cost:
    messages = tuple(allocation.carried(p, q).bit_count() for p, q in links.pairs())
    arrivals = sum(links.before[gateway].bit_count() for gateway in members(allocation.gateways))
    return Cost(name, allocation, observes(name), messages, arrivals)

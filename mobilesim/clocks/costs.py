"""What each allocation keeps and sends, beside the vectors of Fidge and Mattern."""

from collections.abc import Iterator
from dataclasses import dataclass

from protocols.clocks.allocation import ALLOCATIONS, Allocation, allocate, full
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
    yield _cost("FM", links, full(links), observes=False)
    for number in ALLOCATIONS:
        yield _cost(f"allocation {number}", links, allocate(links, number, kept, budget), observes=number > 2)


def _cost(name: str, links: Links, allocation: Allocation, *, observes: bool) -> Cost:
    messages = tuple(allocation.carried(p, q).bit_count() for p, q in links.pairs())
    arrivals = sum(links.before[gateway].bit_count() for gateway in members(allocation.gateways))
    return Cost(name, allocation, observes, messages, arrivals)

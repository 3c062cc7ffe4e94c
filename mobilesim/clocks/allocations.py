"""Clock allocations by name: the vectors of Fidge and Mattern, and the five allocations of Meldal et al."""

from functools import lru_cache
from typing import Final

from protocols.clocks.allocation import ALLOCATIONS, BUDGET, Allocation, allocate, full_vectors
from protocols.clocks.links import Links

VECTORS: Final = "FM"
NAMES: Final = (VECTORS, *(f"allocation {number}" for number in ALLOCATIONS))

MOST_PROCESSES: Final = 1_000
MOST_PROCESSES_TIMES_LINKS: Final = 20_000_000
"""Larger networks take minutes."""


@lru_cache(maxsize=2 * len(NAMES))
def named_allocation(name: str, links: Links, kept: int = 1, budget: int = BUDGET) -> Allocation:
    return full_vectors(links) if name == VECTORS else allocate(links, NAMES.index(name), kept, budget)


def has_obs_sets(name: str) -> bool:
    """Whether an allocation has ObsSets; without them, whole clocks travel."""
    return NAMES.index(name) > ALLOCATIONS[1]


def most_links(processes: int) -> int:
    return MOST_PROCESSES_TIMES_LINKS // processes

"""Pareto dominance between protocols by several costs, and the Pareto front.

A protocol dominates another one if it is significantly better in at least one cost and significantly worse in none. A
difference is significant if the 95 % interval of the paired difference does not contain zero.

Dominance by intervals is not transitive, and may have cycles. So the front is built step by step. Each step adds the
protocols that no remaining protocol dominates, and removes the protocols that these dominate. If every remaining
protocol is dominated, the step adds the cycles that no protocol outside of them dominates.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from analysis.statistics.estimate import Estimate, difference


class Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)

Domination = Mapping[str, frozenset[str]]
"""The dominated names of each name."""


def dominates(one: N, other: N, costs: Sequence[Callable[[N], Estimate]]) -> bool:
    """Whether `one` dominates `other`; false if a cost has no common replication."""
    gaps = [difference(cost(one), cost(other)) for cost in costs]
    known = [gap for gap in gaps if gap is not None]
    clear = [gap.mean for gap in known if gap.decisive]
    return len(known) == len(costs) and max(clear, default=0) <= 0 and min(clear, default=0) < 0


def domination(protocols: Sequence[N], costs: Sequence[Callable[[N], Estimate]]) -> Domination:
    return {
        one.name: frozenset(other.name for other in protocols if other is not one and dominates(one, other, costs))
        for one in protocols
    }


@dataclass(frozen=True, slots=True)
class ParetoFront:
    """The members of the front, and for each name the names that dominate it.

    For a name off the front, `dominated_by` lists the dominating members; for a member, all names that dominate it.
    """

    members: frozenset[str]
    dominated_by: Mapping[str, tuple[str, ...]]


def pareto_front(dominated: Domination) -> ParetoFront:
    import networkx as nx  # takes 90 ms

    front: set[str] = set()
    rest: nx.DiGraph[str] = nx.DiGraph((one, other) for one in dominated for other in dominated[one])
    rest.add_nodes_from(dominated)
    while rest:
        cycles = nx.condensation(rest)
        first = {name for cycle, degree in cycles.in_degree() if not degree for name in cycles.nodes[cycle]["members"]}
        front |= first
        rest.remove_nodes_from(first.union(*(dominated[name] for name in first)))
    by = {name: tuple(one for one in dominated if name in dominated[one] and front & {one, name}) for name in dominated}
    return ParetoFront(frozenset(front), by)

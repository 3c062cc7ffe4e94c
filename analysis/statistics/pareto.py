"""Pareto dominance between protocols by several costs, and the Pareto front.

One protocol dominates another if it is significantly better in at least one cost and significantly worse in none: the
95 % interval of the paired difference does not contain zero.

Dominance by intervals is not transitive, and may even have cycles. So the front is built step by step: protocols that
no other one dominates are on it; those that they dominate are off it, and are removed; and so on with the rest. If all
that are left are dominated, the cycles that no protocol outside dominates are on the front.
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
"""The names that each name dominates."""


def dominates(one: N, other: N, costs: Sequence[Callable[[N], Estimate]]) -> bool:
    gaps = [difference(paid(one), paid(other)) for paid in costs]
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


def pareto_front(found: Domination) -> ParetoFront:
    import networkx as nx  # takes 90 ms

    on: set[str] = set()
    left: nx.DiGraph[str] = nx.DiGraph((one, other) for one in found for other in found[one])
    left.add_nodes_from(found)
    while left:
        cycles = nx.condensation(left)
        first = {name for cycle, degree in cycles.in_degree() if not degree for name in cycles.nodes[cycle]["members"]}
        on |= first
        left.remove_nodes_from(first.union(*(found[name] for name in first)))
    by = {name: tuple(one for one in found if name in found[one] and on & {one, name}) for name in found}
    return ParetoFront(frozenset(on), by)

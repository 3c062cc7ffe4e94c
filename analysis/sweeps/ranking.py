"""Pareto ranks of protocols by several costs, and the reasons for which a protocol is not compared.

A protocol dominates another protocol if it is significantly better in at least one cost and significantly worse in
none. A difference is significant if the 95 % interval of the paired difference does not contain zero.

Dominance by intervals is not transitive, and may have cycles. So the front is built step by step. Each step adds the
protocols that no remaining protocol dominates, and removes the protocols that the added ones dominate. A cycle of
dominance is added as a whole if no remaining protocol outside of the cycle dominates a member.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.analysis.statistics.estimate import Estimate, difference
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary

ORDERING_COSTS: Final = (METRICS["header_bytes"], METRICS["inhibition"])
"""The costs between which orderings have a trade-off: header size, and the time for which deliveries are held."""

Cost = Callable[[ProtocolSummary], Estimate]
Domination = Mapping[str, frozenset[str]]
"""For the name of each protocol, the names of the protocols that it dominates."""


def dominates(one: ProtocolSummary, other: ProtocolSummary, costs: Sequence[Cost]) -> bool:
    """Whether `one` dominates `other`; false if a cost has no common replication."""
    gaps = [difference(cost(one), cost(other)) for cost in costs]
    known = [gap for gap in gaps if gap is not None]
    clear = [gap.mean for gap in known if gap.decisive]
    return len(known) == len(costs) and max(clear, default=0) <= 0 and min(clear, default=0) < 0


def domination(protocols: Sequence[ProtocolSummary], costs: Sequence[Cost]) -> Domination:
    return {
        one.name: frozenset(other.name for other in protocols if other is not one and dominates(one, other, costs))
        for one in protocols
    }


@dataclass(frozen=True, slots=True)
class ParetoFront:
    """The names of the protocols on the front (`members`), and for each protocol the protocols that dominate it.

    For a protocol that is not on the front, `dominated_by` lists only protocols on the front.
    """

    members: frozenset[str]
    dominated_by: Mapping[str, tuple[str, ...]]


def pareto_front(dominated: Domination) -> ParetoFront:
    import networkx as nx  # imported here, because the import takes 90 ms

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


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of a protocol at a point.

    `dominated_by`: the dominating protocols on the Pareto front; for a protocol on the front, all dominating protocols.
    `excluded`: the reason for which the protocol is not compared, or ''.
    """

    protocol: ProtocolSummary
    on_front: bool
    dominated_by: tuple[str, ...] = ()
    excluded: str = ""

    @property
    def text(self) -> str:
        if self.excluded:
            return f"not compared: {self.excluded}"
        by = f"dominated by {', '.join(self.dominated_by)}"
        if not self.on_front:
            return by
        return f"Pareto-optimal, {by} only" if self.dominated_by else "Pareto-optimal"


def ranks(protocols: Sequence[ProtocolSummary], costs: Sequence[Metric]) -> list[Rank]:
    """Return the ranks of all protocols, including protocols that are not compared."""
    reasons = {protocol.name: why_excluded(protocol, costs) for protocol in protocols}
    compared = rank_candidates([protocol for protocol in protocols if not reasons[protocol.name]], costs)
    excluded = [Rank(each, on_front=False, excluded=reasons[each.name]) for each in protocols if reasons[each.name]]
    return sorted([*compared, *excluded], key=lambda rank: protocols.index(rank.protocol))


def rank_candidates(protocols: Sequence[ProtocolSummary], costs: Sequence[Metric]) -> list[Rank]:
    """Return the ranks of protocols. All of them are compared."""
    front = pareto_front(domination(protocols, [cost.value for cost in costs]))
    return [Rank(protocol, protocol.name in front.members, front.dominated_by[protocol.name]) for protocol in protocols]


def dominated_by(protocols: Sequence[ProtocolSummary]) -> dict[str, tuple[str, ...]]:
    """Return for each protocol the dominating causal protocols of the Pareto front in `ORDERING_COSTS`."""
    ranked = rank_candidates([protocol for protocol in protocols if protocol.claims_causal], ORDERING_COSTS)
    off = {rank.protocol.name: rank.dominated_by for rank in ranked if not rank.on_front}
    return {protocol.name: off.get(protocol.name, ()) for protocol in protocols}


def why_excluded(protocol: ProtocolSummary, costs: Sequence[Metric]) -> str:
    """Return the reason for which a protocol is not compared as a causal ordering, or ''."""
    if not protocol.claims_causal:
        return "it claims no causal order" if protocol.claims_violation_rate is None else "it may violate causal order"
    if protocol.correctness is Correctness.INCORRECT:
        return "it is incorrect"
    return why_unmeasured(protocol, costs)


def why_unmeasured(protocol: ProtocolSummary, costs: Sequence[Metric]) -> str:
    missing = [cost.label for cost in costs if cost.value(protocol).mean is None]
    return f"its runs have no {missing[0]}" if missing else ""

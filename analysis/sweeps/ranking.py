"""Pareto ranks of protocols by several costs, and the reasons for which a protocol is not compared.

A protocol dominates another protocol if it is not worse by more than a margin in any cost, and better by more than the
margin in at least one. `mobilesim.statistics.dominance` decides this with a bounded risk of any wrong statement; the
registry of metrics has the margins. A protocol that may be dominated is undecided.

Dominance with margins is not transitive, and may have cycles. So the front is built step by step. Each step adds the
protocols that no remaining protocol dominates, and removes the protocols that the added ones dominate. A cycle of
dominance is added as a whole if no remaining protocol outside of the cycle dominates a member.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary
from mobilesim.errors import counted
from mobilesim.statistics.dominance import MOST_REPLICATIONS, Dominance, Domination, Values, compare

ORDERING_COSTS: Final = (METRICS["header_bytes"], METRICS["inhibition"])
"""The costs between which orderings have a trade-off: header size, and the time for which deliveries are held."""

Dominated = Mapping[str, frozenset[str]]
"""For the name of each protocol, the names of the protocols that it dominates."""


def observations(protocols: Sequence[ProtocolSummary], costs: Sequence[Metric]) -> tuple[list[Values], list[Values]]:
    """Return the values and the margins of each cost."""

    def values(estimate: Estimate) -> dict[int, float]:
        return dict(zip(estimate.replications, estimate.run_means, strict=True))

    return (
        [{each.name: values(cost.value(each)) for each in protocols} for cost in costs],
        [
            {
                each.name: {at: cost.margin * value for at, value in values(cost.reference(each)).items()}
                for each in protocols
            }
            for cost in costs
        ],
    )


def dominance(protocols: Sequence[ProtocolSummary], costs: Sequence[Metric]) -> Dominance:
    return compare(*observations(protocols, costs))


def dominated_names(protocols: Sequence[ProtocolSummary], found: Dominance) -> Dominated:
    return {
        one.name: frozenset(
            other.name
            for other in protocols
            if other is not one and found.statements.get((one.name, other.name)) is Domination.YES
        )
        for one in protocols
    }


@dataclass(frozen=True, slots=True)
class ParetoFront:
    """The names of the protocols on the front (`members`), and for each protocol the protocols that dominate it.

    For a protocol that is not on the front, `dominated_by` lists only protocols on the front.
    """

    members: frozenset[str]
    dominated_by: Mapping[str, tuple[str, ...]]


def pareto_front(dominated: Dominated) -> ParetoFront:
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
    `undecided`: the protocols that may dominate it; `needed`: about how many replications would decide this, or None if
    too many. `replications`: how many are compared. `excluded`: the reason for which it is not compared, or ''.
    """

    protocol: ProtocolSummary
    on_front: bool
    dominated_by: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    needed: int | None = None
    replications: int = 0
    excluded: str = ""

    @property
    def possibly_on_front(self) -> bool:
        return self.on_front or bool(self.undecided)

    @property
    def text(self) -> str:
        if self.excluded:
            return f"not compared: {self.excluded}"
        by = f"dominated by {', '.join(self.dominated_by)}"
        if self.undecided:
            return f"undecided: may be dominated by {', '.join(self.undecided)} ({self.more})"
        if not self.on_front:
            return by
        return f"Pareto-optimal, {by} only" if self.dominated_by else "Pareto-optimal"

    @property
    def more(self) -> str:
        """How many replications would decide, as text."""
        if self.replications < 2:
            return "one replication decides nothing"
        if self.needed is None:
            return f"more than {MOST_REPLICATIONS:,} replications would decide"
        return f"about {counted(self.needed, 'replication')} would decide"


def ranks(protocols: Sequence[ProtocolSummary], costs: Sequence[Metric]) -> list[Rank]:
    """Return the ranks of all protocols, including protocols that are not compared."""
    reasons = {protocol.name: why_excluded(protocol, costs) for protocol in protocols}
    compared = rank_candidates([protocol for protocol in protocols if not reasons[protocol.name]], costs)
    excluded = [Rank(each, on_front=False, excluded=reasons[each.name]) for each in protocols if reasons[each.name]]
    return sorted([*compared, *excluded], key=lambda rank: protocols.index(rank.protocol))


def rank_candidates(protocols: Sequence[ProtocolSummary], costs: Sequence[Metric]) -> list[Rank]:
    """Return the ranks of protocols. All of them are compared."""
    found = dominance(protocols, costs)
    front = pareto_front(dominated_names(protocols, found))
    ranked = []
    for each in protocols:
        member = each.name in front.members
        undecided = found.undecided(each.name) if member else ()
        ranked.append(
            Rank(
                each,
                member and not undecided,
                front.dominated_by[each.name],
                undecided,
                found.replications_to_decide(each.name) if undecided else None,
                found.replications,
            )
        )
    return ranked


def dominated_by(protocols: Sequence[ProtocolSummary]) -> dict[str, tuple[str, ...]]:
    """Return for each protocol the dominating causal protocols of the Pareto front in `ORDERING_COSTS`."""
    ranked = rank_candidates([protocol for protocol in protocols if protocol.claims_causal], ORDERING_COSTS)
    off = {rank.protocol.name: rank.dominated_by for rank in ranked if not rank.possibly_on_front}
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

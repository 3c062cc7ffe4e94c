"""Pareto ranks of protocols by several costs, and the reasons for which a protocol is not compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.statistics.pareto import domination, pareto_front
from analysis.summary.metrics import METRICS, Metric
from analysis.summary.model import Correctness, ProtocolSummary

ORDERING_COSTS: Final = (METRICS["header_bytes"], METRICS["inhibition"])
"""The costs between which orderings have a trade-off: header size, and the time for which deliveries are held."""


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of a protocol at a point.

    `dominated_by`: the dominating protocols of the Pareto front; for a protocol on the front, all dominating ones.
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
    """Return the ranks of protocols, all of which are compared."""
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
        return "it claims no causal order"
    if protocol.correctness is Correctness.INCORRECT:
        return "it is incorrect"
    return why_unmeasured(protocol, costs)


def why_unmeasured(protocol: ProtocolSummary, costs: Sequence[Metric]) -> str:
    missing = [cost.label for cost in costs if cost.value(protocol).mean is None]
    return f"its runs have no {missing[0]}" if missing else ""

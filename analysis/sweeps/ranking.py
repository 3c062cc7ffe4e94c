"""Pareto ranks of protocols by several costs, and why a protocol is not compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.statistics.pareto import domination, pareto_front
from analysis.summary.metrics import Metric
from analysis.summary.model import Correctness, ProtocolSummary


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of a protocol at a point.

    `dominated_by`: protocols of the Pareto front that dominate it; for a protocol on the front, all that dominate it.
    `excluded`: why it is not compared, '' if it is.
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
        return f"Pareto-optimal, though {by}" if self.dominated_by else "Pareto-optimal"


def ranks(protocols: Sequence[ProtocolSummary], costs: Sequence[Metric]) -> list[Rank]:
    """Of all, with those that do not compete."""
    outs = {protocol.name: why_excluded(protocol, costs) for protocol in protocols}
    playing = {
        each.protocol.name: each
        for each in rank_competitors([each for each in protocols if not outs[each.name]], costs)
    }
    return [playing.get(each.name) or Rank(each, on_front=False, excluded=outs[each.name]) for each in protocols]


def rank_competitors(playing: Sequence[ProtocolSummary], costs: Sequence[Metric]) -> list[Rank]:
    """Of protocols that all compete."""
    found = pareto_front(domination(playing, [cost.value for cost in costs]))
    return [Rank(each, each.name in found.members, found.dominated_by[each.name]) for each in playing]


def why_excluded(protocol: ProtocolSummary, costs: Sequence[Metric]) -> str:
    """Empty of one that competes."""
    if not protocol.claims_causal:
        return "it claims no causal order"
    return why_unusable(protocol, costs)


def why_unusable(protocol: ProtocolSummary, costs: Sequence[Metric]) -> str:
    """Why it competes nowhere, whatever order is asked for."""
    if protocol.correctness is Correctness.INCORRECT:
        return "it is incorrect"
    missing = [cost.label for cost in costs if cost.value(protocol).mean is None]
    return f"its runs have no {missing[0]}" if missing else ""

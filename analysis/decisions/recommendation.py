"""The recommended protocol of a study, as values without text.

Protocols that do not meet the requirements are excluded, and those that are dominated in all costs together are left
out. The rest is narrowed down cost by cost: a protocol stays if none is significantly cheaper by more than 1 %. Of the
tied ones that remain, the cheapest in the first cost is chosen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from analysis.statistics.estimate import Difference, difference
from analysis.summary.metrics import VARIANT_METRICS, Better, Metric
from analysis.summary.model import Correctness, ProtocolSummary
from analysis.sweeps.ranking import Rank, rank_candidates, why_unmeasured

TOLERANCE: Final = 0.01
"""Differences up to this fraction of a mean are ignored."""
ENOUGH: Final = 5
"""With fewer replications, the confidence in a recommendation is called low."""

Protocols = tuple[ProtocolSummary, ...]
Costs = tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class Requirements:
    """The required order of deliveries, the protocols that do not claim it, and the largest mean header size."""

    order: str = "causal order"
    claim_less: frozenset[str] = frozenset()
    max_header: float | None = None


@dataclass(frozen=True, slots=True)
class Elimination:
    """One step: the protocol that is cheapest in `cost`, those that are not significantly dearer, and the others."""

    cost: Metric
    cheapest: ProtocolSummary
    kept: Protocols
    dropped: Protocols


@dataclass(frozen=True, slots=True)
class CostGap:
    """A metric in which `protocol` is the best, and significantly better than the chosen one."""

    metric: Metric
    protocol: ProtocolSummary
    difference: Difference


@dataclass(frozen=True, slots=True)
class Recommendation:
    """`measured`: the costs that runs have values of; `nonzero`: those with a value above zero.

    `excluded`: reasons by protocol. `ties` begins with the chosen protocol. `chosen` is None if no protocol meets the
    requirements, or no cost was measured. `replications`: the fewest of any candidate and cost.
    """

    requirements: Requirements
    tried: Protocols
    costs: Costs
    measured: Costs
    nonzero: Costs
    excluded: Mapping[str, str]
    ranks: tuple[Rank, ...]
    eliminations: tuple[Elimination, ...]
    ties: Protocols
    chosen: ProtocolSummary | None
    dearer_in: tuple[CostGap, ...]
    replications: int

    @property
    def candidates(self) -> Protocols:
        return tuple(protocol for protocol in self.tried if protocol.name not in self.excluded)

    @property
    def others(self) -> Protocols:
        """The tried protocols besides the chosen one; none if none is chosen."""
        return () if self.chosen is None else tuple(each for each in self.tried if each is not self.chosen)

    @property
    def front(self) -> Protocols:
        return tuple(rank.protocol for rank in self.ranks if rank.on_front)


def recommend(tried: Sequence[ProtocolSummary], costs: Sequence[Metric], requirements: Requirements) -> Recommendation:
    """Return the recommendation. `costs`: the most important one first."""
    measured = tuple(cost for cost in costs if any(cost.value(protocol).replications for protocol in tried))
    nonzero = tuple(cost for cost in costs if any(cost.value(protocol).mean for protocol in tried))
    reasons = {protocol.name: _why_excluded(protocol, nonzero, requirements) for protocol in tried}
    excluded = {name: reason for name, reason in reasons.items() if reason}
    candidates = [protocol for protocol in tried if protocol.name not in excluded]
    ranks = tuple(rank_candidates(candidates, nonzero))
    ties = tuple(rank.protocol for rank in ranks if rank.on_front)
    eliminations = tuple(_eliminations(ties, nonzero))
    if nonzero:
        ties = tuple(sorted(eliminations[-1].kept if eliminations else ties, key=partial(_amount, nonzero[0])))
    chosen = next(iter(ties), None) if measured else None
    counts = (len(cost.value(protocol).replications) for cost in measured for protocol in candidates)
    return Recommendation(
        requirements=requirements,
        tried=tuple(tried),
        costs=tuple(costs),
        measured=measured,
        nonzero=nonzero,
        excluded=excluded,
        ranks=ranks,
        eliminations=eliminations,
        ties=ties,
        chosen=chosen,
        dearer_in=() if chosen is None else tuple(_gaps(chosen, candidates)),
        replications=min(filter(None, counts), default=0),
    )


def _why_excluded(protocol: ProtocolSummary, costs: Costs, requirements: Requirements) -> str:
    """Return why a protocol is no candidate, '' if it is."""
    header, limit = protocol["header_bytes"].mean, requirements.max_header
    if protocol.correctness is Correctness.INCORRECT:
        return "it violated what it claims"
    if protocol.name in requirements.claim_less:
        return f"it claims no {requirements.order}"
    if limit is not None and header is not None and header > limit:
        return f"its mean header is {header:,.0f} B, more than {limit:,.0f} B"
    return why_unmeasured(protocol, costs)


def _eliminations(candidates: Protocols, costs: Costs) -> Iterator[Elimination]:
    for cost in costs:
        if len(candidates) > 1:
            cheapest = min(candidates, key=partial(_amount, cost))
            kept = tuple(
                one
                for one in candidates
                if one is cheapest or not any(_dearer(cost, one, other) for other in candidates)
            )
            yield Elimination(cost, cheapest, kept, tuple(protocol for protocol in candidates if protocol not in kept))
            candidates = kept


def _dearer(cost: Metric, one: ProtocolSummary, other: ProtocolSummary) -> bool:
    """Whether `one` is significantly dearer, by more than the tolerance: paired runs detect tiny differences."""
    gap = difference(cost.value(one), cost.value(other))
    return gap is None or (gap.decisive and gap.mean > TOLERANCE * _amount(cost, other))


def _amount(cost: Metric, protocol: ProtocolSummary) -> float:
    return cost.value(protocol).mean or 0.0


def _gaps(chosen: ProtocolSummary, candidates: Sequence[ProtocolSummary]) -> Iterator[CostGap]:
    """Yield for each metric the candidate that is best, if it is significantly better than the chosen one."""
    for metric in VARIANT_METRICS:
        sign = -1 if metric.better is Better.MORE else 1
        gaps = [
            CostGap(metric, protocol, gap)
            for protocol in candidates
            if protocol is not chosen and (gap := difference(metric.value(chosen), metric.value(protocol)))
        ]
        better = [gap for gap in gaps if gap.difference.significant and sign * gap.difference.mean > 0]
        yield from sorted(better, key=lambda gap: -sign * gap.difference.mean)[:1]

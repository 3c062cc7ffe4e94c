"""The recommended protocol of a study, as values without text.

Protocols that do not meet the requirements are excluded, and dominated protocols are dropped. Then, cost by cost, a
protocol is dropped if another protocol has a lower cost, by more than the margin of the cost, with a bounded risk of
any wrong drop. The remaining protocols are tied; of these, the protocol with the lowest first cost is chosen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from mobilesim.analysis.statistics.estimate import Difference, difference
from mobilesim.analysis.summary.metrics import VARIANT_METRICS, Better, Metric
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary, Summary
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.analysis.sweeps.ranking import Rank, observations, rank_candidates, why_unmeasured
from mobilesim.statistics.dominance import clearly_greater

MIN_REPLICATIONS: Final = 5
"""With fewer replications, a recommendation has low confidence."""

Protocols = tuple[ProtocolSummary, ...]
Costs = tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class Requirements:
    """The required order of deliveries, the protocols without this claim, and the limit of the mean header size."""

    order: str = "causal order"
    without_claim: frozenset[str] = frozenset()
    max_header: float | None = None


def without_location(protocol: str) -> str:
    """Return the label of a protocol without its location service, which may differ between assumptions."""
    return " ".join(word for word in protocol.split() if not word.startswith(("location=", "area=")))


def under_assumptions(points: Sequence[tuple[Settings, Summary]]) -> Iterator[tuple[Settings, Protocols]]:
    """Yield the point and the protocols of each variant. A variant leaves out protocols that it does not change: these
    are those of the base, which is the first point.
    """
    base = points[0][1].protocols
    for point, summary in points:
        own = {without_location(each.name) for each in summary.protocols}
        same = [each for each in base if without_location(each.name) not in own]
        yield point, (*summary.protocols, *same)


@dataclass(frozen=True, slots=True)
class Elimination:
    """A step: the cheapest protocol in `cost`, the protocols that are kept, and the protocols that are dropped."""

    cost: Metric
    cheapest: ProtocolSummary
    kept: Protocols
    dropped: Protocols


@dataclass(frozen=True, slots=True)
class CostGap:
    """A metric in which `protocol` is the best candidate, and significantly better than the chosen protocol."""

    metric: Metric
    protocol: ProtocolSummary
    difference: Difference


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The chosen protocol, and the reasons. `chosen` is None without candidates or without measured costs.

    `measured`: the costs with values; `nonzero`: the costs with a value above zero. `excluded`: reasons by protocol.
    `ties` begins with the chosen protocol. `replications`: the minimum over candidates and costs.
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
        """The tried protocols except the chosen one; empty if no protocol is chosen."""
        return () if self.chosen is None else tuple(each for each in self.tried if each is not self.chosen)

    @property
    def front(self) -> Protocols:
        return tuple(rank.protocol for rank in self.ranks if rank.on_front)

    @property
    def undecided(self) -> tuple[Rank, ...]:
        return tuple(rank for rank in self.ranks if rank.undecided)

    def holds_under(self, other: "Recommendation") -> bool:
        """Return whether the chosen protocol is also chosen under other assumptions, or tied with the chosen one."""
        if self.chosen is None:
            return other.chosen is None
        return without_location(self.chosen.name) in {without_location(each.name) for each in other.ties}


def recommend(tried: Sequence[ProtocolSummary], costs: Sequence[Metric], requirements: Requirements) -> Recommendation:
    """Return the recommendation. `costs`: the most important cost comes first."""
    measured = tuple(cost for cost in costs if any(cost.value(protocol).replications for protocol in tried))
    nonzero = tuple(cost for cost in costs if any(cost.value(protocol).mean for protocol in tried))
    reasons = {protocol.name: _reason_to_exclude(protocol, nonzero, requirements) for protocol in tried}
    excluded = {name: reason for name, reason in reasons.items() if reason}
    candidates = [protocol for protocol in tried if protocol.name not in excluded]
    ranks = tuple(rank_candidates(candidates, nonzero))
    ties = tuple(rank.protocol for rank in ranks if rank.possibly_on_front)
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


def _reason_to_exclude(protocol: ProtocolSummary, costs: Costs, requirements: Requirements) -> str:
    """Return the reason for which a protocol is excluded, or ''."""
    header, limit = protocol["header_bytes"].mean, requirements.max_header
    if protocol.correctness is Correctness.INCORRECT:
        return "it violated its claims"
    if without_location(protocol.name) in map(without_location, requirements.without_claim):
        return f"it claims no {requirements.order}"
    if limit is not None and header is not None and header > limit:
        return f"its mean header is {header:,.0f} B, more than {limit:,.0f} B"
    return why_unmeasured(protocol, costs)


def _eliminations(candidates: Protocols, costs: Costs) -> Iterator[Elimination]:
    dearer = clearly_greater(*observations(candidates, costs))
    for cost, pairs in zip(costs, dearer, strict=True):
        if len(candidates) > 1:
            cheapest = min(candidates, key=partial(_amount, cost))
            kept = tuple(one for one in candidates if not any((one.name, other.name) in pairs for other in candidates))
            yield Elimination(cost, cheapest, kept, tuple(protocol for protocol in candidates if protocol not in kept))
            candidates = kept


def _amount(cost: Metric, protocol: ProtocolSummary) -> float:
    return cost.value(protocol).mean or 0.0


def _gaps(chosen: ProtocolSummary, candidates: Sequence[ProtocolSummary]) -> Iterator[CostGap]:
    """Yield for each metric the best candidate, if it is significantly better than the chosen protocol."""
    for metric in VARIANT_METRICS:
        sign = -1 if metric.better is Better.MORE else 1
        gaps = [
            CostGap(metric, protocol, gap)
            for protocol in candidates
            if protocol is not chosen and (gap := difference(metric.value(chosen), metric.value(protocol)))
        ]
        better = [gap for gap in gaps if gap.difference.significant and sign * gap.difference.mean > 0]
        yield from sorted(better, key=lambda gap: -sign * gap.difference.mean)[:1]

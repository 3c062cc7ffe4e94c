"""The Pareto frontier of protocols at every point of a sweep, as values without text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.summary.metrics import Metric
from analysis.sweeps.axes import Settings
from analysis.sweeps.metrics import all_protocols
from analysis.sweeps.model import SweepSummary
from analysis.sweeps.ranking import Rank, ranks


@dataclass(frozen=True, slots=True)
class ParetoFrontier:
    """`costs`: the requested costs with a value above zero at any point. `zero`: the other requested costs."""

    costs: tuple[Metric, ...]
    zero: tuple[Metric, ...]
    ranks: Mapping[Settings, tuple[Rank, ...]]


def pareto_frontier(summary: SweepSummary, costs: Sequence[Metric]) -> ParetoFrontier:
    protocols = list(all_protocols(summary.points))
    nonzero = tuple(cost for cost in costs if any(cost.value(protocol).mean for protocol in protocols))
    by_point = {point: tuple(ranks(at_point.protocols, nonzero)) for point, at_point in summary.points}
    return ParetoFrontier(nonzero, tuple(cost for cost in costs if cost not in nonzero), by_point)

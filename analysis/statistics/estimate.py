"""An estimate: the mean of a metric over replications, with its interval and percentiles."""

from collections.abc import Sequence
from dataclasses import dataclass

from mobilesim.statistics.intervals import interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a metric over the complete runs of a protocol, or over all runs if none is complete.

    `mean` is None if there are no observations. `count`: the number of rows behind it.
    """

    metric: str
    count: int = 0
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    interval_from: str = "none"
    replications: tuple[int, ...] = ()
    run_means: tuple[float, ...] = ()
    percentiles: tuple[int, ...] = ()
    note: str | None = None

    def percentile(self, percent: int) -> int | None:
        return self.percentiles[percent] if self.percentiles else None


def sum_by_run(estimates: Sequence[Estimate]) -> Estimate:
    """Return the estimate of the sum, over the replications that all estimates have."""
    by_run = [dict(zip(each.replications, each.run_means, strict=True)) for each in estimates]
    shared = sorted(set.intersection(*map(set, by_run)))
    sums = tuple(sum(each[replication] for each in by_run) for replication in shared)
    metric = " + ".join(each.metric for each in estimates)
    if not sums:
        return Estimate(metric)
    found = interval(sums)
    source = "none" if found.half_width is None else "replications"
    return Estimate(metric, estimates[0].count, found.mean, found.low, found.high, source, tuple(shared), sums)

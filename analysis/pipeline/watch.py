"""The means of a running sweep, from the manifests of its finished runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.metrics import METRICS, Metric, require_known
from mobilesim.analysis.summary.reduction import current
from mobilesim.errors import UserError
from mobilesim.results.sweeps.manifest import RunRecord
from mobilesim.statistics.intervals import interval


def watched_metric(name: str) -> Metric:
    """Return a metric that has a mean for each run; raise a UserError for another one."""
    require_known(name)
    if name not in METRICS or METRICS[name].derive is not None:
        plain = ", ".join(key for key in ("delay", "inhibition", "header_bytes", "wired.total", "wireless.total"))
        raise UserError(f"'{name}' is computed from several metrics; write one such as {plain}")
    return METRICS[name]


@dataclass(slots=True)
class RunMeans:
    """The mean of a metric in each run. The manifest of a run is decoded once."""

    metric: str
    known: dict[str, float | None] = field(default_factory=dict)

    def estimate(self, records: Iterable[RunRecord]) -> Estimate:
        """Return the mean over complete runs, each of which is one observation."""
        means = [mean for record in records if (mean := self._mean(record)) is not None]
        if not means:
            return Estimate(self.metric)
        found = interval(means)
        return Estimate(self.metric, len(means), found.mean, found.low, found.high)

    def _mean(self, record: RunRecord) -> float | None:
        if record.run not in self.known:
            reduction = current(record.reduction)
            observations = [] if reduction is None else reduction.observations
            self.known[record.run] = next((each[2] for each in observations if each[0] == self.metric), None)
        return self.known[record.run]


def seconds_left(finished: Sequence[float], missing: int, most: int = 50) -> float | None:
    """Return the time until `missing` more runs are finished, at the rate of the last `most` of them; None if it is
    unknown. `finished`: the times at which runs were finished.
    """
    last = sorted(finished)[-most:]
    if len(last) < 2 or last[0] == last[-1]:
        return None
    return missing * (last[-1] - last[0]) / (len(last) - 1)

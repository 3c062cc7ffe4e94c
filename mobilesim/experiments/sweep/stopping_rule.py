"""The stopping rule of a sweep: how many replications a protocol needs at a point for narrow confidence intervals."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, inf
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mobilesim.errors import UserError
from mobilesim.results.sweeps.sweep_directory import SweepDirectory
from mobilesim.scenario.sweeps.replications import Replications
from mobilesim.statistics.intervals import half_width

_GROWTH: Final = 2
"""The largest factor of one step, since a few runs estimate the variance poorly."""


class StoppingRule:
    """Applies the rule to the deliveries of the runs in a directory. The mean of a run is computed once."""

    def __init__(self, replications: Replications, store: SweepDirectory) -> None:
        self.store = store
        self._replications = replications
        self._means: dict[tuple[str, str], float | None] = {}

    def needed(self, run: Callable[[int], str]) -> int:
        """Return the number of replications that are needed. `run`: the run id of a replication."""
        level = self._replications.at_least
        while all(run(number) in self.store.records for number in range(level)):
            done = [name for name in map(run, range(level)) if self.store.done(name)]
            found = {metric: [self.mean(run, metric) for run in done] for metric in self._replications.until}
            means = {metric: [mean for mean in each if mean is not None] for metric, each in found.items()}
            more = replications_needed(self._replications, level, means)
            if more == level:
                break
            level = more
        return level

    def mean(self, run: str, metric: str) -> float | None:
        """Average a column over the deliveries of a run; None if it has none."""
        if (run, metric) not in self._means:
            rows = self.store.rows(run, "deliveries")
            try:
                self._means[run, metric] = pc.mean(rows.read(metric)[metric]).as_py()
            except (pa.ArrowException, KeyError):
                raise UserError(f"{rows.path}: damaged; delete it and start the sweep again") from None
        return self._means[run, metric]


def replications_needed(wanted: Replications, level: int, means: Mapping[str, Sequence[float]]) -> int:
    """Return `level` if the intervals are narrow enough or the limit is reached, else the number of the next step.

    The result depends on the means only, so that a continued sweep takes the same steps.
    """
    if level >= wanted.at_most:
        return level
    needed = [_needed(level, values, wanted.until[metric]) for metric, values in means.items()]
    most = max(needed, default=float(level))
    return level if most <= level else min(wanted.at_most, max(level + 1, ceil(min(_GROWTH * level, most))))


def _needed(level: int, means: Sequence[float], share: float) -> float:
    if len(means) < 2:
        return level  # more runs would fail or deliver nothing, too
    half, target = half_width(means), share * abs(sum(means) / len(means))
    if half <= target:
        return level
    return level * (half / target) ** 2 if target else inf

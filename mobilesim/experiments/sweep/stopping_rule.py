"""The number of replications that the wanted precision needs, from the runs that are complete."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import ceil, inf

import numpy as np
import pyarrow as pa

from mobilesim.errors import UserError
from mobilesim.results.quantities import MARGIN, margin_reference
from mobilesim.results.sweeps.sweep_directory import SweepDirectory
from mobilesim.scenario.sweeps.replications import PERCENTILES, Replications
from mobilesim.statistics.dominance import Values
from mobilesim.statistics.intervals import interval_of_difference, interval_of_mean
from mobilesim.statistics.sequential_comparison import GROWTH, allocate

Run = Callable[[int], str]
"""Returns the run id of a replication."""


class StoppingRule:
    """Applies the rule for replications to the runs in a directory. The value of a run is computed once."""

    def __init__(self, replications: Replications, store: SweepDirectory) -> None:
        self.store = store
        self._replications = replications
        self._values: dict[tuple[str, str], float | None] = {}

    def needed(self, run: Run, base: Run | None = None) -> int:
        """Return the number of replications that are needed. `run`: of one protocol. `base`: of the protocol to which
        it is compared.
        """
        level = self._replications.at_least
        pairs = [run] if base is None else [run, base]
        while all(one(number) in self.store.records for one in pairs for number in range(level)):
            done = [number for number in range(level) if all(self.store.done(one(number)) for one in pairs)]
            widths = [self._of_mean(run, done, *aim) for aim in self._replications.until.items()]
            if base is not None:
                widths += [self._of_difference(run, base, done, *aim) for aim in self._replications.differences.items()]
            more = replications_needed(self._replications, level, widths)
            if more == level:
                break
            level = more
        return level

    def levels_to_decide(self, runs: Mapping[str, Run]) -> dict[str, int]:
        """Return by protocol of a point how many replications are needed to decide which of them are dominated."""
        counts = self._replications

        def is_complete(names: Collection[str], level: int) -> bool:
            return all(runs[name](number) in self.store.records for name in names for number in range(level))

        costs = partial(self._costs, runs)
        return dict(allocate(runs, counts.at_least, counts.at_most, costs, is_complete).levels)

    def _costs(self, runs: Mapping[str, Run], levels: Mapping[str, int]) -> tuple[list[Values], list[Values]]:
        """Return the values of each mean in the complete runs, and its margins."""

        def values(name: str, metric: str) -> dict[int, float]:
            done = [number for number in range(levels[name]) if self.store.done(runs[name](number))]
            found = {number: self.value(runs[name](number), metric) for number in done}
            return {number: each for number, each in found.items() if each is not None}

        def margins(name: str, metric: str) -> dict[int, float]:
            return {number: MARGIN * each for number, each in values(name, margin_reference(metric)).items()}

        means = self._replications.decide
        return (
            [{name: values(name, metric) for name in runs} for metric in means],
            [{name: margins(name, metric) for name in runs} for metric in means],
        )

    def _of_mean(self, run: Run, done: Sequence[int], metric: str, share: float) -> float:
        values = [value for number in done if (value := self.value(run(number), metric)) is not None]
        return relative_width(values, share)

    def _of_difference(self, run: Run, base: Run, done: Sequence[int], metric: str, share: float) -> float:
        found = [(self.value(run(number), metric), self.value(base(number), metric)) for number in done]
        pairs = [(one, other) for one, other in found if one is not None and other is not None]
        return relative_width_of_difference(pairs, share)

    def value(self, run: str, metric: str) -> float | None:
        """Return the mean or the percentile of a column over the deliveries of a run; None without deliveries."""
        if (run, metric) not in self._values:
            column, percent = PERCENTILES.get(metric, (metric, None))
            rows = self.store.rows(run, "deliveries")
            try:
                values = rows.read(column)[column].to_numpy()
            except (pa.ArrowException, KeyError):
                raise UserError(f"{rows.path}: damaged; delete it and start the sweep again") from None
            if not len(values):
                self._values[run, metric] = None
            elif percent is None:
                self._values[run, metric] = float(values.mean())
            else:
                self._values[run, metric] = float(np.percentile(values, percent, method="inverted_cdf"))
        return self._values[run, metric]


def relative_width(values: Sequence[float], share: float) -> float:
    """Return half of the interval of a mean, divided by the wanted half. It is infinite if all values are zero: how
    often a rare event occurs is not known then. Without two values it is 0, since further runs would fail, too.
    """
    if len(values) < 2:
        return 0.0
    found = interval_of_mean(values)
    return _ratio(found.half_width, share * abs(found.mean))


def relative_width_of_difference(pairs: Sequence[tuple[float, float]], share: float) -> float:
    """Return half of the interval of a paired difference, divided by the wanted share of the mean of the second."""
    if len(pairs) < 2:
        return 0.0
    ones, others = zip(*pairs, strict=True)
    found = interval_of_difference(ones, others)
    return _ratio(found.half_width, share * abs(sum(others) / len(others)))


def _ratio(half: float | None, wanted: float) -> float:
    if half is None or (half and not wanted):
        return inf
    return half / wanted if half else 0.0


def replications_needed(wanted: Replications, level: int, widths: Sequence[float]) -> int:
    """Return `level` if the intervals are narrow enough or the limit is reached, else the level of the next step.

    `level`: a number of replications. `widths`: the widths of the intervals, divided by the wanted ones. The result
    depends only on them. So a sweep that is continued later takes the same steps.
    """
    widest = max(widths, default=0.0)
    if level >= wanted.at_most or widest <= 1:
        return level
    return min(wanted.at_most, max(level + 1, ceil(min(GROWTH, widest**2) * level)))

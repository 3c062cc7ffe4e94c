"""The estimates of a summary: runs -> observations -> estimates.

An observation is of one run, an estimate of a group: all runs of one protocol at one point. Spark tasks compute both
(`analysis.summary.spark_job`); for a few small runs, this process does, without Java.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Protocol, TypeAlias

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.statistics.initial_transient import transient_share
from mobilesim.analysis.statistics.percentiles import PERCENTS, quantiles
from mobilesim.analysis.summary.metrics import CHECK, DELIVERIES, FAILED, TRANSIENT_METRICS
from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.summary.run_metrics import TIMES, Observation, observe
from mobilesim.errors import counted
from mobilesim.results.quantities import MARGIN, RUN_PERCENTILES
from mobilesim.statistics.intervals import interval_of_mean

Observer: TypeAlias = Callable[[Run], list[Observation]]
"""A function that computes the observations of a run; it raises a UserError if the run cannot be read."""

Progress: TypeAlias = Callable[[str], None]

EstimatesByProtocol: TypeAlias = dict[str, dict[str, Estimate]]
"""Estimates by protocol and metric."""

EstimatesByPoint: TypeAlias = dict[str, EstimatesByProtocol]

Rows: TypeAlias = list[tuple[Run, Observation]]


class Estimator(Protocol):
    """Returns the estimates of runs by their points."""

    def __call__(
        self, runs: Sequence[Run], progress: Progress, observer: Observer = observe, /
    ) -> EstimatesByPoint: ...


def estimates_here(runs: Sequence[Run], progress: Progress, observer: Observer = observe) -> EstimatesByPoint:
    """Return the estimates of a few runs, computed in this process. This function is an Estimator."""
    by_point: EstimatesByPoint = {}
    for (point, protocol), group in groupby(sorted(runs, key=_group), key=_group):
        members = list(group)
        progress(f"summarizing {counted(len(members), 'run')} of {protocol}…")
        by_point.setdefault(point, {})[protocol] = pooled([(run, observer(run)) for run in members])
    return by_point


def _group(run: Run) -> tuple[str, str]:
    return run.point, run.protocol


def pooled(group: Iterable[tuple[Run, list[Observation]]]) -> dict[str, Estimate]:
    """Return the estimates of a group by metric."""
    ordered = sorted(group, key=lambda each: each[0].replication)
    return {estimate.metric: estimate for estimate in _pooled(ordered)}


def _pooled(group: Sequence[tuple[Run, list[Observation]]]) -> Iterator[Estimate]:
    """Yield an estimate per metric."""
    by_metric: defaultdict[str, Rows] = defaultdict(list)
    for run, observations in group:
        for observation in observations:
            by_metric[observation.metric].append((run, observation))
    if FAILED in by_metric:
        yield _notes(FAILED, by_metric[FAILED])
        return
    # An interrupted run covers a shorter period. It counts only if no run is complete.
    counted = [run for run, _ in group if run.complete] or [run for run, _ in group]
    names = {run.run_id for run in counted}
    for metric, rows in by_metric.items():
        if metric in {CHECK, DELIVERIES}:
            yield _notes(metric, rows)
        else:
            yield _estimate(metric, [row for row in rows if row[0].run_id in names], counted)


def _notes(metric: str, rows: Rows) -> Estimate:
    first = next((observation.note for _, observation in rows if observation.note), None)
    return Estimate(metric, sum(observation.count for _, observation in rows), note=first)


def _estimate(metric: str, rows: Rows, runs: Sequence[Run]) -> Estimate:
    seen = [(run, each) for run, each in rows if each.mean is not None]
    count = sum(observation.count for _, observation in rows)
    if not seen:
        return Estimate(metric, count)
    replications = tuple(run.replication for run, _ in seen)
    means = tuple(float(each.mean or 0) for _, each in seen)
    found = interval_of_mean(means)
    percentiles = zip(*(each.percentiles for _, each in seen), strict=True)
    batches = [each.batches for _, each in seen]
    transient = transient_share(batches, MARGIN) if metric in TRANSIENT_METRICS and all(batches) else 0.0
    exact: tuple[int, ...] = ()
    if (column := TIMES.get(metric)) is not None:
        exact = quantiles(lambda: (piece for run in runs for piece in column(run)), count)
    return Estimate(
        metric,
        count,
        found.mean,
        found.low,
        found.high,
        found.method,
        replications,
        means,
        exact[: len(PERCENTS)],
        tail=exact[len(PERCENTS) :],
        transient=transient,
        run_percentiles=dict(zip(RUN_PERCENTILES, percentiles, strict=False)),
    )

"""Pool the runs of a protocol in a Spark task: means with intervals, percentiles over all rows."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import Final, TypeAlias

from analysis.statistics.estimate import Estimate
from analysis.statistics.percentiles import percentiles
from analysis.summary.metrics import CHECK, DELIVERIES, FAILED, HANDOFF_KINDS
from analysis.summary.results_reader import Run
from analysis.summary.run_metrics import Column, Observation, delays, handoff_times
from mobilesim.statistics.intervals import half_width

Rows: TypeAlias = list[tuple[Run, Observation]]

_COLUMNS: Final[dict[str, Callable[[Run], Iterator[Column]]]] = {
    "delay": delays,
    **{f"{kind}.time": partial(handoff_times, kind=kind) for kind in HANDOFF_KINDS},
}


def pool(group: Sequence[tuple[Run, list[Observation]]]) -> Iterator[Estimate]:
    """Yield an estimate per metric. Runs are the observations of a mean; a single run has its batches instead."""
    by_metric: defaultdict[str, Rows] = defaultdict(list)
    for run, observations in group:
        for observation in observations:
            by_metric[observation.metric].append((run, observation))
    if FAILED in by_metric:
        yield _notes(FAILED, by_metric[FAILED])
        return
    # An interrupted run covers a different period.
    counted = [run for run, _ in group if run.complete] or [run for run, _ in group]
    for metric, rows in by_metric.items():
        if metric in {CHECK, DELIVERIES}:
            yield _notes(metric, rows)
        else:
            yield _estimate(metric, [row for row in rows if row[0] in counted], counted)


def _notes(metric: str, rows: Rows) -> Estimate:
    first = next((observation.note for _, observation in rows if observation.note), None)
    return Estimate(metric, sum(observation.count for _, observation in rows), note=first)


def _estimate(metric: str, rows: Rows, runs: Sequence[Run]) -> Estimate:
    seen = [(run, float(each.mean), each.batches) for run, each in rows if each.mean is not None]
    count = sum(observation.count for _, observation in rows)
    if not seen:
        return Estimate(metric, count)
    replications, means = tuple(run.replication for run, _, _ in seen), tuple(mean for _, mean, _ in seen)
    mean = fmean(means)
    sample, source = (means, "replications") if len(means) > 1 else (seen[0][2], "batches")
    half = half_width(sample) if len(sample) > 1 else None
    low, high, source = (None, None, "none") if half is None else (mean - half, mean + half, source)
    return Estimate(metric, count, mean, low, high, source, replications, means, _percentiles(metric, runs, count))


def _percentiles(metric: str, runs: Sequence[Run], count: int) -> tuple[int, ...]:
    if metric not in _COLUMNS:
        return ()
    return percentiles(lambda: (piece for run in runs for piece in _COLUMNS[metric](run)), count)

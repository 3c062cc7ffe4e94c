"""The entry points of analysis: summarize the runs of a scenario, or of all points of a sweep."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from mobilesim.analysis.report import run_page, sweep_page
from mobilesim.analysis.summary.model import Summary, assemble
from mobilesim.analysis.summary.pooling import EstimatesByPoint, Estimator, Observer, estimates_here
from mobilesim.analysis.summary.publish import staged_directory, write_tables, write_text
from mobilesim.analysis.summary.results_reader import Run, read_results
from mobilesim.analysis.summary.run_metrics import observe
from mobilesim.analysis.summary.tables import tables
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.analysis.sweeps.designs.indices import metric_indices
from mobilesim.analysis.sweeps.divergence import Divergence, Divergences, first_divergence
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.reader import SweepRuns, observe_checked, read_sweep
from mobilesim.analysis.sweeps.tables import tables as sweep_tables
from mobilesim.analysis.sweeps.variants import Comparison, ComparisonKey, at_base, comparisons
from mobilesim.errors import UserError, counted
from mobilesim.results.layout import REPORT, SUMMARY
from mobilesim.results.location import Location
from mobilesim.results.sweeps.design_record import GRID

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

S = TypeVar("S", Summary, SweepSummary)


def spark_estimator(directory: Location, master: str | None = None) -> Estimator:
    """Return an estimator that starts a Spark session for each call."""

    def estimates(
        runs: Sequence[Run], progress: Callable[[str], None], observer: Observer = observe
    ) -> EstimatesByPoint:
        from mobilesim.analysis.spark.session import session
        from mobilesim.analysis.summary.spark_job import estimates_in_spark

        with session(master, progress=progress) as spark:
            return estimates_in_spark(spark, directory, runs, progress, observer)

    return estimates


@contextmanager
def early_spark_estimator(directory: Location, master: str | None = None) -> Iterator[Estimator]:
    """Start Spark in a thread, while other work goes on, and yield an estimator that uses this Spark session."""
    from mobilesim.analysis.spark.early_session import early_session
    from mobilesim.analysis.summary.spark_job import estimates_in_spark

    with early_session(master) as started:
        yield lambda runs, progress, observer=observe: estimates_in_spark(
            started(progress), directory, runs, progress, observer
        )


def summarize_run(
    directory: Location,
    master: str | None = None,
    *,
    estimator: Estimator | None = None,
    report: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    page: Callable[[Summary], str] = run_page.page,
    name: str = REPORT,
) -> Summary:
    """Summarize a results directory into its `summary/`, and into a page if `report` is set. Without an `estimator`,
    Spark computes the estimates.
    """
    results = read_results(directory)
    with staged_directory(directory / SUMMARY) as stage:
        progress(f"summarizing {counted(len(results.runs), 'run')}…")
        estimate = estimator or spark_estimator(directory, master)
        (estimates,) = estimate(results.runs, progress).values()
        summary = assemble(results, estimates)
        write_tables(stage, tables(summary))
    return _with_report(summary, page, progress, name) if report else summary


def summarize_sweep(
    directory: Location,
    master: str | None = None,
    *,
    report: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    page: Callable[[SweepSummary], str] = sweep_page.page,
    name: str = REPORT,
    events: bool = True,
    from_tables: bool = False,
) -> SweepSummary:
    """Summarize the complete runs of a sweep by point into its `summary/`, and into a page if `report` is set.

    `events`: whether to look for the first events in which variants differ. `from_tables`: do not use the numbers in
    manifests, but compute them again.
    """
    sweep = read_sweep(directory, from_tables=from_tables)
    with staged_directory(directory / SUMMARY) as stage:
        summary = _summary_of(sweep, master, progress, events=events)
        write_tables(stage, sweep_tables(summary))
    return _with_report(summary, page, progress, name) if report else summary


def sweep_summary(
    directory: Location, master: str | None = None, progress: Callable[[str], None] = lambda _: None
) -> SweepSummary:
    """Return the summary of the complete runs of a sweep by point, and write nothing."""
    return _summary_of(read_sweep(directory), master, progress)


def _summary_of(
    sweep: SweepRuns, master: str | None, progress: Callable[[str], None], *, events: bool = True
) -> SweepSummary:
    runs = sweep.runs
    with ExitStack() as stack:
        started = _session_when_needed(stack, master, progress)
        progress(f"summarizing {counted(len(runs), 'run')} at {counted(len(sweep.points), 'point')}…")
        if all(run.is_reduced for run in runs):
            estimated = estimates_here(runs, lambda _: None, observe_checked)
        else:
            from mobilesim.analysis.summary.spark_job import estimates_in_spark

            estimated = estimates_in_spark(started(), sweep.directory, runs, progress, observe_checked)
        points = [
            (point, assemble(results, estimated.get(results.runs[0].point, {})))
            for point, results in sweep.points.items()
        ]
        compared = list(comparisons(sweep.keys, points)) if events else []
        divergences = find_divergences(started(), sweep, compared, progress) if compared else {}
    record = sweep.design
    design = None if record is None or record.kind == GRID else record
    refine = None if record is None else record.refine
    indices = metric_indices(design, points)
    found = (sweep.directory, sweep.keys, tuple(points), sweep.failures)
    return SweepSummary(*found, divergences=divergences, design=design, refine=refine, indices=indices)


def _session_when_needed(
    stack: ExitStack, master: str | None, progress: Callable[[str], None]
) -> "Callable[[], SparkSession]":
    """Return a function that starts a Spark session when it is called first. A wrong master is refused at once."""
    from mobilesim.analysis.spark.session import check_master, session

    if master is not None:
        check_master(master)
    return cache(lambda: stack.enter_context(session(master, progress=progress)))


def _with_report(summary: S, page: Callable[[S], str], progress: Callable[[str], None], name: str) -> S:
    """Write the report and return the summary with its location."""
    progress("drawing the report…")
    reported = replace(summary, report=summary.directory / name)
    write_text(summary.directory / name, page(reported))
    return reported


@dataclass(frozen=True, slots=True)
class _Pair:
    """The runs of one replication of a comparison."""

    key: ComparisonKey
    left: Run
    right: Run


def find_divergences(
    spark: "SparkSession", sweep: SweepRuns, comparisons: Sequence[Comparison], progress: Callable[[str], None]
) -> dict[ComparisonKey, Divergences]:
    """Return the divergences of each comparison. This reads the tables with events of both runs of each replication."""
    from mobilesim.analysis.spark.distribute import LostJob, distribute

    pairs = [pair for comparison in comparisons for pair in _pairs(sweep, comparison)]
    by_key: dict[ComparisonKey, dict[int, Divergence | None]] = {pair.key: {} for pair in pairs}
    for count, result in enumerate(distribute(spark, pairs, _first_divergence, kind=lambda pair: pair.key), 1):
        if isinstance(result, LostJob):
            raise UserError(f"{sweep.directory}: two runs could not be compared: {result.reason}")
        pair, found = result
        by_key[pair.key][pair.left.replication] = found
        progress(f"looking for first differing events: {count} of {len(pairs)} pairs of runs")
    return {key: Divergences(dict(sorted(several.items()))) for key, several in by_key.items()}


def _first_divergence(pair: _Pair) -> tuple[_Pair, Divergence | None]:
    return pair, first_divergence(pair.left, pair.right)


def _pairs(sweep: SweepRuns, comparison: Comparison) -> Iterator[_Pair]:
    left = _runs(sweep, comparison.point, comparison.left.name)
    right = _runs(sweep, at_base(comparison.keys, comparison.point), comparison.right.name)
    return (_Pair(comparison.key, left[number], right[number]) for number in sorted(left.keys() & right.keys()))


def _runs(sweep: SweepRuns, point: Settings, protocol: str) -> dict[int, Run]:
    return {run.replication: run for run in sweep.points[point].runs if run.protocol == protocol}

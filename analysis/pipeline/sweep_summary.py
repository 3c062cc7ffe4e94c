"""The one call behind the end of `mobilesim sweep`, and behind `mobilesim summarize` on what it has written."""

from collections.abc import Callable

from analysis.report.sweep_page import page
from analysis.spark.session import session
from analysis.summary.assemble import assemble
from analysis.summary.publish import staged_directory, with_report, write_tables
from analysis.summary.spark_job import estimates_of_points
from analysis.sweeps.divergence_job import find_divergences
from analysis.sweeps.model import SweepSummary
from analysis.sweeps.reader import is_sweep, observe_checked, read_sweep
from analysis.sweeps.tables import tables
from analysis.sweeps.variants import comparisons
from mobilesim.results.layout import REPORT, SUMMARY
from mobilesim.results.location import Location

__all__ = ["SweepSummary", "is_sweep", "summarise"]


def summarise(
    directory: Location,
    master: str | None = None,
    *,
    report: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    page: Callable[[SweepSummary], str] = page,
    name: str = REPORT,
) -> SweepSummary:
    """Summarise all runs of a sweep that are complete, point by point, into its own `summary/` and `report.html`."""
    found = read_sweep(directory)
    runs = found.runs
    with staged_directory(directory / SUMMARY) as stage:
        with session(master, progress=progress) as spark:
            progress(f"summarising {len(runs):,} runs at {len(found.points):,} points…")
            estimated = estimates_of_points(spark, directory, runs, progress, observe_checked)
            points = [
                (point, assemble(results, estimated.get(results.runs[0].point, {})))
                for point, results in found.points.items()
            ]
            parted = find_divergences(spark, found, list(comparisons(found.keys, points)), progress)
        summary = SweepSummary(directory, found.keys, tuple(points), found.failures, partings=parted)
        write_tables(stage, tables(summary.keys, summary.points, summary.failures))
    return with_report(summary, page, progress, name) if report else summary

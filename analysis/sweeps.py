"""The one call behind the end of `mobilesim sweep`, and behind `mobilesim summarize` on what it has written."""

from collections.abc import Callable

from analysis.assemble import assemble
from analysis.histories import partings
from analysis.report.sweep import page
from analysis.session import session
from analysis.summary import estimates_of_points
from analysis.sweep_model import SweepSummary
from analysis.sweep_read import is_sweep, observe_checked, sweep
from analysis.sweep_tidy import tables
from analysis.variants import comparisons
from analysis.write import illustrated, staged, write_tables
from mobilesim.folder import Location
from mobilesim.tables import REPORT, SUMMARY

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
    found = sweep(directory)
    runs = found.runs
    with staged(directory / SUMMARY) as stage:
        with session(master, progress=progress) as spark:
            progress(f"summarising {len(runs):,} runs at {len(found.points):,} points…")
            estimated = estimates_of_points(spark, directory, runs, progress, observe_checked)
            points = [
                (point, assemble(results, estimated.get(results.runs[0].point, {})))
                for point, results in found.points.items()
            ]
            parted = partings(spark, found, list(comparisons(found.keys, points)), progress)
        summary = SweepSummary(directory, found.keys, tuple(points), found.failures, partings=parted)
        write_tables(stage, tables(summary.keys, summary.points, summary.failures))
    return illustrated(summary, page, progress, name) if report else summary

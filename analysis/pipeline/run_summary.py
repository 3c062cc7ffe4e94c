"""The one call behind `mobilesim summarize` and the end of `mobilesim run`."""

from collections.abc import Callable

from analysis.report.run_page import page
from analysis.spark.session import session
from analysis.summary.assemble import assemble
from analysis.summary.model import Summary
from analysis.summary.publish import staged_directory, with_report, write_tables
from analysis.summary.results_reader import read_results
from analysis.summary.spark_job import estimates
from analysis.summary.tables import tables
from mobilesim.results.layout import REPORT, SUMMARY
from mobilesim.results.location import Location


def summarise(
    directory: Location,
    master: str | None = None,
    *,
    report: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    page: Callable[[Summary], str] = page,
    name: str = REPORT,
) -> Summary:
    """Summarise a results directory into its own `summary/` and a page, `report.html`."""
    found = read_results(directory)
    with staged_directory(directory / SUMMARY) as stage:
        with session(master, progress=progress) as spark:
            progress(f"summarising {len(found.runs)} runs…")
            estimated = estimates(spark, found, progress)
        summary = assemble(found, estimated)
        write_tables(stage, tables(summary))
    return with_report(summary, page, progress, name) if report else summary

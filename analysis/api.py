"""The one call behind `mobilesim summarize` and the end of `mobilesim run`."""

from collections.abc import Callable

from analysis.assemble import assemble
from analysis.model import Summary
from analysis.read import results
from analysis.report.page import page
from analysis.session import session
from analysis.summary import estimates
from analysis.tidy import tables
from analysis.write import illustrated, staged, write_tables
from mobilesim.folder import Location
from mobilesim.tables import REPORT, SUMMARY


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
    found = results(directory)
    with staged(directory / SUMMARY) as stage:
        with session(master, progress=progress) as spark:
            progress(f"summarising {len(found.runs)} runs…")
            estimated = estimates(spark, found, progress)
        summary = assemble(found, estimated)
        write_tables(stage, tables(summary))
    return illustrated(summary, page, progress, name) if report else summary

"""Verify a results directory in Spark: one task per run, and the totals over all runs."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pyspark import RDD
from pyspark.sql import SparkSession

from mobilesim.analysis.spark.jobs import collect
from mobilesim.analysis.spark.session import session
from mobilesim.analysis.summary.results_reader import Run, read_results
from mobilesim.analysis.sweeps.reader import is_sweep, read_sweep
from mobilesim.analysis.verify.checks import CHECKS, MAX_EXAMPLES, CheckResult, CheckTotal, RunChecks, Verification
from mobilesim.analysis.verify.verify_run import verify_run
from mobilesim.errors import UserError, counted
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location
from mobilesim.results.statuses import RunStatus

Rows = tuple[Mapping[str, Any], ...]
"""The rows of `runs`."""


def verify(
    directory: Location,
    master: str | None = None,
    *,
    memory: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Verification:
    """Check the tables of a run or a sweep. `memory`: the limit for the Spark driver, such as `2g`."""
    if memory is not None and not re.fullmatch(r"[1-9]\d*[kmgt]", memory, re.IGNORECASE):
        raise UserError(f"--driver-memory {memory}: not a size; write 512m or 2g")
    runs, rows, left_out = _runs(directory)
    with session(master, "mobilesim verify-results", memory=memory, progress=progress) as spark:
        progress(f"verifying {counted(len(runs), 'run')}…")
        checked = list(_checked(spark, directory, runs, rows, progress))
    deliveries = sum(row["deliveries"] for row in rows)
    totals = tuple(_total(name, [checks.results[name] for checks in checked]) for name in CHECKS)
    return Verification(directory, len(runs), deliveries, str(rows[0]["version"]), left_out, totals)


def _runs(directory: Location) -> tuple[tuple[Run, ...], Rows, str | None]:
    """Return the runs to verify, their rows, and a text on the runs that are left out: only a sweep has such runs."""
    if not is_sweep(directory):
        found = read_results(directory)
        return found.runs, found.rows, None
    swept = read_sweep(directory)
    rows = tuple(row for point in swept.points.values() for row in point.rows)
    known = {run.run_id for run in swept.runs} | {run.packed.name for run in swept.runs if run.packed is not None}
    files = (path for path in (directory / "runs").iterdir() if path.suffix == ".parquet")
    unknown = sum(1 for path in files if path.stem not in known)
    crashed = sum(failure.kind == RunStatus.FAILED for failure in swept.failures)
    parts = [f"{crashed} failed"] if crashed else []
    parts += [f"{unknown} without a complete manifest"] if unknown else []
    return swept.runs, rows, f"{', '.join(parts)}, according to {directory / MANIFEST}" if parts else None


def _checked(
    spark: SparkSession, directory: Location, runs: tuple[Run, ...], rows: Rows, progress: Callable[[str], None]
) -> Iterator[RunChecks]:
    """Yield the checks of each run. There is one task per run."""

    def tasks() -> RDD[RunChecks | str]:
        return spark.sparkContext.parallelize([*zip(runs, rows, strict=True)], len(runs)).map(
            lambda run_and_row: verify_run(*run_and_row)
        )

    def show(done: int, total: int) -> None:
        progress(f"verifying: {done} of {counted(total, 'run')}")

    for checks in collect(spark, directory, "verify", tasks, show):
        if isinstance(checks, str):
            raise UserError(checks)
        yield checks


def _total(name: str, results: list[CheckResult]) -> CheckTotal:
    examples = [example for result in results for example in result.examples]
    notes = tuple(note for result in results for note in result.notes)
    checked, faults = sum(result.checked for result in results), sum(result.faults for result in results)
    return CheckTotal(name, checked, CHECKS[name], faults, tuple(examples[:MAX_EXAMPLES]), notes)

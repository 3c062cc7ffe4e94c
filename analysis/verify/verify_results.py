"""Verify a results directory: few small runs in this process, others in Spark, and the totals over all runs."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mobilesim.analysis.summary.results_reader import Run, read_results
from mobilesim.analysis.sweeps.reader import is_sweep, read_sweep
from mobilesim.analysis.verify.checks import (
    CHECKS,
    MAX_EXAMPLES,
    CheckResult,
    CheckTotal,
    Note,
    RunAndRow,
    RunChecks,
    Verification,
)
from mobilesim.analysis.verify.cross_checks.agreement import check_agreement
from mobilesim.analysis.verify.verify_run import verify_run
from mobilesim.errors import UserError, counted, parameter
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location
from mobilesim.results.statuses import RunStatus

# Verifying this much takes about as long as the start of Spark: 40 ms for a run, and 2 s for a million deliveries.
MAX_RUNS_HERE: Final = 50
MAX_DELIVERIES_HERE: Final = 1_000_000


def verify(
    directory: Location,
    master: str | None = None,
    *,
    memory: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Verification:
    """Check the tables of a run or a sweep. `memory`: the limit for the Spark driver, such as `2g`."""
    if memory is not None and not re.fullmatch(r"[1-9]\d*[kmgt]", memory, re.IGNORECASE):
        raise UserError(f"{parameter('driver_memory', memory)}: not a size; write 512m or 2g")
    runs, rows, left_out = _runs(directory)
    pairs = [*zip(runs, rows, strict=True)]
    if master is None and memory is None and _is_small(pairs):
        progress(f"verifying {counted(len(pairs), 'run')}…")
        found = [verify_run(run, row) for run, row in pairs]
    else:
        from mobilesim.analysis.verify.spark_job import verified_in_spark

        found = [*verified_in_spark(directory, pairs, progress, master=master, memory=memory)]
    checked = [_required(each) for each in found]
    check_agreement(checked)
    deliveries = sum(row["deliveries"] for row in rows)
    totals = tuple(_total(name, [checks.results[name] for checks in checked]) for name in CHECKS)
    return Verification(directory, len(runs), deliveries, str(rows[0]["version"]), left_out, totals)


def _runs(directory: Location) -> tuple[tuple[Run, ...], tuple[Mapping[str, Any], ...], str | None]:
    """Return the runs to verify, their rows, and a text on the runs that are left out: only a sweep has such runs."""
    if not is_sweep(directory):
        found = read_results(directory)
        return found.runs, found.rows, None
    swept = read_sweep(directory, from_tables=True)
    rows = tuple(row for point in swept.points.values() for row in point.rows)
    known = {run.run_id for run in swept.runs} | {run.packed.name for run in swept.runs if run.packed is not None}
    files = (path for path in (directory / "runs").iterdir() if path.suffix == ".parquet")
    unknown = sum(1 for path in files if path.stem not in known)
    crashed = sum(failure.kind == RunStatus.FAILED for failure in swept.failures)
    parts = [f"{crashed} failed"] if crashed else []
    parts += [f"{unknown} without a complete manifest"] if unknown else []
    return swept.runs, rows, f"{', '.join(parts)}, according to {directory / MANIFEST}" if parts else None


def _is_small(runs: Sequence[RunAndRow]) -> bool:
    return len(runs) <= MAX_RUNS_HERE and sum(row["deliveries"] for _, row in runs) <= MAX_DELIVERIES_HERE


def _required(checks: RunChecks | str) -> RunChecks:
    if isinstance(checks, str):
        raise UserError(checks)
    return checks


def _total(name: str, results: list[CheckResult]) -> CheckTotal:
    examples = [example for result in results for example in result.examples]
    notes = tuple(_notes(note for result in results for note in result.notes))
    checked, faults = sum(result.checked for result in results), sum(result.faults for result in results)
    return CheckTotal(name, checked, CHECKS[name], faults, tuple(examples[:MAX_EXAMPLES]), notes)


def _notes(notes: Iterable[Note]) -> Iterator[str]:
    """Yield the text of each note; notes with deliveries are counted over all runs with the same text."""
    deliveries: defaultdict[str, list[int]] = defaultdict(list)
    for note in notes:
        deliveries[note.text].append(note.deliveries)
    for text, counts in deliveries.items():
        total = sum(counts)
        yield f"{text} {counted(total, 'delivery')} in {counted(len(counts), 'run')}" if total else text

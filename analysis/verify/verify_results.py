"""Verify a results directory in Spark: one task per run, and the totals over all runs."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import inline
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type

from analysis.spark.session import session
from analysis.spark.wait import collect_rows
from analysis.summary.pooling import as_array
from analysis.summary.results_reader import Run, read_results
from analysis.sweeps.reader import CRASHED, is_sweep, read_sweep
from analysis.verify.checks import CHECKS, MAX_EXAMPLES, CheckTotal, Verification
from analysis.verify.verify_run import verify_run
from mobilesim.errors import UserError
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location

# One row per run and check, or one row with the reason why a run cannot be read.
RESULT_ROWS: Final = pa.schema(
    [
        pa.field("run", pa.int32()),
        pa.field("check", pa.string()),
        pa.field("checked", pa.int64()),
        pa.field("faults", pa.int64()),
        pa.field("examples", pa.list_(pa.string())),
        pa.field("notes", pa.list_(pa.string())),
    ]
)

_UNREADABLE: Final = "unreadable"
_MEMORY: Final = re.compile(r"[1-9]\d*[kmgt]", re.IGNORECASE)

# The stubs of arrow_udf require a function type, but passing one makes it warn that annotations are preferred.
_vectorised: Callable[..., Callable[..., Column]] = arrow_udf


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
    if memory is not None and not _MEMORY.fullmatch(memory):
        raise UserError(f"--driver-memory {memory}: not a size; write 512m or 2g")
    runs, rows, left_out = _runs(directory)
    with session(master, "mobilesim verify-results", memory=memory, progress=progress) as spark:
        progress(f"verifying {len(runs)} runs…")
        results = _results(spark, directory, runs, rows, partial(_progress, progress))
    deliveries = sum(row["deliveries"] for row in rows)
    totals = tuple(_total(name, [row for row in results if row["check"] == name]) for name in CHECKS)
    return Verification(directory, len(runs), deliveries, str(rows[0]["version"]), left_out, totals)


def _runs(directory: Location) -> tuple[tuple[Run, ...], Rows, str | None]:
    """Return the runs to verify, their rows, and what is left out. In a sweep, manifests name the complete runs."""
    if not is_sweep(directory):
        found = read_results(directory)
        return found.runs, found.rows, None
    swept = read_sweep(directory)
    rows = tuple(row for point in swept.points.values() for row in point.rows)
    known = {run.run_id for run in swept.runs} | {run.packed.name for run in swept.runs if run.packed is not None}
    files = (path for path in (directory / "runs").iterdir() if path.suffix == ".parquet")
    unknown = sum(1 for path in files if path.stem not in known)
    crashed = sum(failure.kind == CRASHED for failure in swept.failures)
    parts = [f"{crashed} failed"] if crashed else []
    parts += [f"{unknown} without a complete manifest"] if unknown else []
    return swept.runs, rows, f"{', '.join(parts)}, according to {directory / MANIFEST}" if parts else None


def _progress(progress: Callable[[str], None], line: str) -> None:
    progress(line.replace("summarizing", "verifying").replace("tasks", "runs"))


def _results(
    spark: SparkSession, directory: Location, runs: tuple[Run, ...], rows: Rows, progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    table = collect_rows(spark, directory, "verify", lambda: _tasks(spark, runs, rows), progress)
    found = sorted(table, key=lambda row: int(row["run"]))
    for row in found:
        if row["check"] == _UNREADABLE:
            raise UserError(str(row["notes"][0]))
    return found


def _tasks(spark: SparkSession, runs: tuple[Run, ...], rows: Rows) -> DataFrame:
    """Return a frame with one task per run. The runs are broadcast, so that each worker receives them once."""
    shared = spark.sparkContext.broadcast((runs, rows))

    def checked(indices: pa.Array) -> pa.Array:
        runs, rows = shared.value
        return as_array((_result_rows(index, runs[index], rows[index]) for index in indices.to_pylist()), RESULT_ROWS)

    kind = from_arrow_type(pa.list_(pa.struct(list(RESULT_ROWS))))
    return spark.range(0, len(runs), 1, len(runs)).select(inline(_vectorised(checked, kind)("id")))


def _result_rows(index: int, run: Run, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    checks = verify_run(run, row)
    if isinstance(checks, str):
        nothing: dict[str, Any] = {"checked": 0, "faults": 0, "examples": []}
        return [{"run": index, "check": _UNREADABLE, **nothing, "notes": [checks]}]
    return [{"run": index, "check": check, **asdict(result)} for check, result in checks.results.items()]


def _total(name: str, rows: list[dict[str, Any]]) -> CheckTotal:
    examples = [example for row in rows for example in row["examples"]]
    notes = tuple(note for row in rows for note in row["notes"])
    checked, faults = (sum(row[count] for row in rows) for count in ("checked", "faults"))
    return CheckTotal(name, CHECKS[name], checked, faults, tuple(examples[:MAX_EXAMPLES]), notes)

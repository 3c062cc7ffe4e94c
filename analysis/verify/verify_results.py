"""The one call behind `mobilesim verify-results`: a task for every run, and what they found put together."""

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
from analysis.spark.wait import collected
from analysis.summary.pooling import as_array
from analysis.summary.results_reader import Results, Run, results
from analysis.sweeps.reader import CRASHED, is_sweep, sweep
from analysis.verify.findings import CHECKS, FIRST
from analysis.verify.model import Check, Verification
from analysis.verify.verify_run import verified
from mobilesim.errors import UserError
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location

# One row per run and check, or one that says why a run cannot be read.
FOUND: Final = pa.schema(
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

# Its stubs ask for a function type, and when it gets one it warns that it prefers to go by annotations.
_vectorised: Callable[..., Callable[..., Column]] = arrow_udf


def verify(
    directory: Location,
    master: str | None = None,
    *,
    memory: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Verification:
    """Check what a run or a sweep has written; `memory` is what Spark's driver may take, as `2g`."""
    if memory is not None and not _MEMORY.fullmatch(memory):
        raise UserError(f"--driver-memory {memory}: not a size; write 512m or 2g")
    runs, rows, left_out = _counted(directory)
    with session(master, "mobilesim verify-results", memory=memory, progress=progress) as spark:
        progress(f"verifying {len(runs)} runs…")
        found = _found(spark, directory, runs, rows, partial(_told, progress))
    deliveries = sum(row["deliveries"] for row in rows)
    return Verification(directory, len(runs), deliveries, str(rows[0]["version"]), left_out, _together(found))


def _counted(directory: Location) -> tuple[tuple[Run, ...], tuple[Mapping[str, Any], ...], str | None]:
    """The runs that count. In a sweep its manifests say which do."""
    if not is_sweep(directory):
        found = results(directory)
        return found.runs, found.rows, None
    swept = sweep(directory)
    points: list[Results] = list(swept.points.values())
    rows = tuple(row for point in points for row in point.rows)
    known = {run.run_id for run in swept.runs} | {run.packed.name for run in swept.runs if run.packed is not None}
    there = (path for path in (directory / "runs").iterdir() if path.suffix == ".parquet")
    strange = sum(1 for path in there if path.stem not in known)
    crashed = sum(each.kind == CRASHED for each in swept.failures)
    parts = [f"{crashed} failed"] if crashed else []
    parts += [f"{strange} without a complete manifest"] if strange else []
    return swept.runs, rows, f"{', '.join(parts)}, as {directory / MANIFEST} tells" if parts else None


def _told(progress: Callable[[str], None], line: str) -> None:
    progress(line.replace("summarising", "verifying").replace("tasks", "runs"))


def _found(
    spark: SparkSession,
    directory: Location,
    runs: tuple[Run, ...],
    rows: tuple[Mapping[str, Any], ...],
    progress: Callable[[str], None],
) -> list[dict[str, Any]]:
    table = collected(spark, directory, "verify", lambda: _tasks(spark, runs, rows), progress)
    found = sorted(table, key=lambda row: int(row["run"]))
    for row in found:
        if row["check"] == _UNREADABLE:
            raise UserError(str(row["notes"][0]))
    return found


def _tasks(spark: SparkSession, runs: tuple[Run, ...], rows: tuple[Mapping[str, Any], ...]) -> DataFrame:
    """One task is one run. What a worker is to know of all of them comes to it once, not with every task."""
    shared = spark.sparkContext.broadcast((runs, rows))

    def checked(indices: pa.Array) -> pa.Array:
        runs, rows = shared.value
        return as_array((_rows(index, runs[index], rows[index]) for index in indices.to_pylist()), FOUND)

    kind = from_arrow_type(pa.list_(pa.struct(list(FOUND))))
    return spark.range(0, len(runs), 1, len(runs)).select(inline(_vectorised(checked, kind)("id")))


def _rows(index: int, run: Run, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    findings = verified(run, row)
    if isinstance(findings, str):
        nothing: dict[str, Any] = {"checked": 0, "faults": 0, "examples": []}
        return [{"run": index, "check": _UNREADABLE, **nothing, "notes": [findings]}]
    return [{"run": index, "check": check, **asdict(finding)} for check, finding in findings.of.items()]


def _together(found: list[dict[str, Any]]) -> tuple[Check, ...]:
    return tuple(_check(name, unit, [row for row in found if row["check"] == name]) for name, unit in CHECKS.items())


def _check(name: str, unit: str, rows: list[dict[str, Any]]) -> Check:
    examples = [example for row in rows for example in row["examples"]]
    notes = tuple(note for row in rows for note in row["notes"])
    checked, faults = (sum(row[count] for row in rows) for count in ("checked", "faults"))
    return Check(name, unit, checked, faults, tuple(examples[:FIRST]), notes)

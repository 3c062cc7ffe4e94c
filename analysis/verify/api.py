"""The one call behind `mobilesim verify`: a task for every run, and what they found put together."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import inline
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type

from analysis.pool import as_array
from analysis.read import Results, Run, results
from analysis.session import one_line, session
from analysis.sweep_read import MANIFEST, is_sweep, sweep
from analysis.verify.findings import CHECKS, FIRST
from analysis.verify.model import Check, Verification
from analysis.verify.task import verified
from analysis.watch import watched
from mobilesim.errors import UserError

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
_SUBMIT: Final = "PYSPARK_SUBMIT_ARGS"

# Its stubs ask for a function type, and when it gets one it warns that it prefers to go by annotations.
_vectorised: Callable[..., Callable[..., Column]] = arrow_udf


def verify(
    directory: Path,
    master: str | None = None,
    *,
    memory: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Verification:
    """Check what a run or a sweep has written; `memory` is what Spark's driver may take, as `2g`."""
    if memory is not None and not _MEMORY.fullmatch(memory):
        raise UserError(f"--driver-memory {memory}: not a size; write 512m or 2g")
    runs, rows, left_out = _counted(directory)
    version = _one_version(directory, rows)
    progress("starting Spark…")
    with _submitting(memory), session(master, "mobilesim verify") as spark:
        progress(f"verifying {len(runs)} runs…")
        found = _found(spark, directory, runs, rows, partial(_told, progress))
    deliveries = sum(row["deliveries"] for row in rows)
    return Verification(directory, len(runs), deliveries, version, left_out, _together(found))


def _counted(directory: Path) -> tuple[tuple[Run, ...], tuple[Mapping[str, Any], ...], str | None]:
    """The runs that count. In a sweep its manifests say which do."""
    if not is_sweep(directory):
        found = results(directory)
        return found.runs, found.rows, None
    swept = sweep(directory)
    points: list[Results] = list(swept.points.values())
    rows = tuple(row for point in points for row in point.rows)
    there = sum(1 for path in (directory / "runs").iterdir() if path.suffix == ".parquet")
    parts = [f"{len(swept.failures)} failed"] if swept.failures else []
    parts += [f"{there - len(rows)} without a complete manifest"] if there > len(rows) else []
    return swept.runs, rows, f"{', '.join(parts)}, as {directory / MANIFEST} tells" if parts else None


def _one_version(directory: Path, rows: tuple[Mapping[str, Any], ...]) -> str:
    versions = sorted({str(row["version"]) for row in rows})
    if len(versions) > 1:
        raise UserError(f"{directory}: runs of different versions of mobilesim ({', '.join(versions)}); keep one")
    return versions[0]


@contextmanager
def _submitting(memory: str | None) -> Iterator[None]:
    """How Spark's Java is started: only that takes its memory."""
    before = os.environ.get(_SUBMIT)
    if memory is not None:
        os.environ[_SUBMIT] = f"--driver-memory {memory} {before or 'pyspark-shell'}"
    try:
        yield
    finally:
        if before is not None:
            os.environ[_SUBMIT] = before
        elif memory is not None:
            del os.environ[_SUBMIT]


def _told(progress: Callable[[str], None], line: str) -> None:
    progress(line.replace("summarising", "verifying").replace("tasks", "runs"))


def _found(
    spark: SparkSession,
    directory: Path,
    runs: tuple[Run, ...],
    rows: tuple[Mapping[str, Any], ...],
    progress: Callable[[str], None],
) -> list[dict[str, Any]]:
    try:
        table: pa.Table = watched(spark, lambda: _tasks(spark, runs, rows).toArrow(), progress)
    except PySparkException as error:
        raise UserError(f"{directory}: Spark could not verify this: {one_line(error)}") from None
    found: list[dict[str, Any]] = sorted(table.to_pylist(), key=lambda row: int(row["run"]))
    for row in found:
        if row["check"] == _UNREADABLE:
            raise UserError(str(row["notes"][0]))
    return found


def _tasks(spark: SparkSession, runs: tuple[Run, ...], rows: tuple[Mapping[str, Any], ...]) -> DataFrame:
    """One task is one run."""

    def checked(indices: pa.Array) -> pa.Array:
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

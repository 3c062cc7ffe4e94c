"""Check and read a results directory before Spark starts: the footers of all tables and the rows of `runs`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa

from mobilesim.analysis.summary.reduction import Reduction
from mobilesim.errors import UserError, counted
from mobilesim.results.checksums import DamagedTable
from mobilesim.results.location import Location, address, location, reason, visible_entries
from mobilesim.results.run_table import Rows, TableRows, difference, schema
from mobilesim.results.schema import TABLES
from mobilesim.results.statuses import RunStatus

BATCH_ROWS: Final = 1 << 17

_NONE: Final = MappingProxyType[str, Any]({})


@dataclass(frozen=True, slots=True)
class Packed:
    """The rows of a run in files that several runs share.

    `name`: the name of the files. `groups`: for each table, the first row group of the run and the number of groups.
    """

    name: str
    groups: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A run with the location of its tables, as a value for Spark tasks."""

    directory: str
    run_id: str
    protocol: str
    replication: int
    ended: int
    measured: int
    """The length of the measurement window."""
    complete: bool
    counts: tuple[tuple[str, int], ...]
    """The recorded number of rows: of `deliveries` in `runs` and, in a sweep, of every table in the manifest."""
    point: str = "{}"
    """The point of the run in a sweep, as JSON."""

    packed: Packed | None = None
    reduction: Reduction | None = None
    """The numbers of the run in the manifest of a sweep, if they are of the present version."""

    def rows(self, table: str) -> Rows:
        return rows_of(location(self.directory), table, self.run_id, self.packed)

    def readable(self, table: str) -> TableRows:
        return self.rows(table)

    def count(self, table: str) -> int:
        """Return the number of rows."""
        return len(self.readable(table))

    @property
    def is_reduced(self) -> bool:
        """Whether a summary needs no table of the run."""
        return self.reduction is not None and self.reduction.is_complete

    def path(self, table: str) -> Location:
        return self.rows(table).path

    def read(self, table: str, *columns: str) -> pa.Table:
        """Return the given columns, or all."""
        return self.readable(table).read(*columns)

    def batches(self, table: str, *columns: str) -> Iterator[pa.RecordBatch]:
        """Yield the given columns in batches of bounded length, in the order of the rows."""
        yield from self.readable(table).batches(BATCH_ROWS, *columns)


@dataclass(frozen=True, slots=True)
class Results:
    directory: Location
    runs: tuple[Run, ...]
    rows: tuple[dict[str, Any], ...]
    """The rows of `runs`, in the order of `runs`."""


def read_results(directory: Location) -> Results:
    """Return the runs of a directory; raise for the first missing table or wrong schema."""
    if not directory.is_dir():
        raise UserError(f"{directory}: {'not a directory' if directory.exists() else 'no such directory'}")
    if not (directory / "runs").is_dir():
        raise UserError(f"{directory}: not a results directory: it has no 'runs'; `mobilesim run` writes results")
    names = {table: _files(directory / table) for table in TABLES}
    if not names["runs"]:
        raise UserError(f"{directory / 'runs'}: empty; no run is complete or interrupted")
    if not names["deliveries"]:
        raise UserError(f"{directory / 'deliveries'}: empty; the scenario was run without its trace or its oracle")
    _require_all_tables(directory, names)
    rows = [
        row for name in names["runs"] for row in read_run_rows({name: Rows(directory / "runs" / f"{name}.parquet")})
    ]
    require_one_scenario(directory, rows)
    return as_results(directory, rows)


def _files(folder: Location) -> list[str]:
    """Return the run ids of a table. Hidden files are incomplete and ignored."""
    if not folder.is_dir():
        raise UserError(f"{folder}: this table is missing; run the scenario again")
    found = visible_entries(folder)
    for path in found:
        if path.suffix != ".parquet" or not path.is_file():
            raise UserError(f"{path}: not a file of table '{folder.name}', which holds one RUN.parquet per run")
        check_footer(path, TABLES[folder.name])
    return [path.stem for path in found]


def check_footer(path: Location, expected: pa.Schema) -> None:
    try:
        wrong = difference(schema(path), expected)
    except DamagedTable as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({reason(error)})") from None
    if wrong:
        raise UserError(f"{path}: {wrong}; this version of mobilesim writes other tables: run the scenario again")


def _require_all_tables(directory: Location, names: dict[str, list[str]]) -> None:
    runs = set(names["runs"])
    for table, found in names.items():
        for run in sorted(runs.symmetric_difference(found)):
            fault = f"missing, but run '{run}' is in 'runs'" if run in runs else "belongs to no run in 'runs'"
            raise UserError(f"{directory / table / run}.parquet: {fault}")


def rows_of(directory: Location, table: str, run: str, packed: Packed | None) -> Rows:
    if packed is None:
        return Rows(directory / table / f"{run}.parquet")
    return Rows(directory / table / f"{packed.name}.parquet", packed.groups[tuple(TABLES).index(table)])


def check_groups(rows: Rows) -> None:
    if not rows.exists():
        cause = "has fewer row groups than its manifest says"
        raise UserError(f"{rows.path}: {cause}; delete it and start the sweep again")


def check_counts(run: Run) -> None:
    """Compare the numbers of rows with those that were recorded."""
    for table, expected in run.counts:
        found = run.count(table)
        if found != expected:
            what = f"{counted(found, 'row')} of run '{run.run_id}', expected {expected:,}"
            raise UserError(f"{run.path(table)}: {what}; delete it and run the scenario again")


@contextmanager
def read_errors(run: Run) -> Iterator[None]:
    """Convert each error of reading a run's tables into a UserError of one line."""
    try:
        yield
    except DamagedTable as error:
        raise UserError(str(error)) from None
    except (pa.ArrowException, OSError, MemoryError) as error:
        cause = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"run '{run.run_id}' cannot be read: {cause}") from None


def read_run_rows(rows_by_run: Mapping[str, Rows]) -> Iterator[dict[str, Any]]:
    """Yield the row of each run. All of these runs are in one file, which is read once."""
    (path,) = {where.path for where in rows_by_run.values()}
    try:
        rows: list[dict[str, Any]] = Rows(path).read().to_pylist()
        by_run = {name: [rows[index] for index in where.row_range()] for name, where in rows_by_run.items()}
    except DamagedTable as error:
        raise UserError(str(error)) from None
    except (pa.ArrowException, OSError):
        raise UserError(f"{path}: damaged; delete it and run the scenario again") from None
    for name, found in by_run.items():
        if len(found) != 1:
            raise UserError(f"{path}: {counted(len(found), 'row')}, expected one row of run '{name}'")
        if found[0]["run_id"] != name:
            raise UserError(f"{path}: holds run '{found[0]['run_id']}', expected '{name}'")
        yield found[0]


def as_results(
    directory: Location,
    rows: list[dict[str, Any]],
    packed: Mapping[str, Packed] = _NONE,
    counts: Mapping[str, dict[str, int]] = _NONE,
    reductions: Mapping[str, Reduction] = _NONE,
) -> Results:
    """Return the runs in the order of the scenario's protocols.

    `packed`: the runs that share files. `counts`: by run, the recorded number of rows of each table. `reductions`: by
    run, its numbers in the manifest.
    """
    order: dict[str, int] = {}
    for row in rows:
        order[row["protocol"]] = min(row["protocol_index"], order.get(row["protocol"], row["protocol_index"]))
    rows.sort(key=lambda row: (order[row["protocol"]], row["protocol"], row["replication"]))
    where = address(directory)
    runs = (
        run_of(where, row, packed=packed.get(name), counts=counts.get(name), reduction=reductions.get(name))
        for row in rows
        for name in (row["run_id"],)
    )
    return Results(directory, tuple(runs), tuple(rows))


def require_one_scenario(directory: Location, rows: list[dict[str, Any]]) -> None:
    """Raise for runs of different scenarios or versions, and for repeated runs: they have no common mean."""
    scenarios = sorted({(row["scenario_hash"], row["point"], row["scenario"]) for row in rows})
    if len(scenarios) > 1:
        both = " and ".join(f"{name} {content}" for content, _, name in scenarios[:2])
        raise UserError(f"{directory}: runs of different scenarios ({both}); summarize each one separately")
    versions = sorted({row["version"] for row in rows})
    if len(versions) > 1:
        both = " and ".join(versions[:2])
        raise UserError(f"{directory}: runs of different versions of mobilesim ({both}); run the scenario again")
    ((pair, count),) = Counter((row["protocol"], row["replication"]) for row in rows).most_common(1)
    if count > 1:
        raise UserError(f"{directory}: {count} runs of replication {pair[1]} of '{pair[0]}'; keep one")


def run_of(
    directory: str,
    row: Mapping[str, Any],
    *,
    packed: Packed | None = None,
    counts: Mapping[str, int] | None = None,
    reduction: Reduction | None = None,
    kind: Callable[..., Run] = Run,
) -> Run:
    """Return the run with this row in `runs`."""
    about = {name: row[name] for name in ("run_id", "protocol", "replication", "ended", "point")}
    measured, complete = row["measured_to"] - row["measured_from"], row["status"] == RunStatus.COMPLETE
    rows = tuple({**(counts or {}), "deliveries": row["deliveries"]}.items())
    found = {"measured": measured, "complete": complete, "counts": rows, "packed": packed, "reduction": reduction}
    return kind(directory, **found, **about)

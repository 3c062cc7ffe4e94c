"""A results directory, looked over before Spark is started: footers only, so that a fault is found at once."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.schemas import difference
from mobilesim.errors import UserError
from mobilesim.tables import TABLES

COMPLETE: Final = "complete"


@dataclass(frozen=True, slots=True)
class Run:
    """What a task needs to know of a run to find and judge its tables."""

    directory: str
    run_id: str
    protocol: str
    replication: int
    emulated: int
    complete: bool
    point: str = "{}"
    """Where it stands in a sweep, as `runs` has it."""

    def path(self, table: str) -> Path:
        return Path(self.directory) / table / f"{self.run_id}.parquet"

    def read(self, table: str, *columns: str) -> pa.Table:
        """These columns, or all."""
        return pq.ParquetFile(self.path(table)).read(list(columns) or None, use_threads=False)


@dataclass(frozen=True, slots=True)
class Results:
    directory: Path
    runs: tuple[Run, ...]
    rows: tuple[dict[str, Any], ...]
    """The rows of `runs`, in the order of `runs`."""


def results(directory: Path) -> Results:
    """Every table of every run is there and has the schema it should have, or the first fault is told."""
    if not directory.is_dir():
        raise UserError(f"{directory}: {'not a directory' if directory.exists() else 'no such directory'}")
    if not (directory / "runs").is_dir():
        raise UserError(f"{directory}: no results in here (there is no 'runs' in it); `mobilesim run` writes them")
    names = {table: _files(directory / table) for table in TABLES}
    if not names["runs"]:
        raise UserError(f"{directory / 'runs'}: empty; no run has been finished or interrupted here yet")
    if not names["deliveries"]:
        raise UserError(f"{directory / 'deliveries'}: empty; the scenario was run without its trace or its oracle")
    _complete(directory, names)
    rows = [run_row(directory / "runs" / f"{name}.parquet", name) for name in names["runs"]]
    one_experiment(directory, rows)
    return in_order(directory, rows)


def _files(folder: Path) -> list[str]:
    """The run ids of a table. Hidden files are somebody's work in progress."""
    if not folder.is_dir():
        raise UserError(f"{folder}: this table is missing; run the scenario again")
    found = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for path in found:
        if path.suffix != ".parquet" or not path.is_file():
            raise UserError(f"{path}: not a file of table '{folder.name}', which holds one RUN.parquet per run")
        check_footer(path, TABLES[folder.name])
    return [path.stem for path in found]


def check_footer(path: Path, schema: pa.Schema) -> None:
    try:
        wrong = difference(pq.read_schema(path), schema)
    except pa.ArrowInvalid:
        raise UserError(f"{path}: not a Parquet file, or cut short; delete it and run the scenario again") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror or error})") from None
    if wrong:
        raise UserError(f"{path}: {wrong}")


def _complete(directory: Path, names: dict[str, list[str]]) -> None:
    for table, found in names.items():
        for missing in sorted(set(names["runs"]) - set(found)):
            raise UserError(f"{directory / table / missing}.parquet: missing, but run '{missing}' is in 'runs'")
        for stray in sorted(set(found) - set(names["runs"])):
            raise UserError(f"{directory / table / stray}.parquet: belongs to no run in 'runs'")


def run_row(path: Path, name: str) -> dict[str, Any]:
    try:
        rows: list[dict[str, Any]] = pq.ParquetFile(path).read().to_pylist()
    except (pa.ArrowException, OSError):
        raise UserError(f"{path}: damaged; delete it and run the scenario again") from None
    if len(rows) != 1:
        raise UserError(f"{path}: {len(rows)} rows, expected the one of run '{name}'")
    if rows[0]["run_id"] != name:
        raise UserError(f"{path}: holds run '{rows[0]['run_id']}', expected '{name}'")
    return rows[0]


def in_order(directory: Path, rows: list[dict[str, Any]]) -> Results:
    """As the scenario lists its protocols."""
    places: dict[str, int] = {}
    for row in rows:
        places[row["protocol"]] = min(row["place"], places.get(row["protocol"], row["place"]))
    rows.sort(key=lambda row: (places[row["protocol"]], row["protocol"], row["replication"]))
    return Results(directory, tuple(_run(directory.resolve(), row) for row in rows), tuple(rows))


def one_experiment(directory: Path, rows: list[dict[str, Any]]) -> None:
    """Runs of different scenarios have no common mean."""
    scenarios = sorted({(row["scenario_hash"], row["point"], row["scenario"]) for row in rows})
    if len(scenarios) > 1:
        told = " and ".join(f"{name} {content}" for content, _, name in scenarios[:2])
        raise UserError(f"{directory}: runs of different scenarios ({told}); summarise each by itself")
    ((pair, count),) = Counter((row["protocol"], row["replication"]) for row in rows).most_common(1)
    if count > 1:
        raise UserError(f"{directory}: replication {pair[1]} of '{pair[0]}' is there {count} times; keep one")


def _run(directory: Path, row: dict[str, Any]) -> Run:
    complete = row["status"] == COMPLETE
    name, replication = row["protocol"], row["replication"]
    return Run(str(directory), row["run_id"], name, replication, row["emulated"], complete, row["point"])

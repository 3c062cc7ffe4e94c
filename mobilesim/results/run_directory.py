"""A results directory: who may write into it, and the tables of one run in it."""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError
from mobilesim.results.layout import MANIFEST, PARETO, REPORT, SCENARIO, SUMMARY
from mobilesim.results.location import Location, move_into_place, reason, staging_directory, write
from mobilesim.results.parquet_writer import Columns, Constants, Numbers, ParquetFile, Table, write_columns, write_rows
from mobilesim.results.schema import TABLES

FILES: Final = (REPORT, PARETO, SCENARIO)
DEFAULT: Final = Path("results")

_RECORDED: Final = re.compile(r"(cells|backbone|groups|mobility|workload)(\.\w+)+")
"""Files that a scenario needs, beside its record."""
_UNFINISHED: Final = re.compile(r"\..*(\.part|\.old)|\.summary-.*")
_LONGEST: Final = 100


def default_directory(name: str, *, quick: bool = False) -> Path:
    """Where a scenario's results go unless somebody says otherwise: always one step below `results`.

    What was only tried in small replaces nothing.
    """
    safe = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:_LONGEST]
    return DEFAULT / f"{safe or 'scenario'}{'-quick' if quick else ''}"


def prepare_directory(directory: Path) -> None:
    """An empty directory for results. Earlier results go; anything else is not ours to remove."""
    try:
        if (directory / MANIFEST).is_dir():
            raise UserError(
                f"{directory}: holds the results of a sweep or a what-if; name another directory with --out"
            )
        foreign = next(_foreign(directory), None)
        if foreign is not None:
            raise UserError(
                f"{directory}: holds {foreign}, which is no result of ours; name another directory with --out"
            )
        _empty(directory)
        for name in TABLES:
            (directory / name).mkdir(parents=True)
    except NotADirectoryError:
        raise UserError(f"{directory}: not a directory; name another one with --out") from None
    except OSError as error:
        raise unwritable(directory, error) from None


def write_files(directory: Location, files: Mapping[str, bytes]) -> None:
    """Files beside the tables, each of them whole or not there."""
    for name, content in files.items():
        try:
            write(directory / name, content)
        except OSError as error:
            raise unwritable(directory, error) from None


def unwritable(directory: Location, error: OSError) -> UserError:
    return UserError(f"{directory}: cannot be written: {reason(error)}")


def _foreign(directory: Path) -> Iterator[str]:
    """What did not come from here. A scenario alone is somebody's own: results have a table of runs."""
    if not directory.exists():
        return
    ours = {*TABLES, SUMMARY, *FILES} if (directory / "runs").is_dir() else set()
    for path in sorted(directory.iterdir()):
        if path.name in TABLES and path.name in ours:
            yield from (f"{path.name}/{inner.name}" for inner in sorted(path.iterdir()) if not _is_table(inner))
        elif path.name not in ours and not path.name.startswith(".") and not (ours and _RECORDED.fullmatch(path.name)):
            yield path.name


def _is_table(path: Path) -> bool:
    return path.suffix == ".parquet" or path.name.startswith(".")


def _empty(directory: Path) -> None:
    if not directory.exists():
        return
    for path in list(directory.iterdir()):
        if (
            path.name in {*TABLES, SUMMARY, *FILES}
            or _RECORDED.fullmatch(path.name)
            or _UNFINISHED.fullmatch(path.name)
        ):
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def remove_tables(directory: Location, run: str) -> None:
    for table in TABLES:
        (directory / table / f"{run}.parquet").unlink(missing_ok=True)


class StagedTables:
    """Tables of one run or pack, written to a hidden directory and published together, the table of runs last."""

    def __init__(self, directory: Location, name: str) -> None:
        self._directory = directory
        self._name = name
        # A directory of its own: a worker that was given up for lost may write the same run.
        self._staged = staging_directory(directory, name)

    def path(self, table: str) -> Path:
        return self._staged / table

    def publish(self) -> None:
        written = [table for table in TABLES if self.path(table).exists()]
        for table in sorted(written, key=lambda table: table == "runs"):
            move_into_place(self.path(table), self._directory / table / f"{self._name}.parquet")
        self._staged.rmdir()

    def discard(self) -> None:
        """Remove what is not published."""
        shutil.rmtree(self._staged, ignore_errors=True)

    def retract(self) -> None:
        """Remove what is published, too."""
        self.discard()
        remove_tables(self._directory, self._name)


class RunFiles:
    """The tables of one run. They appear together, when all have been written."""

    def __init__(self, directory: Location, run_id: str, constants: Constants, metadata: Mapping[str, str]) -> None:
        self._tables = StagedTables(directory, run_id)
        self._constants = constants
        self._metadata = metadata
        self._open: list[Table] = []

    def stream(self, name: str, columns: Columns | None = None, places: int | None = None) -> Table:
        """A large table, written while the run goes on; how rows become columns is `Table`'s to tell."""
        file = ParquetFile(self._tables.path(name), TABLES[name].with_metadata(dict(self._metadata)))
        table = Table(self._constants, file, columns, places)
        self._open.append(table)
        return table

    def write(self, name: str, rows: Sequence[Mapping[str, object]]) -> None:
        write_rows(name, rows, self._constants, self._tables.path(name), self._metadata)

    def write_columns(self, name: str, columns: Mapping[str, Numbers]) -> None:
        write_columns(name, columns, self._constants, self._tables.path(name), self._metadata)

    def close(self) -> None:
        while self._open:
            self._open[0].close()
            self._open.pop(0)
        self._tables.publish()

    def discard(self) -> None:
        """Leave nothing of this run behind."""
        for table in self._open:
            table.discard()
        self._tables.retract()

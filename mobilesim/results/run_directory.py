"""The results directory of `mobilesim run`: a check of its earlier content, and the files of a run's tables."""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError, parameter
from mobilesim.results.layout import MANIFEST, PARETO, REPORT, SCENARIO, SUMMARY
from mobilesim.results.location import Location, entries, move_into_place, reason, remove_tree, staging_path, write_file
from mobilesim.results.parquet_writer import (
    NO_NAMES,
    Columns,
    Constants,
    Names,
    Numbers,
    ParquetFile,
    StreamedTable,
    write_columns,
    write_rows,
)
from mobilesim.results.run_table import MemoryRows, Rows, TableRows
from mobilesim.results.schema import TABLES

FILES: Final = (REPORT, PARETO, SCENARIO)
DEFAULT: Final = Path("results")

_SCENARIO_FILES: Final = re.compile(r"(cells|backbone|groups|mobility|workload)(\.\w+)+")
"""Copies of the files that a scenario names."""
_UNFINISHED: Final = re.compile(r"\..*(\.part|\.old)|\.summary-.*")


def default_directory(name: str, *, quick: bool = False) -> Path:
    """Return the directory of a scenario's results, which is directly below `results`.

    Results with `--quick` have another directory, so that they do not replace the full results.
    """
    return DEFAULT / f"{safe_name(name) or 'scenario'}{'-quick' if quick else ''}"


def safe_name(name: str) -> str:
    """Return a name as a part of a file name."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:100]


def prepare_directory(directory: Location) -> None:
    """Make an empty directory for results. Earlier results are removed; a directory with other files is refused."""
    with clear_errors(directory):
        if (directory / MANIFEST).is_dir():
            raise UserError(f"{directory}: holds the results of a sweep or a what-if; {another_directory()}")
        if foreign := next(_foreign(directory), None):
            raise UserError(f"{directory}: holds {foreign}, which mobilesim did not write; {another_directory()}")
        _empty(directory)
        for name in TABLES:
            (directory / name).mkdir(parents=True)


@contextmanager
def clear_errors(directory: Location) -> Iterator[None]:
    """Replace each OSError of the directory by a UserError."""
    try:
        yield
    except NotADirectoryError:
        raise UserError(f"{directory}: not a directory; name another one with {parameter('out')}") from None
    except OSError as error:
        raise unwritable(directory, error) from None


def write_files(directory: Location, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        try:
            write_file(directory / name, content)
        except OSError as error:
            raise unwritable(directory, error) from None


def unwritable(directory: Location, error: OSError) -> UserError:
    return UserError(f"{directory}: cannot be written: {reason(error)}")


def another_directory() -> str:
    return f"name another directory with {parameter('out')}"


def _foreign(directory: Location) -> Iterator[str]:
    """Yield the names of files that mobilesim did not write. Without a directory `runs`, these are all files."""
    if not directory.exists():
        return
    has_runs = (directory / "runs").is_dir()
    for path in entries(directory):
        if has_runs and path.name in TABLES:
            names = [inner.name for inner in entries(path) if inner.suffix != ".parquet"]
            yield from (f"{path.name}/{name}" for name in names if not name.startswith("."))
        elif not path.name.startswith(".") and not (has_runs and _is_ours(path)):
            yield path.name


def _is_ours(path: Location) -> bool:
    return path.name in {*TABLES, SUMMARY, *FILES} or _SCENARIO_FILES.fullmatch(path.name) is not None


def _empty(directory: Location) -> None:
    if not directory.exists():
        return
    for path in entries(directory):
        if not _is_ours(path) and not _UNFINISHED.fullmatch(path.name):
            continue
        if not path.is_dir() or (isinstance(path, Path) and path.is_symlink()):
            path.unlink()
        elif isinstance(path, Path):
            shutil.rmtree(path)
        else:
            remove_tree(path)


def remove_tables(directory: Location, run: str) -> None:
    for table in TABLES:
        (directory / table / f"{run}.parquet").unlink(missing_ok=True)


class StagedTables:
    """The tables of a run or a pack. They are written to a hidden directory, and then moved, the table `runs` last."""

    def __init__(self, directory: Location, name: str) -> None:
        self._directory = directory
        self._name = name
        # The directory is unique, because a worker that was given up may still write the same run.
        self._staged = staging_path(directory, name)
        self._staged.mkdir(0o700)

    def path(self, table: str) -> Path:
        return self._staged / table

    def publish(self) -> None:
        written = [table for table in TABLES if self.path(table).exists()]
        for table in sorted(written, key=lambda table: table == "runs"):
            move_into_place(self.path(table), self._directory / table / f"{self._name}.parquet")
        self._staged.rmdir()

    def discard(self) -> None:
        """Remove the files that are not published."""
        shutil.rmtree(self._staged, ignore_errors=True)


class RunFiles(StagedTables):
    """The tables of one run. They are moved to their directories when all tables have been written."""

    def __init__(self, directory: Location, run_id: str, constants: Constants, metadata: Mapping[str, str]) -> None:
        super().__init__(directory, run_id)
        self._constants = constants
        self._metadata = dict(metadata)
        self._open: list[StreamedTable] = []
        self._files: dict[str, ParquetFile] = {}

    def stream(self, name: str, columns: Columns | None = None, width: int | None = None) -> StreamedTable:
        """Return a large table that is written during the run; see `StreamedTable` for the parameters."""
        self._open.append(StreamedTable(self._constants, self._file(name), columns, width))
        return self._open[-1]

    def write(self, name: str, rows: Sequence[Mapping[str, object]]) -> None:
        write_rows(self._file(name), rows, self._constants)

    def write_columns(self, name: str, columns: Mapping[str, Numbers], names: Names = NO_NAMES) -> None:
        write_columns(self._file(name), columns, self._constants, names)

    def _file(self, name: str) -> ParquetFile:
        file = ParquetFile(self.path(name), TABLES[name].with_metadata(self._metadata))
        self._files[name] = file
        return file

    def finish(self) -> None:
        """Complete the tables that were written during the run. Now `rows` and `publish` may be called."""
        while self._open:
            self._open[0].close()
            self._open.pop(0)

    def rows(self, name: str) -> TableRows:
        """Return the rows of a complete table."""
        content = self._files[name].only_group
        return Rows(self.path(name)) if content is None else MemoryRows(self.path(name), content)

    def retract(self) -> None:
        """Remove all files of this run, also those in the directories of the tables."""
        for table in self._open:
            table.discard()
        self.discard()
        remove_tables(self._directory, self._name)

"""The rows of a run in a table: they are a whole file, or some row groups of a file that several runs share.

Whatever is read is checked before: the checksums of the footer and of the columns, and that numbers are finite.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mobilesim.results.checksums import CheckedChunks, DamagedTable, Footer, ReadAt, read_footer
from mobilesim.results.location import Location
from mobilesim.results.schema import TABLES

State: TypeAlias = tuple[str, int]
"""The modification time (or ETag) of a file, and its size. They change with its content."""

_AGAIN: Final = "delete it and run the scenario again"
_FOOTERS: Final[dict[tuple[Location, State], Footer]] = {}
"""The latest footers. The footer of a file of many runs is large, and every run needs it."""
_MOST_FOOTERS: Final = 32
_NONE: Final[dict[Location, tuple[State, ReadAt]]] = {}
_OPEN: Final = ContextVar("_OPEN", default=_NONE)
"""The remote files that were opened in a block `with unchanged_files()`."""
_GAP: Final = 1 << 13
_REMOTE_GAP: Final = 1 << 20
"""Reading that many bytes takes about as long as a second request."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one run. `groups`: the first row group and the number of row groups, in a file that runs share.

    All methods raise a `DamagedTable` with the name of the file if the file is not as it was written.
    """

    path: Location
    groups: tuple[int, int] | None = None

    def __len__(self) -> int:
        rows = self.row_range()
        return rows.stop - rows.start

    def row_range(self) -> range:
        metadata = footer(self.path).metadata
        groups = self._groups(metadata)
        lengths = (metadata.row_group(group).num_rows for group in range(groups.stop))
        ends = [*accumulate(lengths, initial=0)]
        return range(ends[groups.start], ends[groups.stop])

    def exists(self) -> bool:
        metadata = footer(self.path).metadata
        return self._groups(metadata).stop <= int(metadata.num_row_groups)

    def read(self, *columns: str) -> pa.Table:
        with _checked(self.path) as (file, chunks):
            groups = self._filled_groups(file.metadata)
            if not groups:
                nothing = file.schema_arrow.empty_table()
                return nothing.select(list(columns)) if columns else nothing
            chunks.fetch(groups, columns)
            found = file.read_row_groups(groups, list(columns) or None, use_threads=False)
            _require_finite(found)
            return found

    def batches(self, most: int, *columns: str) -> Iterator[pa.RecordBatch]:
        with _checked(self.path) as (file, chunks):
            for group in self._filled_groups(file.metadata):
                chunks.fetch([group], columns)
                for batch in file.iter_batches(most, [group], list(columns), use_threads=False):
                    _require_finite(batch)
                    yield batch

    def check(self) -> None:
        """Verify the checksums of all columns."""
        with _checked(self.path) as (file, chunks):
            for group in self._groups(file.metadata):
                chunks.fetch([group])

    def by_group(self) -> Iterator[pa.Table]:
        """Yield the rows of each row group, unless it is empty."""
        with _checked(self.path) as (file, chunks):
            for group in self._filled_groups(file.metadata):
                chunks.fetch([group])
                yield file.read_row_group(group, use_threads=False)

    def _groups(self, metadata: pq.FileMetaData) -> range:
        if self.groups is None:
            return range(metadata.num_row_groups)
        first, many = self.groups
        return range(first, first + many)

    def _filled_groups(self, metadata: pq.FileMetaData) -> list[int]:
        return [group for group in self._groups(metadata) if metadata.row_group(group).num_rows]


@dataclass(frozen=True, slots=True)
class MemoryRows:
    """The rows of a table that was just written, and is in memory. It has the methods of `Rows` that summaries use."""

    path: Location
    content: pa.Table

    def __len__(self) -> int:
        return int(self.content.num_rows)

    def read(self, *columns: str) -> pa.Table:
        return self.content.select(list(columns)) if columns else self.content

    def batches(self, most: int, *columns: str) -> Iterator[pa.RecordBatch]:
        yield from self.content.select(list(columns)).to_batches(most)


TableRows: TypeAlias = Rows | MemoryRows


def count_rows(directory: Location, run: str) -> dict[str, int]:
    return {table: len(Rows(directory / table / f"{run}.parquet")) for table in TABLES}


def footer(path: Location) -> Footer:
    with _named_errors(path), _opened(path) as (state, read_at):
        return _footer(path, state, read_at)


def schema(path: Location) -> pa.Schema:
    return footer(path).metadata.schema.to_arrow_schema()


def difference(found: pa.Schema, expected: pa.Schema) -> str | None:
    """Return the first difference between the schema of a table and the expected schema; None if they are equal."""
    if found.equals(expected):
        return None  # a fast check, because there may be many files
    for field in expected:
        if field.name not in found.names:
            return f"no column '{field.name}'"
        other = found.field(field.name)
        if other.type != field.type:
            return f"column '{field.name}' is {other.type}, expected {field.type}"
        if other.nullable and not field.nullable:
            return f"column '{field.name}' may be null, expected not null"
    unknown = [name for name in found.names if name not in expected.names]
    if unknown:
        return f"unknown column '{unknown[0]}'"
    return None if found.names == expected.names else "its columns have another order, or occur twice"


@contextmanager
def _checked(path: Location) -> Iterator[tuple[pq.ParquetFile, CheckedChunks]]:
    """Open a file. Columns must be fetched, and so checked, before they are read."""
    with _named_errors(path), _opened(path) as (state, read_at):
        found = _footer(path, state, read_at)
        chunks = CheckedChunks(found, read_at, _GAP if isinstance(path, Path) else _REMOTE_GAP)
        with pq.ParquetFile(pa.PythonFile(chunks, "r"), metadata=found.metadata, pre_buffer=False) as file:
            yield file, chunks


def _footer(path: Location, state: State, read_at: ReadAt) -> Footer:
    known = _FOOTERS.get((path, state))
    if known is None:
        known = read_footer(state[1], read_at)
        while len(_FOOTERS) >= _MOST_FOOTERS:
            _FOOTERS.pop(next(iter(_FOOTERS)), None)
        _FOOTERS[path, state] = known
    return known


@contextmanager
def unchanged_files() -> Iterator[None]:
    """Assume that no file changes in the block: each remote file is requested only once, to know its size."""
    token = _OPEN.set({})
    try:
        yield
    finally:
        _OPEN.reset(token)


@contextmanager
def _opened(path: Location) -> Iterator[tuple[State, ReadAt]]:
    if isinstance(path, Path):
        if not stat.S_ISREG(path.stat().st_mode):
            raise DamagedTable("not a file")  # opening a named pipe would wait for a writer
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            yield (str(status.st_mtime_ns), status.st_size), lambda size, start: os.pread(file.fileno(), size, start)
        return
    known = _OPEN.get()
    if path in known:
        yield known[path]
        return
    # One request to an object store returns the size of the object and its ETag.
    source = path.system.open_input_file(path.path)
    mark = source.metadata().get("ETag") or path.info().mtime_ns
    found = (str(mark), source.size()), source.read_at
    if known is not _NONE:
        known[path] = found
    yield found


@contextmanager
def _named_errors(path: Location) -> Iterator[None]:
    try:
        yield
    except pa.ArrowException as error:
        raise DamagedTable(f"{path}: {' '.join(str(error).split())}; {_AGAIN}") from None


def _require_finite(found: pa.Table | pa.RecordBatch) -> None:
    for field, column in zip(found.schema, found.columns, strict=True):
        if pa.types.is_floating(field.type) and not pc.all(pc.is_finite(column), min_count=0).as_py():
            raise DamagedTable(f"column '{field.name}' has a value that is not a finite number")

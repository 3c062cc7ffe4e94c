"""The rows of a run in a table: they are a whole file, or some row groups of a file that several runs share."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.results.location import Location
from mobilesim.results.schema import TABLES

State: TypeAlias = tuple[str, int]
"""The modification time (or ETag) of a file, and its size. They change with its content."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one run. `groups`: the first row group and the number of row groups, in a file that runs share."""

    path: Location
    groups: tuple[int, int] | None = None

    def __len__(self) -> int:
        rows = self.row_range()
        return rows.stop - rows.start

    def row_range(self) -> range:
        state = _state(self.path)
        groups, ends = self._groups(_footer(self.path, state)), _ends(self.path, state)
        return range(ends[groups.start], ends[groups.stop])

    def exists(self) -> bool:
        footer = _footer(self.path, _state(self.path))
        return self._groups(footer).stop <= int(footer.num_row_groups)

    def read(self, *columns: str) -> pa.Table:
        if not len(self):
            nothing = schema(self.path).empty_table()
            return nothing.select(list(columns)) if columns else nothing
        with parquet(self.path) as file:
            wanted = list(columns) or None
            if self.groups is None:
                return file.read(wanted, use_threads=False)
            return file.read_row_groups(list(self._groups(file.metadata)), wanted, use_threads=False)

    def batches(self, most: int, *columns: str) -> Iterator[pa.RecordBatch]:
        with parquet(self.path) as file:
            groups = list(self._groups(file.metadata))
            yield from file.iter_batches(most, row_groups=groups, columns=list(columns), use_threads=False)

    def check_pages(self, most: int) -> None:
        """Read all columns, `most` rows at a time. If a page is damaged, pyarrow raises an error."""
        with parquet(self.path, checked=True) as file:
            for _ in file.iter_batches(most, row_groups=list(self._groups(file.metadata)), use_threads=False):
                pass

    def by_group(self) -> Iterator[pa.Table]:
        with parquet(self.path) as file:
            for group in self._groups(file.metadata):
                yield file.read_row_group(group, use_threads=False)

    def _groups(self, footer: pq.FileMetaData) -> range:
        if self.groups is None:
            return range(footer.num_row_groups)
        first, many = self.groups
        return range(first, first + many)


def count_rows(directory: Location, run: str) -> dict[str, int]:
    return {table: len(Rows(directory / table / f"{run}.parquet")) for table in TABLES}


def parquet(path: Location, *, checked: bool = False) -> pq.ParquetFile:
    """Open a file. Its footer is cached, because the footer of a file of many runs is large, and every run needs it.

    `checked`: verify the checksums of pages, which takes twice as long.
    """
    source, state = _opened(path)
    # With `pre_buffer`, data would stay in memory until the file is closed.
    return pq.ParquetFile(source, metadata=_footer(path, state), pre_buffer=False, page_checksum_verification=checked)


def schema(path: Location) -> pa.Schema:
    return _schema(path, _state(path))


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


@lru_cache(maxsize=64)
def _footer(path: Location, _: State) -> pq.FileMetaData:
    return pq.read_metadata(_opened(path)[0])


@lru_cache(maxsize=64)
def _schema(path: Location, state: State) -> pa.Schema:
    return _footer(path, state).schema.to_arrow_schema()


@lru_cache(maxsize=64)
def _ends(path: Location, state: State) -> tuple[int, ...]:
    """Return the first row of each row group, and the number of all rows."""
    footer = _footer(path, state)
    return tuple(accumulate((footer.row_group(group).num_rows for group in range(footer.num_row_groups)), initial=0))


def _state(path: Location) -> State:
    return _opened(path)[1]


def _opened(path: Location) -> tuple[Path | pa.NativeFile, State]:
    if isinstance(path, Path):
        found = path.stat()
        return path, (str(found.st_mtime_ns), found.st_size)
    # One request to an object store returns the object and its ETag.
    source = path.system.open_input_file(path.path)
    mark = source.metadata().get("ETag") or path.info().mtime_ns
    return source, (str(mark), source.size())

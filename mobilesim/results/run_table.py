"""The rows of a run, in a file of their own or in one that runs share."""

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
"""Of a file. It is another one after every change."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one run in a table: all of a file, or `groups` of one that runs share, from the first on so many."""

    path: Location
    groups: tuple[int, int] | None = None

    def __len__(self) -> int:
        place = self.place()
        return place.stop - place.start

    def place(self) -> range:
        """Among all rows of the file."""
        state = _state(self.path)
        groups, ends = self._groups(_footer(self.path, state)), _ends(self.path, state)
        return range(ends[groups.start], ends[groups.stop])

    def there(self) -> bool:
        """Whether the file has so many row groups."""
        footer = _footer(self.path, _state(self.path))
        return self._groups(footer).stop <= int(footer.num_row_groups)

    def read(self, *columns: str) -> pa.Table:
        """These columns, or all."""
        if not len(self):
            nothing = schema(self.path).empty_table()
            return nothing.select(list(columns)) if columns else nothing
        with parquet(self.path) as file:
            wanted = list(columns) or None
            if self.groups is None:
                return file.read(wanted, use_threads=False)
            return file.read_row_groups(list(self._groups(file.metadata)), wanted, use_threads=False)

    def pieces(self, most: int, *columns: str) -> Iterator[pa.RecordBatch]:
        with parquet(self.path) as file:
            groups = list(self._groups(file.metadata))
            yield from file.iter_batches(most, row_groups=groups, columns=list(columns), use_threads=False)

    def check_pages(self, most: int) -> None:
        """Of all columns, so many rows at a time; it raises what pyarrow does."""
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
    """Return the number of rows of a run with files of its own, by table."""
    return {table: len(Rows(directory / table / f"{run}.parquet")) for table in TABLES}


def parquet(path: Location, *, checked: bool = False) -> pq.ParquetFile:
    """The footer of a file of many runs takes long to read, and all of them ask for it.

    `checked`: reading takes twice as long, and tells pages that are not as they were written.
    """
    source, state = _opened(path)
    # What is read ahead stays in memory until the file is closed.
    return pq.ParquetFile(source, metadata=_footer(path, state), pre_buffer=False, page_checksum_verification=checked)


def schema(path: Location) -> pa.Schema:
    return _schema(path, _state(path))


def difference(found: pa.Schema, expected: pa.Schema) -> str | None:
    """The first thing that is wrong with a table, in words; nothing if it is as expected."""
    if found.equals(expected):
        return None  # nearly always, of very many files
    for field in expected:
        if field.name not in found.names:
            return f"no column '{field.name}'"
        other = found.field(field.name)
        if other.type != field.type:
            return f"column '{field.name}' is {other.type}, expected {field.type}"
        if other.nullable and not field.nullable:
            return f"column '{field.name}' may be null, expected never"
    strangers = [name for name in found.names if name not in expected.names]
    if strangers:
        return f"unknown column '{strangers[0]}'"
    return None if found.names == expected.names else "its columns are in another order, or twice"


@lru_cache(maxsize=64)
def _footer(path: Location, _: State) -> pq.FileMetaData:
    return pq.read_metadata(_opened(path)[0])


@lru_cache(maxsize=64)
def _schema(path: Location, state: State) -> pa.Schema:
    return _footer(path, state).schema.to_arrow_schema()


@lru_cache(maxsize=64)
def _ends(path: Location, state: State) -> tuple[int, ...]:
    """The first row of each row group, and how many there are in all."""
    footer = _footer(path, state)
    return tuple(accumulate((footer.row_group(group).num_rows for group in range(footer.num_row_groups)), initial=0))


def _state(path: Location) -> State:
    return _opened(path)[1]


def _opened(path: Location) -> tuple[Path | pa.NativeFile, State]:
    if isinstance(path, Path):
        found = path.stat()
        return path, (str(found.st_mtime_ns), found.st_size)
    # A store of objects is asked once, and answers with its mark of the content.
    source = path.system.open_input_file(path.there)
    mark = source.metadata().get("ETag") or path.info().mtime_ns
    return source, (str(mark), source.size())

"""Writers of trace tables. Rows are numbers in a buffer, and a full buffer becomes Arrow columns in a Parquet file.

Files are written atomically: a reader never finds a part of one.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.files.atomic_write import AtomicWrite
from mobilesim.results.schema import TABLES

# A batch is small enough to stay in the processor's cache until it becomes columns; many make a row group.
_BATCH_ROWS: Final = 1 << 13
_GROUP_BATCHES: Final = 32

Constants = Mapping[str, str | int]
Numbers = npt.NDArray[np.int64 | np.int32]
Rows = npt.NDArray[np.int64]
Columns = Callable[[Rows], Mapping[str, npt.NDArray[np.int64]]]


class StreamedTable:
    """A large table of integers that is written row by row, with at most one list, whose length is the column `copies`.

    A row is a list of numbers in the order of the columns. With `columns` it has `width` numbers, from which that
    function computes the columns of many rows at once.
    """

    def __init__(
        self, constants: Constants, file: "ParquetFile", columns: Columns | None = None, width: int | None = None
    ) -> None:
        self.schema = file.schema
        self.constants = constants
        self._lists = [field.name for field in self.schema if pa.types.is_list(field.type)]
        self._plain = [field.name for field in self.schema if field.name not in {*constants, *self._lists}]
        self._columns = columns or self._unchanged
        self._width = width or len(self._plain)
        self._rows = array("q")
        self._full = _BATCH_ROWS * self._width
        self._flat = array("i")
        self._batches: list[pa.RecordBatch] = []
        self._file = file

    def append(self, row: list[int]) -> None:
        self._rows.fromlist(row)
        if len(self._rows) >= self._full:
            self._flush()

    def append_list(self, row: list[int], items: tuple[int, ...]) -> None:
        self._flat.extend(items)
        self.append(row)

    def _flush(self) -> None:
        rows = np.frombuffer(self._rows, np.int64).reshape(-1, self._width)
        columns = self._columns(rows)
        arrays = [self._column(field, columns, len(rows)) for field in self.schema]
        self._batches.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
        self._rows, self._flat = array("q"), array("i")
        if len(self._batches) == _GROUP_BATCHES:
            self._write()

    def _unchanged(self, rows: Rows) -> Mapping[str, npt.NDArray[np.int64]]:
        return dict(zip(self._plain, rows.T, strict=True))

    def _column(self, field: pa.Field, columns: Mapping[str, npt.NDArray[np.int64]], length: int) -> pa.Array:
        if field.name in self.constants:
            return constant(field, self.constants[field.name], length)
        if field.name in self._lists:
            offsets = np.concatenate(([0], np.cumsum(columns["copies"]))).astype(np.int32)
            return pa.ListArray.from_arrays(offsets, pa.array(self._flat, pa.int32()), type=field.type)
        return pa.array(columns[field.name].astype(field.type.to_pandas_dtype()), field.type)

    def _write(self) -> None:
        self._file.write(pa.Table.from_batches(self._batches, self.schema))
        self._batches = []

    def close(self) -> None:
        self._flush()
        self._write()
        self._file.close()

    def discard(self) -> None:
        self._file.discard()


class ParquetFile:
    """A Parquet file that is renamed to its final name when it is complete."""

    def __init__(self, target: Path, schema: pa.Schema) -> None:
        self.schema = schema
        self._file = AtomicWrite(target)
        plain = [field.name for field in schema if field.type == pa.int64()]
        self._writer = pq.ParquetWriter(
            self._file.path,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[field.name for field in schema if pa.types.is_dictionary(field.type)],
            column_encoding=dict.fromkeys(plain, "DELTA_BINARY_PACKED"),
            write_page_checksum=True,
        )

    def write(self, table: pa.Table) -> None:
        self._writer.write_table(table, row_group_size=len(table) or None)

    def close(self) -> None:
        self._writer.close()
        self._file.commit()

    def discard(self) -> None:
        with suppress(OSError):
            self._writer.close()
        self._file.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.discard()
            return
        try:
            self.close()
        except BaseException:
            self.discard()
            raise


def constant(field: pa.Field, content: str | int, length: int) -> pa.Array:
    if not pa.types.is_dictionary(field.type):
        return pa.array(np.full(length, content), field.type)
    indices = pa.array(np.zeros(length, np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array([content], pa.string()))


def write_rows(
    name: str, rows: Sequence[Mapping[str, object]], constants: Constants, target: Path, metadata: Mapping[str, str]
) -> None:
    """Write a small table of dictionaries; a missing key is null."""
    schema = TABLES[name].with_metadata(dict(metadata))
    columns = [
        constant(field, constants[field.name], len(rows))
        if field.name in constants
        else pa.array([row.get(field.name) for row in rows], field.type)
        for field in schema
    ]
    with ParquetFile(target, schema) as file:
        file.write(pa.Table.from_arrays(columns, schema=schema))


def write_columns(
    name: str, columns: Mapping[str, Numbers], constants: Constants, target: Path, metadata: Mapping[str, str]
) -> None:
    """Write a table of integer columns; negative numbers are null in columns that may be null."""
    schema = TABLES[name].with_metadata(dict(metadata))
    length = len(next(iter(columns.values())))
    with ParquetFile(target, schema) as file:
        for start in range(0, max(length, 1), _BATCH_ROWS * _GROUP_BATCHES):
            part = slice(start, min(start + _BATCH_ROWS * _GROUP_BATCHES, length))
            arrays = [
                constant(field, constants[field.name], part.stop - part.start)
                if field.name in constants
                else _integers(field, columns[field.name][part])
                for field in schema
            ]
            file.write(pa.Table.from_arrays(arrays, schema=schema))


def _integers(field: pa.Field, numbers: Numbers) -> pa.Array:
    return pa.array(
        numbers.astype(field.type.to_pandas_dtype()), field.type, mask=numbers < 0 if field.nullable else None
    )

"""Writers of trace tables. Rows are collected in a buffer. A full buffer is appended to columns, and full columns are
written to a Parquet file.

Files are written atomically: a reader never finds an incomplete file.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.files.atomic_write import AtomicWrite
from mobilesim.results.checksums import append_checksums
from mobilesim.results.row_writer import RowWriter

# A buffer of rows, and the columns that are computed from it, fit into the processor's cache.
_BUFFER_ROWS: Final = 1 << 10
# The columns of a row group are in memory, which the next row group uses again.
_GROUP_ROWS: Final = 1 << 16

Constants = Mapping[str, str | int]
Numbers = npt.NDArray[np.int64 | np.int32]
Rows = npt.NDArray[np.int64]
Names = Mapping[str, Sequence[str]]
Columns = Callable[[Rows], Mapping[str, npt.NDArray[np.int64]]]
"""A function of a matrix of numbers, with a row for each column of the buffer."""

NO_NAMES: Final[Names] = {}


class StreamedTable:
    """A large table of integers that is written row by row. If the table has a column of lists, its column `copies` has
    the length of each row's list.

    A row is a list of numbers in the order of the columns. With a function `columns`, a row is a list of `width`
    numbers, and this function computes the columns of many rows at once.
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
        self._content: dict[str, npt.NDArray[Any]] = {
            name: np.empty(_GROUP_ROWS, self.schema.field(name).type.to_pandas_dtype()) for name in self._plain
        }
        """The columns of the present row group. Memory is used for the rows that are filled."""
        self._filled = 0
        self._list_items: list[Rows] = []
        self.rows, self.items = RowWriter(), RowWriter()
        """The numbers of the rows, and the items of the lists. The caller flushes when `rows` has `full` numbers."""
        self.full = _BUFFER_ROWS * self._width
        self._file = file

    def flush(self) -> None:
        numbers = np.ascontiguousarray(self.rows.take().reshape(-1, self._width).T)
        columns, end = self._columns(numbers), self._filled + numbers.shape[1]
        for name, column in self._content.items():
            column[self._filled : end] = columns[name]
        self._filled = end
        if self._lists:
            self._list_items.append(self.items.take())
        if end == _GROUP_ROWS:
            self._write()

    def _unchanged(self, numbers: Rows) -> Mapping[str, npt.NDArray[np.int64]]:
        return dict(zip(self._plain, numbers, strict=True))

    def _write(self) -> None:
        batch = _batch(self.schema, self.constants, self._filled, self._column)
        self._file.write(pa.Table.from_batches([batch]))
        self._filled, self._list_items = 0, []

    def _column(self, field: pa.Field) -> pa.Array:
        if field.name in self._lists:
            offsets = np.concatenate(([0], np.cumsum(self._content["copies"][: self._filled]))).astype(np.int32)
            items = _array(np.concatenate(self._list_items), pa.int32())
            return pa.ListArray.from_arrays(_array(offsets, pa.int32()), items, type=field.type)
        return _array(self._content[field.name][: self._filled], field.type)

    def close(self) -> None:
        self.flush()
        self._write()
        self._file.close()

    def discard(self) -> None:
        self._file.discard()


class ParquetFile(ExitStack):
    """A Parquet file that is renamed to its final name when it is closed, and removed on an error."""

    def __init__(self, target: Path, schema: pa.Schema) -> None:
        super().__init__()
        self.schema = schema
        self.only_group: pa.Table | None = None
        """The rows, if they are in a single row group, so that they need not be read again."""
        self._groups = 0
        self._file = AtomicWrite(target)
        plain = [field.name for field in schema if field.type == pa.int64()]
        written = self.enter_context(self._file)
        self.push(lambda kind, *_: append_checksums(written) if kind is None else None)
        self._writer = pq.ParquetWriter(
            written,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[field.name for field in schema if pa.types.is_dictionary(field.type)],
            column_encoding=dict.fromkeys(plain, "DELTA_BINARY_PACKED"),
            write_page_checksum=True,
        )
        self.enter_context(self._writer)

    def write(self, table: pa.Table) -> None:
        self.only_group = None if self._groups else table
        self._groups += 1
        self._writer.write_table(table, row_group_size=len(table) or None)

    def discard(self) -> None:
        with suppress(OSError):
            self._writer.close()
        self._file.discard()


def write_rows(file: ParquetFile, rows: Sequence[Mapping[str, object]], constants: Constants) -> None:
    """Write a small table. Its rows are dictionaries; a missing key becomes null."""
    with file:
        file.write(pa.Table.from_batches([_batch(file.schema, constants, len(rows), partial(_cells, rows))]))


def _cells(rows: Sequence[Mapping[str, object]], field: pa.Field) -> pa.Array:
    values: list[Any] = [row.get(field.name) for row in rows]
    missing = np.array([value is None for value in values], np.bool_)
    if pa.types.is_dictionary(field.type):
        names = dict.fromkeys(value for value in values if value is not None)
        codes = {name: code for code, name in enumerate(names)}
        indices = np.array([codes.get(value, 0) for value in values], np.int32)
        return pa.DictionaryArray.from_arrays(_array(indices, pa.int32(), missing), _strings(list(codes)))
    return _array(np.array([value or 0 for value in values]), field.type, missing)


def write_columns(
    file: ParquetFile, columns: Mapping[str, Numbers], constants: Constants, names: Names = NO_NAMES
) -> None:
    """Write a table of integer columns. `names`: for a column of names, the names to which its numbers refer. In
    other columns that may be null, negative numbers become null. Such a column may be missing if it is null throughout.
    """
    length, most = len(next(iter(columns.values()))), _GROUP_ROWS
    with file:
        for start in range(0, max(length, 1), most):
            part = {name: column[start : start + most] for name, column in columns.items()}
            batch = _batch(file.schema, constants, min(length - start, most), partial(_integers, part, names))
            file.write(pa.Table.from_batches([batch]))


def _integers(columns: Mapping[str, Numbers], names: Names, field: pa.Field) -> pa.Array:
    if field.nullable and field.name not in columns:
        return pa.nulls(len(next(iter(columns.values()))), field.type)
    numbers = columns[field.name]
    if field.name in names:
        return pa.DictionaryArray.from_arrays(_array(numbers, pa.int32()), _strings(names[field.name]))
    mask = numbers < 0 if field.nullable else None
    return _array(numbers, field.type, mask)


def _array(numbers: npt.NDArray[Any], kind: pa.DataType, mask: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Return an Arrow array of numbers. `mask`: which of them are null."""
    # `pa.array` imports pandas if it is installed, which takes a quarter of a second.
    if pa.types.is_boolean(kind):
        content = np.packbits(numbers != 0, bitorder="little")
    else:
        content = np.ascontiguousarray(numbers, kind.to_pandas_dtype())
    valid = None if mask is None or not mask.any() else pa.py_buffer(np.packbits(~mask, bitorder="little"))
    return pa.Array.from_buffers(kind, len(numbers), [valid, pa.py_buffer(content)])


def _strings(texts: Sequence[str]) -> pa.Array:
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.Array.from_buffers(
        pa.string(), len(texts), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    )


def _batch(schema: pa.Schema, constants: Constants, size: int, cells: Callable[[pa.Field], pa.Array]) -> pa.RecordBatch:
    arrays = [
        _constant(field, constants[field.name], size) if field.name in constants else cells(field) for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _constant(field: pa.Field, content: str | int, length: int) -> pa.Array:
    if not pa.types.is_dictionary(field.type):
        return _array(np.full(length, content), field.type)
    indices = _array(np.zeros(length, np.int32), pa.int32())
    return pa.DictionaryArray.from_arrays(indices, _strings([str(content)]))

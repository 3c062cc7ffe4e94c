"""Trace tables on their way to Parquet: rows are packed into a buffer, and a full buffer becomes Arrow columns.

A table is written under a hidden name and gets its own when it is whole: a reader never meets a half-written one.
"""

import struct
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.tables import RUN, TABLES

_ROWS: Final = 1 << 16
_GROUP: Final = 4
_PACKED: Final = {pa.int32(): ("i", "<i4"), pa.int64(): ("q", "<i8"), pa.float64(): ("d", "<f8")}

Constants = Mapping[str, str | int]


class Table:
    """One table of one run. Columns are packed integers, but for at most one list, which comes last in `append`."""

    def __init__(self, name: str, constants: Constants, target: Path, metadata: Mapping[str, str]) -> None:
        self.schema = TABLES[name].with_metadata(dict(metadata))
        self.constants = constants
        fields = [field for field in self.schema if field.name not in constants]
        self._lists = [field.name for field in fields if pa.types.is_list(field.type)]
        self._plain = [field for field in fields if field.name not in self._lists]
        packing = [_PACKED[field.type] for field in self._plain]
        self._struct = struct.Struct("<" + "".join(code for code, _ in packing))
        self._dtype = np.dtype([(field.name, kind) for field, (_, kind) in zip(self._plain, packing, strict=True)])
        self._buffer = bytearray(self._struct.size * _ROWS)
        self._pack = self._struct.pack_into
        self._offset = 0
        self._batches: list[pa.RecordBatch] = []
        self._flat = array("i")
        self._file = ParquetFile(target, self.schema)

    def append(self, *row: float) -> None:
        self._pack(self._buffer, self._offset, *row)
        self._offset += self._struct.size
        if self._offset == len(self._buffer):
            self._flush()

    def append_list(self, items: Sequence[int], *row: float) -> None:
        """For a table with a list, whose length is the column `copies`."""
        self._flat.extend(items)
        self.append(*row)

    def _flush(self) -> None:
        rows = np.frombuffer(bytes(self._buffer[: self._offset]), self._dtype)
        self._offset = 0
        columns = [self._column(field, rows) for field in self.schema]
        self._flat = array("i")
        self._batches.append(pa.RecordBatch.from_arrays(columns, schema=self.schema))
        if len(self._batches) == _GROUP:
            self._write()

    def _column(self, field: pa.Field, rows: "np.ndarray[Any, Any]") -> pa.Array:
        if field.name in self.constants:
            return constant(field, self.constants[field.name], len(rows))
        if field.name in self._lists:
            offsets = np.concatenate(([0], np.cumsum(rows["copies"]))).astype(np.int32)
            return pa.ListArray.from_arrays(offsets, pa.array(self._flat, pa.int32()), type=field.type)
        return pa.array(np.ascontiguousarray(rows[field.name]), field.type)

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
    """A Parquet file that has no name until it is whole."""

    def __init__(self, target: Path, schema: pa.Schema) -> None:
        self._target = target
        self._part = target.with_name(f".{target.name}.part")
        plain = [field.name for field in schema if field.type == pa.int64()]
        self._writer = pq.ParquetWriter(
            self._part,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[field.name for field in schema if pa.types.is_dictionary(field.type)],
            column_encoding=dict.fromkeys(plain, "DELTA_BINARY_PACKED"),
        )

    def write(self, table: pa.Table) -> None:
        self._writer.write_table(table, row_group_size=len(table) or None)

    def close(self) -> None:
        self._writer.close()
        self._part.replace(self._target)

    def discard(self) -> None:
        with suppress(OSError):
            self._writer.close()
        self._part.unlink(missing_ok=True)


def constant(field: pa.Field, content: str | int, length: int) -> pa.Array:
    if not pa.types.is_dictionary(field.type):
        return pa.array(np.full(length, content), field.type)
    indices = pa.array(np.zeros(length, np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array([content], pa.string()))


def write_rows(
    name: str, rows: Sequence[Mapping[str, object]], constants: Constants, target: Path, metadata: Mapping[str, str]
) -> None:
    """A small table, from dictionaries; a missing key is a null."""
    schema = TABLES[name].with_metadata(dict(metadata))
    columns = {
        field.name: [constants[field.name] if field.name in constants else row.get(field.name) for row in rows]
        for field in schema
    }
    file = ParquetFile(target, schema)
    try:
        file.write(pa.Table.from_pydict(columns, schema))
        file.close()
    except BaseException:
        file.discard()
        raise


RUN_COLUMNS: Final = tuple(field.name for field in RUN)

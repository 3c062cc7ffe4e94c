"""Checksums of all bytes of a Parquet file, in a block before its footer. Other readers of Parquet skip this block.

Parquet's own checksums cover neither the headers of pages nor the footer, and most readers do not verify them.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

TAIL: Final = 1 << 16
"""The number of bytes that are read first. Most footers are shorter, and so are many files."""

_CHUNK: Final = np.dtype([("start", "<u8"), ("length", "<u4"), ("checksum", "<u4")])
"""A column of a row group: its place in the file."""
_MARK: Final = b"checksum"
_BLOCK_END: Final = struct.Struct("<II8s")
"""The end of the block: the number of chunks, the checksum of their list and of the footer, and the mark."""
_FILE_END: Final = struct.Struct("<I4s")
"""The end of a file: the length of the footer, and the mark of Parquet."""
_PARQUET: Final = b"PAR1"
_CUT: Final = "not a Parquet file, or cut short"

Chunks = npt.NDArray[np.void]
ReadAt = Callable[[int, int], bytes]
"""Returns a number of bytes from a position on. Arguments: the number and the position."""


class DamagedTable(pa.ArrowInvalid):  # type: ignore[misc]
    """A file that is not as it was written: the reason and, if another module raises it, the file and the remedy."""


@dataclass(frozen=True, slots=True)
class Footer:
    """The checked footer of a file. `chunks`: by row group, the columns. `names`: the name of each of these columns.

    `tail`: the last bytes of the file.
    """

    metadata: pq.FileMetaData
    chunks: Chunks
    names: tuple[str, ...]
    size: int
    tail: bytes


def append_checksums(path: Path) -> None:
    """Write the block into a complete Parquet file."""
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(size - _FILE_END.size)
        length, _ = _FILE_END.unpack(file.read())
        start = size - _FILE_END.size - length
        file.seek(start)
        footer = file.read()
        chunks = np.array([*_places(pq.read_metadata(pa.BufferReader(footer)))], _CHUNK)
        for chunk in chunks:
            file.seek(int(chunk["start"]))
            chunk["checksum"] = crc32(file.read(int(chunk["length"])))
        file.seek(start)
        block = chunks.tobytes()
        file.write(block + _BLOCK_END.pack(len(chunks), _checksum(block, footer), _MARK) + footer)


def _places(metadata: pq.FileMetaData) -> Iterator[tuple[int, int, int]]:
    """Yield the columns of each row group, with zero instead of the checksum."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for index in range(metadata.num_columns):
            column = group.column(index)
            first = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            yield first, column.total_compressed_size, 0


def read_footer(size: int, read_at: ReadAt) -> Footer:
    """Return the footer of a file; raise an error if it is damaged or has no checksums."""
    tail = read_at(min(size, TAIL), max(0, size - TAIL))
    length = _footer_length(tail)
    tail = _longer(tail, length + _BLOCK_END.size, size, read_at)
    count, checksum, mark = _BLOCK_END.unpack_from(tail, len(tail) - length - _BLOCK_END.size)
    if mark != _MARK:
        raise DamagedTable("no checksums: it is damaged, or another program has written it")
    block = count * _CHUNK.itemsize
    tail = _longer(tail, length + _BLOCK_END.size + block, size, read_at)
    first, footer = len(tail) - length - _BLOCK_END.size - block, tail[len(tail) - length :]
    if _checksum(memoryview(tail)[first : first + block], footer) != checksum:
        raise DamagedTable("damaged: the checksum of its footer is wrong")
    metadata = pq.read_metadata(pa.BufferReader(footer))
    chunks = np.frombuffer(tail, _CHUNK, count, first).reshape(metadata.num_row_groups, metadata.num_columns)
    names = tuple(metadata.schema.column(index).path.partition(".")[0] for index in range(metadata.num_columns))
    return Footer(metadata, chunks, names, size, tail)


def _checksum(chunks: bytes | memoryview, footer: bytes) -> int:
    return crc32(footer, crc32(chunks))


def _footer_length(tail: bytes) -> int:
    """Return the length of the footer, with the end of the file."""
    if len(tail) < _FILE_END.size:
        raise DamagedTable(_CUT)
    length, mark = _FILE_END.unpack_from(tail, len(tail) - _FILE_END.size)
    if mark != _PARQUET:
        raise DamagedTable(_CUT)
    return int(length) + _FILE_END.size


def _longer(tail: bytes, length: int, size: int, read_at: ReadAt) -> bytes:
    """Return at least this number of the last bytes of a file, if it is long enough."""
    if length + len(_PARQUET) > size:
        raise DamagedTable(_CUT)
    return tail if length <= len(tail) else read_at(length - len(tail), size - length) + tail


class CheckedChunks:
    """A file for Arrow, of which only those columns of row groups can be read that were fetched and checked before."""

    def __init__(self, footer: Footer, read_at: ReadAt, gap: int) -> None:
        """`gap`: the most bytes between two columns that are read with them, instead of separately."""
        self._footer, self._read_at, self._gap = footer, read_at, gap
        self._pieces: list[tuple[int, memoryview]] = []
        self._position = 0
        self.closed = False

    def fetch(self, groups: Sequence[int], columns: tuple[str, ...] = ()) -> None:
        """Read columns (or all) of row groups, and forget earlier ones. Raise an error if one of them is damaged."""
        wanted = [index for index, name in enumerate(self._footer.names) if not columns or name in columns]
        chunks = self._footer.chunks[np.ix_(groups, wanted)].ravel()
        chunks = chunks[np.argsort(chunks["start"])]
        begins, ends = chunks["start"].astype(np.int64), (chunks["start"] + chunks["length"]).astype(np.int64)
        apart = np.flatnonzero(begins[1:] - ends[:-1] > self._gap) + 1
        self._pieces = []
        for start, stop in pairwise([0, *apart, len(chunks)] if len(chunks) else []):
            begin, end = int(begins[start]), int(ends[start:stop].max())
            piece = self._bytes(begin, end)
            for at, length, checksum in chunks[start:stop].tolist():
                if crc32(piece[at - begin : at - begin + length]) != checksum:
                    raise DamagedTable("damaged: a checksum is wrong")
            self._pieces.append((begin, piece))

    def _bytes(self, begin: int, end: int) -> memoryview:
        before = self._footer.size - len(self._footer.tail)
        if begin >= before:
            return memoryview(self._footer.tail)[begin - before : end - before]
        return memoryview(self._read_at(end - begin, begin))

    def read(self, size: int = -1) -> memoryview:
        for begin, piece in self._pieces:
            if begin <= self._position < begin + len(piece):
                found = piece[self._position - begin :][: size if size >= 0 else None]
                self._position += len(found)
                return found
        raise DamagedTable("damaged: a column is not where its footer says")

    def seek(self, position: int, whence: int = 0) -> int:
        self._position = position + (0, self._position, self._footer.size)[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def flush(self) -> None: ...

    def close(self) -> None:
        self.closed = True

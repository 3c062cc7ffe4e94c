"""Parquet files with the columns `node`, `time` (int64, nanoseconds), `x` and `y` (metres).

An optional column `here` has whether the node is present. Without this column, nodes are present.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.errors import UserError
from mobilesim.results.parquet_writer import ParquetFile
from mobilesim.tracks.number_parsing import Unreadable, quoted
from mobilesim.tracks.position import FARTHEST, LATEST, Position
from mobilesim.tracks.text_source import Source
from mobilesim.tracks.trajectory import TrajectoryFilter

_VERSION: Final = 1
_KEY: Final = b"mobilesim.track"
_SCHEMA: Final = pa.schema(
    [
        pa.field("node", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("time", pa.int64(), nullable=False),
        pa.field("x", pa.float64(), nullable=False),
        pa.field("y", pa.float64(), nullable=False),
        pa.field("here", pa.bool_(), nullable=False),
    ],
    metadata={_KEY: str(_VERSION).encode()},
)
_ROWS: Final = 1 << 16


def read(source: Source) -> Iterator[Position]:
    """Read a file. Error messages name the row, counted from 1."""
    trajectory, row = TrajectoryFilter(), 0
    with source.open() as stream:
        try:
            for fields in _rows(pq.ParquetFile(stream)):
                row += 1
                yield from trajectory.add(_position(*fields))
        except Unreadable as fault:
            raise UserError(f"{source.path}: {f'row {row}: ' if row else ''}{fault}") from None
        except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
            message = f"this file cannot be read as Parquet: {str(error)[:100]}; write the file again"
            raise UserError(f"{source.path}: {message}") from None


def _rows(file: pq.ParquetFile) -> Iterator[tuple[Any, ...]]:
    # The types of values are checked in `_position`.
    names = _columns(file)
    for batch in file.iter_batches(_ROWS, columns=names):
        columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
        columns.setdefault("here", [True] * len(batch))
        yield from zip(*(columns[name] for name in _SCHEMA.names), strict=True)


def _columns(file: pq.ParquetFile) -> list[str]:
    version = (file.schema_arrow.metadata or {}).get(_KEY, b"1")
    if version != str(_VERSION).encode():
        shown = quoted(version.decode(errors="replace"))
        raise Unreadable(f"written as version {shown} of this format; this mobilesim reads version {_VERSION}")
    names = file.schema_arrow.names
    if "timestep_time" in names:
        raise Unreadable(
            "this is a Parquet table of SUMO, which is read only as CSV; let SUMO write CSV (--fcd-output town.csv)"
        )
    twice = [name for name in _SCHEMA.names if names.count(name) > 1]
    if twice:
        raise Unreadable(f"there are two columns {twice[0]!r}; leave one out")
    missing = [name for name in ("node", "time", "x", "y") if name not in names]
    if missing:
        raise Unreadable(f"there is no column {missing[0]!r}; needed are node, time (in ns), x and y")
    if not pa.types.is_integer(file.schema_arrow.field("time").type):
        raise Unreadable("the column 'time' does not have whole numbers; write nanoseconds as int64")
    return [name for name in _SCHEMA.names if name in names]


def _position(node: object, time: object, x: object, y: object, here: object) -> Position:
    name = str(node) if isinstance(node, int) else node
    if not isinstance(name, str) or not name:
        raise Unreadable("the node has no name")
    if not isinstance(time, int) or not 0 <= time <= LATEST:
        raise Unreadable(f"the time {time} is not between 0 and 100 years, in nanoseconds")
    if not isinstance(x, float | int) or not isinstance(y, float | int) or not isinstance(here, bool):
        raise Unreadable(f"node {quoted(name)} has no x and y, or `here` is not true or false")
    if not (-FARTHEST <= x <= FARTHEST and -FARTHEST <= y <= FARTHEST):
        raise Unreadable(f"node {quoted(name)} is at ({x}, {y}); coordinates are metres, up to 100,000 km")
    return Position(name, time, float(x), float(y), here)


def write(positions: Iterable[Position], target: Path) -> None:
    with ParquetFile(target, _SCHEMA) as file:
        rows: list[Position] = []
        for position in positions:
            rows.append(position)
            if len(rows) == _ROWS:
                file.write(_table(rows))
                rows = []
        file.write(_table(rows))


def _table(rows: list[Position]) -> pa.Table:
    columns: Iterable[tuple[Any, ...]] = zip(*rows, strict=True) if rows else [()] * len(_SCHEMA)
    arrays = [
        pa.array(column, pa.string()).dictionary_encode() if field.name == "node" else pa.array(column, field.type)
        for field, column in zip(_SCHEMA, columns, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=_SCHEMA)

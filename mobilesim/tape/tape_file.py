"""Tapes as Parquet files, so that other programs can read them. The header is JSON in the metadata of the file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.errors import UserError
from mobilesim.files.atomic_write import AtomicWrite
from mobilesim.tape.events import COLUMNS, KINDS, Column, Tape, TapeHeader

FORMAT: Final = "mobilesim-tape-1"
_HEADER: Final = b"tape"
_TEXTS: Final = ("event", "name")


def write_tape(tape: Tape, target: Path) -> None:
    """Write a tape. A reader finds the complete file, or the former one."""
    texts = {"event": [kind.value for kind in KINDS], "name": list(tape.names)}
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(tape.columns[name].astype(np.int32)), pa.array(texts[name]))
        if name in texts
        else pa.array(tape.columns[name])
        for name in COLUMNS
    }
    table = pa.table(columns).replace_schema_metadata({_HEADER: json.dumps({"format": FORMAT, **asdict(tape.header)})})
    with AtomicWrite(target) as path:
        pq.write_table(table, path, compression="zstd", compression_level=1)


def read_tape(source: Path) -> Tape:
    """Read a tape. A file that is no tape is refused with one line."""
    try:
        table = pq.read_table(source)
        header = json.loads((table.schema.metadata or {})[_HEADER])
    except KeyError:
        raise UserError(f"{source}: no tape; `mobilesim replay` writes tapes") from None
    except (OSError, pa.ArrowException, json.JSONDecodeError) as error:
        raise UserError(f"{source}: not readable as a tape: {str(error).splitlines()[0]}") from None
    if (found := header.pop("format", None)) != FORMAT:
        raise UserError(f"{source}: a tape of the format {found}, and this version reads {FORMAT}")
    columns: dict[str, Column] = {
        name: _numbers(table[name].combine_chunks()) for name in COLUMNS if name not in _TEXTS
    }
    event, name = (table[text].combine_chunks().dictionary_encode() for text in _TEXTS)
    kinds = {kind.value: number for number, kind in enumerate(KINDS)}
    numbers = np.array([kinds[text] for text in event.dictionary.to_pylist()], np.int64)
    columns["event"] = numbers[_numbers(event.indices)] if len(numbers) else _numbers(event.indices)
    columns["name"] = _numbers(name.indices)
    header["cells"] = tuple(header["cells"])
    header["positions"] = tuple((x, y) for x, y in header["positions"])
    ordered = {column: columns[column] for column in COLUMNS}
    return Tape(TapeHeader(**header), ordered, tuple(name.dictionary.to_pylist()))


def _numbers(column: pa.Array) -> Column:
    numbers: Column = column.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers

"""Tables in pieces of bounded length, as numpy columns, each row seen to be of the run whose file it is in."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from analysis.summary.results_reader import Run
from analysis.verify.findings import RUN_IDS, Findings

Numbers: TypeAlias = npt.NDArray[Any]
Columns: TypeAlias = dict[str, Numbers]


def pieces(run: Run, table: str, *names: str) -> Iterator[pa.RecordBatch]:
    yield from run.batches(table, *names)


def numbers(piece: pa.RecordBatch) -> Columns:
    """All of its columns of numbers and flags."""
    plain = [
        field.name for field in piece.schema if not (pa.types.is_dictionary(field.type) or pa.types.is_list(field.type))
    ]
    return {name: piece.column(name).to_numpy(zero_copy_only=False) for name in plain}


def whole(run: Run, table: str, *names: str) -> Columns:
    """A small table's columns; a moment that never came is -1."""
    found = run.read(table, *names)
    filled = [found[name].fill_null(-1) if found[name].null_count else found[name] for name in names]
    return {name: column.to_numpy() for name, column in zip(names, filled, strict=True)}


def belong(findings: Findings, run: Run, table: str) -> None:
    """Every row of the table says that it is of this run."""
    before = 0
    for piece in pieces(run, table, "run_id", "protocol", "replication"):
        strange = _is_not(piece.column("run_id"), run.run_id) | _is_not(piece.column("protocol"), run.protocol)
        strange |= piece.column("replication").to_numpy() != run.replication
        findings.looked(RUN_IDS, len(strange))
        _tell(findings, table, piece, strange, before)
        before += len(strange)


def _tell(findings: Findings, table: str, piece: pa.RecordBatch, strange: Numbers, before: int) -> None:
    def described(index: int) -> str:
        row = piece.slice(index, 1).to_pylist()[0]
        whose = f"run '{row['run_id']}', replication {row['replication']} of '{row['protocol']}'"
        return f"{table}, row {before + index}: is of {whose}"

    findings.faults(RUN_IDS, strange, described)


def _is_not(column: pa.DictionaryArray, wanted: str) -> npt.NDArray[np.bool_]:
    others = [place for place, text in enumerate(column.dictionary.to_pylist()) if text != wanted]
    return np.isin(column.indices.to_numpy(), others)

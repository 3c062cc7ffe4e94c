"""Tables as numpy columns, and the check that each row belongs to the run of its file."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from analysis.summary.results_reader import Run
from analysis.verify.checks import RUN_IDS, RunChecks

Column: TypeAlias = npt.NDArray[Any]
Columns: TypeAlias = dict[str, Column]


def numeric_columns(batch: pa.RecordBatch) -> Columns:
    """Return the columns of numbers and flags."""
    plain = [
        field.name for field in batch.schema if not (pa.types.is_dictionary(field.type) or pa.types.is_list(field.type))
    ]
    return {name: batch.column(name).to_numpy(zero_copy_only=False) for name in plain}


def read_columns(run: Run, table: str, *names: str) -> Columns:
    """Read columns of a small table; null becomes -1."""
    found = run.read(table, *names)
    filled = [found[name].fill_null(-1) if found[name].null_count else found[name] for name in names]
    return {name: column.to_numpy() for name, column in zip(names, filled, strict=True)}


def check_run_ids(checks: RunChecks, run: Run, table: str) -> None:
    start = 0
    for batch in run.batches(table, "run_id", "protocol", "replication"):
        foreign = _differs(batch.column("run_id"), run.run_id) | _differs(batch.column("protocol"), run.protocol)
        foreign |= batch.column("replication").to_numpy() != run.replication
        checks.count(RUN_IDS, len(foreign))

        def described(index: int, batch: pa.RecordBatch = batch, start: int = start) -> str:
            row = batch.slice(index, 1).to_pylist()[0]
            owner = f"run '{row['run_id']}', replication {row['replication']} of '{row['protocol']}'"
            return f"{table}, row {start + index}: belongs to {owner}"

        checks.faults(RUN_IDS, foreign, described)
        start += len(foreign)


def _differs(column: pa.DictionaryArray, wanted: str) -> npt.NDArray[np.bool_]:
    others = [code for code, text in enumerate(column.dictionary.to_pylist()) if text != wanted]
    return np.isin(column.indices.to_numpy(), others)

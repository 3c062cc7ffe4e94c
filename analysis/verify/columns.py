"""Tables as numpy columns, and the check that each row belongs to the run of its file."""

import numpy as np
import pyarrow as pa

from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.verify.checks import RUN_IDS, Column, Columns, Mask, RunChecks
from mobilesim.results.layout import run_id


def numeric_columns(batch: pa.RecordBatch) -> Columns:
    """Return the columns with numbers or flags."""
    others = (pa.DictionaryType, pa.ListType)
    plain = [field.name for field in batch.schema if not isinstance(field.type, others)]
    return {name: batch.column(name).to_numpy(zero_copy_only=False) for name in plain}


def read_columns(run: Run, table: str, *names: str) -> Columns:
    """Read columns of a small table. Null becomes -1."""
    found = run.read(table, *names)
    filled = [found[name].fill_null(-1) if found[name].null_count else found[name] for name in names]
    return {name: column.to_numpy() for name, column in zip(names, filled, strict=True)}


def repeated(values: Column) -> Mask:
    """Mark all occurrences of each value except the first occurrence. A value may be a column of a matrix."""
    again = np.ones(values.shape[-1], np.bool_)
    again[np.unique(values, axis=-1, return_index=True)[1]] = False
    return again


def outside(indices: Column, size: int) -> Mask:
    """Mark the indices that are negative or not below `size`."""
    unknown: Mask = (indices < 0) | (indices >= size)
    return unknown


def sums(indices: Column, amounts: Column | int, size: int) -> Column:
    """Return the sum of the amounts for each index below `size`. Other indices are ignored."""
    known = ~outside(indices, size)
    total: Column = np.zeros(size, np.int64)
    np.add.at(total, indices[known], np.broadcast_to(amounts, indices.shape)[known])
    return total


def check_run_id(checks: RunChecks) -> None:
    """Check that the run has the id that follows from its scenario, protocol and version. The first ones of its
    extensions belong to the protocol; the others are part of the hash of the scenario.
    """
    row, names = checks.row, checks.row["extensions"].split("; ")
    protocols = (f"{row['protocol']} {'; '.join(names[:count])}".rstrip() for count in range(len(names) + 1))
    known = (run_id(row["scenario_hash"], each, row["replication"], row["version"]) for each in protocols)
    if checks.run.run_id not in known:
        checks.fault(RUN_IDS, "runs: the id does not follow from scenario_hash, protocol, extensions and version")


def check_run_ids(checks: RunChecks, table: str) -> None:
    run, start = checks.run, 0
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


def _differs(column: pa.DictionaryArray, value: str) -> Mask:
    others = [code for code, text in enumerate(column.dictionary.to_pylist()) if text != value]
    return np.isin(column.indices.to_numpy(), others)

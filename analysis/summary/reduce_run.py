"""Reduce the tables of a run, as soon as they are written, to the text for its manifest."""

from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import partial

import numpy as np

from mobilesim.analysis.summary.reduction import POOLED, reduction_of
from mobilesim.analysis.summary.results_reader import Run, run_of
from mobilesim.analysis.summary.run_metrics import TIMES, observe
from mobilesim.results.run_table import TableRows


@dataclass(frozen=True, slots=True)
class _WrittenRun(Run):
    """A run with tables in memory. `tables`: the rows of each table."""

    tables: Callable[[str], TableRows] | None = None

    def readable(self, table: str) -> TableRows:
        assert self.tables is not None
        return self.tables(table)


def reduce_run(rows: Callable[[str], TableRows]) -> str:
    """Return the reduction of a run. `rows`: the rows of each table."""
    (row,) = rows("runs").read().to_pylist()
    run = run_of("", row, kind=partial(_WrittenRun, tables=rows))
    times = {metric: np.concatenate([np.zeros(0, np.int64), *TIMES[metric](run)]) for metric in POOLED}
    observations = [astuple(each) for each in observe(run)]
    return reduction_of(row, observations, times)

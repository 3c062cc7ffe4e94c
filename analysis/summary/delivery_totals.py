"""Sum the columns of one run's deliveries in batches in time order, and check that the parts of every row add up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.analysis.summary.metrics import DELIVERY_MEANS
from mobilesim.analysis.summary.results_reader import Run
from mobilesim.results.quantities import DELAY_PARTS

Numbers: TypeAlias = npt.NDArray[np.int64]
Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]

_SUMMED: Final = ("delay", *DELAY_PARTS, *DELIVERY_MEANS)
_COLUMNS: Final = ("delivered", "submitted", *_SUMMED, "payload_bytes")


@dataclass(slots=True)
class DeliveryTotals:
    """The sums of each batch by metric. `faults`: the number of rows that do not add up; `first`: the first of them."""

    sizes: Numbers
    sums: dict[str, Numbers]
    faults: int = 0
    first: int = 0
    payload: int = 0
    late: int = 0
    """The sum of delays of deliveries after the end of the scenario."""

    @property
    def rows(self) -> int:
        return int(self.sizes.sum())


class _OutOfOrder(Exception):  # noqa: N818 - such rows are no error
    pass


def delivery_totals(run: Run, batches: int) -> DeliveryTotals:
    """Return the totals of a run. Rows that are not in time order are sorted in memory."""
    edges = np.arange(batches + 1) * run.count("deliveries") // batches
    try:
        return _totals(run, edges, None)
    except _OutOfOrder:
        times = np.concatenate([piece.column(0).to_numpy() for piece in run.batches("deliveries", "delivered")])
        batch = np.empty(len(times), np.min_scalar_type(len(edges)))
        batch[np.argsort(times, kind="stable")] = np.repeat(np.arange(batches), np.diff(edges))
        return _totals(run, edges, batch)


def _totals(run: Run, edges: Numbers, batch: npt.NDArray[Any] | None) -> DeliveryTotals:
    """Return the totals of a run. `batch`: the batch of each row; None if rows are in time order."""
    sizes = np.diff(edges)
    totals = DeliveryTotals(sizes, {name: np.zeros_like(sizes) for name in (*_SUMMED, "inhibited")})
    start, before = 0, np.iinfo(np.int64).min
    for piece in run.batches("deliveries", *_COLUMNS):
        columns = {name: piece.column(name).to_numpy() for name in _COLUMNS}
        times = columns["delivered"]
        stop = start + len(times)
        if batch is not None:
            order = np.argsort(batch[start:stop], kind="stable")
            split = np.unique(batch[start:stop][order], return_index=True)
            _add(totals, {name: column[order] for name, column in columns.items()}, *split)
        elif times[0] < before or (times[1:] < times[:-1]).any():
            raise _OutOfOrder
        else:
            begins, ends = np.clip(edges[:-1], start, stop), np.clip(edges[1:], start, stop)
            batches = np.flatnonzero(begins < ends)
            _add(totals, columns, batches, begins[batches] - start)
        _check(totals, columns, start)
        if times.max() > run.ended:
            totals.late += int(columns["delay"][times > run.ended].sum(dtype=np.int64))
        start, before = stop, times[-1]
    return totals


def _add(totals: DeliveryTotals, columns: Columns, batches: npt.NDArray[Any], begins: npt.NDArray[Any]) -> None:
    """Add rows, sorted by batch, to their batches. `begins`: the first row of each batch."""
    inhibited = (columns["inhibition"] > 0).view(np.int8)
    for name, values in (*((name, columns[name]) for name in _SUMMED), ("inhibited", inhibited)):
        totals.sums[name][batches] += np.add.reduceat(values, begins, dtype=np.int64)
    totals.payload += int(columns["payload_bytes"].sum(dtype=np.int64))


def _check(totals: DeliveryTotals, columns: Columns, start: int) -> None:
    delay = columns["delay"]
    fault = columns["delivered"] - columns["submitted"] != delay
    total = np.zeros_like(delay)
    for part in (columns[name] for name in DELAY_PARTS):
        total += part
        if part.min() < 0:
            fault |= part < 0
    fault |= total != delay
    if fault.any():
        totals.first = totals.first if totals.faults else start + int(np.argmax(fault))
        totals.faults += int(np.count_nonzero(fault))

"""One run's tables, boiled down to one row per metric. This runs inside a Spark task, column by column.

A run's own spread is kept as the means of twenty batches of rows in time order (Law & Kelton 2000, 9.5.3): rows close
in time are alike, so the rows themselves are no independent sample. Of a metric with too few rows there are no batches.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from analysis.read import Run
from analysis.schemas import (
    DELIVERY_MEANS,
    HANDOFF_COUNTS,
    HANDOFF_KINDS,
    HANDOFF_SHARES,
    MEDIA,
    MISTAKES,
    STAGES,
    STATION_PEAKS,
)
from mobilesim.tables import PARTS, PURPOSES

BATCHES: Final = 20
CHECK: Final = "check"
MEASURED: Final = "measured"
FAILED: Final = "failed"

_ROWS_PER_BATCH: Final = 2

Column: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Observation:
    metric: str
    count: int
    mean: float | None
    batches: tuple[float, ...] = ()
    note: str | None = None


def observe(run: Run) -> list[Observation]:
    """Every metric of a run; for a run that cannot be read, the one row that says why."""
    try:
        return list(_observe(run))
    except (pa.ArrowException, OSError, MemoryError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        return [Observation(FAILED, 0, None, note=f"run '{run.run_id}' cannot be read: {reason}")]


def handoff_times(run: Run, kind: str) -> Column:
    return _durations(_over(_handoffs(run, kind, "left", "over")), "left", "over")


def delays(run: Run) -> Column:
    return _column(run, "deliveries", "delay")


def _observe(run: Run) -> Iterator[Observation]:
    yield from _of_deliveries(run)
    for kind in HANDOFF_KINDS:
        yield from _of_handoffs(run, kind)
    yield from _of_disconnections(run)
    deliveries = len(delays(run))
    yield from _of_stations(run, deliveries)
    for row in run.read("clocks").to_pylist():
        yield from _of_clocks(row)
    if deliveries:
        yield from _of_links(run, deliveries)
        energy = run.read("hosts", "energy_transmit", "energy_receive", "energy_idle")
        yield Observation(
            "host.energy", deliveries, sum(pc.sum(column).as_py() for column in energy.columns) / deliveries
        )


def _mean(metric: str, values: Column, order: Column | None) -> Observation:
    if not len(values):
        return Observation(metric, 0, None)
    return Observation(metric, len(values), int(values.sum()) / len(values), _batch_means(values, order))


def _batch_means(values: Column, order: Column | None) -> tuple[float, ...]:
    if len(values) < BATCHES * _ROWS_PER_BATCH:
        return ()
    edges = np.arange(BATCHES + 1) * len(values) // BATCHES
    sums = np.add.reduceat(values if order is None else values[order], edges[:-1], dtype=np.int64)
    return tuple((sums / np.diff(edges)).tolist())


def _time_order(times: Column) -> Column | None:
    """Nothing, if the rows are in order already, as the emulator writes them."""
    return None if bool((times[:-1] <= times[1:]).all()) else np.argsort(times, kind="stable")


def _column(run: Run, table: str, name: str) -> Column:
    column: Column = run.read(table, name).column(0).to_numpy()
    return column


def _of_deliveries(run: Run) -> Iterator[Observation]:
    read = partial(_column, run, "deliveries")
    delay, delivered = read("delay"), read("delivered")
    order = _time_order(delivered)
    yield _mean("delay", delay, order)
    total = np.zeros_like(delay)
    fault = delivered - read("submitted") != delay
    for part in PARTS:
        column = read(part)
        total += column
        fault |= column < 0
        yield _mean(part, column, order)
        if part == "inhibition":
            yield _mean("inhibited", (column > 0).astype(np.int64), order)
    yield Observation(MEASURED, len(delay), None)
    yield _checked(run, fault | (total != delay))
    for name in DELIVERY_MEANS:
        yield _mean(name, read(name), order)


def _checked(run: Run, fault: npt.NDArray[np.bool_]) -> Observation:
    """How many rows do not add up, with the first of them in words."""
    faults = int(np.count_nonzero(fault))
    return Observation(CHECK, faults, None, note=_example(run, int(np.argmax(fault))) if faults else None)


def _example(run: Run, index: int) -> str:
    row = run.read("deliveries").slice(index, 1).to_pylist()[0]
    what = f"run '{run.run_id}', message {row['message']} to host {row['destination']}"
    negative = [part for part in PARTS if row[part] < 0]
    if negative:
        return f"{what}: part {negative[0]} is {row[negative[0]]} ns"
    parts = sum(row[part] for part in PARTS)
    span = row["delivered"] - row["submitted"]
    return f"{what}: parts add up to {parts} ns, delay is {row['delay']} ns, delivered - submitted is {span} ns"


def _handoffs(run: Run, kind: str, *columns: str) -> pa.Table:
    """In the order in which hosts left."""
    table = run.read("handoffs", *columns, "reconnection")
    return table.filter(pc.equal(table["reconnection"], pa.scalar(kind == "reconnection"))).sort_by("left")


def _over(table: pa.Table) -> pa.Table:
    """Those after which the host was served. The others have a price and no end: their host had moved on already.

    A run that was cut short may have one per host that was still under way, and had not cost all of its messages.
    """
    return table.filter(pc.is_valid(table["over"]))


def _durations(table: pa.Table, begin: str, end: str) -> Column:
    lasted: Column = pc.subtract(table[end], table[begin]).to_numpy()
    return lasted


def _of_handoffs(run: Run, kind: str) -> Iterator[Observation]:
    started = _handoffs(run, kind, "left", "entered", *STAGES.values(), *HANDOFF_SHARES, *HANDOFF_COUNTS)
    finished = _over(started)
    share = finished.num_rows / started.num_rows if started.num_rows else None
    yield Observation(f"{kind}.finished", started.num_rows, share)
    yield _mean(f"{kind}.time", _durations(finished, "left", "over"), None)
    yield _mean(f"{kind}.settling", _durations(finished, "entered", "over"), None)
    for stage, lasted in _stages(finished):
        yield _mean(f"{kind}.{stage}", lasted, None)
    for name in (*HANDOFF_SHARES, *HANDOFF_COUNTS):
        yield _mean(f"{kind}.{name}", pc.cast(started[name], pa.int64()).to_numpy(), None)
    yield Observation(f"{kind}.backlog_peak", started.num_rows, pc.max(started["backlog"]).as_py())


def _stages(finished: pa.Table) -> Iterator[tuple[str, Column]]:
    """A phase that there was not, or that came before the one before it, ends a stage of no length."""
    before: Column = finished["left"].to_numpy()
    for stage, phase in STAGES.items():
        reached = np.maximum(pc.fill_null(finished[phase], 0).to_numpy(), before)
        yield stage, reached - before
        before = reached


def _of_disconnections(run: Run) -> Iterator[Observation]:
    table = run.read("disconnections", "left", "returned", "drained", "waiting", "dropped").sort_by("left")
    returned = table.filter(pc.is_valid(table["returned"]))
    drained = returned.filter(pc.is_valid(returned["drained"]))
    yield _mean("disconnection.time", _durations(returned, "left", "returned"), None)
    yield _mean("disconnection.waiting", table["waiting"].to_numpy(), None)
    yield _mean("disconnection.draining", _durations(drained, "returned", "drained"), None)
    yield _mean("disconnection.dropped", pc.cast(table["dropped"], pa.int64()).to_numpy(), None)


def _of_links(run: Run, deliveries: int) -> Iterator[Observation]:
    """Bytes per delivery, and per byte of payload delivered; totals of a run, which have no spread within it."""
    table = run.read("links", "kind", "bytes", *(f"{purpose}_bytes" for purpose in PURPOSES))
    wired = pc.equal(pc.cast(table["kind"], pa.string()), "wired")
    for medium, rows in zip(MEDIA, (wired, pc.invert(wired)), strict=True):
        part = table.filter(rows)
        for metric, column in (("total", "bytes"), *((purpose, f"{purpose}_bytes") for purpose in PURPOSES)):
            yield Observation(f"{medium}.{metric}", deliveries, (pc.sum(part[column]).as_py() or 0) / deliveries)
    payload = int(_column(run, "deliveries", "payload_bytes").sum(dtype=np.int64))
    if payload:
        yield Observation("bytes_per_payload_byte", deliveries, pc.sum(table["bytes"]).as_py() / payload)


def _of_stations(run: Run, deliveries: int) -> Iterator[Observation]:
    table = run.read("stations", "processing", "state_mean", *STATION_PEAKS)
    processing: Any = table["processing"].to_numpy()
    if not len(processing):
        return
    if deliveries:
        yield Observation("station.processing", deliveries, int(processing.sum()) / deliveries)
    if run.emulated:
        yield Observation("station.busy", len(processing), int(processing.sum()) / len(processing) / run.emulated)
        yield Observation("station.busiest", len(processing), int(processing.max()) / run.emulated)
    yield Observation("station.state_mean", len(processing), pc.mean(table["state_mean"]).as_py())
    for peak in STATION_PEAKS:
        yield Observation(f"station.{peak}", len(processing), float(pc.max(table[peak]).as_py()))


def _of_clocks(row: Mapping[str, Any]) -> Iterator[Observation]:
    """Of one that looked on: sizes of sets, integers on messages, and its answers."""
    name, processes, copies, compared = (row[key] for key in ("clock", "processes", "copies", "compared"))
    yield Observation(f"clocks.{name}.exact", 1, float(row["exact"]))
    for key in ("processes", "links", "gateways", "arrivals"):
        yield Observation(f"clocks.{name}.{key}", 1, row[key])
    for key in ("clock_set", "obs_set"):
        yield Observation(f"clocks.{name}.{key}", processes, row[f"{key}_mean"])
        yield Observation(f"clocks.{name}.{key}_most", processes, row[f"{key}_most"])
    for key in ("integers", "integers_of_vectors"):
        yield Observation(f"clocks.{name}.{key}", copies, row[key] / copies if copies else None)
    yield Observation(f"clocks.{name}.wrong", compared, row["wrong"] / compared if compared else None)
    for key in MISTAKES:
        yield Observation(f"clocks.{name}.{key}", row[key], None)

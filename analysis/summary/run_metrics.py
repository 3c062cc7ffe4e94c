"""Reduce the tables of one run to one observation per metric, in a Spark task.

An observation also has the means of twenty batches of rows in time order, from which the initial transient is found. A
metric with too few rows has no batches. Rows of a run are correlated, so a single run has no interval: intervals from
its batches cover the mean of a rare quantity in a third of all runs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mobilesim.analysis.statistics.percentiles import MILLION, quantile_index
from mobilesim.analysis.summary.delivery_totals import DeliveryTotals, delivery_totals
from mobilesim.analysis.summary.metrics import (
    CHECK,
    CLOCK_ERRORS,
    DELIVERIES,
    HANDOFF_COUNTS,
    HANDOFF_KINDS,
    HANDOFF_SHARES,
    STATION_PEAKS,
)
from mobilesim.analysis.summary.results_reader import Run, check_counts, read_errors
from mobilesim.results.quantities import (
    BYTE_PURPOSES,
    DELAY_PARTS,
    HANDOFF_STAGES,
    MEDIA,
    RADIO_ENERGIES,
    RUN_PERCENTILES,
)

BATCHES: Final = 20

_DIRECTIONS: Final = {part: state.bytes for part, state in RADIO_ENERGIES.items() if state.bytes}
"""The radio states with an energy that is divided by purposes of bytes, and the prefix of the columns of bytes."""
_CARRIED: Final = tuple(f"{way}_{purpose}_bytes" for way in _DIRECTIONS.values() for purpose in BYTE_PURPOSES)
_ENERGIES: Final = tuple(f"energy_{part}" for part in RADIO_ENERGIES)

Column: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Observation:
    metric: str
    count: int
    mean: float | None
    batches: tuple[float, ...] = ()
    note: str | None = None
    percentiles: tuple[int, ...] = ()
    """The run's percentiles at `RUN_PERCENTILES`."""


def observe(run: Run) -> list[Observation]:
    """Return every metric of a run; raise a UserError if the run cannot be read."""
    if run.reduction is not None:
        return [
            Observation(metric, count, mean, tuple(batches), note, tuple(percentiles))
            for metric, count, mean, batches, note, percentiles in run.reduction.observations
        ]
    with read_errors(run):
        check_counts(run)
        return list(_observe(run))


def handoff_times(run: Run, kind: str) -> Iterator[Column]:
    """Yield the durations of hand-offs of one kind."""
    if (known := _reduced_times(run, f"{kind}.time")) is not None:
        yield known
        return
    table = run.read("handoffs", "left", "complete", "reconnection")
    yield _durations(_completed(_of_kind(table, kind)), "left", "complete")


def delays(run: Run) -> Iterator[Column]:
    if (known := _reduced_times(run, "delay")) is not None:
        yield known
        return
    for piece in run.batches("deliveries", "delay"):
        yield piece.column(0).to_numpy()


def _reduced_times(run: Run, metric: str) -> Column | None:
    return None if run.reduction is None else run.reduction.times(metric)


TIMES: Final[dict[str, Callable[[Run], Iterator[Column]]]] = {
    "delay": delays,
    **{f"{kind}.time": partial(handoff_times, kind=kind) for kind in HANDOFF_KINDS},
}
"""The metrics with percentiles, each with a function that yields all its values in a run."""


def _observe(run: Run) -> Iterator[Observation]:
    totals = delivery_totals(run, BATCHES)
    yield from _of_deliveries(run, totals)
    yield from _of_handoffs(run)
    yield from _of_disconnections(run)
    yield from _of_stations(run, totals.rows)
    hosts = run.read("hosts", "battery", "died", "computing", "state_mean", "state_peak", *_ENERGIES, *_CARRIED)
    yield from _of_batteries(run, hosts)
    yield from _of_processors(hosts, totals.rows)
    for row in run.read("clocks").to_pylist():
        yield from _of_clocks(row)
    if totals.rows:
        yield from _of_links(run, totals)
        yield from _of_energy(hosts, totals.rows)


def _of_deliveries(run: Run, totals: DeliveryTotals) -> Iterator[Observation]:
    for metric, sums in totals.sums.items():
        found = _observation(metric, sums, totals.sizes)
        yield _with_percentiles(found, list(delays(run))) if metric == "delay" else found
    if delay := int(totals.sums["delay"].sum()):
        yield Observation("late", totals.rows, totals.late / delay)
    yield Observation(DELIVERIES, totals.rows, None)
    yield Observation(CHECK, totals.faults, None, note=_example(run, totals.first) if totals.faults else None)


def _observation(metric: str, sums: Column, sizes: Column) -> Observation:
    """Return the mean from the sums of batches."""
    rows = int(sizes.sum())
    if not rows:
        return Observation(metric, 0, None)
    batches = tuple((sums / sizes).tolist()) if rows >= 2 * BATCHES else ()
    return Observation(metric, rows, int(sums.sum()) / rows, batches)


def _mean(metric: str, values: Column) -> Observation:
    """Return the mean of values in time order."""
    edges = np.arange(BATCHES + 1) * len(values) // BATCHES
    ends = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))[edges]
    return _observation(metric, np.diff(ends), np.diff(edges))


def _with_percentiles(found: Observation, pieces: Sequence[Column]) -> Observation:
    if not found.count:
        return found
    ranks = [quantile_index(MILLION // 100 * percent, found.count) for percent in RUN_PERCENTILES]
    return replace(found, percentiles=tuple(np.partition(np.concatenate(pieces), ranks)[ranks].tolist()))


def _example(run: Run, index: int) -> str:
    row = _row(run, index)
    what = f"run '{run.run_id}', message {row['message']} to host {row['destination']}"
    negative = [part for part in DELAY_PARTS if row[part] < 0]
    if negative:
        return f"{what}: part {negative[0]} is {row[negative[0]]} ns"
    parts = sum(row[part] for part in DELAY_PARTS)
    span = row["delivered"] - row["submitted"]
    return f"{what}: parts add up to {parts} ns, delay is {row['delay']} ns, delivered - submitted is {span} ns"


def _row(run: Run, index: int) -> dict[str, Any]:
    for piece in run.batches("deliveries", "message", "destination", "submitted", "delivered", "delay", *DELAY_PARTS):
        if index < piece.num_rows:
            break
        index -= piece.num_rows
    row: dict[str, Any] = piece.slice(index, 1).to_pylist()[0]
    return row


def _of_kind(table: pa.Table, kind: str) -> pa.Table:
    """Return the hand-offs of one kind in the order in which hosts left their cells."""
    return table.filter(pc.equal(table["reconnection"], pa.scalar(kind == "reconnection"))).sort_by("left")


def _completed(table: pa.Table) -> pa.Table:
    """Return the complete hand-offs.

    A hand-off has packets, but no end, if the host's next station requests the host's state before the state arrives.
    An interrupted run may also have one incomplete hand-off per host, with only a part of its packets.
    """
    return table.filter(pc.is_valid(table["complete"]))


def _durations(table: pa.Table, begin: str, end: str) -> Column:
    lasted: Column = pc.subtract(table[end], table[begin]).to_numpy()
    return lasted


def _of_handoffs(run: Run) -> Iterator[Observation]:
    columns = ("left", "entered", *(stage.phase for stage in HANDOFF_STAGES.values()), *HANDOFF_SHARES, *HANDOFF_COUNTS)
    table = run.read("handoffs", *columns, "reconnection")
    for kind in HANDOFF_KINDS:
        started = _of_kind(table, kind)
        finished = _completed(started)
        share = finished.num_rows / started.num_rows if started.num_rows else None
        yield Observation(f"{kind}.finished", started.num_rows, share)
        lasted = _durations(finished, "left", "complete")
        yield _with_percentiles(_mean(f"{kind}.time", lasted), [lasted])
        yield _mean(f"{kind}.settling", _durations(finished, "entered", "complete"))
        for stage, lasted in _stages(finished):
            yield _mean(f"{kind}.{stage}", lasted)
        for name in (*HANDOFF_SHARES, *HANDOFF_COUNTS):
            yield _mean(f"{kind}.{name}", pc.cast(started[name], pa.int64()).to_numpy())
        yield Observation(f"{kind}.backlog_peak", started.num_rows, pc.max(started["backlog"]).as_py())


def _stages(finished: pa.Table) -> Iterator[tuple[str, Column]]:
    """Yield the durations of each stage; zero if the phase that ends the stage is missing or out of order."""
    before: Column = finished["left"].to_numpy()
    for stage in HANDOFF_STAGES.values():
        reached = np.maximum(pc.fill_null(finished[stage.phase], 0).to_numpy(), before)
        yield stage.name, reached - before
        before = reached


def _of_disconnections(run: Run) -> Iterator[Observation]:
    table = run.read("disconnections", "left", "returned", "drained", "waiting", "dropped").sort_by("left")
    returned = table.filter(pc.is_valid(table["returned"]))
    drained = returned.filter(pc.is_valid(returned["drained"]))
    yield _mean("disconnection.time", _durations(returned, "left", "returned"))
    yield _mean("disconnection.waiting", table["waiting"].to_numpy())
    yield _mean("disconnection.draining", _durations(drained, "returned", "drained"))
    yield _mean("disconnection.dropped", pc.cast(table["dropped"], pa.int64()).to_numpy())


def _of_links(run: Run, totals: DeliveryTotals) -> Iterator[Observation]:
    """Yield bytes per delivery and per byte of delivered payload. They are ratios of totals, without batches."""
    table = run.read("links", "kind", "bytes", *(f"{purpose}_bytes" for purpose in BYTE_PURPOSES))
    wired = pc.is_in(pc.cast(table["kind"], pa.string()), pa.array(["wired", "bus"]))
    for medium, rows in zip(MEDIA, (wired, pc.invert(wired)), strict=True):
        part = table.filter(rows)
        for metric, column in (("total", "bytes"), *((purpose, f"{purpose}_bytes") for purpose in BYTE_PURPOSES)):
            yield Observation(f"{medium}.{metric}", totals.rows, (pc.sum(part[column]).as_py() or 0) / totals.rows)
    if totals.payload:
        yield Observation("bytes_per_payload_byte", totals.rows, pc.sum(table["bytes"]).as_py() / totals.payload)


def _of_batteries(run: Run, hosts: pa.Table) -> Iterator[Observation]:
    """Yield the mean battery lifetime (censored at the end), the number of empty batteries, and the earliest end."""
    table = hosts.filter(pc.is_valid(hosts["battery"]))
    if table.num_rows:
        lasted = pc.fill_null(table["died"], run.ended)
        yield Observation("host.life", table.num_rows, pc.mean(lasted).as_py())
        died = pc.count(table["died"]).as_py()
        yield Observation("host.died", table.num_rows, died)
        yield Observation("host.first_death", died, pc.min(table["died"]).as_py())


def _of_processors(hosts: pa.Table, deliveries: int) -> Iterator[Observation]:
    if deliveries:
        yield Observation("host.computing", deliveries, (pc.sum(hosts["computing"]).as_py() or 0) / deliveries)
    table = hosts.filter(pc.is_valid(hosts["state_peak"]))
    if table.num_rows:
        yield Observation("host.state_mean", table.num_rows, pc.mean(table["state_mean"]).as_py())
        yield Observation("host.state_peak", table.num_rows, float(pc.max(table["state_peak"]).as_py()))


def _of_energy(hosts: pa.Table, deliveries: int) -> Iterator[Observation]:
    """Yield the energy of all hosts per delivery. Energy for sending and receiving is divided among the purposes."""
    total = {name: pc.sum(hosts[name]).as_py() or 0 for name in (*_ENERGIES, *_CARRIED)}
    joules = {part: total[f"energy_{part}"] / deliveries for part in RADIO_ENERGIES}
    yield Observation("host.energy", deliveries, sum(joules.values()))
    for purpose in BYTE_PURPOSES:
        spent = sum(joules[part] * _share(total, way, purpose) for part, way in _DIRECTIONS.items())
        yield Observation(f"energy.{purpose}", deliveries, spent)
    for part in RADIO_ENERGIES:
        if part not in _DIRECTIONS:
            yield Observation(f"energy.{part}", deliveries, joules[part])


def _share(total: Mapping[str, Any], way: str, purpose: str) -> float:
    """Return the share of a purpose in the bytes sent or received. Without bytes, all energy counts as framing."""
    whole = sum(total[f"{way}_{each}_bytes"] for each in BYTE_PURPOSES)
    return float(total[f"{way}_{purpose}_bytes"] / whole) if whole else float(purpose == "framing")


def _of_stations(run: Run, deliveries: int) -> Iterator[Observation]:
    table = run.read("stations", "processing", "state_mean", *STATION_PEAKS)
    processing: Any = table["processing"].to_numpy()
    if not len(processing):
        return
    if deliveries:
        yield Observation("station.processing", deliveries, int(processing.sum()) / deliveries)
    if run.measured:
        yield Observation("station.busy", len(processing), int(processing.sum()) / len(processing) / run.measured)
        yield Observation("station.busiest", len(processing), int(processing.max()) / run.measured)
    yield Observation("station.state_mean", len(processing), pc.mean(table["state_mean"]).as_py())
    for peak in STATION_PEAKS:
        yield Observation(f"station.{peak}", len(processing), float(pc.max(table[peak]).as_py()))


def _of_clocks(row: Mapping[str, Any]) -> Iterator[Observation]:
    """Yield the results of a passive clock: sizes of sets, integers on messages, numbers of wrong answers."""
    name, processes, copies, compared = (row[key] for key in ("clock", "processes", "copies", "compared"))
    for key in ("claims_exact", "exact_sets", "processes", "links", "gateways", "arrivals", "integers_max"):
        yield Observation(f"clocks.{name}.{key}", 1, row[key])
    for key in ("kept", "obs_set"):
        yield Observation(f"clocks.{name}.{key}", processes, row[f"{key}_mean"])
        yield Observation(f"clocks.{name}.{key}_max", processes, row[f"{key}_max"])
    for key, whole in (("integers", copies), ("integers_of_vectors", copies), ("wrong", compared)):
        yield Observation(f"clocks.{name}.{key}", whole, row[key] / whole if whole else None)
    for key in CLOCK_ERRORS:
        yield Observation(f"clocks.{name}.{key}", row[key], None)

"""The reference implementation of the summary. It uses lists of rows, exact fractions and sorting, so it is slow and
simple.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import ceil, copysign, pi, sqrt, tan
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, HANDOFF_PACKETS, RADIO_ENERGIES

Row = dict[str, Any]
Interval = tuple[float | None, float | None, float | None, str]

# Student's t, two-sided 95%: in closed form for one and two degrees of freedom, else from a table.
T = {1: tan(0.475 * pi), 2: 0.95 * sqrt(2 / (1 - 0.95**2)), 3: 3.182446305284263}


def protocols(directory: Path) -> dict[str, list[Row]]:
    """Return the runs of each protocol, each with its tables."""
    found: dict[str, list[Row]] = {}
    for path in sorted((directory / "runs").iterdir()):
        run = pq.read_table(path).to_pylist()[0]
        tables = ("deliveries", "handoffs", "disconnections", "links", "stations", "hosts")
        whole = {table: pq.read_table(directory / table / path.name).to_pylist() for table in tables}
        found.setdefault(run["protocol"], []).append(run | whole)
    return {name: sorted(runs, key=lambda run: run["replication"]) for name, runs in found.items()}


def counted(runs: Sequence[Row]) -> list[Row]:
    """Return the complete runs, or all runs if none is complete."""
    return [run for run in runs if run["status"] == "complete"] or list(runs)


def mean(runs: Sequence[Row], rows: Callable[[Row], list[int]]) -> Interval:
    """Return the interval of a mean of values that each run has in time order."""
    values = [rows(run) for run in runs if rows(run)]
    return interval([Fraction(sum(each), len(each)) for each in values])


def interval(sample: Sequence[Fraction]) -> Interval:
    """Return the mean of one number per run, and its interval."""
    if not sample:
        return None, None, None, "none"
    count, mean = len(sample), sum(sample) / len(sample)
    if count == 1 or not any(sample):
        return float(mean), None, None, "none"
    if len(set(sample)) == 1:
        return float(mean), float(mean), float(mean), "equal values"
    squares = sum((each - mean) ** 2 for each in sample)
    error, t = sqrt(squares / (count - 1) / count), T[count - 1]
    if min(sample) > 0 and squares / (count - 1) <= mean**2 / 4:
        return float(mean), max(0.0, float(mean) - t * error), float(mean) + t * error, "t"
    # Hall's transformation of Student's ratio, solved for the ratio.
    skew = float(sum((each - mean) ** 3 for each in sample) / count) / float(squares / count) ** 1.5
    ends = []
    for quantile in (t, -t):
        base = 1 + skew * (quantile / sqrt(count) - skew / 6 / count)
        root = copysign(abs(base) ** (1 / 3), base)
        ends.append(float(mean) - error * (3 * sqrt(count) * (root - 1) / skew if skew else quantile))
    return float(mean), max(0.0, ends[0]), ends[1], "skew-corrected t"


def total(runs: Sequence[Row], whole: Callable[[Row], Fraction | float | None]) -> Interval:
    """Return the interval of one number per run. A single number has no spread within the run."""
    return interval([Fraction(number) for number in map(whole, runs) if number is not None])


def percentile(values: Sequence[int], percent: int) -> int | None:
    """Return the smallest value that `percent` of 100 values do not exceed."""
    ordered = sorted(values)
    return ordered[max(1, ceil(Fraction(percent * len(ordered), 100))) - 1] if ordered else None


def in_time(run: Row, column: str) -> list[int]:
    return [row[column] for row in sorted(run["deliveries"], key=lambda row: int(row["delivered"]))]


def finished(run: Row, kind: str) -> list[Row]:
    return [row for row in started(run, kind) if row["complete"] is not None]


def started(run: Row, kind: str) -> list[Row]:
    expected = [row for row in run["handoffs"] if row["reconnection"] == (kind == "reconnection")]
    return sorted(expected, key=lambda row: int(row["left"]))


def means(runs: Sequence[Row]) -> dict[str, Interval]:
    """Return every metric by its name in the product."""
    whole = counted(runs)
    found = _of_deliveries(whole) | _of_handoffs(whole) | _of_disconnections(whole)
    return found | _of_totals(whole) | _of_stations(whole)


def _of_deliveries(runs: Sequence[Row]) -> dict[str, Interval]:
    columns = ("delay", *DELAY_PARTS, "header_bytes", "header_integers", "header_units")
    found = {name: mean(runs, partial(in_time, column=name)) for name in columns}

    def late(run: Row) -> Fraction | None:
        whole = sum(row["delay"] for row in run["deliveries"])
        after = sum(row["delay"] for row in run["deliveries"] if row["delivered"] > run["ended"])
        return Fraction(after, whole) if whole else None

    found["late"] = total(runs, late)
    return found | {"inhibited": mean(runs, lambda run: [wait > 0 for wait in in_time(run, "inhibition")])}


def _of_handoffs(runs: Sequence[Row]) -> dict[str, Interval]:
    def values(run: Row, kind: str, name: str) -> list[int]:
        begin = {"time": "left", "settling": "entered"}.get(name)
        if begin is None:
            return [row[name] for row in started(run, kind)]
        return [row["complete"] - row[begin] for row in finished(run, kind)]

    def peak(run: Row, kind: str) -> int | None:
        return max((row["backlog"] for row in started(run, kind)), default=None)

    counts = ("inferred", "superseded", "buffered", "forwarded", "retransmitted", "backlog")
    packets = [f"{kind}_{what}" for kind in ("control", *HANDOFF_PACKETS) for what in ("messages", "bytes")]
    found = {}
    for kind in ("move", "reconnection"):
        for name in ("time", "settling", *counts, *packets):
            found[f"{kind}.{name}"] = mean(runs, partial(values, kind=kind, name=name))
        for place, phase in enumerate(PHASES):
            found[f"{kind}.to_{phase}"] = mean(runs, partial(stage, kind=kind, place=place))
        found[f"{kind}.backlog_peak"] = total(runs, partial(peak, kind=kind))
    return found


PHASES = ("registered", "request", "enabled", "flush_ack", "complete")


def stage(run: Row, kind: str, place: int) -> list[int]:
    """Return, for each hand-off, the time from the latest previous phase to this phase, or 0 if this phase is not
    later.
    """
    lengths = []
    for row in finished(run, kind):
        times = [row["left"]] + [row[phase] or 0 for phase in PHASES[: place + 1]]
        lengths.append(max(times) - max(times[:-1]))
    return lengths


def _of_disconnections(runs: Sequence[Row]) -> dict[str, Interval]:
    def rows(run: Row, *needed: str) -> list[Row]:
        kept = [row for row in run["disconnections"] if all(row[name] is not None for name in needed)]
        return sorted(kept, key=lambda row: int(row["left"]))

    def lasted(run: Row, begin: str, end: str) -> list[int]:
        return [row[end] - row[begin] for row in rows(run, begin, end)]

    return {
        "disconnection.time": mean(runs, partial(lasted, begin="left", end="returned")),
        "disconnection.waiting": mean(runs, lambda run: [row["waiting"] for row in rows(run)]),
        "disconnection.draining": mean(runs, partial(lasted, begin="returned", end="drained")),
        "disconnection.dropped": mean(runs, lambda run: [row["dropped"] for row in rows(run)]),
    }


def _of_totals(runs: Sequence[Row]) -> dict[str, Interval]:
    def carried(run: Row, column: str, *, wired: bool) -> Fraction | None:
        amount = sum(row[column] for row in run["links"] if (row["kind"] == "wired") == wired)
        return Fraction(amount, len(run["deliveries"])) if run["deliveries"] else None

    def per_payload(run: Row) -> Fraction | None:
        payload = sum(row["payload_bytes"] for row in run["deliveries"])
        return Fraction(sum(row["bytes"] for row in run["links"]), payload) if payload else None

    columns = {"total": "bytes", **{purpose: f"{purpose}_bytes" for purpose in BYTE_PURPOSES}}
    return {"bytes_per_payload_byte": total(runs, per_payload)} | {
        f"{medium}.{name}": total(runs, partial(carried, column=column, wired=medium == "wired"))
        for medium in ("wired", "wireless")
        for name, column in columns.items()
    }


def _deaths(run: Row) -> list[int]:
    return [row["died"] for row in run["hosts"] if row["battery"] is not None and row["died"] is not None]


def _of_processors(runs: Sequence[Row]) -> dict[str, Interval]:
    def computing(run: Row) -> Fraction | None:
        worked = sum(row["computing"] for row in run["hosts"])
        return Fraction(worked, len(run["deliveries"])) if run["deliveries"] else None

    return {
        "host.computing": total(runs, computing),
        "host.state_mean": total(runs, lambda run: sum(row["state_mean"] for row in run["hosts"]) / len(run["hosts"])),
        "host.state_peak": total(runs, lambda run: max(row["state_peak"] for row in run["hosts"])),
    }


def _of_stations(runs: Sequence[Row]) -> dict[str, Interval]:
    def processing(run: Row) -> list[int]:
        return [row["processing"] for row in run["stations"]]

    def largest(column: str) -> Interval:
        return total(runs, lambda run: max(row[column] for row in run["stations"]))

    def per_delivery(run: Row) -> Fraction | None:
        return Fraction(sum(processing(run)), len(run["deliveries"])) if run["deliveries"] else None

    def energy(run: Row) -> float | None:
        used = sum(row[f"energy_{part}"] for row in run["hosts"] for part in RADIO_ENERGIES)
        return used / len(run["deliveries"]) if run["deliveries"] else None

    def life(run: Row) -> float | None:
        ends = [row["died"] or run["ended"] for row in run["hosts"] if row["battery"] is not None]
        return sum(ends) / len(ends) if ends else None

    def spent(run: Row, purpose: str) -> float | None:
        if not run["deliveries"]:
            return None
        used = sum(row.get(f"energy_{purpose}", 0) for row in run["hosts"])
        for part, direction in (("transmit", "sent"), ("receive", "received")):
            joules = sum(row[f"energy_{part}"] for row in run["hosts"])
            carried = {one: sum(row[f"{direction}_{one}_bytes"] for row in run["hosts"]) for one in BYTE_PURPOSES}
            whole = sum(carried.values())
            used += joules * (carried.get(purpose, 0) / whole if whole else purpose == "framing")
        return float(used / len(run["deliveries"]))

    return {
        "station.processing": total(runs, per_delivery),
        "station.busy": total(runs, lambda run: Fraction(sum(processing(run)), 4 * run["measured_to"])),
        "station.busiest": total(runs, lambda run: Fraction(max(processing(run)), run["measured_to"])),
        "station.state_mean": total(runs, lambda run: sum(row["state_mean"] for row in run["stations"]) / 4),
        **{f"station.{name}_peak": largest(f"{name}_peak") for name in ("state", "pending", "copies", "tombstones")},
        **{f"station.{name}_end": largest(f"{name}_end") for name in ("copies", "tombstones")},
        **_of_processors(runs),
        "host.energy": total(runs, energy),
        "host.life": total(runs, life),
        "host.died": total(runs, lambda run: None if life(run) is None else len(_deaths(run))),
        "host.first_death": total(runs, lambda run: min(_deaths(run), default=None)),
        **{
            f"energy.{purpose}": total(runs, partial(spent, purpose=purpose))
            for purpose in (*BYTE_PURPOSES, "beacon", "idle", "doze", "switch", "compute")
        },
    }


def agrees(row: Row, name: str, expected: Interval) -> bool:
    found = (row[f"{name}_{end}"] for end in ("mean", "low", "high"))
    return all(
        mine is its if None in {mine, its} else mine == pytest.approx(its, rel=1e-9, abs=1e-9)
        for mine, its in zip(found, expected[:3], strict=True)
    )

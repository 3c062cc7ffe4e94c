"""Large results made from real runs by repeating their rows.

The first repetition is the run itself. Each further repetition contains the rows of the run with new message ids,
shifted in time behind the repetition before it. In a further repetition, each delivery takes a random time of up to a
millisecond longer on wired links, and this time is added to all columns that include it. So repetitions differ, the
parts of each delay add up, and rows stay in the order of delivery. Counters of links are multiplied by the number of
repetitions. Counters of stations and hosts are unchanged.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.simulator import CpuMeter
from mobilesim.experiments.execute import execute
from mobilesim.experiments.run import Run, runs
from mobilesim.results.parquet_writer import ParquetFile
from mobilesim.results.run_directory import prepare_directory
from mobilesim.results.schema import TABLES
from mobilesim.scenario.bundled import find
from mobilesim.scenario.loader import load

PROTOCOLS: Final = ("av1", "av2")
COPIES: Final = 3
"""The number of destinations of a message in the scenario `quickstart`."""

_TIMES: Final = {
    "messages": ("submitted",),
    "deliveries": (
        *("submitted", "uplink_started", "accepted", "sent", "arrived", "deliverable", "released"),
        *("downlink_started", "delivered"),
    ),
    "handoffs": ("left", "entered", "registered", "request", "enabled", "flush_ack", "complete"),
    "disconnections": ("left", "returned", "drained"),
}
_LONGER: Final = ("wired", "delay", "arrived", "deliverable", "released", "downlink_started", "delivered")
_JITTER: Final = 1_000_000
_GROUP: Final = 1 << 18
"""The number of rows in a row group, as in the simulator's files."""


def make_results(directory: Path, replications: int, messages: int, repetitions: int, cores: int) -> None:
    """Write `replications` runs of each protocol. Each run has `messages` messages, repeated `repetitions` times."""
    prepare_directory(directory)
    settings = {
        "protocols": f"[{', '.join(PROTOCOLS)}]",
        "messages": str(messages),
        "duration": "null",
        "replications": str(replications),
    }
    real = list(runs(load(find("quickstart"), settings)))
    make = partial(_make_run, directory, repetitions)
    if cores == 1:
        _report(map(make, real), len(real))
        return
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
        _report(pool.map(make, real), len(real))


def _report(names: Iterator[str], count: int) -> None:
    for number, name in enumerate(names, 1):
        print(f"[{number}/{count}] made run {name}", file=sys.stderr)


def _make_run(directory: Path, repetitions: int, run: Run) -> str:
    with TemporaryDirectory(prefix="mobilesim-benchmark-") as folder:
        played = Path(folder) / "results"
        prepare_directory(played)
        execute(run, played, CpuMeter())
        for name in sorted(TABLES, key=lambda name: name == "runs"):
            file = f"{run.id}.parquet"
            enlarge(name, played / name / file, directory / name / file, repetitions)
    return run.id


def enlarge(name: str, source: Path, target: Path, repetitions: int) -> None:
    table = pq.read_table(source)
    length = _length(source)
    draw = np.random.default_rng(int(source.stem, 16))
    with ParquetFile(target, table.schema) as file:
        for group in _groups(pa.concat_tables(_repeated(name, table, length, repetitions, draw))):
            file.write(group)


def _length(source: Path) -> int:
    """Return the shift between two repetitions: the simulated time of the run and the largest random delay."""
    row = pq.read_table(source.parents[1] / "runs" / source.name, columns=["simulated"])
    return int(row["simulated"][0].as_py()) + _JITTER


def _groups(table: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, max(len(table), 1), _GROUP):
        yield table.slice(start, _GROUP).combine_chunks()


def _repeated(
    name: str, table: pa.Table, length: int, repetitions: int, draw: np.random.Generator
) -> Iterator[pa.Table]:
    if name not in _TIMES:
        yield _multiplied(name, table, repetitions)
        return
    messages = pc.max(table["message"]).as_py() + 1 if "message" in table.column_names else 0
    for number in range(repetitions):
        later = _shifted(table, _TIMES[name], np.full(len(table), number * length))
        if messages:
            later = _shifted(later, ("message",), np.full(len(table), number * messages))
        if name == "deliveries" and number:
            longer = _shifted(later, _LONGER, draw.integers(0, _JITTER, len(table)))
            later = longer.take(pc.sort_indices(longer, [("delivered", "ascending")]))
        yield later


def _multiplied(name: str, table: pa.Table, repetitions: int) -> pa.Table:
    counted = {"links": ("packets", "bytes", "_bytes", "busy"), "runs": ("simulated", "messages", "deliveries")}
    columns = [column for column in table.column_names if column.endswith(counted.get(name, ()))]
    for column in columns:
        table = _with_column(table, column, pc.multiply(table[column], repetitions))
    return table


def _shifted(table: pa.Table, columns: tuple[str, ...], numbers: npt.NDArray[np.int64]) -> pa.Table:
    for column in columns:
        table = _with_column(table, column, pc.add(table[column], pa.array(numbers)))
    return table


def _with_column(table: pa.Table, column: str, content: pa.ChunkedArray) -> pa.Table:
    place = table.schema.get_field_index(column)
    field = table.schema.field(place)
    return table.set_column(place, field, pc.cast(content, field.type))

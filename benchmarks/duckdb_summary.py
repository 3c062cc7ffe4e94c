"""The summary of deliveries and hand-offs in SQL. DuckDB reads the same files as `analysis`.

The simulator writes rows in the order of time. The first and last time of each batch are queried to check this order.
The sums of a run are computed from the sums of its batches, so one pass over the deliveries gives everything except
percentiles. The quantiles of Student's t are computed in Python, because DuckDB does not have them.
"""

import resource
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import duckdb

from mobilesim.analysis.summary.metrics import DELIVERY_MEANS, HANDOFF_COUNTS, HANDOFF_KINDS, HANDOFF_SHARES
from mobilesim.analysis.summary.run_metrics import BATCHES
from mobilesim.results.quantities import DELAY_PARTS, HANDOFF_STAGES
from mobilesim.statistics.intervals import student_t

_PEAK_UNIT: Final = 1 << 20 if sys.platform == "darwin" else 1 << 10
SUMMED: Final = ("delay", *DELAY_PARTS, *DELIVERY_MEANS)
_FAULT: Final = " OR ".join(
    ("delivered - submitted <> delay", f"{' + '.join(DELAY_PARTS)} <> delay", *(f"{part} < 0" for part in DELAY_PARTS))
)
_BATCH: Final = f"({BATCHES} * {{place}} - 1) // {{rows}}"
"""An SQL expression for the index of a row's batch. The row's position, `place`, is counted from 1."""

STARTED: Final = (*HANDOFF_SHARES, *HANDOFF_COUNTS)
FINISHED: Final = ("time", "settling", *HANDOFF_STAGES)
_PERCENTS: Final = f"[{', '.join(f'{percent / 100:.2f}' for percent in range(101))}]"


@dataclass(frozen=True, slots=True)
class DuckDbResults:
    """The result tables as lists of rows. `percentiles` is keyed by protocol and metric.

    `seconds` is the wall time of each group of queries, `peak` the peak memory in MiB.
    """

    batches: list[dict[str, Any]]
    handoffs: list[dict[str, Any]]
    protocols: list[dict[str, Any]]
    percentiles: dict[tuple[str, str], tuple[int, ...]]
    seconds: dict[str, float]
    peak: float


class DuckDbSummary:
    """The queries of the summary, on a DuckDB connection with `threads` threads."""

    def __init__(self, directory: Path, threads: int) -> None:
        self._directory = directory
        self._connection = duckdb.connect(config={"threads": threads})
        self._connection.execute("SET enable_progress_bar = false")

    def query(self) -> DuckDbResults:
        seconds: dict[str, float] = {}
        for name, statements in self._queries().items():
            start = perf_counter()
            for statement in statements:
                self._connection.execute(statement)
            seconds[name] = perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _PEAK_UNIT
        percentiles = {(row["protocol"], row["metric"]): tuple(row["found"]) for row in self._rows("percentiles")}
        batches, visits, protocols = (list(self._rows(table)) for table in ("batches", "visits", "protocols"))
        return DuckDbResults(batches, visits, protocols, percentiles, seconds, peak)

    def _queries(self) -> Mapping[str, Iterable[str]]:
        return {
            "batches": (_create("batches", self._batches()), _create("protocols", _protocols())),
            "hand-offs": (_create("hops", self._hops()), _create("visits", _visits())),
            "percentiles": (_create("percentiles", self._percentiles()),),
        }

    def _rows(self, table: str) -> Iterator[dict[str, Any]]:
        found = self._connection.execute(f"FROM {table} ORDER BY ALL")
        names = [column[0] for column in found.description or ()]
        return (dict(zip(names, row, strict=True)) for row in found.fetchall())

    def _files(self, table: str) -> str:
        return f"'{self._directory / table}/*.parquet'"

    def _batches(self) -> str:
        files = self._files("deliveries")
        return f"""
            SELECT any_value(protocol) AS protocol, any_value(replication) AS replication,
                   {_BATCH.format(place="(file_row_number + 1)", rows="num_rows")} AS batch, count(*) AS count,
                   min(delivered) AS first, max(delivered) AS last, {_each("sum({0}) AS {0}", SUMMED)},
                   count(*) FILTER (inhibition > 0) AS inhibited, sum(payload_bytes) AS payload,
                   count(*) FILTER ({_FAULT}) AS faults
            FROM read_parquet({files}, filename = true, file_row_number = true)
            JOIN (SELECT file_name, num_rows FROM parquet_file_metadata({files})) ON filename = file_name
            GROUP BY filename, batch"""  # noqa: S608 - all parts are constants

    def _hops(self) -> str:
        """Return SQL for the hand-offs, each with its position among all hand-offs and among the finished ones."""
        stages = []
        before = '"left"'
        for stage, phase in ((stage.name, stage.phase) for stage in HANDOFF_STAGES.values()):
            reached = f'greatest(coalesce("{phase}", 0), {before})'
            stages.append(f"{reached} - {before} AS {stage}")
            before = reached
        so_far = "ROWS UNBOUNDED PRECEDING"
        whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
        return f"""
            SELECT protocol, replication, reconnection, "complete", {", ".join(STARTED)},
                   row_number() OVER in_time AS place,
                   count("complete") OVER (in_time {so_far}) AS finished_place,
                   count(*) OVER (in_time {whole}) AS started, count("complete") OVER (in_time {whole}) AS finished,
                   "complete" - "left" AS time, "complete" - entered AS settling, {", ".join(stages)}
            FROM read_parquet({self._files("handoffs")}, filename = true)
            WINDOW in_time AS (PARTITION BY filename, reconnection ORDER BY "left")"""  # noqa: S608

    def _percentiles(self) -> str:
        times = " UNION ALL ".join(
            f"SELECT protocol, '{kind}.time' AS metric, quantile_disc(time, {_PERCENTS}) AS found FROM hops"  # noqa: S608
            f" WHERE time IS NOT NULL AND reconnection = {kind == 'reconnection'} GROUP BY protocol"
            for kind in HANDOFF_KINDS
        )
        return f"""
            SELECT protocol, 'delay' AS metric, quantile_disc(delay, {_PERCENTS}) AS found
            FROM {self._files("deliveries")} GROUP BY protocol UNION ALL {times}"""  # noqa: S608


def _create(table: str, statement: str) -> str:
    return f"CREATE OR REPLACE TEMP TABLE {table} AS {statement}"


def _each(pattern: str, names: Iterable[str]) -> str:
    return ", ".join(pattern.format(name) for name in names)


def _visits() -> str:
    """Return SQL for sums by batch: over all hand-offs, and over the finished ones."""

    def batches(what: str, place: str, rows: str, names: Iterable[str], where: str) -> str:
        return f"""
            SELECT '{what}' AS what, protocol, replication, reconnection,
                   {_BATCH.format(place=place, rows=rows)} AS batch, count(*) AS count,
                   {_each("sum({0}::BIGINT) AS {0}", names)}, max(backlog) AS backlog_peak
            FROM hops WHERE {where} GROUP BY ALL"""  # noqa: S608 - all parts are constants

    started = batches("started", "place", "started", STARTED, "true")
    return f"{started} UNION ALL BY NAME " + batches(
        "finished", "finished_place", "finished", FINISHED, '"complete" IS NOT NULL'
    )


def _protocols() -> str:
    """Return SQL for the mean of each metric over replications, and the half width of its confidence interval."""
    means = _each("sum({0}) / sum(count) AS {0}", (*SUMMED, "inhibited"))
    half = "{0}_t * stddev_samp({1}) / sqrt(count(*)) AS {1}_half".format
    named = (*SUMMED, "inhibited")
    t = "list_extract($t, count(*)::BIGINT)".replace("$t", _quantiles())
    return f"""
        WITH runs AS (SELECT protocol, replication, sum(count) AS rows, {means} FROM batches GROUP BY ALL)
        SELECT protocol, count(*) AS runs, sum(rows) AS rows, {_each("avg({0}) AS {0}", named)},
               {", ".join(half("", name).replace("_t", t) for name in named)}
        FROM runs GROUP BY protocol"""  # noqa: S608 - all parts are constants


def _quantiles(most: int = 100) -> str:
    """Return an SQL list. Its element n is the quantile of Student's t for n runs, or NULL for one run."""
    return f"[NULL, {', '.join(repr(student_t(freedom)) for freedom in range(1, most))}]"


def query(directory: Path, threads: int) -> DuckDbResults:
    return DuckDbSummary(directory, threads).query()

"""The summary against its dumb twin, on random runs of every shape."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from analysis.api import summarise
from analysis.model import Summary
from analysis.schemas import MEANS
from mobilesim.tables import PARTS
from tests.analysis import made, twin
from tests.analysis.twin import Interval, Row

pytestmark = pytest.mark.usefixtures("spark")

NAMES = ("many", "pair", "alone", "few", "silent", "still", "halves")


@dataclass(frozen=True)
class Case:
    directory: Path
    summary: Summary
    runs: dict[str, list[Row]]

    def rows(self, table: str) -> list[Row]:
        rows: list[Row] = pq.read_table(self.directory / "summary" / f"{table}.parquet").to_pylist()
        return rows


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    directory = tmp_path_factory.mktemp("made")
    for replication in range(4):
        made.run(directory, "many", replication, deliveries=60 + replication)
    made.run(directory, "pair", 0, deliveries=45)
    made.run(directory, "pair", 3, deliveries=47)
    made.run(directory, "alone", deliveries=113)
    made.run(directory, "few", deliveries=39)
    made.run(directory, "silent", deliveries=0)
    made.run(directory, "still", deliveries=40, moves=False)
    made.run(directory, "halves", 0)
    made.run(directory, "halves", 1, deliveries=0, facts={"status": "interrupted"})
    return Case(directory, summarise(directory), twin.protocols(directory))


def agrees(row: Row, name: str, wanted: Interval) -> bool:
    found = (row[f"{name}_{end}"] for end in ("mean", "low", "high"))
    return all(
        mine is its if None in {mine, its} else mine == pytest.approx(its, rel=1e-9, abs=1e-9)
        for mine, its in zip(found, wanted[:3], strict=True)
    )


@pytest.mark.parametrize("protocol", NAMES)
@pytest.mark.parametrize("column", MEANS)
def test_a_mean_and_its_interval_are_those_of_the_twin(case: Case, protocol: str, column: str) -> None:
    (row,) = (row for row in case.rows("protocols") if row["protocol"] == protocol)
    assert agrees(row, column, twin.means(case.runs[protocol])[MEANS[column]])


@pytest.mark.parametrize("protocol", NAMES)
def test_percentiles_are_exactly_those_of_all_deliveries(case: Case, protocol: str) -> None:
    (row,) = (row for row in case.rows("protocols") if row["protocol"] == protocol)
    delays = [delivery["delay"] for run in case.runs[protocol] for delivery in run["deliveries"]]
    moves = [move["over"] - move["left"] for run in case.runs[protocol] for move in twin.finished(run, "move")]
    assert row["deliveries"] == len(delays)
    assert row["handoffs"] == len(moves)
    assert [row[f"delay_p{percent}"] for percent in (50, 90, 95, 99)] == [
        twin.percentile(delays, percent) for percent in (50, 90, 95, 99)
    ]
    assert row["delay_max"] == max(delays, default=None)
    assert row["handoff_p95"] == twin.percentile(moves, 95)


@pytest.mark.parametrize("protocol", NAMES)
def test_the_parts_are_those_of_the_twin_and_share_the_delay(case: Case, protocol: str) -> None:
    rows = [row for row in case.rows("parts") if row["protocol"] == protocol]
    wanted = twin.means(case.runs[protocol])
    assert [row["part"] for row in rows] == list(PARTS)
    assert all(agrees(row, "part", wanted[row["part"]]) for row in rows)
    shares = [row["share"] for row in rows]
    assert shares == [None] * len(PARTS) if protocol == "silent" else sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("protocol", NAMES)
@pytest.mark.parametrize("kind", ("move", "reconnection"))
def test_handoffs_are_those_of_the_twin(case: Case, protocol: str, kind: str) -> None:
    (row,) = (row for row in case.rows("handoffs") if (row["protocol"], row["kind"]) == (protocol, kind))
    runs, wanted = case.runs[protocol], twin.means(case.runs[protocol])
    ours = [hop for run in runs for hop in run["handoffs"] if hop["reconnection"] == (kind == "reconnection")]
    times = [hop["over"] - hop["left"] for hop in ours if hop["over"] is not None]
    assert (row["started"], row["finished"]) == (len(ours), len(times))
    assert [row["time_p50"], row["time_p95"], row["time_max"]] == [twin.percentile(times, p) for p in (50, 95, 100)]
    for name in ("time", "settling", "inferred", "control_messages", "control_bytes", "state_bytes", "buffered"):
        assert agrees(row, name, wanted[f"{kind}.{name}"])


@pytest.mark.parametrize("protocol", NAMES)
def test_traffic_is_that_of_the_twin(case: Case, protocol: str) -> None:
    rows = [row for row in case.rows("traffic") if row["protocol"] == protocol]
    wanted = twin.means(case.runs[protocol])
    assert len(rows) == 12
    assert all(agrees(row, "bytes_per_delivery", wanted[f"{row['medium']}.{row['purpose']}"]) for row in rows)


def test_an_interval_says_what_it_comes_from(case: Case) -> None:
    sources = {row["protocol"]: row["interval_from"] for row in case.rows("protocols")}
    assert sources == {
        "many": "replications",
        "pair": "replications",
        "alone": "batches",
        "few": "none",
        "silent": "none",
        "still": "batches",
        "halves": "batches",
    }


def test_every_table_is_there_for_spreadsheets_too(case: Case) -> None:
    for table in ("protocols", "parts", "handoffs", "traffic"):
        lines = (case.directory / "summary" / f"{table}.csv").read_text().splitlines()
        assert len(lines) == 1 + len(case.rows(table))


def test_an_interrupted_run_is_counted_and_marked(case: Case) -> None:
    (row,) = (row for row in case.rows("protocols") if row["protocol"] == "halves")
    assert (row["runs"], row["interrupted"], row["deliveries"]) == (2, 1, 50)


def test_deliveries_that_add_up_pass_the_check(case: Case) -> None:
    assert case.summary.check.rows == sum(len(run["deliveries"]) for runs in case.runs.values() for run in runs)
    assert (case.summary.check.faults, case.summary.check.example) == (0, None)
    assert case.summary.sound

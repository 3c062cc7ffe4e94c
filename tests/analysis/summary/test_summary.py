"""The summary of random runs, compared with a simple reference summary."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mobilesim.analysis.pipeline.summarize import summarize_run
from mobilesim.analysis.statistics.estimate import difference
from mobilesim.analysis.summary.metrics import HANDOFF_MEANS, MEANS
from mobilesim.analysis.summary.model import Summary
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, HANDOFF_STAGES
from tests.support import made_results, summary_twin
from tests.support.summary_twin import Row, agrees

pytestmark = pytest.mark.usefixtures("spark")

NAMES = ("many", "pair", "alone", "few", "silent", "still", "halves", "uneven", "broken", "cut")


@dataclass(frozen=True)
class Case:
    directory: Path
    summary: Summary
    runs: dict[str, list[Row]]
    means: dict[str, dict[str, summary_twin.Interval]]

    def rows(self, table: str) -> list[Row]:
        rows: list[Row] = pq.read_table(self.directory / "summary" / f"{table}.parquet").to_pylist()
        return rows


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    directory = tmp_path_factory.mktemp("made")
    for replication in range(4):
        made_results.run(directory, "many", replication, deliveries=60 + replication)
    made_results.run(directory, "pair", 0, deliveries=45)
    made_results.run(directory, "pair", 3, deliveries=47)
    made_results.run(directory, "alone", deliveries=113)
    made_results.run(directory, "few", deliveries=39)
    made_results.run(directory, "silent", deliveries=0)
    made_results.run(directory, "still", deliveries=40, moves=False)
    made_results.run(directory, "halves", 0)
    made_results.run(directory, "halves", 1, deliveries=0, facts={"status": "interrupted"})
    for replication, status in enumerate(("complete", "interrupted", "complete", "failed")):
        facts = {"status": status, "verdict": "fault" if status == "failed" else "ok"}
        made_results.run(directory, "uneven", replication, deliveries=50 + replication, facts=facts)
    made_results.run(directory, "broken", facts={"status": "failed", "verdict": "fault"})
    for replication in range(2):
        made_results.run(directory, "cut", replication, facts={"status": "interrupted"})
    runs = summary_twin.protocols(directory)
    means = {name: summary_twin.means(runs[name]) for name in NAMES}
    return Case(directory, summarize_run(directory), runs, means)


@pytest.mark.full
@pytest.mark.parametrize("protocol", NAMES)
@pytest.mark.parametrize("column", MEANS)
def test_means_and_intervals_equal_those_of_the_reference(case: Case, protocol: str, column: str) -> None:
    (row,) = (row for row in case.rows("protocols") if row["protocol"] == protocol)
    assert agrees(row, column, case.means[protocol][MEANS[column]])


@pytest.mark.parametrize("protocol", NAMES)
def test_percentiles_are_exact_over_the_same_runs_as_the_means(case: Case, protocol: str) -> None:
    (row,) = (row for row in case.rows("protocols") if row["protocol"] == protocol)
    runs = summary_twin.counted(case.runs[protocol])
    delays = [delivery["delay"] for run in runs for delivery in run["deliveries"]]
    moves = [move["complete"] - move["left"] for run in runs for move in summary_twin.finished(run, "move")]
    assert row["deliveries"] == sum(len(run["deliveries"]) for run in case.runs[protocol])
    assert row["handoffs"] == len(moves)
    assert [row[f"delay_p{percent}"] for percent in (50, 90, 95, 99)] == [
        summary_twin.percentile(delays, percent) for percent in (50, 90, 95, 99)
    ]
    assert row["delay_max"] == max(delays, default=None)
    assert row["handoff_p95"] == summary_twin.percentile(moves, 95)


@pytest.mark.parametrize("protocol", NAMES)
def test_delay_parts_equal_those_of_the_reference_and_their_shares_add_up(case: Case, protocol: str) -> None:
    rows = [row for row in case.rows("parts") if row["protocol"] == protocol]
    wanted = case.means[protocol]
    assert [row["part"] for row in rows] == list(DELAY_PARTS)
    assert all(agrees(row, "part", wanted[row["part"]]) for row in rows)
    shares = [row["share"] for row in rows]
    assert shares == [None] * len(DELAY_PARTS) if protocol == "silent" else sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("protocol", NAMES)
@pytest.mark.parametrize("kind", ("move", "reconnection"))
def test_handoffs_equal_those_of_the_reference(case: Case, protocol: str, kind: str) -> None:
    (row,) = (row for row in case.rows("handoffs") if (row["protocol"], row["kind"]) == (protocol, kind))
    runs, wanted = summary_twin.counted(case.runs[protocol]), case.means[protocol]
    ours = [hop for run in runs for hop in run["handoffs"] if hop["reconnection"] == (kind == "reconnection")]
    times = [hop["complete"] - hop["left"] for hop in ours if hop["complete"] is not None]
    assert (row["started"], row["finished"]) == (len(ours), len(times))
    assert [row["time_p50"], row["time_p95"], row["time_max"]] == [
        summary_twin.percentile(times, p) for p in (50, 95, 100)
    ]
    for name in HANDOFF_MEANS:
        assert agrees(row, name, wanted[f"{kind}.{name}"])


@pytest.mark.parametrize("protocol", NAMES)
def test_the_stages_of_a_hand_off_add_up_to_its_time(case: Case, protocol: str) -> None:
    for row in (row for row in case.rows("handoffs") if row["protocol"] == protocol):
        stages = [row[f"{stage}_mean"] for stage in HANDOFF_STAGES]
        assert None in stages if row["time_mean"] is None else sum(stages) == pytest.approx(row["time_mean"])


@pytest.mark.parametrize("protocol", NAMES)
def test_traffic_equals_that_of_the_reference(case: Case, protocol: str) -> None:
    rows = [row for row in case.rows("traffic") if row["protocol"] == protocol]
    wanted = case.means[protocol]
    assert [row["purpose"] for row in rows] == 2 * ["total", *BYTE_PURPOSES]
    assert all(agrees(row, "bytes_per_delivery", wanted[f"{row['medium']}.{row['purpose']}"]) for row in rows)


def test_each_interval_has_its_method_and_the_number_of_its_replications(case: Case) -> None:
    found = {row["protocol"]: (row["delay_interval"], row["delay_replications"]) for row in case.rows("protocols")}
    assert found == {
        "many": ("t", 4),
        "pair": ("t", 2),
        "alone": ("none", 1),
        "few": ("none", 1),
        "silent": ("none", 0),
        "still": ("none", 1),
        "halves": ("none", 1),
        "uneven": ("t", 2),
        "broken": ("none", 1),
        "cut": ("t", 2),
    }


@pytest.mark.parametrize("protocol", NAMES)
def test_percentiles_have_the_intervals_of_those_of_the_runs(case: Case, protocol: str) -> None:
    (row,) = (row for row in case.rows("protocols") if row["protocol"] == protocol)
    runs = [run for run in summary_twin.counted(case.runs[protocol]) if run["deliveries"]]
    for percent in (50, 90, 95, 99):
        whole, low, high = (row[f"delay_p{percent}{end}"] for end in ("", "_low", "_high"))
        of_runs = [summary_twin.percentile([each["delay"] for each in run["deliveries"]], percent) for run in runs]
        mean, wanted_low, wanted_high, _ = summary_twin.interval([Fraction(each or 0) for each in of_runs])
        if low is None or high is None:
            assert wanted_low is None
        else:
            assert mean is not None
            assert low <= whole <= high
            assert (low - whole, high - whole) == pytest.approx(((wanted_low or 0) - mean, (wanted_high or 0) - mean))


def test_every_table_has_a_csv_file(case: Case) -> None:
    for table in ("protocols", "parts", "handoffs", "traffic"):
        lines = (case.directory / "summary" / f"{table}.csv").read_text().splitlines()
        assert len(lines) == 1 + len(case.rows(table))


def test_an_interrupted_run_is_counted_and_marked(case: Case) -> None:
    (row,) = (row for row in case.rows("protocols") if row["protocol"] == "halves")
    assert (row["runs"], row["interrupted"], row["failed"], row["deliveries"]) == (2, 1, 0, 50)


def test_a_failed_run_is_counted_and_marked(case: Case) -> None:
    (row,) = (row for row in case.rows("protocols") if row["protocol"] == "uneven")
    assert (row["runs"], row["interrupted"], row["failed"], row["correctness"]) == (4, 1, 1, "incorrect")


def test_an_incomplete_run_is_in_no_mean_if_other_runs_are_complete(case: Case) -> None:
    (uneven,) = (protocol for protocol in case.summary.protocols if protocol.name == "uneven")
    delay = uneven["delay"]
    assert (uneven.deliveries, delay.count, delay.replications) == (206, 102, (0, 2))
    (many,) = (protocol for protocol in case.summary.protocols if protocol.name == "many")
    gap = difference(many["delay"], delay)
    assert gap is not None
    assert gap.pairs == 2


def test_incomplete_runs_are_in_the_mean_if_no_run_is_complete(case: Case) -> None:
    (cut,) = (protocol for protocol in case.summary.protocols if protocol.name == "cut")
    assert (cut.complete, cut["delay"].count, cut["delay"].replications) == (0, 100, (0, 1))


def test_deliveries_whose_parts_add_up_pass_the_check(case: Case) -> None:
    assert case.summary.check.rows == sum(len(run["deliveries"]) for runs in case.runs.values() for run in runs)
    assert (case.summary.check.faults, case.summary.check.example) == (0, None)


def test_a_superseded_hand_off_counts_in_packets_and_not_in_times(tmp_path: Path) -> None:
    name = made_results.run(tmp_path)
    passed = {
        "left": 5,
        "entered": 6,
        "complete": None,
        "control_messages": 8,
        "control_bytes": 80,
        "state_transfer_bytes": 40,
    }
    served = {
        "left": 1,
        "entered": 3,
        "complete": 9,
        "control_messages": 2,
        "control_bytes": 20,
        "state_transfer_bytes": 10,
    }
    constants = {"run_id": name, "protocol": "av1", "replication": 0}
    made_results.write(tmp_path, "handoffs", name, [constants | served, constants | passed])
    (protocol,) = summarize_run(tmp_path, report=False).protocols
    time = protocol["move.time"]
    assert (time.count, time.mean, time.percentiles[100]) == (1, 8, 8)
    assert protocol["move.settling"].mean == 6
    assert [
        protocol[f"move.{name}"].mean for name in ("control_messages", "control_bytes", "state_transfer_bytes")
    ] == [
        5,
        50,
        25,
    ]


def test_a_run_with_only_superseded_hand_offs_has_no_handoff_time(tmp_path: Path) -> None:
    name = made_results.run(tmp_path)
    constants = {"run_id": name, "protocol": "av1", "replication": 0}
    made_results.write(tmp_path, "handoffs", name, [constants | {"left": 5, "entered": 6, "control_messages": 8}])
    (protocol,) = summarize_run(tmp_path).protocols
    assert (protocol["move.time"].count, protocol["move.time"].mean, protocol["move.time"].percentiles) == (0, None, ())
    assert protocol["move.control_messages"].mean == 8

"""The tables, the text and the page of a small sweep of real runs, compared with a simple reference summary."""

import json
import shutil
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import pyarrow.parquet as pq
import pytest

from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.analysis.summary.metrics import MEANS
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.tables import COMPARED, tables
from mobilesim.api.text_tables import indented
from mobilesim.cli.main import main
from mobilesim.results.quantities import BYTE_PURPOSES
from mobilesim.results.schema import TABLES
from mobilesim.statistics.intervals import student_t
from tests.support import made_sweeps, summary_twin
from tests.support.report_pages import plots
from tests.support.summary_twin import Row, agrees

pytestmark = pytest.mark.usefixtures("spark")

KEYS = ("hosts", "mobility.dwell")
POINTS = [
    {"hosts": hosts, "mobility.dwell": f"exponential {dwell}"} for dwell in ("2 s", "500 ms") for hosts in ("12", "3")
]
PLACES = [("3", "500 ms"), ("3", "2 s"), ("12", "500 ms"), ("12", "2 s")]
PROTOCOLS = ("av1", "av2", "unordered")
SCENARIO = """
duration: 3 s
cells: {shape: grid, rows: 2, columns: 2}
replications: 4
protocols: [av1, av2, unordered]
backbone: {jitter: exponential 20 ms}
workload: {interval: exponential 100 ms}
"""

Captured = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class Case:
    directory: Path
    summary: SweepSummary

    def rows(self, table: str) -> list[Row]:
        rows: list[Row] = pq.read_table(self.directory / "summary" / f"{table}.parquet").to_pylist()
        return rows

    def lines(self, width: int | None = None) -> list[str]:
        return list(self.summary.lines(partial(indented, width=width)))


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    directory = tmp_path_factory.mktemp("swept")
    made_sweeps.run_points(directory, SCENARIO, POINTS)
    return Case(directory, summarize_sweep(directory))


@pytest.fixture(scope="module")
def by_point(case: Case, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, list[Row]]]:
    """The runs of each point by protocol, as read by the reference summary."""
    found = []
    for hosts, dwell in PLACES:
        wanted = {"hosts": hosts, "mobility.dwell": f"exponential {dwell}"}
        alone = tmp_path_factory.mktemp("point")
        for table in TABLES:
            (alone / table).mkdir()
        for path in (case.directory / "manifest").iterdir():
            if json.loads(path.read_text())["point"] == wanted:
                for table in TABLES:
                    name = f"{table}/{path.stem}.parquet"
                    shutil.copy(case.directory / name, alone / name)
        found.append(summary_twin.protocols(alone))
    return found


@pytest.mark.full
def test_there_is_a_row_for_each_protocol_of_each_point_in_the_order_of_the_axes(case: Case) -> None:
    found = [
        (row["point"], row["vary.hosts"], row["vary.mobility.dwell"], row["protocol"]) for row in case.rows("points")
    ]
    assert found == [
        (number, hosts, f"exponential {dwell}", name)
        for number, (hosts, dwell) in enumerate(PLACES)
        for name in PROTOCOLS
    ]


@pytest.mark.full
def test_means_and_intervals_equal_those_of_the_reference(case: Case, by_point: list[dict[str, list[Row]]]) -> None:
    compared = 0
    for row in case.rows("points"):
        wanted = summary_twin.means(by_point[row["point"]][row["protocol"]])
        for column, metric in MEANS.items():
            assert agrees(row, column, wanted[metric]), (row["point"], row["protocol"], column)
            compared += row[f"{column}_low"] is not None
    assert compared > 300


def test_percentiles_are_exact_over_all_replications(case: Case, by_point: list[dict[str, list[Row]]]) -> None:
    for row in case.rows("points"):
        runs = by_point[row["point"]][row["protocol"]]
        delays = [delivery["delay"] for run in runs for delivery in run["deliveries"]]
        assert row["runs"] == 4
        assert row["deliveries"] == len(delays)
        assert [row[f"delay_p{percent}"] for percent in (50, 99)] == [
            summary_twin.percentile(delays, 50),
            summary_twin.percentile(delays, 99),
        ]


@pytest.mark.full
def test_every_point_has_bytes_by_purpose(case: Case, by_point: list[dict[str, list[Row]]]) -> None:
    rows = case.rows("traffic")
    assert len(rows) == len(PLACES) * len(PROTOCOLS) * 2 * (1 + len(BYTE_PURPOSES))
    for row in rows:
        wanted = summary_twin.means(by_point[row["point"]][row["protocol"]])[f"{row['medium']}.{row['purpose']}"]
        assert agrees(row, "bytes_per_delivery", wanted)


def run_means(runs: list[Row]) -> list[float]:
    return [fmean(delivery["delay"] for delivery in run["deliveries"]) for run in runs]


def test_differences_are_taken_within_replications(case: Case, by_point: list[dict[str, list[Row]]]) -> None:
    rows = [row for row in case.rows("differences") if row["metric"] == "delay"]
    assert [(row["left"], row["right"]) for row in rows[:3]] == [
        ("av2", "av1"),
        ("unordered", "av1"),
        ("unordered", "av2"),
    ]
    assert len(rows) == 3 * len(PLACES)
    for row in rows:
        left, right = (run_means(by_point[row["point"]][row[side]]) for side in ("left", "right"))
        gaps = [one - other for one, other in zip(left, right, strict=True)]
        half = 3.182446305284263 * stdev(gaps) / sqrt(4)
        assert row["pairs"] == 4
        assert (row["difference_mean"], row["difference_high"] - row["difference_mean"]) == (
            pytest.approx(fmean(gaps)),
            pytest.approx(half),
        )
        assert min(map(float.__truediv__, left, right)) <= row["ratio_mean"] <= max(map(float.__truediv__, left, right))


def test_paired_differences_are_narrower_than_unpaired_ones(case: Case, by_point: list[dict[str, list[Row]]]) -> None:
    """An unpaired interval (Welch) has at most six degrees of freedom, those of two samples of four runs.

    The packets of a run draw their jitter in the order in which they are sent, which differs between protocols. With
    three hosts there are too few messages for this difference to average out.
    """
    for row in case.rows("differences"):
        if (row["metric"], row["left"], row["right"]) == ("delay", "unordered", "av1"):
            left, right = (run_means(by_point[row["point"]][row[side]]) for side in ("left", "right"))
            unpaired = student_t(6) * sqrt((stdev(left) ** 2 + stdev(right) ** 2) / 4)
            few = PLACES[row["point"]][0] == "3"
            assert (row["difference_high"] - row["difference_low"]) / 2 < (unpaired if few else unpaired / 2)


def test_all_measured_means_are_compared(case: Case) -> None:
    """The runs have no disconnections and no batteries."""
    batteries = {"life", "died", "first_death"}
    found = {row["metric"] for row in case.rows("differences")}
    assert found <= set(COMPARED)
    assert {name for name in COMPARED if "disconnection" not in name and name not in batteries} == found


def test_an_ordering_with_higher_costs_is_dominated(case: Case) -> None:
    """Matrices of three hosts are smaller than those of four stations; `unordered` is not compared."""
    rows = {(row["vary.hosts"], row["protocol"]): row["dominated_by"] for row in case.rows("tradeoff")}
    assert [rows["3", name] for name in PROTOCOLS] == ["", "av1", ""]
    assert [rows["12", name] for name in PROTOCOLS] == ["", "", ""]


def test_tables_are_written_by_their_schemas_as_parquet_and_csv(case: Case) -> None:
    files = {path.name for path in (case.directory / "summary").iterdir()}
    wanted = {name: table.schema for name, table in tables(case.summary).items()}
    assert files == {f"{name}.{kind}" for name in wanted for kind in ("parquet", "csv")}
    for name, schema in wanted.items():
        assert pq.read_schema(case.directory / "summary" / f"{name}.parquet").equals(schema)
        head = (case.directory / "summary" / f"{name}.csv").read_text().splitlines()[0]
        assert head.replace('"', "").split(",") == schema.names


def test_the_table_of_a_mean_has_axes_and_protocols_as_columns(case: Case) -> None:
    lines = case.lines()
    at = lines.index("mean delay (ms)")
    assert lines[at + 1].split() == [*KEYS, *PROTOCOLS]
    (row, *_) = case.rows("points")
    cells = lines[at + 2].split()
    assert cells[:4] == ["3", "exponential", "500", "ms"]
    assert cells[5] == "±"
    assert float(cells[4]) == pytest.approx(row["delay_mean"] / 1e6, abs=0.05)
    assert float(cells[6]) == pytest.approx((row["delay_high"] - row["delay_low"]) / 2e6, abs=0.05)
    assert lines[at + 6] == ""


def test_each_part_of_a_folded_table_has_all_axes(case: Case) -> None:
    lines = case.lines(50)
    at = lines.index("mean delay (ms)")
    table = lines[at : at + 18]
    assert [line.split() for line in table if line.startswith("  hosts")] == [[*KEYS, name] for name in PROTOCOLS]
    assert max(map(len, table)) <= 50


def test_verdicts_and_the_check_are_at_the_end(case: Case) -> None:
    deliveries = sum(row["deliveries"] for row in case.rows("points"))
    assert case.lines()[-7:] == [
        "verdict: av1: correct at all 4 points",
        "verdict: av2: correct at all 4 points",
        "verdict: unordered: correct, not causal at all 4 points",
        "claims kept: exactly once by av1, av2 and unordered; FIFO order by av1 and av2; causal order by av1 and av2",
        f"check: the parts of the delay add up in all {deliveries:,} deliveries",
        f"summary: {case.directory}/summary",
        f"report: {case.directory}/report.html",
    ]


def test_the_sentences_with_which_the_report_begins_are_in_the_text_before_the_verdicts(case: Case) -> None:
    lines = case.lines()
    results = [line.removeprefix("result: ") for line in lines if line.startswith("result: ")]
    assert results == case.summary.results
    assert results
    assert lines[lines.index(f"result: {results[-1]}") + 1].startswith("verdict: ")
    text = (case.directory / "report.html").read_text(encoding="utf-8").replace("&nbsp;", " ").replace("\u00a0", " ")
    assert all(sentence.replace("\u00a0", " ") in text for sentence in results)


def test_the_page_has_curves_along_the_first_axis_and_a_panel_for_each_value_of_the_second(case: Case) -> None:
    text = (case.directory / "report.html").read_text()
    drawn = plots(text)
    (row, *_) = case.rows("points")
    first, second = (drawn[f"delay-{number}"] for number in (1, 2))
    assert [trace["name"] for trace in first["data"]] == list(PROTOCOLS)
    assert [trace["x"] for trace in first["data"]] == [[3.0, 12.0]] * 3
    assert first["data"][0]["y"][0] == pytest.approx(row["delay_mean"] / 1e6)
    assert first["layout"]["yaxis"]["range"] == second["layout"]["yaxis"]["range"]
    assert {"difference-1", "trade-off-1"} <= drawn.keys()
    titles = [f"<span>mobility.dwell exponential {dwell}</span>" for dwell in ("500&nbsp;ms", "2&nbsp;s")]
    assert [text.count(title) for title in titles] == [text.count(titles[0])] * 2
    assert 0 < text.index(titles[0]) < text.index(titles[1])
    assert text.count('class="plot"') == len(drawn)


@pytest.mark.full
def test_the_command_prints_the_same_summary(case: Case, capsys: Captured) -> None:
    assert main(["summarize", str(case.directory)]) == 0
    assert capsys.readouterr().out.splitlines() == case.lines()


@pytest.mark.full
def test_json_is_one_document(case: Case, capsys: Captured) -> None:
    assert main(["summarize", str(case.directory), "--json", "--no-report"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["vary"] == [
        {"keys": ["hosts"], "values": [["3"], ["12"]], "unit": ""},
        {"keys": ["mobility.dwell"], "values": [["exponential 500 ms"], ["exponential 2 s"]], "unit": "exponential s"},
    ]
    assert (document["runs"], document["sound"], document["report"]) == (48, True, None)
    assert all(document[table] == case.rows(table) for table in tables(case.summary))


@pytest.mark.full
def test_the_same_runs_give_the_same_summary_byte_for_byte(case: Case) -> None:
    def content() -> dict[str, bytes]:
        files = [*(case.directory / "summary").iterdir(), case.directory / "report.html"]
        return {path.name: path.read_bytes() for path in files}

    before = content()
    summarize_sweep(case.directory)
    assert content() == before

"""The output, the files and the exit status of `mobilesim summarize`."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from mobilesim.cli.main import main
from mobilesim.results.schema import TABLES
from tests.support import made_results
from tests.support.parquet_files import write_table

pytestmark = pytest.mark.usefixtures("spark")

UNORDERED = {
    "ordering": "unordered",
    "claims_causal": False,
    "claims_fifo": False,
    "causal_violations": 12,
    "fifo_violations": 5,
}

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for replication in range(2):
        made_results.run(tmp_path, "av1", replication)
        made_results.run(tmp_path, "unordered", replication, facts=UNORDERED)
    return tmp_path


def change_deliveries(
    directory: Path, run_id: str, change: Callable[[made_results.Row], object], *, rows: int = 1
) -> made_results.Row:
    """Change the first rows of a run's deliveries, and return the changed first row."""
    path = directory / "deliveries" / f"{run_id}.parquet"
    deliveries = pq.read_table(path).to_pylist()
    for row in deliveries[:rows]:
        change(row)
    made_results.write(directory, "deliveries", run_id, deliveries)
    first: made_results.Row = deliveries[0]
    return first


@pytest.mark.full
def test_results_without_faults_give_a_table_the_check_and_the_report(directory: Path, capsys: Captured) -> None:
    assert main(["summarize", str(directory)]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = (
        "protocol deliveries mean delay p95 delay inhibition control information overhead factor energy per delivery "
        "hand-off packets per hand-off verdict"
    )
    assert " ".join(lines[0].split()) == head
    assert [line.split()[:2] for line in lines[1:3]] == [["av1", "100"], ["unordered", "100"]]
    assert lines[1].endswith("correct")
    assert lines[2].endswith("correct, not causal")
    assert re.fullmatch(r"end: deliveries .* the total delay: \d+ % under av1 and \d+ % under unordered; .*", lines[4])
    assert [line.split(" of ")[0][:-1] for line in lines[6:8]] == [
        "batteries: Under av1, ",
        "batteries: Under unordered, ",
    ]
    assert [lines[3], lines[5], *lines[8:]] == [
        "",
        "",
        "",
        "claims kept: exactly once by av1 and unordered; FIFO order by av1; causal order by av1",
        "check: the parts of the delay add up in all 200 deliveries",
        f"summary: {directory}/summary",
        f"report: {directory}/report.html",
    ]
    assert (directory / "report.html").stat().st_size > 1_000_000


@pytest.mark.full
def test_protocols_are_in_the_order_of_the_scenario(tmp_path: Path, capsys: Captured) -> None:
    for index, name in enumerate(("unordered", "rst", "av1")):
        facts = {"protocol_index": index, **(UNORDERED if name == "unordered" else {})}
        for replication in range(2):
            made_results.run(tmp_path, name, replication, facts=facts)
    assert main(["summarize", str(tmp_path)]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:4]] == ["unordered", "rst", "av1"]
    written = pq.read_table(tmp_path / "summary" / "protocols.parquet")["protocol"].to_pylist()
    assert written == ["unordered", "rst", "av1"]
    report = (tmp_path / "report.html").read_text()
    places = [report.index(f"<strong>{name}</strong>") for name in written]
    assert places == sorted(places)


def test_the_summary_has_the_numbers_of_checked_and_of_measured_deliveries(tmp_path: Path) -> None:
    for replication in range(2):
        made_results.run(tmp_path, "rst", replication, facts={"judged": 75})
    assert main(["summarize", str(tmp_path)]) == 0
    (row,) = pq.read_table(tmp_path / "summary" / "protocols.parquet").to_pylist()
    assert (row["deliveries"], row["judged"]) == (100, 150)
    assert "all 150 deliveries (100 of them measured)" in (tmp_path / "report.html").read_text()


def test_without_hand_offs_the_table_has_no_columns_for_them(tmp_path: Path, capsys: Captured) -> None:
    made_results.run(tmp_path, "rst", moves=False)
    assert main(["summarize", str(tmp_path), "--no-report"]) == 0
    head = (
        "protocol deliveries mean delay p95 delay inhibition control information overhead factor "
        "energy per delivery verdict"
    )
    assert " ".join(capsys.readouterr().out.splitlines()[0].split()) == head


def test_the_columns_of_the_table_are_aligned(directory: Path, capsys: Captured) -> None:
    main(["summarize", str(directory), "--no-report"])
    head, *rows = capsys.readouterr().out.splitlines()[:3]
    assert {line.index(line.split()[1]) + len(line.split()[1]) for line in (head, *rows)} == {
        head.index("deliveries") + 10
    }


def test_no_report_is_written_with_the_option_no_report(directory: Path, capsys: Captured) -> None:
    assert main(["summarize", str(directory), "--no-report"]) == 0
    assert "report:" not in capsys.readouterr().out
    assert not (directory / "report.html").exists()
    assert (directory / "summary").is_dir()


def test_json_is_one_document(directory: Path, capsys: Captured) -> None:
    assert main(["summarize", str(directory), "--json", "--no-report"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["protocol"] for row in document["protocols"]] == ["av1", "unordered"]
    assert document["check"] == {"rows": 200, "faults": 0, "example": None}
    assert document["sound"] is True
    assert document["report"] is None
    assert document["experiment"]["scenario"] == "made"
    assert document["protocols"] == pq.read_table(directory / "summary" / "protocols.parquet").to_pylist()


@pytest.mark.full
def test_parts_that_do_not_add_up_are_counted_and_shown(directory: Path, capsys: Captured) -> None:
    first = change_deliveries(directory, "av1-1", lambda row: row.update(wired=row["wired"] + 7), rows=3)
    assert main(["summarize", str(directory)]) == 1
    delay = first["delay"]
    example = f"run 'av1-1', message 0 to host 0: parts add up to {delay + 7} ns, delay is {delay} ns"
    wanted = (
        f"check: in 3 of 200 deliveries the parts do not add up; first: {example}, delivered - submitted is {delay} ns"
    )
    assert wanted in capsys.readouterr().out.splitlines()
    assert example.replace("'", "&#x27;") in (directory / "report.html").read_text()


def test_a_delay_different_from_delivered_minus_submitted_is_reported(directory: Path, capsys: Captured) -> None:
    first = change_deliveries(directory, "av1-0", lambda row: row.update(delivered=row["delivered"] + 1))
    assert main(["summarize", str(directory), "--no-report"]) == 1
    expected = f"delay is {first['delay']} ns, delivered - submitted is {first['delay'] + 1} ns"
    assert expected in capsys.readouterr().out


def test_a_negative_part_is_reported_even_if_the_sum_is_correct(directory: Path, capsys: Captured) -> None:
    change_deliveries(directory, "av1-0", lambda row: row.update(wired=-1, detour=row["detour"] + row["wired"] + 1))
    assert main(["summarize", str(directory), "--no-report"]) == 1
    assert "message 0 to host 0: part wired is -1 ns" in capsys.readouterr().out


def test_an_incorrect_protocol_makes_the_command_fail(tmp_path: Path, capsys: Captured) -> None:
    made_results.run(tmp_path, "av1", facts={"verdict": "fault", "causal_violations": 1})
    assert main(["summarize", str(tmp_path), "--no-report"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("incorrect")
    assert "claims broken: causal order by av1 (1 delivery)" in lines


def test_without_causal_order_and_violations_no_reordering_is_reported(tmp_path: Path, capsys: Captured) -> None:
    made_results.run(tmp_path, "ab", facts={"claims_causal": False, "claims_fifo": False})
    assert main(["summarize", str(tmp_path), "--no-report"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("correct, no reordering occurred")


def test_a_protocol_without_causal_order_that_violates_other_claims_is_incorrect(
    tmp_path: Path, capsys: Captured
) -> None:
    made_results.run(tmp_path, "ab", facts={**UNORDERED, "verdict": "fault", "duplicates": 1})
    assert main(["summarize", str(tmp_path), "--no-report"]) == 1
    assert capsys.readouterr().out.splitlines()[1].endswith("incorrect")


@pytest.mark.full
def test_missing_deliveries_are_reported(directory: Path, capsys: Captured) -> None:
    path = directory / "deliveries" / "av1-0.parquet"
    table = pq.read_table(path)
    write_table(table.slice(0, len(table) // 2), path)
    assert main(["summarize", str(directory)]) == 2
    rows = f"{len(table) // 2} rows of run 'av1-0', expected {len(table)}"
    line = f"mobilesim: {path}: {rows}; delete it and run the scenario again"
    assert capsys.readouterr().err.splitlines()[-1] == line


@pytest.mark.full
def test_a_damaged_file_is_reported_in_one_line(directory: Path, capsys: Captured) -> None:
    """The footer of the file is intact, so that only a Spark task that reads the pages detects the damage."""
    path = directory / "deliveries" / "av1-0.parquet"
    content = bytearray(path.read_bytes())
    draw, half = Random(1), len(content) // 2
    content[64:half] = draw.randbytes(half - 64)
    path.write_bytes(content)
    assert main(["summarize", str(directory)]) == 2
    _, error = capsys.readouterr().err.splitlines()
    assert error == f"mobilesim: {path}: damaged: a checksum is wrong; delete it and run the scenario again"
    assert sorted(made_names(directory)) == sorted(TABLES)


def made_names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


def test_a_missing_directory_is_reported_before_spark_starts(tmp_path: Path, capsys: Captured) -> None:
    assert main(["summarize", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err == f"mobilesim: {tmp_path}/nowhere: no such directory\n"


def test_an_interrupted_run_is_marked(tmp_path: Path, capsys: Captured) -> None:
    made_results.run(tmp_path, "av1", facts={"status": "interrupted"})
    assert main(["summarize", str(tmp_path), "--no-report"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("correct (interrupted)")


def test_a_failed_run_is_marked_and_not_part_of_the_means(tmp_path: Path, capsys: Captured) -> None:
    made_results.run(tmp_path, "av1")
    main(["summarize", str(tmp_path), "--no-report"])
    delay = capsys.readouterr().out.splitlines()[1].split()[2:5]
    made_results.run(tmp_path, "av1", 1, facts={"status": "failed", "verdict": "fault"})
    assert main(["summarize", str(tmp_path), "--no-report"]) == 1
    line = capsys.readouterr().out.splitlines()[1]
    assert line.split()[2:5] == delay
    assert line.endswith("incorrect (1 of 2 failed)")


@pytest.mark.full
def test_the_same_tables_give_the_same_summary_byte_for_byte(directory: Path) -> None:
    def content() -> dict[str, bytes]:
        main(["summarize", str(directory)])
        return {path.name: path.read_bytes() for path in (directory / "summary").iterdir()} | {
            "report": (directory / "report.html").read_bytes()
        }

    assert content() == content()


@pytest.mark.full
def test_the_json_document_of_a_run_has_its_summary(tmp_path: Path, capsys: Captured) -> None:
    settings = "{hosts: 6, cells: 4, duration: 2 s, protocols: [av1, fifo], backbone: {jitter: exponential 40 ms}}"
    (tmp_path / "small.yaml").write_text(settings, encoding="utf-8")
    assert main(["run", str(tmp_path / "small.yaml"), "--out", str(tmp_path / "r"), "--json", "--no-report"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [run["protocol"] for run in document["runs"]] == ["av1", "fifo"]
    rows = {row["protocol"]: row for row in document["summary"]["protocols"]}
    assert {name: row["deliveries"] for name, row in rows.items()} == {
        run["protocol"]: run["deliveries"] for run in document["runs"]
    }
    assert document["summary"]["sound"] is True
    assert not (tmp_path / "r" / "report.html").exists()


@pytest.mark.full
def test_a_short_run_has_the_same_summary_with_and_without_spark(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("run", "quickstart", "--quick", "--replications", "2", "--json", "--out")
    documents = list[dict[str, Any]]()
    for name, options in (("here", ()), ("spark", ("--master", spark.sparkContext.master))):
        assert main([*words, str(tmp_path / name), *options]) == 0
        documents.append(json.loads(capsys.readouterr().out)["summary"])
    for document in documents:
        assert document["protocols"][0]["deliveries"] > 0
        del document["results"], document["report"], document["experiment"]["wall_seconds"]
    assert documents[0] == documents[1]
    for path in (tmp_path / "here" / "summary").iterdir():
        assert path.read_bytes() == (tmp_path / "spark" / "summary" / path.name).read_bytes()

"""A fault of a sweep's directory is reported in one line; incomplete runs are left out."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.analysis.sweeps.reader import read_sweep
from mobilesim.analysis.verify.verify_results import verify
from mobilesim.cli.main import main
from mobilesim.errors import UserError
from tests.support import made_results, made_sweeps
from tests.support.parquet_files import write_table

pytestmark = pytest.mark.full

Captured = pytest.CaptureFixture[str]

FIVE, TEN = {"hosts": "5"}, {"hosts": "10"}


def add(at: Path, protocol: str, replication: int, point: dict[str, str], **facts: object) -> None:
    """Add a synthetic run with its manifest. The point is not part of the name of the run."""
    content = {"scenario_hash": point["hosts"], "point": json.dumps(point), **facts}
    run_id = made_results.run(at, protocol, replication, deliveries=40, facts=content)
    made_sweeps.write_run(at, run_id, point)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    add(tmp_path, "av1", 0, FIVE)
    add(tmp_path, "av1", 1, TEN)
    return tmp_path


def fault(directory: Path) -> str:
    with pytest.raises(UserError) as caught:
        read_sweep(directory)
    return str(caught.value)


def test_runs_are_found_by_their_manifests_in_the_order_of_the_axes(directory: Path) -> None:
    found = read_sweep(directory)
    assert (found.keys, list(found.points)) == (("hosts",), [("5",), ("10",)])
    assert [run.run_id for run in found.runs] == ["av1-0", "av1-1"]


def test_runs_without_a_manifest_are_ignored(directory: Path) -> None:
    made_results.run(directory, "av2", 0, facts={"scenario_hash": "else"})
    (directory / "manifest" / ".av2-0.json.part").write_text("{")
    (directory / "deliveries" / "stray.parquet").write_bytes(b"half")
    assert [run.run_id for run in read_sweep(directory).runs] == ["av1-0", "av1-1"]


def test_a_run_that_failed_is_kept_with_its_error_and_seed(directory: Path) -> None:
    facts = {"status": "failed", "protocol": "av2", "replication": 3, "seed": 7, "error": "no memory\nleft"}
    made_sweeps.write_run(directory, "gone", TEN, **facts)
    (failure,) = read_sweep(directory).failures
    assert (failure.run, failure.point, failure.protocol, failure.replication) == ("gone", ("10",), "av2", 3)
    assert (failure.kind, failure.seed, failure.error) == ("failed", 7, "no memory left")


def manifest(at: Path, change: dict[str, object]) -> None:
    path = at / "manifest" / "av1-1.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


def cut(at: Path) -> None:
    path = at / "manifest" / "av1-1.json"
    path.write_text(path.read_text()[:-9])


def deep(levels: int) -> object:
    return [deep(levels - 1)] if levels else []


def drop(path: Path, column: str) -> None:
    write_table(pq.read_table(path).drop_columns([column]), path)


AGAIN = "delete it and start the sweep again"

FAULTS: tuple[tuple[str, Callable[[Path], object], str], ...] = (
    ("a manifest is cut short", cut, f"/manifest/av1-1.json: not JSON, or cut short; {AGAIN}"),
    (
        "a manifest is a list",
        lambda at: (at / "manifest" / "av1-1.json").write_text("[]"),
        f"/manifest/av1-1.json: not a manifest of a run; {AGAIN}",
    ),
    (
        "a manifest is deep",
        lambda at: (at / "manifest" / "av1-1.json").write_text("[" * 100_000),
        f"/manifest/av1-1.json: not JSON, or cut short; {AGAIN}",
    ),
    (
        "a manifest lacks its seed",
        lambda at: (at / "manifest" / "x.json").write_text(
            '{"run": "x", "point": {}, "protocol": "a", "replication": 0}'
        ),
        f"/manifest/x.json: not a manifest of a run: 'seed' is missing; {AGAIN}",
    ),
    (
        "a point is a text",
        lambda at: manifest(at, {"point": "hosts"}),
        f"/manifest/av1-1.json: not a manifest of a run: 'point' is wrong; {AGAIN}",
    ),
    (
        "a value of a point is deep",
        lambda at: manifest(at, {"point": {"hosts": deep(500)}}),
        f"/manifest/av1-1.json: not a manifest of a run: 'point' is wrong; {AGAIN}",
    ),
    (
        "rows are not counted",
        lambda at: manifest(at, {"rows": {"hosts": "five"}}),
        f"/manifest/av1-1.json: not a manifest of a run: 'rows' is wrong; {AGAIN}",
    ),
    (
        "a seed is a flag",
        lambda at: manifest(at, {"seed": True}),
        f"/manifest/av1-1.json: not a manifest of a run: 'seed' is wrong; {AGAIN}",
    ),
    (
        "a manifest is a named pipe",
        lambda at: os.mkfifo(at / "manifest" / "av1-2.json"),
        "/manifest/av1-2.json: not a manifest; there must be one RUN.json for each run",
    ),
    (
        "a table is a named pipe",
        lambda at: os.mkfifo((at / "runs" / "av1-1.parquet").rename(at / "kept").with_name("runs") / "av1-1.parquet"),
        "/runs/av1-1.parquet: missing, but manifest/av1-1.json says that the run is complete",
    ),
    (
        "a manifest is of another run",
        lambda at: manifest(at, {"run": "else"}),
        f"/manifest/av1-1.json: describes run 'else', expected 'av1-1'; {AGAIN}",
    ),
    (
        "a status is unknown",
        lambda at: manifest(at, {"status": "done"}),
        f"/manifest/av1-1.json: its status is 'done', expected 'complete' or 'failed'; {AGAIN}",
    ),
    (
        "a file is no manifest",
        lambda at: (at / "manifest" / "notes.txt").touch(),
        "/manifest/notes.txt: not a manifest; there must be one RUN.json for each run",
    ),
    (
        "a run is missing",
        lambda at: (at / "runs" / "av1-1.parquet").unlink(),
        "/runs/av1-1.parquet: missing, but manifest/av1-1.json says that the run is complete",
    ),
    (
        "a table has other columns",
        lambda at: drop(at / "hosts" / "av1-0.parquet", "wake_ups"),
        (
            "/hosts/av1-0.parquet: no column 'wake_ups'; "
            "this version of mobilesim writes other tables: run the scenario again"
        ),
    ),
    (
        "manifest and run differ",
        lambda at: manifest(at, {"seed": 8}),
        "/runs/av1-1.parquet: seed is 7, but 8 in manifest/av1-1.json",
    ),
    (
        "their points differ",
        lambda at: manifest(at, {"point": FIVE}),
        '/runs/av1-1.parquet: point is {"hosts": "10"}, but {"hosts": "5"} in manifest/av1-1.json',
    ),
    (
        "versions are mixed",
        lambda at: add(at, "av2", 0, TEN, version="0.0.9"),
        ": runs of different versions of mobilesim (0.0.9 and 0.1.0); use a separate directory for each",
    ),
    (
        "scenarios are mixed",
        lambda at: add(at, "av2", 0, TEN, scenario="other"),
        ": runs of different scenarios (made and other); use a separate directory for each",
    ),
    (
        "a point has two scenarios",
        lambda at: add(at, "av2", 0, TEN, scenario_hash="ff"),
        ": runs of different scenarios (made 10 and made ff); summarize each one separately",
    ),
    (
        "sweeps are mixed",
        lambda at: add(at, "av2", 0, {"cells": "4", "hosts": "5"}),
        ": runs of different sweeps (they vary cells, hosts in run 'av2-0', hosts in 'av1-0'); keep one sweep",
    ),
)


@pytest.mark.parametrize(("name", "breakage", "message"), FAULTS, ids=[each[0] for each in FAULTS])
def test_a_fault_is_reported_with_its_file_before_spark_starts(
    directory: Path, name: str, breakage: Callable[[Path], object], message: str
) -> None:
    breakage(directory)
    assert fault(directory) == f"{directory}{message}", name


def test_without_complete_runs_the_first_error_is_reported(tmp_path: Path) -> None:
    (tmp_path / "manifest").mkdir()
    assert fault(tmp_path) == f"{tmp_path}: no run of this sweep is complete"
    made_sweeps.write_run(
        tmp_path, "x", FIVE, status="failed", protocol="av1", replication=0, seed=7, error="no memory"
    )
    assert fault(tmp_path) == f"{tmp_path}: no run of this sweep is complete; 1 failed; first error: no memory"


def test_a_directory_without_manifests_is_reported(tmp_path: Path) -> None:
    assert fault(tmp_path) == f"{tmp_path}: not the directory of a sweep: it has no 'manifest'"
    assert fault(tmp_path / "nowhere") == f"{tmp_path}/nowhere: no such directory"


DAMAGES: tuple[tuple[str, Callable[[Path], object], str], ...] = (
    (
        "a table is cut short",
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        ": not a Parquet file, or cut short; delete it and run the scenario again",
    ),
    (
        "a table is missing",
        lambda path: path.unlink(),
        ": missing, but manifest/av1-1.json says that the run is complete",
    ),
    (
        "half of the rows are missing",
        lambda path: write_table(pq.read_table(path).slice(0, 33), path),
        ": 33 rows of run 'av1-1', expected 66; delete it and run the scenario again",
    ),
    (
        "a table is foreign",
        lambda path: path.write_bytes((path.parents[1] / "runs" / path.name).read_bytes()),
        ": no column",
    ),
)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("name", "damage", "message"), DAMAGES, ids=[each[0] for each in DAMAGES])
def test_a_fault_found_by_a_task_is_one_line_and_keeps_the_previous_summary(
    directory: Path, capsys: Captured, name: str, damage: Callable[[Path], object], message: str
) -> None:
    summarize_sweep(directory, report=False)
    before = (directory / "summary" / "points.csv").read_bytes()
    damage(directory / "handoffs" / "av1-1.parquet")
    assert main(["summarize", str(directory)]) == 2, name
    *begun, error = capsys.readouterr().err.splitlines()
    assert begun == ([] if name == "a table is missing" else ["summarizing 2 runs at 2 points…"])
    assert error.startswith(f"mobilesim: {directory.resolve()}/handoffs/av1-1.parquet{message}")
    assert (directory / "summary" / "points.csv").read_bytes() == before


@pytest.mark.usefixtures("spark")
def test_incorrect_runs_are_verified_and_failed_runs_are_left_out(directory: Path) -> None:
    add(directory, "av2", 0, FIVE, verdict="fault")
    assert len(read_sweep(directory).failures) == 1
    assert verify(directory).left_out is None
    made_sweeps.write_run(
        directory, "gone", TEN, status="failed", protocol="av2", replication=3, seed=7, error="no memory"
    )
    assert verify(directory).left_out == f"1 failed, according to {directory}/manifest"

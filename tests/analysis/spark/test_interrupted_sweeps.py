"""The files that remain when a sweep in a subprocess is killed or gets Ctrl-C, and the continuation in this process."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.cli.main import main
from mobilesim.results.layout import MANIFEST
from tests.support.subprocesses import finish, interrupt, nothing_unfinished, start, verified_runs, wait_for

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("spark")]

SWEEP: Final = """\
scenario: {hosts: 6, cells: 4, messages: 900}
vary:
  mobility.dwell: [exponential 1 s, exponential 5 s]
protocols: [av1, unordered]
replications: 2
"""
RUNS: Final = 8

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the sweep."""
    (tmp_path / "s.yaml").write_text(SWEEP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifests(results: Path) -> dict[str, Any]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (results / MANIFEST).glob("*.json")}


def some_runs_finished(results: Path, several: int = 3) -> bool:
    return (results / MANIFEST).is_dir() and len(list((results / MANIFEST).glob("*.json"))) >= several


def test_a_killed_sweep_continues_without_repeating_finished_runs(home: Path, capsys: Captured) -> None:
    command = ("sweep", "s.yaml", "--out", "r", "--no-report", "--master", "local[2]")
    child = start(home, *command)
    wait_for(child, lambda: some_runs_finished(home / "r"))
    child.kill()
    finish(child)
    before = manifests(home / "r")
    assert 3 <= len(before) < RUNS
    deliveries = home / "r" / "deliveries"
    stamps = {run: (deliveries / f"{run}.parquet").stat().st_mtime_ns for run in before}
    assert main([*command, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["runs"]["complete"] == verified_runs(home / "r") == RUNS
    assert len(before) <= output["runs"]["before"] < RUNS
    assert output["summary"]["runs"] == RUNS
    assert {run: (deliveries / f"{run}.parquet").stat().st_mtime_ns for run in before} == stamps
    assert {run: manifests(home / "r")[run] for run in before} == before
    assert nothing_unfinished(home / "r")


def test_ctrl_c_keeps_finished_runs_and_prints_how_to_continue(home: Path, capsys: Captured) -> None:
    child = start(home, "sweep", "s.yaml", "--out", "r", "--master", "local[2]")
    out = interrupt(child, lambda: some_runs_finished(home / "r"))
    done = manifests(home / "r")
    (complete,) = (int(line.split()[0]) for line in out.splitlines() if line.endswith(" runs are complete"))
    assert 3 <= complete <= len(done)  # a worker may finish a run after the count, before it is killed
    assert {output["status"] for output in done.values()} == {"complete"}
    assert nothing_unfinished(home / "r")
    assert main(["sweep", "s.yaml", "--out", "r", "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines()[-2] == f"{RUNS} runs; {len(done)} are complete in r"

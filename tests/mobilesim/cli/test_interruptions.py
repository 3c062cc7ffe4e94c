"""Ctrl-C, SIGKILL and full disks during `mobilesim run`: one error line, and no incomplete file that looks complete."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from mobilesim.experiments import scenario_runs
from tests.support.subprocesses import (
    LONG,
    finish,
    has_written,
    nothing_unfinished,
    run_command,
    start,
    verified_runs,
    wait_for,
)

SHORT: Final = ("run", "quickstart", "--quick", "--replications", "1")
QUICK: Final = (*SHORT, "--no-summary", "--protocol", "av1")


def statuses(results: Path) -> set[tuple[str, str]]:
    rows = [pq.ParquetFile(path).read().to_pylist()[0] for path in (results / "runs").iterdir()]
    return {(row["status"], row["verdict"]) for row in rows}


def interrupted(folder: Path, *arguments: str, times: int = 1) -> tuple[int, str, str]:
    """Start a long run, and send SIGINT when it has written a file."""
    child = start(folder, *LONG, "--out", "r", *arguments)
    wait_for(child, has_written(folder / "r"))
    for _ in range(times):
        child.send_signal(signal.SIGINT)
    return finish(child)


@pytest.mark.full
def test_ctrl_c_ends_a_run_with_valid_tables_marked_interrupted(tmp_path: Path) -> None:
    code, out, err = interrupted(tmp_path, "--json")
    assert code == 130
    assert err == "mobilesim: interrupted; the tables in r have the measurements until then\n"
    document = json.loads(out)
    assert [(run["status"], run["verdict"]) for run in document["runs"]] == [("interrupted", "ok")]
    assert document["summary"] is None
    assert verified_runs(tmp_path / "r") == 1
    assert statuses(tmp_path / "r") == {("interrupted", "ok")}
    assert nothing_unfinished(tmp_path / "r")
    (deliveries,) = (tmp_path / "r" / "deliveries").iterdir()
    assert pq.read_metadata(deliveries).num_rows == document["runs"][0]["deliveries"] > 0


@pytest.mark.full
def test_ctrl_c_reports_the_progress_as_text(tmp_path: Path) -> None:
    code, out, err = interrupted(tmp_path)
    assert code == 130
    assert "  av1  interrupted after " in out
    progress, line = err.splitlines()
    assert re.fullmatch(r"\[1/\d\] av1: interrupted, [\d,.]+ s simulated, [\d,]+ messages/s", progress)
    assert line.startswith("mobilesim: interrupted; ")


def test_ctrl_c_before_the_first_run_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted_dry_run(*_: object) -> list[str]:
        signal.raise_signal(signal.SIGINT)
        return []

    monkeypatch.setattr(scenario_runs, "dry_run", interrupted_dry_run)
    assert main([*QUICK, "--out", str(tmp_path / "r")]) == 130
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "mobilesim: interrupted\n")


@pytest.mark.full
def test_a_second_ctrl_c_ends_at_once_without_partial_files(tmp_path: Path) -> None:
    code, _, err = interrupted(tmp_path, times=2)
    assert code == 130
    assert err.splitlines()[-1].startswith("mobilesim: interrupted")
    assert verified_runs(tmp_path / "r") in {0, 1}
    assert nothing_unfinished(tmp_path / "r")


@pytest.mark.full
def test_a_killed_run_leaves_no_complete_tables_and_the_next_run_cleans_up(tmp_path: Path) -> None:
    child = start(tmp_path, *LONG, "--out", "r")
    wait_for(child, has_written(tmp_path / "r"))
    child.kill()
    finish(child)
    assert verified_runs(tmp_path / "r") == 0
    assert not nothing_unfinished(tmp_path / "r")
    assert run_command(tmp_path, *QUICK, "--out", "r")[0] == 0
    assert verified_runs(tmp_path / "r") == 1
    assert nothing_unfinished(tmp_path / "r")


@pytest.mark.full
def test_ctrl_c_during_the_summary_keeps_complete_tables(tmp_path: Path) -> None:
    words = ("run", "quickstart", "--set", "duration=2 s", "--replications", "1", "--protocol", "av1", "fifo")
    child = start(tmp_path, *words, "--out", "r")
    wait_for(child, lambda: any((tmp_path / "r").glob(".summary-*")))
    child.send_signal(signal.SIGINT)
    code, _, err = finish(child)
    assert code == 130
    assert err.splitlines()[-1] == "mobilesim: interrupted"
    assert "Traceback" not in err
    assert verified_runs(tmp_path / "r") == 2
    assert statuses(tmp_path / "r") == {("complete", "ok")}
    assert nothing_unfinished(tmp_path / "r")
    assert not (tmp_path / "r" / "summary").exists()


@pytest.mark.full
@pytest.mark.parametrize(
    ("limit", "left"),
    (
        (100, set()),
        (20_000, {"scenario.yaml"}),
    ),
)
def test_a_full_disk_causes_one_error_line(limit: int, left: set[str], tmp_path: Path) -> None:
    code, out, err = run_command(tmp_path, *QUICK, "--out", "r", file_limit=limit)
    assert (code, out) == (2, "")
    assert err == "mobilesim: r: cannot be written: File too large\n"
    assert {path.name for path in (tmp_path / "r").iterdir() if path.is_file()} == left
    assert verified_runs(tmp_path / "r") == 0
    assert nothing_unfinished(tmp_path / "r")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Path:
    """Return a file system with space for one and a half runs."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk; the test with a limit on file sizes checks the same behaviour")
    return disk


@pytest.mark.full
def test_a_disk_that_fills_up_later_keeps_finished_runs(tiny_disk: Path) -> None:
    try:
        code, _, err = run_command(tiny_disk, *QUICK, "rst", "fifo", "unordered", "--out", "r")
        assert code == 2
        assert err.splitlines()[-1] == "mobilesim: r: cannot be written: No space left on device"
        assert verified_runs(tiny_disk / "r") in {1, 2}
        assert statuses(tiny_disk / "r") == {("complete", "ok")}
        assert nothing_unfinished(tiny_disk / "r")
    finally:
        subprocess.run(["umount", str(tiny_disk)], check=True)


@pytest.mark.full
@pytest.mark.parametrize("out", ("file", "file/below"))
def test_a_file_in_the_place_of_a_directory_causes_one_error_line(out: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    output = f"mobilesim: {out}: not a directory; name another one with --out\n"
    assert run_command(tmp_path, *QUICK, "--out", out) == (2, "", output)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


@pytest.mark.full
def test_a_directory_without_write_permission_causes_one_error_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    # Permissions do not restrict root, but no user can create a directory below /proc.
    out = "/proc/results" if os.access(tmp_path, os.W_OK) else "results"
    code, _, err = run_command(tmp_path, *QUICK, "--out", out)
    tmp_path.chmod(0o755)
    assert code == 2
    assert err.startswith(f"mobilesim: {out}: cannot be written: ")
    assert err.count("\n") == 1

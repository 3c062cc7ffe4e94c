"""`mobilesim sweep` in a subprocess: its output, and the files that remain when it is interrupted or killed."""

import json
import signal
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.results.layout import MANIFEST
from tests.support.subprocesses import finish, nothing_unfinished, run_command, start, verified_runs, wait_for

SWEEP: Final = """\
scenario: {hosts: 6, cells: 4, messages: 60}
vary:
  mobility.dwell: [exponential 1 s, exponential 5 s]
protocols: [av1, unordered]
replications: 5
"""
SLOW: Final = SWEEP.replace("messages: 60", "messages: 900").replace("replications: 5", "replications: 2")
RUNS: Final = 8
"""The number of runs of the slow sweep."""


def write_sweep(folder: Path, text: str = SWEEP) -> None:
    (folder / "s.yaml").write_text(text, encoding="utf-8")


def manifests(results: Path) -> dict[str, Any]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (results / MANIFEST).glob("*.json")}


def errors(err: str) -> list[str]:
    """Return the lines of standard error without progress."""
    return [line for line in err.splitlines() if line != "starting Spark…"]


def some_runs_finished(results: Path, several: int = 3) -> bool:
    return (results / MANIFEST).is_dir() and len(list((results / MANIFEST).glob("*.json"))) >= several


@pytest.mark.full
def test_a_killed_sweep_continues_without_repeating_finished_runs(tmp_path: Path) -> None:
    write_sweep(tmp_path, SLOW)
    command = ("sweep", "s.yaml", "--out", "r", "--no-report", "--master", "local[2]")
    child = start(tmp_path, *command)
    wait_for(child, lambda: some_runs_finished(tmp_path / "r"))
    child.kill()
    finish(child)
    before = manifests(tmp_path / "r")
    assert 3 <= len(before) < RUNS
    deliveries = tmp_path / "r" / "deliveries"
    stamps = {run: (deliveries / f"{run}.parquet").stat().st_mtime_ns for run in before}
    code, out, _ = run_command(tmp_path, *command, "--json")
    output = json.loads(out)
    assert code == 0
    assert output["runs"]["complete"] == verified_runs(tmp_path / "r") == RUNS
    assert len(before) <= output["runs"]["before"] < RUNS
    assert output["summary"]["runs"] == RUNS
    assert {run: (deliveries / f"{run}.parquet").stat().st_mtime_ns for run in before} == stamps
    assert {run: manifests(tmp_path / "r")[run] for run in before} == before
    assert nothing_unfinished(tmp_path / "r")


@pytest.mark.full
def test_ctrl_c_keeps_finished_runs_and_prints_how_to_continue(tmp_path: Path) -> None:
    write_sweep(tmp_path, SLOW)
    child = start(tmp_path, "sweep", "s.yaml", "--out", "r", "--master", "local[2]")
    wait_for(child, lambda: some_runs_finished(tmp_path / "r"))
    child.send_signal(signal.SIGINT)
    code, out, err = finish(child)
    assert code == 130
    hint = "finished runs are kept in r; the same command without --fresh continues with the other runs"
    assert err.splitlines()[-1] == f"mobilesim: interrupted; {hint}"
    assert "Traceback" not in err
    done = manifests(tmp_path / "r")
    (complete,) = (int(line.split()[0]) for line in out.splitlines() if line.endswith(" runs are complete"))
    assert 3 <= complete <= len(done)  # a worker may finish a run after the count, before it is killed
    assert {output["status"] for output in done.values()} == {"complete"}
    assert nothing_unfinished(tmp_path / "r")
    _, out, _ = run_command(tmp_path, "sweep", "s.yaml", "--out", "r", "--dry-run")
    assert out.splitlines()[-1] == f"{RUNS} runs; {len(done)} are complete in r"


@pytest.mark.full
def test_a_dry_run_shows_the_plan_and_writes_no_files(tmp_path: Path) -> None:
    write_sweep(tmp_path)
    code, out, err = run_command(tmp_path, "sweep", "s.yaml", "--dry-run")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "s: 2 points, 2 protocols, 5 replications",
        "",
        "mobility.dwell   runs  done",
        "exponential 1 s    10     0",
        "exponential 5 s    10     0",
        "",
        "20 runs; 0 are complete in results/s",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["s.yaml"]
    _, out, _ = run_command(tmp_path, "sweep", "s.yaml", "--dry-run", "--json", "--quick")
    document = json.loads(out)
    assert (document["runs"], document["done"], document["results"]) == (8, 0, "results/s-quick")
    assert document["points"][0] == {"point": {"mobility.dwell": "exponential 1 s"}, "runs": 4, "done": 0}


@pytest.mark.full
def test_a_dry_run_refuses_a_directory_that_a_sweep_refuses(tmp_path: Path) -> None:
    write_sweep(tmp_path)
    for place, line in ((".", ".: holds s.yaml, not a"), ("/proc/r", "/proc/r: cannot be written: ")):
        code, out, err = run_command(tmp_path, "sweep", "s.yaml", "--dry-run", "--out", place)
        assert (code, out) == (2, "")
        assert err.startswith(f"mobilesim: {line}")


@pytest.mark.full
def test_a_full_disk_causes_one_error_line_and_keeps_finished_runs(tmp_path: Path) -> None:
    write_sweep(tmp_path)
    code, out, err = run_command(tmp_path, "sweep", "s.yaml", "--out", "r", file_limit=300)
    assert (code, out) == (2, "")
    assert errors(err) == ["mobilesim: r: cannot be written: File too large"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "line"),
    (
        (("none.yaml",), "none.yaml: no such file, and no bundled sweep has that name; "),
        (("s.yaml", "--set", "hots=3"), "--set hots: unknown key; did you mean 'hosts'?"),
        (("s.yaml", "--out", "s.yaml"), "s.yaml: not a directory; name another one with --out"),
        (("s.yaml", "--out", "."), ".: holds s.yaml, not a file of a sweep; name another directory with --out"),
        (("s.yaml", "--out", "/proc/r"), "/proc/r: cannot be written: "),
        (("s.yaml", "--master", "nowhere", "--out", "r"), "--master nowhere: not a Spark master; "),
    ),
)
def test_bad_input_causes_one_error_line(arguments: tuple[str, ...], line: str, tmp_path: Path) -> None:
    write_sweep(tmp_path)
    code, out, err = run_command(tmp_path, "sweep", *arguments)
    assert (code, out) == (2, "")
    (output,) = errors(err)
    assert output.startswith(f"mobilesim: {line}")


@pytest.mark.full
def test_a_sweep_file_given_to_another_command_causes_one_error_line(tmp_path: Path) -> None:
    write_sweep(tmp_path)
    _, _, err = run_command(tmp_path, "run", "s.yaml")
    assert err == "mobilesim: s.yaml:2: this is a sweep, not a scenario; `mobilesim sweep` runs it\n"
    code, out, _ = run_command(tmp_path, "validate", "s.yaml")
    assert (code, out) == (0, "ok: s: a sweep, 2 points, 2 protocols\n")

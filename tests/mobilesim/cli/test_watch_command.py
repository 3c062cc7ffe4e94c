"""`mobilesim watch`: the progress of a sweep and its means."""

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from mobilesim.analysis.pipeline.watch import seconds_left
from mobilesim.analysis.summary.reduce_run import reduce_run
from mobilesim.api.progress import Progress
from mobilesim.cli.main import main
from mobilesim.experiments.executors import in_process
from mobilesim.experiments.sweep.engine import run_missing
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import location
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support.s3_server import store
from tests.support.subprocesses import finish, start

Captured = pytest.CaptureFixture[str]

SWEEP = """\
name: small
scenario: {hosts: 5, cells: 4, messages: 40}
vary: {hosts: [4, 6]}
protocols: [av1, unordered]
replications: 3
"""
PLAN = make_plan(loads(SWEEP))


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("watched") / "r"
    with open_sweep(directory, PLAN.resolved_text, PLAN.all_runs()) as opened:
        run_missing(PLAN, opened, in_process, stop=lambda: False, display=Progress(quiet=True), reduce=reduce_run)
    for second, path in enumerate(sorted((directory / MANIFEST).iterdir())):
        os.utime(path, (1000 + 2 * second, 1000 + 2 * second))
    return directory


@pytest.fixture
def running(swept: Path, tmp_path: Path) -> Path:
    """The directory of a sweep with 8 of 12 runs: without the last replication."""
    directory = Path(shutil.copytree(swept, tmp_path / "r"))
    for configuration in PLAN.configurations:
        (directory / MANIFEST / f"{configuration.run(2)}.json").unlink()
    return directory


def test_a_finished_sweep_is_shown_once(swept: Path, capsys: Captured) -> None:
    assert main(["watch", str(swept)]) == 0
    head, *rows, empty, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["protocol", "hosts", "runs", "mean", "delay"]
    assert [row.split()[:3] for row in rows] == [
        ["av1", "4", "3"],
        ["unordered", "4", "3"],
        ["av1", "6", "3"],
        ["unordered", "6", "3"],
    ]
    assert all(" ± " in row and row.endswith(" ms") for row in rows)
    assert (empty, last) == ("", "small: 12 of 12 runs are complete")


def test_a_running_sweep_has_wider_intervals_and_a_remaining_time(swept: Path, running: Path, capsys: Captured) -> None:
    found = []
    for directory in (running, swept):
        assert main(["watch", str(directory), "--once", "--json", "--metric", "header_bytes"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    part, whole = found
    assert (part["complete"], part["missing"], part["seconds_left"] > 0, part["metric"]) == (8, 4, True, "header_bytes")
    assert (whole["complete"], whole["missing"], whole["seconds_left"]) == (12, 0, 0.0)
    assert [each["point"] for each in whole["points"][::2]] == [{"hosts": "4"}, {"hosts": "6"}]
    assert all(each["low"] <= each["mean"] <= each["high"] for each in (*part["points"], *whole["points"]))
    assert main(["watch", str(running), "--once"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("small: 8 of 12 runs are complete; about ")


def test_failed_runs_are_counted(running: Path, capsys: Captured) -> None:
    path = min((running / MANIFEST).iterdir())
    record = json.loads(path.read_text()) | {"status": "failed", "error": "no memory", "reduction": None}
    path.write_text(json.dumps(record))
    assert main(["watch", str(running), "--once"]) == 1
    assert "7 of 12 runs are complete, 1 failed; about" in capsys.readouterr().out


@pytest.mark.full
def test_ctrl_c_ends_the_command(running: Path, tmp_path: Path) -> None:
    child = start(tmp_path, "watch", str(running), "--interval", "0.2")
    assert child.stdout is not None
    while not child.stdout.readline().startswith("small: 8 of 12"):
        assert child.poll() is None
    child.send_signal(signal.SIGINT)
    code, out, err = finish(child)
    assert (code, out, err) == (130, "", "mobilesim: interrupted; the sweep goes on\n")


def test_a_remote_sweep_is_watched(running: Path, capsys: Captured) -> None:
    with store() as objects:
        for path in running.rglob("*"):
            if path.is_file():
                objects.kept[f"r/{path.relative_to(running)}"] = path.read_bytes()
        assert location(objects.uri("r")).is_dir()
        assert main(["watch", objects.uri("r"), "--once"]) == 0
    assert "8 of 12 runs are complete" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "line"),
    (
        (["--json"], "--json: write --once, too; without it, there would be many documents"),
        (["--interval", "0"], "--interval 0: expected a number above 0"),
        (["--metric", "dely"], "there is no metric 'dely'; did you mean 'delay'?"),
        (["--metric", "delay.p95"], "'delay.p95' is computed from several metrics; write one such as delay, "),
        ([], "nowhere: not the directory of a sweep: it has no 'sweep.yaml'"),
    ),
)
def test_mistakes_are_one_line(words: list[str], line: str, capsys: Captured) -> None:
    assert main(["watch", "nowhere", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"mobilesim: {line}")
    assert error.count("\n") == 1


def test_the_remaining_time_follows_from_the_last_runs() -> None:
    assert seconds_left([], 4) is None
    assert seconds_left([7.0, 7.0], 4) is None
    assert seconds_left([3.0, 1.0, 2.0], 4) == 4.0
    assert seconds_left([0.0, *(100.0 + number for number in range(50))], 10) == 10.0

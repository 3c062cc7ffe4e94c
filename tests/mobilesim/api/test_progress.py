"""The progress of `mobilesim run`: a bar on a terminal, lines on other outputs."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from mobilesim.api import progress
from mobilesim.api.progress import Progress
from mobilesim.experiments import executors
from mobilesim.experiments.run import Run
from mobilesim.experiments.scenario_runs import RunState
from mobilesim.scenario.model import Scenario
from tests.support.simulations import simulate
from tests.support.subprocesses import LONG, finish, has_written, run_command, start, wait_for
from tests.support.terminal import Terminal, screen

Captured = pytest.CaptureFixture[str]

QUICK: Final = ("run", "quickstart", "--quick", "--no-summary", "--replications", "1", "--protocol", "av1", "fifo")


@pytest.mark.full
def test_a_terminal_shows_time_speed_and_remaining_time_and_removes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, sent = Terminal(tmp_path, monkeypatch, *QUICK).close()
    assert code == 0
    assert re.search(r"av1 .*\d%, [\d.]+ s simulated, [\d,]+ messages/s \S*\d:\d\d:\d\d", sent)
    assert re.search(r"fifo .*s simulated, [\d,]+ messages/s", sent)
    assert not any(screen(sent))
    assert sent.rindex("\x1b[?25h") > sent.rindex("\x1b[?25l")
    assert "\x1b" not in out
    assert "simulated" not in out


@pytest.mark.full
def test_after_ctrl_c_a_terminal_shows_only_the_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(tmp_path, monkeypatch, *LONG, "--out", "r")
    wait_for(terminal.child, has_written(tmp_path / "r"))
    terminal.child.send_signal(signal.SIGINT)
    code, _, sent = terminal.close()
    assert code == 130
    shown = [line for line in screen(sent) if line]
    assert shown == ["mobilesim: interrupted; the tables in r have the measurements until then"]
    assert sent.rindex("\x1b[?25h") > sent.rindex("\x1b[?25l")


@pytest.mark.full
def test_a_terminal_that_cannot_move_its_cursor_gets_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, sent = Terminal(tmp_path, monkeypatch, *QUICK, term="dumb").close()
    assert code == 0
    assert "\x1b" not in sent
    assert [line.partition(":")[0] for line in screen(sent) if line] == ["[1/2] av1", "[2/2] fifo"]


@pytest.mark.full
def test_an_output_that_is_not_a_terminal_gets_a_line_for_each_run(tmp_path: Path) -> None:
    code, out, err = run_command(tmp_path, *QUICK)
    assert code == 0
    for line, start_of_line in zip(err.splitlines(), ("[1/2] av1", "[2/2] fifo"), strict=True):
        assert re.fullmatch(rf"{re.escape(start_of_line)}: complete, [\d.]+ s simulated, [\d,]+ messages/s", line)
    assert "simulated" not in out


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_long_run_reports_its_progress_and_then_that_it_is_draining(
    tmp_path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    scenario = Scenario.model_validate({"hosts": 4, "messages": 200})
    simulation = simulate(scenario, tmp_path).simulation
    with Progress().runs(scenario) as lines:
        run = Run(scenario, scenario.protocols[0], 0)
        lines.started(run)
        for seconds, done in ((9.0, 0.3), (11.0, 0.5), (10.0, 1.0)):
            clock[0] += seconds
            monkeypatch.setattr(type(simulation), "progress", done)
            lines.advanced(run, RunState.of(simulation))
            clock[0] += 1.0
    half, full = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"av1: 50%, [\d.]+ s simulated, 10 messages/s, about 21 s left", half)
    assert re.fullmatch(r"av1: draining, [\d.]+ s simulated, 6 messages/s", full)


def lines_of_stages(progress: Progress, clock: list[float], capsys: Captured) -> list[str]:
    for number in range(7):
        progress.show_stage(f"{number} of 7")
        clock[0] += 4.0
    return capsys.readouterr().err.splitlines()


def test_the_first_stage_is_printed_at_once_and_then_one_every_ten_seconds(
    clock: list[float], capsys: Captured
) -> None:
    assert lines_of_stages(Progress(), clock, capsys) == ["0 of 7", "3 of 7", "6 of 7"]


def test_a_terminal_gets_all_stages(clock: list[float], capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert len(lines_of_stages(Progress(quiet=True), clock, capsys)) == 7


def test_quiet_progress_prints_nothing(clock: list[float], capsys: Captured) -> None:
    quiet = Progress(quiet=True)
    assert lines_of_stages(quiet, clock, capsys) == []
    with quiet.count_runs("x", 1) as counted:
        counted()
    assert capsys.readouterr().err == ""


def test_the_remaining_time_is_estimated_after_a_run_of_every_core_and_five_percent_of_the_runs(
    clock: list[float], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cores, total, first in ((2, 80, 4), (8, 80, 8), (8, 3, None)):
        monkeypatch.setattr(executors, "cores", lambda cores=cores: cores)
        with Progress().count_runs("many", total) as counted:
            for _ in range(min(total, 12)):
                clock[0] += 11.0
                counted()
        lines = [line for line in capsys.readouterr().err.splitlines() if " of " in line]
        assert lines[0].endswith("1 of " + f"{total} runs")
        estimated = [number for number, line in enumerate(lines, 1) if line.endswith("s left")]
        assert estimated == ([] if first is None else list(range(first, 13)))


def test_the_count_of_runs_includes_failed_runs(
    clock: list[float], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "cores", lambda: 1)
    with Progress().count_runs("many", 3) as counted:
        for failed in (False, True, False):
            clock[0] += 11.0
            counted(failed=failed)
    assert capsys.readouterr().err.splitlines() == [
        "many: 1 of 3 runs, about 22 s left",
        "many: 2 of 3 runs, 1 failed, about 11 s left",
        "many: 3 runs, 1 failed, 33.0 s",
    ]


def test_a_long_task_prints_a_line_every_ten_seconds_without_a_terminal(clock: list[float], capsys: Captured) -> None:
    with Progress().meter("reading x") as meter:
        for seconds in (5.0, 10.5, 12.0, 21.0):
            clock[0] = 1_000.0 + seconds
            meter.fraction(seconds / 42)
    assert capsys.readouterr().err == "reading x: 25%, about 32 s left\nreading x: 50%, about 21 s left\n"


@pytest.mark.full
def test_a_run_with_json_output_prints_no_progress(tmp_path: Path) -> None:
    done = run_command(tmp_path, *QUICK, "--json")
    assert (done[0], done[2]) == (0, "")


@pytest.mark.full
def test_a_closed_standard_error_causes_no_traceback(tmp_path: Path) -> None:
    child = start(tmp_path, *QUICK, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.close()
    child.stdout = None
    code, _, err = finish(child)
    assert code == 141
    assert "Traceback" not in err

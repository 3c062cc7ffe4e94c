"""How `mobilesim run` shows that it is getting on: a bar on a terminal, lines anywhere else."""

import os
import pty
import re
import select
import signal
import subprocess
import threading
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Final

import pytest

from mobilesim.cli import progress
from mobilesim.cli.progress import reporter
from mobilesim.experiments.run import Run
from mobilesim.scenario.model import Scenario
from tests.support.simulations import emulate
from tests.support.subprocesses import LONG, PATIENCE, finish, said, start, under_way, wait_for

QUICK: Final = ("run", "quickstart", "--quick", "--no-summary", "--replications", "1", "--protocol", "av1", "fifo")

CONTROL: Final = re.compile(r"\x1b\[(?P<count>\d*)(?P<what>[A-Za-z])|\x1b\[\?\d+(?P<mode>[hl])|\r|\n|[^\x1b\r\n]+")


def screen(text: str) -> list[str]:
    """What a terminal shows after all that: as much of one as is needed here."""
    lines, row, column = [""], 0, 0
    for part in CONTROL.finditer(text):
        match part[0], part["what"]:
            case "\r", _:
                column = 0
            case "\n", _:
                row += 1
                lines += [""] * (row - len(lines) + 1)
            case _, "A":
                row = max(0, row - int(part["count"] or 1))
            case _, "K":
                lines[row] = "" if part["count"] == "2" else lines[row][:column]
            case words, None if not part["mode"]:
                lines[row] = lines[row][:column].ljust(column) + words + lines[row][column + len(words) :]
                column += len(words)
    return [line.rstrip() for line in lines]


def read_all(terminal: int) -> Iterator[str]:
    """Until the other side hangs up, which Linux reports as an error."""
    while select.select([terminal], [], [], PATIENCE)[0]:
        try:
            yield os.read(terminal, 65536).decode()
        except OSError:
            return


class Terminal:
    """A terminal at a child's standard error; what it is sent is read as it comes."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str, term: str = "xterm") -> None:
        monkeypatch.setenv("TERM", term)
        monkeypatch.setenv("COLUMNS", "120")
        self.mine, theirs = pty.openpty()
        self.parts: list[str] = []
        self.reader = threading.Thread(target=lambda: self.parts.extend(read_all(self.mine)))
        self.child = start(folder, *words, stderr=theirs)
        os.close(theirs)
        self.reader.start()

    def close(self) -> tuple[int, str, str]:
        """Exit status, standard output, and all that the terminal was sent."""
        code, out, _ = finish(self.child)
        self.reader.join(PATIENCE)
        os.close(self.mine)
        return code, out, "".join(self.parts)


@pytest.mark.full
def test_a_terminal_shows_emulated_time_speed_and_time_left_and_is_clean_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, sent = Terminal(tmp_path, monkeypatch, *QUICK).close()
    assert code == 0
    assert re.search(r"av1 .*\d% +[\d.]+ s emulated, [\d,]+ messages/s \S*\d:\d\d:\d\d", sent)
    assert re.search(r"fifo .*s emulated, [\d,]+ messages/s", sent)
    assert not any(screen(sent))
    assert sent.rindex("\x1b[?25h") > sent.rindex("\x1b[?25l")
    assert "\x1b" not in out
    assert "emulated" not in out


@pytest.mark.full
def test_ctrl_c_leaves_the_terminal_clean_but_for_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(tmp_path, monkeypatch, *LONG, "--out", "r")
    wait_for(terminal.child, under_way(tmp_path / "r"))
    terminal.child.send_signal(signal.SIGINT)
    code, _, sent = terminal.close()
    assert code == 130
    shown = [line for line in screen(sent) if line]
    assert shown == ["mobilesim: interrupted; the tables in r hold what was measured, and say so"]
    assert sent.rindex("\x1b[?25h") > sent.rindex("\x1b[?25l")


@pytest.mark.full
def test_a_terminal_that_cannot_move_its_cursor_gets_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, sent = Terminal(tmp_path, monkeypatch, *QUICK, term="dumb").close()
    assert code == 0
    assert "\x1b" not in sent
    assert [line.partition(":")[0] for line in screen(sent) if line] == ["[1/2] av1", "[2/2] fifo"]


@pytest.mark.full
def test_anything_else_gets_a_line_for_each_run(tmp_path: Path) -> None:
    code, out, err = said(tmp_path, *QUICK)
    assert code == 0
    for line, start_of_line in zip(err.splitlines(), ("[1/2] av1", "[2/2] fifo"), strict=True):
        assert re.fullmatch(rf"{re.escape(start_of_line)}: complete, [\d.]+ s emulated, [\d,]+ messages/s", line)
    assert "emulated" not in out


def test_a_long_run_reports_now_and_then_what_share_is_done_and_what_time_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = Scenario.model_validate({"hosts": 4, "messages": 200})
    simulation = emulate(scenario, tmp_path).simulation
    seconds = chain(repeat(100.0, 4), (109.0,), repeat(120.0))
    monkeypatch.setattr(progress, "monotonic", lambda: next(seconds))
    with reporter(scenario, quiet=False) as lines:
        lines.started(Run(scenario, scenario.protocols[0], 0))
        lines.advanced(simulation)
        assert capsys.readouterr().err == ""
        lines.advanced(simulation)
    told = capsys.readouterr().err
    assert re.fullmatch(r"av1: 100%, [\d.]+ s emulated, 10 messages/s, about 0 s left\n", told)


@pytest.mark.full
def test_who_wants_silence_gets_it(tmp_path: Path) -> None:
    done = said(tmp_path, *QUICK, "--json")
    assert (done[0], done[2]) == (0, "")


@pytest.mark.full
def test_nobody_reading_is_no_reason_for_a_traceback(tmp_path: Path) -> None:
    child = start(tmp_path, *QUICK, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.close()
    child.stdout = None
    code, _, err = finish(child)
    assert code == 141
    assert "Traceback" not in err

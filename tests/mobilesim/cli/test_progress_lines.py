"""Work that is long is not silent where there is no terminal, and says little there."""

import sys

import pytest

from mobilesim.cli import progress_lines
from mobilesim.cli.progress_lines import Aloud

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(progress_lines, "monotonic", lambda: now[0])
    return now


def told(say: Aloud, clock: list[float], capsys: Captured) -> list[str]:
    """Of a line every four seconds."""
    for number in range(7):
        say(f"{number} of 7")
        clock[0] += 4.0
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def test_the_first_line_is_told_at_once_and_then_one_every_ten_seconds(clock: list[float], capsys: Captured) -> None:
    assert told(Aloud(), clock, capsys) == ["0 of 7", "3 of 7", "6 of 7"]


def test_a_terminal_gets_all_of_them(clock: list[float], capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert told(Aloud(quiet=True), clock, capsys) == [f"{number} of 7" for number in range(7)]


def test_beside_a_document_nothing_is_told(clock: list[float], capsys: Captured) -> None:
    assert told(Aloud(quiet=True), clock, capsys) == []

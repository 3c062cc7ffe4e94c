"""A terminal for commands under test, and what it shows."""

import os
import pty
import re
import select
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.subprocesses import TIMEOUT, finish, start

CONTROL: Final = re.compile(r"\x1b\[(?P<count>\d*)(?P<what>[A-Za-z])|\x1b\[\?\d+(?P<mode>[hl])|\r|\n|[^\x1b\r\n]+")


def screen(text: str) -> list[str]:
    """Return the lines that a terminal shows after this output. Only the control sequences of rich are interpreted."""
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
            case arguments, None if not part["mode"]:
                lines[row] = lines[row][:column].ljust(column) + arguments + lines[row][column + len(arguments) :]
                column += len(arguments)
    return [line.rstrip() for line in lines]


def read_all(terminal: int) -> Iterator[str]:
    """Yield output until the other side closes the terminal, which Linux reports as an error."""
    while select.select([terminal], [], [], TIMEOUT)[0]:
        try:
            yield os.read(terminal, 65536).decode()
        except OSError:
            return


class Terminal:
    """A pseudo-terminal as the standard error of a command."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str, term: str = "xterm") -> None:
        monkeypatch.setenv("TERM", term)
        monkeypatch.setenv("COLUMNS", "120")
        self.mine, theirs = pty.openpty()
        self.parts: list[str] = []
        self.reader = threading.Thread(target=lambda: self.parts.extend(read_all(self.mine)))
        self.child = start(folder, *arguments, stderr=theirs)
        os.close(theirs)
        self.reader.start()

    def close(self) -> tuple[int, str, str]:
        """Return exit status, standard output, and everything that the terminal received."""
        code, out, _ = finish(self.child)
        self.reader.join(TIMEOUT)
        os.close(self.mine)
        return code, out, "".join(self.parts)

"""The scenarios of a directory, each with its size and its question."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

_SENTENCE: Final = re.compile(r".*?[.?!](?=\s|$)")


@dataclass(frozen=True, slots=True)
class Entry:
    """`asks`: the first sentence of the comment that the file begins with."""

    file: str
    size: str
    asks: str


def entries(directory: Path) -> Iterator[Entry]:
    """One entry for each YAML file, sorted by name. The size of a sweep or study is the command that runs it."""
    paths = sorted(path for path in directory.rglob("*.yaml") if path.is_file())
    if not paths:
        raise UserError(f"{directory}: this directory has no *.yaml files")
    for path in paths:
        yield Entry(path.relative_to(directory).with_suffix("").as_posix(), *_described(path))


def _described(path: Path) -> tuple[str, str]:
    from mobilesim.scenario.loader import load, text_of
    from mobilesim.scenario.sweeps.sweep_file import is_sweep

    try:
        text = text_of(path)
        size = _command(text) if is_sweep(path) else _size(load(path))
    except UserError as error:
        return "wrong", error.messages[0]
    return size, _asks(text)


def _command(text: str) -> str:
    return "what-if" if re.search(r"^variants:", text, re.MULTILINE) else "sweep"


def _size(scenario: "Scenario") -> str:
    if scenario.network == "static":
        return f"{_counted(scenario.hosts, 'host')}, static"
    cells = "cells from a file" if scenario.cells.count is None else _counted(scenario.cells.count, "cell")
    return f"{_counted(scenario.hosts, 'host')}, {cells}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _asks(text: str) -> str:
    """The first sentence of the leading comment, which may span several lines."""
    lines = []
    for line in text.lstrip("\ufeff").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("#").strip())
    whole = " ".join(filter(None, lines))
    first = _SENTENCE.match(whole)
    return first[0] if first else whole

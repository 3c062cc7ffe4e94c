"""The scenarios of a directory, each with its size and the question that it answers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from mobilesim.errors import UserError, counted

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Entry:
    """`asks`: the first sentence of the comment at the beginning of the file."""

    file: str
    size: str
    asks: str


def yaml_files(directory: Path) -> list[Path]:
    paths = sorted(path for path in directory.rglob("*.yaml") if path.is_file())
    if not paths:
        raise UserError(f"{directory}: this directory has no *.yaml files")
    return paths


def entries(directory: Path) -> Iterator[Entry]:
    """Yield an entry for each YAML file, by name. For a sweep or study, `size` is the command that runs it."""
    for path in yaml_files(directory):
        yield Entry(path.relative_to(directory).with_suffix("").as_posix(), *_described(path))


def _described(path: Path) -> tuple[str, str]:
    from mobilesim.scenario.loader import load, text_of
    from mobilesim.scenario.sweeps.sweep_file import is_sweep

    try:
        text = text_of(path)
        if not is_sweep(path):
            return _size(load(path)), _question(text)
    except UserError as error:
        return "wrong", error.messages[0]
    return "what-if" if re.search(r"^variants:", text, re.MULTILINE) else "sweep", _question(text)


def _size(scenario: "Scenario") -> str:
    if scenario.network == "static":
        return f"{counted(scenario.hosts, 'host')}, static"
    cells = "cells from a file" if scenario.cells.count is None else counted(scenario.cells.count, "cell")
    return f"{counted(scenario.hosts, 'host')}, {cells}"


def _question(text: str) -> str:
    """Return the first sentence of the comment at the beginning. It may be on several lines."""
    comment = takewhile(lambda line: line.startswith("#"), text.lstrip("\ufeff").splitlines())
    whole = " ".join(filter(None, (line.lstrip("#").strip() for line in comment)))
    first = re.match(r".*?[.?!](?=\s|$)", whole)
    return first[0] if first else whole

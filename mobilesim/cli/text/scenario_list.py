"""The scenarios of a directory, each with its size and the question that it answers."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from mobilesim.api import text_tables
from mobilesim.cli.exit_codes import ExitCode
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


def print_list(directory: Path, *, json: bool) -> ExitCode:
    """Print an entry for each YAML file. The exit code is that of bad input if a file has mistakes."""
    found = list(entries(directory))
    if json:
        print(text_tables.as_json([asdict(each) for each in found]))
    else:
        width = text_tables.terminal_width()
        lines = text_tables.aligned([[each.file, each.size, each.asks] for each in found])
        print(*(line if width is None or len(line) <= width else f"{line[: width - 1]}…" for line in lines), sep="\n")
    return ExitCode.BAD_INPUT if any(each.size == "wrong" for each in found) else ExitCode.OK


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

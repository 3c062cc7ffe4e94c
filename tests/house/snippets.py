"""Runs the code blocks of a Markdown document, in order and in one folder.
- ```console: lines that begin with `$ ` are commands, and the lines below a command are its output. If there are no
such lines, the output is not compared. `…` matches any text in a line; alone in a line, it matches any lines. A command
must exit with 0, or with N if `<!-- exits N -->` is above the block.
- ```python: blocks of a document share one namespace.
- ```pycon: each block has its own names, and the shown answers must agree, with `…` as above.
- `<!-- file: NAME -->` above a block: the block is not run, but written to the file of this name.
- ```yaml: blocks are scenarios, parts of scenarios, or sweeps; their loaders must accept them.
- `<!-- not run: why -->` above a block skips it.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from pyspark import SparkContext

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.experiments.sweep import points
from mobilesim.scenario import loader
from mobilesim.scenario.sweeps import sweep_file
from tests.house.interactive import differences
from tests.house.tree import ROOT

FENCE: Final = re.compile(r"(?P<ticks>```+)(?P<language>\S*)")
NOT_RUN: Final = re.compile(r"<!-- not run: (?P<why>.*\S) -->")
FILE: Final = re.compile(r"<!-- file: (?P<name>[\w.-]+) -->")
EXITS: Final = re.compile(r"<!-- exits (?P<code>\d+) -->")
NOT_CHECKED: Final = frozenset({"", "html", "json", "make", "mermaid", "text", "toml"})
SECONDS: Final = 300
VARIABLES: Final = {"COLUMNS": "120", "NO_COLOR": "1"}

_EXPANDED: Final = re.compile(r"[$*`~]")
_OPERATOR: Final = re.compile(r"[();<>|&]+")

_SWEEP: Final = re.compile(r"^scenario:", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    document: str
    line: int
    language: str
    text: str
    above: str

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"

    @property
    def excuse(self) -> str | None:
        match = NOT_RUN.fullmatch(self.above)
        return match["why"] if match else None

    @property
    def file(self) -> str | None:
        match = FILE.fullmatch(self.above)
        return match["name"] if match else None

    @property
    def status(self) -> int:
        match = EXITS.fullmatch(self.above)
        return int(match["code"]) if match else 0


@dataclass
class Run:
    """The shared state of a document's blocks."""

    folder: Path
    names: dict[str, Any]


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def blocks(document: str, text: str) -> Iterator[Block]:
    above = ""
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        if fence := FENCE.match(line):
            body = _until(fence["ticks"], lines)
            yield Block(document, number, fence["language"], body, above)
            above = ""
        elif line.strip():
            above = line.strip()


def _until(ticks: str, lines: Iterator[tuple[int, str]]) -> str:
    body = []
    for _, line in lines:
        if line.rstrip() == ticks:
            break
        body.append(line)
    return "".join(f"{line}\n" for line in body)


def faults(document: str, text: str, folder: Path) -> list[str]:
    # The blocks run in an importable module, so that their definitions can be pickled.
    name = f"document_{Path(document).stem}"
    module = sys.modules[name] = ModuleType(name)
    run = Run(folder, vars(module))
    return [fault for block in blocks(document, text) if not block.excuse for fault in _faults(block, run)]


def _faults(block: Block, run: Run) -> list[str]:
    if block.file is not None:
        (run.folder / block.file).write_text(block.text, encoding="utf-8")
        return []
    if block.language in NOT_CHECKED:
        return []
    if block.language not in RUNNERS:
        return [f"{block.place}: no runner for {block.language} (there are: {', '.join(RUNNERS)})"]
    return RUNNERS[block.language](block, run)


def _yaml(block: Block, _: Run) -> list[str]:
    try:
        if _SWEEP.search(block.text):
            points.build_grid(sweep_file.loads(block.text, source=block.place))
        else:
            loader.loads(block.text, source=block.place)
    except UserError as error:
        return [str(error)]
    return []


def _python(block: Block, run: Run) -> list[str]:
    code = compile("\n" * block.line + block.text, block.document, "exec")
    with contextlib.chdir(run.folder), contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(code, run.names)
        except Exception as error:  # noqa: BLE001 - any exception of a document's code is reported
            return [f"{block.place}: {type(error).__name__}: {error}"]
    return []


def _pycon(block: Block, run: Run) -> list[str]:
    """Run a block in this process: each new interpreter would import pandas, Polars or DuckDB again, or start Java."""
    with _reader(run.folder), _java_folder(run.folder):
        found = differences(block.text)
    return [f"{block.place}: {found}".rstrip()] if found else []


@contextlib.contextmanager
def _java_folder(folder: Path) -> Iterator[None]:
    """Let a running Spark session resolve relative paths in the folder, not in that in which its Java started."""
    context: Any = SparkContext._active_spark_context
    if context is None:
        yield
        return
    hadoop = context._jvm.org.apache.hadoop.fs
    files = hadoop.FileSystem.getLocal(context._jsc.hadoopConfiguration())
    before = files.getWorkingDirectory()
    files.setWorkingDirectory(hadoop.Path(str(folder)))
    try:
        yield
    finally:
        files.setWorkingDirectory(before)


def _console(block: Block, run: Run) -> list[str]:
    return [fault for command, output in commands(block.text) for fault in _command(block, command, output, run)]


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Return the commands with the output shown for each. A backslash at a line's end continues a command."""
    found: list[tuple[str, list[str]]] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line.rstrip())
    return found


def _command(block: Block, command: str, output: list[str], run: Run) -> list[str]:
    arguments = plain_arguments(command)
    code, printed = _shell(command, run.folder) if arguments is None else _in_process(arguments, run.folder)
    printed = printed.rstrip()
    if code != block.status:
        return [f"{block.place}: `{command}` exits {code}, not {block.status}, and prints:\n{printed}"]
    if any(output) and not matches(output, printed):
        return [f"{block.place}: `{command}` prints other output:\n{printed}"]
    return []


def plain_arguments(command: str) -> list[str] | None:
    """Return the arguments of `mobilesim`, or None for other commands and commands that need a shell."""
    if _EXPANDED.search(command):
        return None
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    parts = list(lexer)
    return parts[1:] if parts[:1] == ["mobilesim"] and not any(_OPERATOR.fullmatch(word) for word in parts) else None


def _in_process(arguments: list[str], folder: Path) -> tuple[int, str]:
    """Run a command in this process, because it may already have a Spark session, and starting one takes seconds."""
    printed = io.StringIO()
    with _reader(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            code = main(arguments)
        except SystemExit as leaving:  # argparse exits with SystemExit
            code = int(leaving.code or 0)
    return code, printed.getvalue()


@contextlib.contextmanager
def _reader(folder: Path) -> Iterator[None]:
    """Enter the folder and the environment of a reader of the document."""
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        for name, value in VARIABLES.items():
            patch.setenv(name, value)
        yield


def _shell(command: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


def matches(expected: list[str], result: str) -> bool:
    lines = "\n".join(expected).rstrip().split("\n")
    pattern = "".join(r"(?:.*\n)*" if line.strip() == "…" else _line(line) for line in lines)
    actual = "".join(f"{line.rstrip()}\n" for line in result.split("\n"))
    return re.fullmatch(pattern, actual) is not None


def _line(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split("…")) + r"\n"


def environment(folder: Path) -> dict[str, str]:
    """Return environment variables for a shell.

    PATH begins with the interpreter's folder, and includes a `mobilesim` command even if it is not installed.
    """
    spare = folder.parent / f"{folder.name}-bin"
    spare.mkdir(exist_ok=True)
    script = spare / "mobilesim"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m mobilesim "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    path = os.pathsep.join((str(Path(sys.executable).parent), str(spare), os.environ.get("PATH", os.defpath)))
    return {**os.environ, **VARIABLES, "PATH": path}


RUNNERS: Final[dict[str, Callable[[Block, Run], list[str]]]] = {
    "console": _console,
    "pycon": _pycon,
    "python": _python,
    "yaml": _yaml,
}

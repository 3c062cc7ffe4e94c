"""Help, usage errors and exit codes of the command line, and the commands about scenario files."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

import mobilesim
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.cli.main import COMMANDS, main
from mobilesim.cli.scenarios import schema as schema_command
from mobilesim.errors import UserError
from mobilesim.results.version import running_core
from mobilesim.scenario.loader import load
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.template import template

HEAVY: Final = [
    "numpy",
    "pyarrow",
    "pyspark",
    "plotly",
    "pydantic",
    "networkx",
    "simpy",
    "rich",
    "yaml",
    "mobilesim.scenario.model",
    "mobilesim.extensions.resolution",
    "analysis",
    "shtab",
]

GOOD: Final = "protocols: [av1, rst]\nhosts: 50\ncells: 9\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loaded_after(*arguments: str) -> list[str]:
    program = (
        "import sys, contextlib\nfrom mobilesim.cli.main import main\n"
        f"with contextlib.suppress(SystemExit): main({list(arguments)!r})\n"
        f"print('LOADED', *(name for name in {HEAVY!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.mark.full
@pytest.mark.parametrize("arguments", (("--help",), ("--version",), *((command, "--help") for command in COMMANDS)))
def test_help_imports_no_slow_modules(arguments: tuple[str, ...]) -> None:
    assert loaded_after(*arguments) == []


@pytest.mark.full
def test_reading_a_scenario_imports_pydantic_and_yaml(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(GOOD)
    assert {"pydantic", "yaml"} <= set(loaded_after("validate", str(tmp_path / "x.yaml")))


def test_help_lists_every_command_with_a_description(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    text = capsys.readouterr().out
    assert text.count("\n  mobilesim ") == 3
    for command in COMMANDS:
        assert f"\n  {command} " in text


def test_the_module_runs_as_a_program(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(mobilesim.__file__).parents[1])}
    command = [sys.executable, "-m", "mobilesim", "--version"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"mobilesim {mobilesim.__version__} ({running_core()})\n"


@pytest.mark.full
def test_a_folder_with_packages_of_the_same_names_does_not_matter(tmp_path: Path) -> None:
    for name in ("analysis", "protocols", "scenarios"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError")
    environment = {**os.environ, "PYTHONPATH": str(Path(mobilesim.__file__).parents[1])}
    words = ("run", "quickstart", "--quick", "--replications", "1", "--protocol", "av1")
    command = [sys.executable, "-m", "mobilesim", *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results" / "quickstart-quick" / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    (
        (["vlidate", "x.yaml"], "there is no command 'vlidate'; did you mean 'validate'?"),
        (["xyzzy"], f"there is no command 'xyzzy'; there are {', '.join(COMMANDS)}"),
        (["--"], "the following arguments are required: COMMAND"),
        (["schema", "--nope"], "there is no option '--nope'; there are -h"),
        (["run", "quickstart", "--quik"], "there is no option '--quik'; did you mean '--quick'?"),
        (["run", "quickstart", "--sed=3"], "there is no option '--sed'; did you mean '--seed'?"),
        (["clocks", "--grph", "star"], "there is no option '--grph'; did you mean '--graph'?"),
        (["validate", "x.yaml", "-x"], "there is no option '-x'; there are -h, --set, --json, --plugin"),
        (["--josn", "protocols"], "there is no option '--josn'; did you mean '--json'?"),
        (["init", "one.yaml", "other.yaml"], "unrecognized arguments: other.yaml"),
    ),
)
def test_a_usage_error_lists_the_choices(arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert capsys.readouterr().err.splitlines()[-1] == f"mobilesim: error: {error}"


def test_without_arguments_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert all(f"\n  {command} " in err for command in COMMANDS)


def raising(error: BaseException) -> Callable[[object], int]:
    def run(_args: object) -> int:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "line"),
    (
        (UserError("x.yaml:3: hosts: no"), 2, "mobilesim: x.yaml:3: hosts: no\n"),
        (KeyboardInterrupt(), 130, "mobilesim: interrupted\n"),
        (OSError(errno.ENOSPC, "No space left on device", "out/a"), 2, "mobilesim: out/a: No space left on device\n"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "mobilesim: No space left on device\n"),
        (OSError("disk\nfull"), 2, "mobilesim: disk full\n"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), 2, "mobilesim: x: Permission denied\n"),
    ),
)
def test_every_failure_prints_one_line_and_sets_the_exit_status(
    error: BaseException,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(schema_command, "run", raising(error))
    assert main(["schema"]) == code
    assert capsys.readouterr().err == line


def test_an_internal_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_command, "run", raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        main(["schema"])


@pytest.mark.full
def test_a_closed_output_pipe_prints_no_error() -> None:
    program = [sys.executable, "-m", "mobilesim", "schema"]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (ExitCode.BROKEN_PIPE, b"")


@pytest.mark.full
def test_a_full_disk_causes_one_error_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "mobilesim", "schema"], stdout=full, stderr=-1, check=False)
    assert (done.returncode, done.stderr) == (2, b"mobilesim: No space left on device\n")


def test_init_writes_the_defaults(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "mine.yaml"]) == 0
    assert capsys.readouterr().out == "wrote mine.yaml; now try: mobilesim run mine.yaml\n"
    assert load("mine.yaml") == Scenario(name="mine")
    assert [path.name for path in folder.iterdir()] == ["mine.yaml"]
    lines = (folder / "mine.yaml").read_text().splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 140
    keys = [line for line in lines if re.match(r" *[a-z_]+: ", line)]
    assert len(keys) >= 24
    assert all(re.fullmatch(r" *[a-z_]+: .*\S +# \w.+", line) for line in keys)
    assert "  shape: grid                 # The shape of cells: grid, hex, graph, sites" in lines


def test_init_can_write_every_key(folder: Path) -> None:
    assert main(["init", "mine.yaml", "--full"]) == 0
    assert (folder / "mine.yaml").read_text() == template()


def test_validate_describes_studies_and_bandwidths_in_bytes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "s.yaml").write_text("scenario: {hosts: 3}\nvariants: {more: {hosts: 4}}\n")
    (folder / "b.yaml").write_text("wireless: {bandwidth: 2 MB/s}\n")
    assert main(["validate", "s.yaml", "b.yaml"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok: s: a study of 1 variant and the base, 2 points, 1 protocol",
        "ok: b: 20 hosts, 9 cells, 1 protocol, 60 s",
        "  note: wireless.bandwidth: B is bytes: 2 MB/s is 16 Mbit/s",
    ]


def test_validate_lists_all_mistakes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.yaml").write_text("hosts: 0\nseed: x\n")
    assert main(["validate", "bad.yaml"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "mobilesim: bad.yaml:1: hosts: 0 is too little; write 1 or more",
        "mobilesim: bad.yaml:2: seed: 'x' is not a whole number",
    ]


def test_init_replaces_a_file_only_with_force(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "scenario.yaml"
    path.write_text("hosts: 7\n")
    assert main(["init"]) == 2
    assert capsys.readouterr().err == "mobilesim: scenario.yaml: this file exists; --force replaces it\n"
    assert path.read_text() == "hosts: 7\n"
    assert main(["init", "--force"]) == 0
    assert load(path) == Scenario()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "error"),
    (
        (".", ".: this is a directory; name a file to write"),
        ("nowhere/x.yaml", "nowhere/x.yaml: cannot be written: No such file or directory"),
    ),
)
def test_init_names_the_path_that_it_cannot_write(name: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", name]) == 2
    assert capsys.readouterr().err == f"mobilesim: {error}\n"


def test_validate_describes_each_scenario(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.yaml").write_text(GOOD)
    (folder / "b.yaml").write_text("messages: 10\nduration: 2.5 ms\nhosts: 1\nworkload: {senders: 0}\n")
    (folder / "c.yaml").write_text("messages: 1\n")
    assert main(["validate", "a.yaml", "b.yaml", "c.yaml"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok: a: 50 hosts, 9 cells, 2 protocols, 60 s",
        "ok: b: 1 host, 9 cells, 1 protocol, 10 messages or 2.5 ms",
        "ok: c: 20 hosts, 9 cells, 1 protocol, 1 message",
    ]


def test_validate_goes_on_after_a_bad_scenario(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.yaml").write_text("hosts: x\n")
    (folder / "b.yaml").write_text(GOOD)
    assert main(["validate", "nowhere", "a.yaml", "b.yaml"]) == 2
    out, err = capsys.readouterr()
    assert out == "ok: b: 50 hosts, 9 cells, 2 protocols, 60 s\n"
    assert err.splitlines()[1:] == ["mobilesim: a.yaml:1: hosts: 'x' is not a whole number"]
    assert err.startswith("mobilesim: nowhere: no such file")


def test_validate_checks_all_scenarios_below_a_directory(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "in" / "deep").mkdir(parents=True)
    for name in ("in/z.yaml", "in/deep/y.yaml", "in/notes.txt"):
        (folder / name).write_text(GOOD)
    assert main(["validate", "in"]) == 0
    assert [line.split(":")[1] for line in capsys.readouterr().out.splitlines()] == [" y", " z"]


def test_validate_refuses_a_directory_without_scenarios(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty").mkdir()
    assert main(["validate", "empty"]) == 2
    assert capsys.readouterr().err == "mobilesim: empty: this directory has no *.yaml files\n"


def test_validate_accepts_the_overrides_of_a_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "one.yaml").write_text(GOOD)
    (folder / "two.yaml").write_text("scenario: one.yaml\nvary: {cells: [4, 9]}\n")
    assert main(["validate", "one.yaml", "two.yaml", "--set", "hosts=7"]) == 0
    assert [line.partition(", ")[0] for line in capsys.readouterr().out.splitlines()] == [
        "ok: one: 7 hosts",
        "ok: two: a sweep",
    ]
    assert main(["validate", "one.yaml", "two.yaml", "--set", "hosts=-7"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"mobilesim: {name}: --set hosts: -7 is too little; write 1 or more" for name in ("one.yaml", "two.yaml")
    ]


def test_validate_can_write_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.yaml").write_text("hosts: x\n")
    (folder / "b.yaml").write_text(GOOD)
    assert main(["validate", "a.yaml", "b.yaml", "--json"]) == 2
    bad, good = json.loads(capsys.readouterr().out)
    assert bad == {"file": "a.yaml", "ok": False, "error": "a.yaml:1: hosts: 'x' is not a whole number"}
    assert good.pop("hash") == load("b.yaml").hash
    assert good == {
        "file": "b.yaml",
        "ok": True,
        "name": "b",
        "hosts": 50,
        "cells": 9,
        "groups": None,
        "protocols": ["av1", "rst"],
        "duration_ns": 60 * 10**9,
        "messages": None,
        "window": None,
        "replications": 1,
        "notes": [],
    }


@pytest.mark.parametrize(
    ("protocol", "inhibition"),
    (("av1", "by false dependencies only"), ("rst", "none"), ("fifo", "none"), ("unordered", "none")),
)
def test_the_protocols_command_shows_the_claim_about_inhibition(
    protocol: str, inhibition: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["protocols", protocol]) == 0
    assert f"\n  inhibition  {inhibition}\n" in capsys.readouterr().out


def test_the_schema_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["properties"]["hosts"]["default"] == 20


@pytest.mark.full
def test_ctrl_c_prints_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slow.yaml")
    command = [sys.executable, "-m", "mobilesim", "validate", str(tmp_path / "slow.yaml")]
    # The pipe can be opened for writing only after the command has opened it for reading.
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running, (tmp_path / "slow.yaml").open("wb"):
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (130, "mobilesim: interrupted\n")


@pytest.mark.parametrize(
    "words",
    (
        "init {}",
        "map quickstart --out {}",
        "convert-track quickstart {}",
        "reproduce-figure clocks --out {}",
        "run {}/scenario.yaml",
        "sweep {}/sweep.yaml",
        "validate {}/scenario.yaml",
        "run quickstart --plugin {}/own.py",
        "run quickstart --out x{}",
        "pareto x{}",
    ),
)
def test_addresses_are_refused_without_their_secrets(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words.format("s3://user:Pass/word@bucket/x?region=y").split()) == 2
    error = capsys.readouterr().err
    assert error.startswith("mobilesim: ")
    assert error.count("\n") == 1
    assert "bucket" in error
    assert not re.search("pass|word", error, re.IGNORECASE)
    assert [*tmp_path.iterdir()] == []

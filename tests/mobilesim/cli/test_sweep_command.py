"""`mobilesim sweep`: its preview, and its errors; `tests/analysis/spark` has complete and interrupted sweeps."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from mobilesim.cli.main import main
from mobilesim.scenario.bundled import SCENARIOS
from tests.support.subprocesses import run_command

Command = Callable[..., tuple[int, str, str]]

SWEEP: Final = """\
scenario: {hosts: 6, cells: 4, messages: 60}
vary:
  mobility.dwell: [exponential 1 s, exponential 5 s]
protocols: [av1, unordered]
replications: 5
"""


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command in a folder with `s.yaml`; return exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(SWEEP, encoding="utf-8")

    def command(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.mark.full
def test_a_dry_run_shows_the_plan_and_writes_no_files(command: Command, tmp_path: Path) -> None:
    code, out, err = command("sweep", "s.yaml", "--dry-run")
    assert (code, err) == (0, "")
    *plan, cost = out.splitlines()
    assert re.fullmatch(r"about [0-9.,]+ CPU seconds for 20 missing runs, estimated from a pilot of 4 short runs", cost)
    assert plan == [
        "s: 2 points, 2 protocols, 5 replications",
        "",
        "mobility.dwell   runs  done",
        "exponential 1 s    10     0",
        "exponential 5 s    10     0",
        "",
        "20 runs; 0 are complete in results/s",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["s.yaml"]
    _, out, _ = command("sweep", "s.yaml", "--dry-run", "--json", "--quick")
    document = json.loads(out)
    assert (document["runs"], document["done"], document["results"]) == (8, 0, "results/s-quick")
    assert document["points"][0] == {"point": {"mobility.dwell": "exponential 1 s"}, "runs": 4, "done": 0}
    assert {**document["cost"], "cpu_seconds": 0} == {"cpu_seconds": 0, "missing": 8, "source": "pilot", "runs": 4}
    assert document["cost"]["cpu_seconds"] > 0


@pytest.mark.full
def test_a_dry_run_refuses_a_directory_that_a_sweep_refuses(command: Command) -> None:
    for place, line in ((".", ".: holds s.yaml, not a"), ("/proc/r", "/proc/r: cannot be written: ")):
        code, out, err = command("sweep", "s.yaml", "--dry-run", "--out", place)
        assert (code, out) == (2, "")
        assert err.startswith(f"mobilesim: {line}")


@pytest.mark.full
def test_a_full_disk_causes_one_error_line(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(SWEEP, encoding="utf-8")
    code, out, err = run_command(tmp_path, "sweep", "s.yaml", "--out", "r", file_limit=300)
    assert (code, out) == (2, "")
    assert err.splitlines() == ["mobilesim: r: cannot be written: File too large"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "line"),
    (
        (("none.yaml",), "none.yaml: no such file, and no bundled sweep has that name; "),
        (("quickstart",), f"{SCENARIOS}/quickstart.yaml: this is a scenario, not a sweep; `mobilesim run` runs it"),
        (("s.yaml", "--set", "hots=3"), "--set hots: unknown key; did you mean 'hosts'?"),
        (("s.yaml", "--out", "s.yaml"), "s.yaml: not a directory; name another one with --out"),
        (("s.yaml", "--out", "."), ".: holds s.yaml, not a file of a sweep; name another directory with --out"),
        (("s.yaml", "--out", "/proc/r"), "/proc/r: cannot be written: "),
    ),
)
def test_bad_input_causes_one_error_line(arguments: tuple[str, ...], line: str, command: Command) -> None:
    code, out, err = command("sweep", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"mobilesim: {line}")
    assert err.count("\n") == 1


@pytest.mark.full
def test_a_wrong_master_causes_one_error_line(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(SWEEP, encoding="utf-8")
    code, out, err = run_command(tmp_path, "sweep", "s.yaml", "--master", "nowhere", "--out", "r")
    assert (code, out) == (2, "")
    assert err.startswith("mobilesim: --master nowhere: not a Spark master; ")
    assert err.count("\n") == 1


@pytest.mark.full
def test_a_sweep_file_given_to_another_command_causes_one_error_line(command: Command) -> None:
    _, _, err = command("run", "s.yaml")
    assert err == "mobilesim: s.yaml:2: this is a sweep, not a scenario; `mobilesim sweep` runs it\n"
    code, out, _ = command("validate", "s.yaml")
    assert (code, out) == (0, "ok: s: a sweep, 2 points, 2 protocols\n")

"""The completion scripts, in the shells themselves."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from mobilesim.cli.main import COMMANDS, main
from mobilesim.cli.scenarios.completion import SHELLS, script
from mobilesim.scenario import bundled

TRY: Final = """
source SCRIPT
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_shtab_mobilesim
printf '%s\\n' "${COMPREPLY[@]}"
"""


def ask(shell: str, *arguments: str, folder: Path) -> list[str]:
    """Run a shell without the user's settings, and return the lines of its output; skip if it is not installed."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([path, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split("\n")[:-1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for shell in SHELLS:
        (tmp_path / f"script.{shell}").write_text(script(shell), encoding="utf-8")
    return tmp_path


@pytest.mark.full
@pytest.mark.parametrize(
    ("line", "expected"),
    (
        (("",), [*COMMANDS]),
        (("ru",), ["run"]),
        (("run", "--qui"), ["--quick"]),
        (("run", "quick"), ["quickstart"]),
        (("run", "mi"), ["mine.yaml"]),
        (("run", "quickstart", "--protocol", "av"), ["av1", "av2", "av3"]),
        (("explore", "prs-"), ["prs-stations"]),
        (("sweep", "sweeps/"), [*bundled.sweeps()]),
        (("what-if", "what-if/r"), ["what-if/ring-backbone"]),
        (("schema", ""), ["scenario", "sweep"]),
        (("completion", ""), [*SHELLS]),
        (("verify-results", "res"), ["results"]),
    ),
)
def test_bash_completes_commands_options_names_and_files(
    line: tuple[str, ...], expected: list[str], folder: Path
) -> None:
    (folder / "mine.yaml").touch()
    (folder / "results").mkdir()
    program = TRY.replace("SCRIPT", "./script.bash")
    assert ask("bash", "--norc", "-c", program, "bash", "mobilesim", *line, folder=folder) == expected


@pytest.mark.full
@pytest.mark.parametrize(("shell", "check"), (("zsh", "-n"), ("fish", "--no-execute")))
def test_a_shell_reads_its_script(shell: str, check: str, folder: Path) -> None:
    assert ask(shell, check, f"script.{shell}", folder=folder) == []


@pytest.mark.full
def test_fish_completes_commands(folder: Path) -> None:
    program = "source script.fish; complete -C 'mobilesim val'"
    assert ask("fish", "--no-config", "-c", program, folder=folder) == [
        "validate\tcheck scenario files without running them"
    ]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert [command for command in COMMANDS if command not in text] == []
    assert "hand-off-storm" in text


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["completion", "tcsh"])
    assert "invalid choice: 'tcsh'" in capsys.readouterr().err

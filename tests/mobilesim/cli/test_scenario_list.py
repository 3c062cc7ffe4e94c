"""`mobilesim run DIRECTORY` lists the scenarios of a directory, and runs none."""

import json
from pathlib import Path

import pytest

from mobilesim.api import text_tables
from mobilesim.cli.main import main
from mobilesim.scenario import bundled
from tests.house.tree import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    (folder / "more").mkdir(parents=True)
    (folder / "a.yaml").write_text("# How slow\n# is it? Quite.\n\nhosts: 1200\ncells: 4\n")
    (folder / "more" / "b.yaml").write_text("network: static\nhosts: 3\n")
    (folder / "s.yaml").write_text("# A sweep.\nscenario: quickstart\nvary: {hosts: [3, 4]}\n")
    (folder / "w.yaml").write_text("# A study.\nscenario: quickstart\nvariants: {few: {hosts: 3}}\n")
    (folder / "notes.txt").write_text("hosts: many")
    return folder


def test_a_directory_of_scenarios_is_listed_with_sizes_and_questions(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a       1,200 hosts, 4 cells  How slow is it?",
        "more/b  3 hosts, static",
        "s       sweep                 A sweep.",
        "w       what-if               A study.",
    ]


def test_the_list_can_be_written_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(folder), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output[0] == {"file": "a", "size": "1,200 hosts, 4 cells", "asks": "How slow is it?"}


@pytest.mark.full
def test_without_arguments_the_shipped_scenarios_are_listed_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(ROOT / "scenarios")]) == 0
    listed = capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert main(["run"]) == 0
    assert capsys.readouterr().out == listed
    assert [line.split()[0] for line in listed.splitlines() if line.startswith("quick")] == ["quickstart"]
    assert main(["run", "--quick"]) == 2
    assert capsys.readouterr().err == "mobilesim: --quick: without a scenario, nothing runs; name one first\n"


@pytest.mark.parametrize(
    ("command", "names"), (("sweep", bundled.sweeps()), ("what-if", bundled.studies())), ids=("sweep", "what-if")
)
def test_a_sweep_or_study_without_a_name_lists_the_shipped_ones(
    command: str, names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [name.partition("/")[2] for name in names]
    assert main([command, "--json"]) == 0
    assert [each["file"] for each in json.loads(capsys.readouterr().out)] == listed
    for option in ("--quick", "--dry-run", "--set=hosts=3"):
        assert main([command, option]) == 2
        line = f"mobilesim: {option.removesuffix('=hosts=3')}: without a name, nothing runs; name a file first\n"
        assert capsys.readouterr().err == line


def test_on_a_terminal_each_scenario_has_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(text_tables, "terminal_width", lambda: 30)
    assert main(["run", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a       1,200 hosts, 4 cells …",
        "more/b  3 hosts, static",
        "s       sweep                …",
        "w       what-if              …",
    ]


def test_the_line_of_an_invalid_file_has_its_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.yaml").write_text("hosts: many")
    assert main(["run", str(folder)]) == 2
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith(f"a       wrong            {folder / 'a.yaml'}:1: hosts: ")


def test_every_shipped_scenario_states_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(ROOT / "scenarios"), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert [each["file"] for each in output] == sorted([*bundled.names(), *bundled.sweeps(), *bundled.studies()])
    assert [each["file"] for each in output if not each["asks"]] == []


@pytest.mark.parametrize(
    ("arguments", "line"),
    (
        (("--quick",), "--quick: {} is a directory, so its scenarios are listed; name one of them to run it"),
        (("--set", "hosts=3"), "--set: {} is a directory, so its scenarios are listed; "),
    ),
)
def test_options_of_a_run_are_refused_with_a_directory(
    arguments: tuple[str, ...], line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(folder), *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"mobilesim: {line.format(folder)}")


def test_a_directory_without_scenarios_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"mobilesim: {tmp_path}: this directory has no *.yaml files\n"

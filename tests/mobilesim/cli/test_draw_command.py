"""`mobilesim map`: its output files and the inputs that it refuses."""

from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from mobilesim.cli.main import main
from mobilesim.drawing.canvas import MADE

Output = pytest.CaptureFixture[str]

SCENARIO: Final = "name: field\nhosts: 7\nreplications: 2\nmobility: {dwell: 1 s}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path


def texts(path: Path) -> list[str]:
    return [text.text or "" for text in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def hosts(path: Path) -> list[str]:
    found = ET.parse(path).iter("{http://www.w3.org/2000/svg}text")
    return [text.text or "" for text in found if text.get("font-weight") == "bold"]


def test_a_picture_has_the_scenarios_name_and_shows_its_first_hosts(folder: Path, capsys: Output) -> None:
    assert main(["map", "mine.yaml"]) == 0
    assert capsys.readouterr().out == "drew field.svg\n"
    assert hosts(folder / "field.svg") == list("01234")
    assert "field: 9 cells, 5 of 7 hosts, cell-jump, 60 s" in texts(folder / "field.svg")


def test_the_drawn_hosts_and_the_duration_can_be_chosen(folder: Path) -> None:
    assert main(["map", "mine.yaml", "--hosts", "7", "--duration", "2 min", "-o", "out.svg"]) == 0
    assert hosts(folder / "out.svg") == list("0123456")
    assert "field: 9 cells, 7 of 7 hosts, cell-jump, 120 s" in texts(folder / "out.svg")
    assert main(["map", "mine.yaml", "--hosts", "0", "-o", "out.svg"]) == 0
    assert hosts(folder / "out.svg") == []


def test_the_same_command_replaces_a_picture_with_the_same_bytes(folder: Path) -> None:
    assert main(["map", "mine.yaml"]) == 0
    before = (folder / "field.svg").read_bytes()
    assert main(["map", "mine.yaml", "--replication", "1"]) == 0
    assert (folder / "field.svg").read_bytes() != before
    assert main(["map", "mine.yaml"]) == 0
    assert (folder / "field.svg").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["field.svg", "mine.yaml"]


def test_settings_can_be_changed_for_a_picture(folder: Path) -> None:
    assert main(["map", "mine.yaml", "--set", "cells.shape=hex", "--set", "cells.rows=4", "-o", "hex.svg"]) == 0
    assert any(text.startswith("field: 12 cells") for text in texts(folder / "hex.svg"))


@pytest.mark.parametrize(
    ("arguments", "output"),
    (
        (["mine.yaml", "--hosts", "8"], "--hosts 8: the scenario has 7 hosts; write 0 to 7"),
        (["mine.yaml", "--hosts", "-1"], "--hosts -1: the scenario has 7 hosts; write 0 to 7"),
        (["mine.yaml", "--duration", "7"], "--duration: '7' has no unit; write '7 s' or '7 ms'"),
        (["mine.yaml", "--replication", "2"], "--replication 2: the scenario has 2 replications; write 0 to 1"),
        (["mine.yaml", "-o", "mine.yaml"], "mine.yaml: mobilesim has not drawn this file; name another file with -o"),
        (["mine.yaml", "-o", "town.png"], "town.png: pictures are SVG; name it town.svg"),
        (["mine.yaml", "-o", "no/where.svg"], "no/where.svg: cannot be written: No such file or directory"),
        (["mine.yaml", "-o", "."], ".: this is a directory; name a file to write with -o"),
        (["static/overtaking"], "static/overtaking: hosts of a static network have no cells, and do not move"),
    ),
)
def test_an_undrawable_scenario_causes_one_error_line(
    arguments: list[str], output: str, folder: Path, capsys: Output
) -> None:
    assert main(["map", *arguments]) == 2
    assert capsys.readouterr().err == f"mobilesim: {output}\n"
    assert [path.name for path in folder.iterdir()] == ["mine.yaml"]
    assert (folder / "mine.yaml").read_text(encoding="utf-8") == SCENARIO


def test_a_picture_names_the_version_that_drew_it(folder: Path) -> None:
    assert main(["map", "mine.yaml"]) == 0
    assert (folder / "field.svg").read_text(encoding="utf-8").startswith(MADE)

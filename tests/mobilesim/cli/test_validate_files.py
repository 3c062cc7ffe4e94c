"""`mobilesim validate` refuses the same input files of a scenario as `mobilesim run`, with the same error lines."""

from pathlib import Path
from typing import Final

import pytest

from mobilesim.cli.main import main

Output = pytest.CaptureFixture[str]

TRACK: Final = "node,time,x,y\na,0,5,5\nb,0,9,9\na,9,5,5\nb,9,9,9\n"
SITES: Final = "name,x,y\nwest,0,0\neast,300,0\n"
MESSAGES: Final = "time,source,destinations\n2,0,1\n3,1,0\n"
ON_SITES: Final = "cells: {shape: sites, file: FILE}\n"
ON_TRACK: Final = "mobility: {model: track, track: {file: FILE}}\n"
REPLAYED: Final = "workload: {replay: FILE}\n"

REFUSED: Final = (
    (ON_TRACK, TRACK + "b,8,9,9\n", "FILE:6: node 'b' is at 8 s after 9 s; sort the file by time"),
    (ON_TRACK, TRACK.replace("b,9", "b,nine"), "FILE:5: 'nine' is not a number"),
    (ON_TRACK, TRACK.replace("b", "a"), "mobility.track.file: FILE has 1 node for 2 hosts; write fewer hosts"),
    (
        ON_TRACK.replace("FILE", "FILE, start_time: 10 s"),
        "node,time,x,y,here\na,0,5,5,1\nb,0,9,9,1\na,8,5,5,0\nb,20,9,9,1\n",
        "mobility.track.file: FILE has 1 node from 10 s on for 2 hosts; write fewer hosts, or another 'start_time'",
    ),
    (ON_TRACK.replace("FILE", "FILE, shift: [-2 km, 0 m]"), TRACK, "mobility.track.file: FILE: all hosts are between"),
    (
        ON_TRACK.replace("FILE", "FILE, start_time: 10 s"),
        "node,time,x,y,here\na,0,5,5,1\nb,0,9,9,1\na,8,5,5,0\nb,9,9,9,0\n",
        "FILE: there are no positions in the requested time",
    ),
    (ON_SITES, SITES.replace("300", "far"), "cells.file: FILE: line 3: 'far' is not a number; write x like 12.5"),
    (
        ON_SITES + "wireless: {cells: [{cell: 2, bandwidth: 1 Mbit/s}]}\n",
        SITES,
        "wireless.cells: there is no cell 2; cells are numbered from 0 to 1",
    ),
    (
        REPLAYED + "duration: 1999 ms\n",
        MESSAGES,
        "workload.replay: FILE: the first message is sent at 2 s, but the run ends at 1.999 s; write a longer duration",
    ),
    (
        REPLAYED,
        MESSAGES.replace("3,1", "1,1"),
        "a.yaml:3: workload.replay: FILE: message 2 is earlier than the message before",
    ),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_files(folder: Path, text: str, content: str) -> None:
    (folder / "some.csv").write_text(content)
    (folder / "a.yaml").write_text("hosts: 2\nprotocols: [fifo]\n" + text.replace("FILE", "some.csv"))


@pytest.mark.parametrize(("text", "content", "output"), REFUSED)
def test_validate_refuses_a_file_with_the_same_line_as_run(
    text: str, content: str, output: str, folder: Path, capsys: Output
) -> None:
    write_files(folder, text, content)
    assert main(["validate", "a.yaml"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"mobilesim: {output.replace('FILE', 'some.csv')}")
    assert main(["run", "a.yaml"]) == 2
    assert capsys.readouterr().err.splitlines() == [line]
    assert not (folder / "results").exists()


@pytest.mark.parametrize(
    ("text", "content"), ((ON_TRACK, TRACK), (ON_SITES, SITES), (REPLAYED + "duration: 2 s\n", MESSAGES))
)
def test_validate_accepts_correct_files(text: str, content: str, folder: Path, capsys: Output) -> None:
    write_files(folder, text, content)
    assert main(["validate", "a.yaml"]) == 0
    assert capsys.readouterr().out.startswith("ok: a: 2 hosts")
    assert [path.name for path in sorted(folder.iterdir())] == ["a.yaml", "some.csv"]


def test_with_several_scenarios_each_error_line_names_its_scenario(folder: Path, capsys: Output) -> None:
    """If several scenarios are validated, each line begins with the scenario's file. If one is validated, the line is
    the same as that of a run.
    """
    (folder / "some.csv").write_text("x,y\n0,far\n", encoding="utf-8")
    for name in ("a", "b"):
        (folder / f"{name}.yaml").write_text("cells: {shape: sites, file: some.csv}\n", encoding="utf-8")
    (folder / "c.yaml").write_text("hosts: few\n", encoding="utf-8")
    output = "some.csv: line 2: 'far' is not a number; write y like 12.5"
    for names in (["."], ["a.yaml", "b.yaml", "c.yaml"]):
        assert main(["validate", *names]) == 2
        assert capsys.readouterr().err.splitlines() == [
            f"mobilesim: a.yaml: cells.file: {output}",
            f"mobilesim: b.yaml: cells.file: {output}",
            "mobilesim: c.yaml:1: hosts: 'few' is not a whole number",
        ]
    assert main(["validate", "a.yaml"]) == 2
    assert capsys.readouterr().err == f"mobilesim: cells.file: {output}\n"


def test_validate_reads_every_file_of_a_sweep(folder: Path, capsys: Output) -> None:
    write_files(folder, ON_TRACK, TRACK)
    (folder / "late.csv").write_text(TRACK.replace(",0,", ",70,").replace(",9,", ",71,"))
    (folder / "sweep.yaml").write_text("scenario: a.yaml\nvary: {mobility.track.file: [some.csv, late.csv]}\n")
    assert main(["validate", "sweep.yaml"]) == 2
    output = f"{folder / 'late.csv'}: no host is in a cell in the first 60 s; write 'start_time: 70 s' below track"
    assert capsys.readouterr().err.startswith(f"mobilesim: mobility.track.file: {output}")


@pytest.mark.parametrize(("radius", "notes"), (("100 m", 1), ("300 m", 0)))
def test_cells_that_cover_little_of_the_plane_cause_a_note_before_a_run(
    radius: str, notes: int, folder: Path, capsys: Output
) -> None:
    cells = f"cells: {{rows: 3, columns: 3, spacing: 500 m, radius: {radius}}}"
    (folder / "a.yaml").write_text(f"hosts: 2\nprotocols: [fifo]\n{cells}\nmobility: {{model: waypoint}}\n")
    assert main(["validate", "a.yaml"]) == 0
    output = (
        "cells.radius: 87% of the plane is out of reach of every station; write a larger radius, or a smaller spacing"
    )
    assert capsys.readouterr().out.count(output) == notes

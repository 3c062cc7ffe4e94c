"""`mobilesim convert-track`: its output, its files and its errors."""

import gzip
import resource
import signal
import tracemalloc
from pathlib import Path
from typing import Final

import pytest

from mobilesim.cli.main import main
from mobilesim.tracks import Reading
from mobilesim.tracks.reading import OriginOption
from tests.support.subprocesses import finish, run_command, start, wait_for
from tests.support.track_files import DATA, by_node, read_by_node, write_file

Output = pytest.CaptureFixture[str]

CROSSING: Final = str(DATA / "crossing.xml")
MEGABYTE: Final = 10**6


def write_large_fcd(target: Path, size: int) -> Path:
    """Write an FCD file of at least `size` bytes. It has 300 vehicles at a time, each present for ten minutes."""
    with target.open("w", encoding="utf-8") as file:
        file.write("<fcd-export>\n")
        step = 0
        while file.tell() < size:
            file.write(f'    <timestep time="{step:.2f}">\n')
            file.writelines(
                f'        <vehicle id="veh{number}" x="{number % 90 * 50 + step % 9:.2f}" y="{number % 70 * 40}.25" '
                f'angle="90.00" type="car" speed="1.00" pos="{step}.10" lane="gne{number}_0" slope="0.00"/>\n'
                for number in range(step // 2, step // 2 + 300)
            )
            file.write("    </timestep>\n")
            step += 1
        file.write("</fcd-export>\n")
    return target


def error_line(capsys: Output, *arguments: object) -> str:
    assert main(["convert-track", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert not out
    (line,) = err.splitlines()
    return line.removeprefix("mobilesim: ")


def test_without_an_output_the_command_describes_the_input(capsys: Output) -> None:
    assert main(["convert-track", CROSSING]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{CROSSING}: SUMO FCD",
        "nodes      5 (3 absent at the start, 3 absent at the end)",
        "positions  13",
        "time       0 s to 2 s",
        "area       100.0 m by 61.0 m, from (0.0, 0.0)",
        "absences   1 (1 of the nodes)",
        "jumps      none",
        "fastest    10.0 m/s, node east.0 at 0 s",
    ]


@pytest.mark.parametrize("name", ("a.csv", "a.csv.gz", "a.parquet", "a.tcl", "a.ns_movements.gz"))
def test_the_name_of_the_output_gives_its_format(name: str, tmp_path: Path, capsys: Output) -> None:
    assert main(["convert-track", CROSSING, str(tmp_path / name)]) == 0
    assert capsys.readouterr().out.endswith(f"\nwrote {tmp_path / name}\n")
    assert read_by_node(tmp_path / name) == read_by_node(CROSSING)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_options_may_stand_anywhere_among_the_files(tmp_path: Path, capsys: Output) -> None:
    for number, order in enumerate(("IN --number OUT", "--number IN OUT", "IN OUT --number", "IN --origin=0,0 OUT")):
        out = tmp_path / f"{number}.csv"
        assert main(["convert-track", *order.replace("IN", CROSSING).replace("OUT", str(out)).split()]) == 0
        assert f"wrote {out}" in capsys.readouterr().out.splitlines()
    with pytest.raises(SystemExit, match="2"):
        main(["convert-track", CROSSING, "--number", "one.csv", "two.csv"])
    assert capsys.readouterr().err.endswith("error: unrecognized arguments: two.csv\n")


def test_formats_can_be_named_explicitly(tmp_path: Path, capsys: Output) -> None:
    source = tmp_path / "positions"
    source.write_bytes(gzip.compress((DATA / "external.one").read_bytes()))
    assert main(["convert-track", str(source), str(tmp_path / "out"), "--from", "one", "--to", "csv"]) == 0
    assert list(Reading(tmp_path / "out", "csv")) == list(Reading(DATA / "external.one"))
    assert "the ONE's external movement\n" in capsys.readouterr().out


def test_a_part_can_be_extracted_shifted_and_renumbered(tmp_path: Path) -> None:
    arguments = ("--start", "500 ms", "--end", "1 s", "--origin", "100,5", "--number")
    assert main(["convert-track", CROSSING, str(tmp_path / "a.csv"), *arguments]) == 0
    assert read_by_node(tmp_path / "a.csv") == {
        "0": [(0, -95, 45, True), (0.5, -95, 45, False)],
        "1": [(0, -40, 56, True), (0.5, -40, 56, False)],
        "2": [(0, 0, 0, True), (0.5, 0, 5, True)],
        "3": [(0.5, -99, -3, True)],
    }


def test_the_lower_left_corner_can_become_the_origin(tmp_path: Path) -> None:
    assert main(["convert-track", str(DATA / "walk.gpx"), str(tmp_path / "a.parquet"), "--origin", "corner"]) == 0
    assert by_node(list(Reading(tmp_path / "a.parquet"))) == by_node(list(Reading(DATA / "walk.gpx", origin="corner")))


@pytest.mark.parametrize(
    ("source", "arguments", "note"),
    (
        ("walk.gpx", (), "note: points without a time, left out: 1"),
        ("crossing.xml", ("--to", "bonnmotion"), "note: BonnMotion has no absence: an absent node moves straight to"),
    ),
)
def test_lost_information_is_reported(
    source: str, arguments: tuple[str, ...], note: str, tmp_path: Path, capsys: Output
) -> None:
    assert (
        main(["convert-track", str(DATA / source), *([str(tmp_path / "a.dat")] if arguments else []), *arguments]) == 0
    )
    assert f"\n{note}" in capsys.readouterr().out


def test_movement_within_a_metre_gets_a_note_about_degrees(tmp_path: Path, capsys: Output) -> None:
    step = '<timestep time="0"><vehicle id="a" x="13.4" y="52.5"/><vehicle id="b" x="13.5" y="52.6"/></timestep>'
    path = str(write_file(tmp_path, "a.xml", f"<fcd-export>{step}</fcd-export>"))
    for arguments, suspected in (([], True), (["--geo"], False)):
        assert main(["convert-track", path, *arguments]) == 0
        assert ("if they are longitudes and latitudes, write --geo" in capsys.readouterr().out) == suspected


def test_impossible_conversions_are_refused_before_reading(tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "a.csv"
    assert error_line(capsys, CROSSING, tmp_path / "a.xml") == (
        f"{tmp_path / 'a.xml'}: write its format with --to: ns2, csv, parquet, bonnmotion"
    )
    assert error_line(capsys, CROSSING, out, "--to", "gpx").endswith(
        "the format 'gpx' is not written; there are ns2, csv, parquet, bonnmotion"
    )
    assert error_line(capsys, CROSSING, "--to", "csv") == "--to needs a file to write: name OUT"
    assert error_line(capsys, CROSSING, out, "--start", "7").startswith("--start: '7' has no unit; write ")
    assert error_line(capsys, CROSSING, out, "--start", "2 s", "--end", "1 s").endswith("this is not after --start")
    assert error_line(capsys, CROSSING, out, "--origin", "1").startswith("--origin 1: write two numbers, like ")
    assert error_line(capsys, CROSSING, tmp_path / "a.parquet.gz").endswith("by itself; leave out .gz")
    assert error_line(capsys, CROSSING, tmp_path).endswith("write its format with --to: ns2, csv, parquet, bonnmotion")
    assert error_line(capsys, CROSSING, tmp_path / "no" / "a.csv").endswith(
        "cannot be written: No such file or directory"
    )
    assert error_line(capsys, DATA / "walk.gpx", "--start", "1 h").endswith(
        "there are no positions in the requested time"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_replaced_only_with_force(tmp_path: Path, capsys: Output) -> None:
    out = write_file(tmp_path, "a.csv", "mine")
    assert error_line(capsys, CROSSING, out) == f"{out}: this file exists; --force replaces it"
    assert out.read_text() == "mine"
    assert main(["convert-track", CROSSING, str(out), "--force"]) == 0
    assert read_by_node(out) == read_by_node(CROSSING)


@pytest.mark.parametrize("name", ("a.csv", "a.tcl", "a.parquet", "a.csv.gz"))
def test_a_late_mistake_in_a_file_keeps_the_existing_output(name: str, tmp_path: Path, capsys: Output) -> None:
    text = Path(CROSSING).read_text().replace('x="40.00"', 'x="forty"')
    source, out = write_file(tmp_path, "in.xml", text), write_file(tmp_path, name, "mine")
    assert error_line(capsys, source, out, "--force") == f"{source}:27: 'forty' is not a number"
    assert out.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((name, "in.xml"))


@pytest.mark.full
@pytest.mark.parametrize("name", ("a.csv", "a.parquet", "a.tcl.gz"))
def test_a_full_disk_causes_one_error_line_and_leaves_no_file(name: str, tmp_path: Path) -> None:
    write_large_fcd(tmp_path / "town.xml", MEGABYTE)
    code, out, err = run_command(tmp_path, "convert-track", "town.xml", name, file_limit=1000)
    assert (code, out) == (2, "")
    assert err == f"mobilesim: {name}: cannot be written: File too large\n"
    assert [path.name for path in tmp_path.iterdir()] == ["town.xml"]


@pytest.mark.full
def test_ctrl_c_leaves_no_file(tmp_path: Path) -> None:
    write_large_fcd(tmp_path / "town.xml", 12 * MEGABYTE)
    child = start(tmp_path, "convert-track", "town.xml", "a.csv")
    wait_for(child, (tmp_path / ".a.csv.part").exists)
    child.send_signal(signal.SIGINT)
    assert finish(child) == (130, "", "mobilesim: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["town.xml"]


@pytest.mark.parametrize("name", ("crossing.xml", "setdest.tcl", "walk.gpx"))
@pytest.mark.parametrize("origin", (None, "corner"))
def test_the_reported_progress_increases_to_the_end(name: str, origin: OriginOption) -> None:
    reading = Reading(DATA / name, origin=origin)
    shares = [reading.source.done, *(reading.source.done for _ in reading), reading.source.done]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)


def peak(folder: Path, *arguments: str) -> int:
    """Return the peak memory of the command, including Python and Arrow."""
    child = start(folder, "convert-track", *arguments)
    out, err = child.communicate()
    assert child.returncode == 0, out + err
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


@pytest.mark.full
@pytest.mark.parametrize("name", ("a.csv", "a.tcl"))
def test_memory_does_not_grow_with_the_file(name: str, tmp_path: Path) -> None:
    def needed(size: int) -> int:
        source = write_large_fcd(tmp_path / "town.xml", size)
        tracemalloc.start()
        assert main(["convert-track", str(source), str(tmp_path / name), "--force"]) == 0
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    needed(MEGABYTE // 10)
    assert needed(2 * MEGABYTE) < needed(MEGABYTE // 2) + MEGABYTE // 4


@pytest.mark.slow
def test_a_hundred_megabytes_of_fcd_stream_in_bounded_memory(tmp_path: Path) -> None:
    write_large_fcd(tmp_path / "town.xml", 100 * MEGABYTE)
    for name in ("a.csv", "a.ns_movements", "a.parquet"):
        assert peak(tmp_path, "town.xml", name) < 200 * MEGABYTE
    assert (tmp_path / "a.parquet").stat().st_size < 10 * MEGABYTE
    assert peak(tmp_path, "a.ns_movements") < 200 * MEGABYTE

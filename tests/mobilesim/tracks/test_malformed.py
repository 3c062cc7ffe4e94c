"""Malformed files: one error line with the file, the line, the mistake and the correction."""

import gc
import gzip
import re
from io import FileIO
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mobilesim.errors import UserError
from mobilesim.tracks import Reading
from mobilesim.tracks.position import LATEST
from mobilesim.tracks.reading import FORMATS
from mobilesim.tracks.writing import write
from tests.support.track_files import DATA, write_file

HOME: Final = "$node_(0) set X_ 0\n$node_(0) set Y_ 0\n"
CSV: Final = "node,time,x,y,here\n"
STEP: Final = '<fcd-export>\n<timestep time="1.00">\n'
POINT: Final = '<gpx><trk><trkseg>\n<trkpt lat="1" lon="1"><time>2024-05-01T10:00:00Z</time></trkpt>\n'

WRONG: Final = (
    ("a.tcl", HOME + "$nde_(0) set X_ 3\n", ":3: '$nde_(0) set X_ 3' is not a supported statement; supported: "),
    ("a.tcl", HOME + '$ns_ at 1 "$node_(0) setdest 1 2\n', ":3: '$ns_ at 1"),
    (
        "a.tcl",
        HOME + '$ns_ at 1 "$node_(0) setdest 1 2 -3"\n',
        ":3: the speed '-3' is negative; write 0 for a node that stands",
    ),
    ("a.tcl", HOME + '$ns_ at x "$node_(0) setdest 1 2 3"\n', ":3: 'x' is not a number"),
    ("a.tcl", HOME + '$ns_ at -1 "$g(0) stop"\n', ":3: the time '-1' is before 0"),
    ("a.tcl", HOME + '$ns_ at 1 "$node_(0) setdest 9 9 1e-12"\n', ":3: at 1e-12 m/s node '0' arrives after more than"),
    (
        "a.tcl",
        '$ns_ at 1 "$node_(7) setdest 1 2 3"\n',
        ":1: node '7' has a setdest before its coordinates; write `$node_(7)",
    ),
    ("a.tcl", "$node_(0) set X_ 1; $node_(0) set Y_ 2\n", ":1: '$node_(0) set X_ 1; $node_(0) set Y_ 2' is not a supp"),
    ("a.tcl", "$node_(0) set X_ nan\n", ":1: 'nan' is not a finite number"),
    ("a.tcl", "# nothing\n", ": there are no positions; read as ns-2 setdest, it is empty"),
    ("a.movements", "0 1 2\n0 1 2 5 6\n", ":2: '5 6' is left at the end of the line; write `time x y` for each"),
    ("a.movements", "0 1 2 1 x 3\n", ":1: 'x' is not a number"),
    ("a.movements", "0 1 2 3 4 5 2 6 7\n", ":1: node '0' is at 2 s after 3 s; sort the file by time"),
    ("a.movements", "0 1 " + "2" * 70_000, ":1: '2222222222222222222222222222222222222222…' is not a number"),
    (
        "a.movements",
        "#3D\n0 1 2 3 4 5 6 7 8 9 10 11\n",
        ":1: traces in three dimensions are not supported; write",
    ),
    ("a.one", "0 1 0 1\n", ":1: the first line has 4 words; write `minTime maxTime minX maxX minY maxY`"),
    ("a.one", "9 1 0 1 0 1\n", ":1: a minimum is above its maximum; the first line must be"),
    ("a.one", "1 9 0 1 0 1\n2 a 1\n", ":2: this line has 3 words; write `time id x y`"),
    ("a.one", "1 9 0 1 0 1\n\n0.5 a 1 1\n", ":3: the time '0.5' is before the minTime of the first line"),
    ("a.one", "1 9 0 1 0 1\n3 a 1 1\n2 a 1 1\n", ":3: node 'a' is at 1 s after 2 s; sort the file by time"),
    ("a.fcd", STEP + '<vehicle id="v" y="1"/>', ":3: this <vehicle> has no x; let SUMO write it (--fcd-output.attrib"),
    ("a.fcd", STEP + '<person x="1" y="1"/>', ":3: this <person> has no id"),
    ("a.fcd", STEP + '<vehicle id="v" x="1,5" y="1"/>', ":3: '1,5' is not a number"),
    ("a.fcd", STEP + '<vehicle id="v" x="2e8" y="1"/>', ":3: '2e8' is too far away; coordinates are metres, up to 100"),
    ("a.fcd", STEP + '<vehicle id="v" x="1" y="1"/>\n' * 2, ":4: the vehicle 'v' occurs twice in one time step"),
    ("a.fcd", STEP + '</timestep>\n<timestep time="1"/>', ":4: the time step 1 s comes after 1 s"),
    ("a.fcd", STEP + '<timestep time="2"/>', ":3: a <timestep> within another one"),
    ("a.fcd", "<fcd-export>\n<timestep/>", ":2: this <timestep> has no time"),
    ("a.fcd", '<fcd-export>\n<vehicle id="v"/>', ":2: a <vehicle> outside of any <timestep>"),
    ("a.fcd", STEP + '<vehicle id="v" x="1', ":3: this is not XML ('unclosed token' at column 1): the file is cut off"),
    (
        "a.fcd",
        STEP + "</timestep>\n",
        ":4: this is not XML ('no element found' at column 1): the file is cut off; write",
    ),
    ("a.fcd", STEP + "</vehicle>", ":3: this is not XML ('mismatched tag' at column 3): write the file again, or corr"),
    ("a.fcd", "<routes/>", ":1: the file begins with <routes> and not with <fcd-export>; write its format with --from"),
    ("a.fcd", '<!DOCTYPE a [<!ENTITY b "b">]>\n<fcd-export/>', ":1: this file has a document type"),
    ("a.fcd", '<?xml version="1.0" encoding="koi8-r"?><a/>', ":1: the encoding 'koi8-r' is not supported; convert"),
    ("a.fcd", "<fcd-export/>", ": there are no positions; read as SUMO FCD, it is empty"),
    ("a.gpx", POINT + '<trkpt lat="1"/>', ":3: this <trkpt> has no lon"),
    ("a.gpx", POINT + '<trkpt lat="91" lon="1"/>', ":3: '91' is no latitude; it is given in degrees, from -90 to 90"),
    (
        "a.gpx",
        POINT + '<trkpt lat="1" lon="1"><time>noon</time>',
        ":3: 'noon' is not a time; write it like 2024-05-01T12",
    ),
    (
        "a.gpx",
        POINT + '<trkpt lat="1" lon="1"><time>2024-02-30T10:00:00Z</time>',
        ":3: '2024-02-30T10:00:00Z' is not a",
    ),
    (
        "a.gpx",
        POINT + '<trkpt lat="1" lon="1"><time>2024-05-01T09:59:59Z</time></trkpt>',
        ":3: this point is 1 s before the point above it; write the points of a track in order of time",
    ),
    (
        "a.gpx",
        '<gpx><trk><trkseg><trkpt lat="1" lon="1"/></trkseg></trk></gpx>',
        ": there are no positions; read as GPX",
    ),
    ("a.csv", "1,2,3,4\n", ":1: the header is '1,2,3,4'; it must name the columns `node,time,x,y` (or `lon,lat` for"),
    ("a.csv", "node,time,x,y,id\n", ":1: the columns node and id have the same meaning; leave one out"),
    ("a.csv", "time,node,Time,x,y\n", ":1: there are two columns time; leave one out"),
    (
        "a.csv",
        "node,time,x,y\na,2024-05-01T12:00:00Z,1,2\na,12,1,2\n",
        ":3: '12' is not a time; write it like 2024-05-01",
    ),
    (
        "a.csv",
        "node,time,x,y\na,2024-05-01T12:00:00+99:00,1,2\n",
        ":2: '2024-05-01T12:00:00+99:00' is not a time: there is no such time zone",
    ),
    ("a.csv", "node,time,x,y\na,2024-15-01T12:00:00Z,1,2\n", ":2: '2024-15-01T12:00:00Z' is not a time: "),
    ("a.csv", "node,time,x,y\na,2024-05-01 12:00:00,1,2\na,2224-05-01 12:00:00,1,2\n", ":3: the time '2224-05-01 12"),
    ("a.csv", CSV + "a,0,1,2\n", ":2: this row has 4 values, and the header 5"),
    ("a.csv", CSV + ",0,1,2,1\n", ":2: the node has no name"),
    ("a.csv", CSV + "a,0,1,2,perhaps\n", ":2: 'perhaps' is not a value of `here`; write 1 or 0"),
    ("a.csv", CSV + "a,1_0,1,2,1\n", ":2: '1_0' is not a finite number"),
    ("a.csv", CSV + "a,1.7e12,1,2,1\n", ":2: the time '1.7e12' is more than 100 years; are these really seconds?"),
    ("a.csv", CSV + 'a,0,1,2,1\n"b"c,0,1,2,1\n', ":3: this is not a row of CSV: "),
    ("a.csv", CSV + "a,5,1,2,1\na,4,1,2,1\n", ":3: node 'a' is at 4 s after 5 s; sort the file by time"),
    ("a.csv", "x" * (1 << 20), ":1: the line has over a million characters; this is not a movement file"),
    ("a.parquet", "PAR1", ": this file cannot be read as Parquet: "),
    (
        "a.dat",
        "what is this?\n",
        ": unknown format; `mobilesim convert-track --from` reads ns2, bonnmotion, one, fcd, gpx, csv, parquet",
    ),
    ("a.dat", "", ": unknown format; `mobilesim convert-track --from` reads "),
)


@pytest.mark.parametrize(("name", "text", "message"), WRONG)
def test_a_malformed_file_causes_one_error_line(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = write_file(tmp_path, name, text)
    with pytest.raises(UserError) as caught:
        list(Reading(path))
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("columns", "message"),
    (
        ({"node": ["a"], "time": [1], "x": [1.0]}, "there is no column 'y'; needed are node, time (in ns), x and y"),
        (
            {"node": ["a"], "time": [1.5], "x": [1.0], "y": [1.0]},
            "the column 'time' does not have whole numbers; write",
        ),
        ({"node": ["a", None], "time": [1, 2], "x": [1.0, 1], "y": [1.0, 1]}, "row 2: the node has no name"),
        ({"node": ["a"], "time": [-1], "x": [1.0], "y": [1.0]}, "row 1: the time -1 is not between 0 and 100 years"),
        ({"node": ["a"], "time": [1], "x": [float("nan")], "y": [1.0]}, "row 1: node 'a' is at (nan, 1.0); coordin"),
        ({"node": ["a"], "time": [1], "x": ["b"], "y": [1.0]}, "row 1: node 'a' has no x and y, or `here` is not"),
        ({"node": ["a"] * 2, "time": [2, 1], "x": [1.0] * 2, "y": [1.0] * 2}, "row 2: node 'a' is at 0.000000001 s"),
    ),
)
def test_a_mistake_in_parquet_is_reported_with_its_row(
    columns: dict[str, list[object]], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(UserError) as caught:
        list(Reading(path))
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("names", "message"),
    (
        (("node", "time", "time", "y"), "there are two columns 'time'; leave one out"),
        (
            ("timestep_time", "vehicle_id", "vehicle_x", "vehicle_y"),
            "this is a Parquet table of SUMO, which is read only as CSV; let",
        ),
    ),
)
def test_parquet_with_other_columns_is_refused(names: tuple[str, ...], message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * len(names), names=list(names)), path)
    with pytest.raises(UserError) as caught:
        list(Reading(path))
    assert str(caught.value).startswith(f"{path}: {message}")


def test_parquet_of_a_later_version_is_refused(tmp_path: Path) -> None:
    table = pa.table({"node": ["a"], "time": [1], "x": [1.0], "y": [1.0]})
    pq.write_table(table.replace_schema_metadata({"mobilesim.track": "9"}), tmp_path / "a.parquet")
    with pytest.raises(UserError, match="written as version '9' of this format; this mobilesim reads version 1"):
        list(Reading(tmp_path / "a.parquet"))


@pytest.mark.parametrize(
    ("spoil", "message"),
    (
        (lambda packed: packed[:-9], "the gzip data is cut off; copy the file again"),
        (lambda packed: packed[:30] + b"\xff\xff" + packed[32:], "the gzip data is damaged"),
    ),
)
def test_corrupt_gzip_is_refused(spoil: "type[bytes]", message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(spoil(gzip.compress((DATA / "buses.csv").read_bytes() * 1)))
    with pytest.raises(UserError, match=message):
        list(Reading(path))


@pytest.mark.parametrize(
    ("name", "text"),
    (
        ("a.tcl", HOME + '$ns_ at 1 "$node_(0) setdest 9 9 1e-12"\n'),
        ("a.one", "1 9 0 1 0 1\n3 a 1 1\n2 a 1 1\n"),
        ("a.fcd", STEP + "</vehicle>"),
        ("a.csv", CSV + "a,0,1,2,1\na,b,c,d,e\n"),
    ),
)
def test_a_file_is_closed_when_reading_it_fails(name: str, text: str, tmp_path: Path) -> None:
    path = write_file(tmp_path, name, text)
    with pytest.raises(UserError) as kept:  # its traceback keeps the reader's local variables alive
        list(Reading(path))
    files = [found for found in gc.get_objects() if isinstance(found, FileIO) and found.name == str(path)]
    assert kept.tb is not None
    assert [found for found in files if not found.closed] == []


def test_text_that_is_not_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CSV.encode() + b"caf\xe9,0,1,2,1\n")
    with pytest.raises(UserError, match=re.escape("a.csv:2: this is not UTF-8 text; convert it")):
        list(Reading(tmp_path / "a.csv"))


def test_a_path_that_is_not_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        Reading(tmp_path / "a.csv")
    with pytest.raises(UserError, match="this is not a regular file"):
        Reading(tmp_path)
    with pytest.raises(UserError, match="there is no format 'xls'; there are ns2, "):
        Reading(write_file(tmp_path, "a.csv", CSV), "xls")
    with pytest.raises(UserError, match="`geo` is only for files of SUMO"):
        Reading(write_file(tmp_path, "a.csv", CSV), geo=True)


def _samples(folder: Path) -> dict[str, bytes]:
    write(Reading(DATA / "crossing.xml"), folder / "crossing.parquet", "parquet")
    samples = {path.name: path.read_bytes() for path in (*DATA.iterdir(), folder / "crossing.parquet")}
    return {**samples, "crossing.xml.gz": gzip.compress(samples["crossing.xml"], mtime=0)}


NAMES: Final = (*sorted(path.name for path in DATA.iterdir()), "crossing.parquet", "crossing.xml.gz")


def read_or_refuse(path: Path, format: str | None = None) -> None:  # noqa: A002 - as the reader calls it
    """Check that the file is read, or that it is refused with one error line that names it."""
    message = str(path)
    try:
        positions = list(Reading(path, format))
    except UserError as error:
        positions, message = [], str(error)
    assert message.startswith(str(path))
    assert len(message) < 500
    assert all(position.node and 0 <= position.time <= LATEST for position in positions)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(name: str, data: st.DataObject, tmp_path: Path) -> None:
    content = bytearray(_samples(tmp_path)[name])
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        junk = data.draw(
            st.binary(max_size=4) | st.sampled_from((b"\n", b"-", b" ", b"9", b"<", b'"', b"nan", b"1e99"))
        )
        content[place : place + data.draw(st.integers(0, 6))] = junk
    path = tmp_path / name
    path.write_bytes(content[: data.draw(st.integers(0, len(content)) | st.just(len(content)))])
    read_or_refuse(path)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_read_as_another_format_is_read_or_refused(name: str, format: str, tmp_path: Path) -> None:  # noqa: A002
    path = tmp_path / name
    path.write_bytes(_samples(tmp_path)[name])
    read_or_refuse(path, format)

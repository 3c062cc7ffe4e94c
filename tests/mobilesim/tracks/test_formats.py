"""Readers of BonnMotion, the ONE, GPX, CSV and foreign Parquet: recognition of formats, and common properties."""

import gzip
import shutil
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobilesim.errors import UserError
from mobilesim.tracks import Reading
from mobilesim.tracks.number_parsing import as_seconds, seconds
from tests.support.track_files import DATA, SECOND, by_node, read_by_node, write_file


def test_each_line_of_bonnmotion_except_comments_is_a_node() -> None:
    assert read_by_node(DATA / "waypoints.movements") == {
        "0": [(0, 10, 20, True), (5, 10, 20, True), (15, 110, 20, True)],
        "1": [(2.5, 1, 1, True)],
        "3": [(0, 3, 3, True), (4, 3, 3, True), (4, 3, 3, False), (4, 300, 300, True)],
    }


def test_a_line_of_bonnmotion_may_have_any_length(tmp_path: Path) -> None:
    line = " ".join(f"{time}.125 {time * 3}.5 -{time}e-1" for time in range(1, 20_000))
    (found,) = read_by_node(write_file(tmp_path, "a.movements", f"# {'x' * 200_000}\n{line}\n")).values()
    assert found == [(time + 0.125, time * 3 + 0.5, -time / 10, True) for time in range(1, 20_000)]


def test_the_minima_in_the_first_line_of_one_are_subtracted() -> None:
    assert read_by_node(DATA / "external.one") == {
        "p1": [(0, 10, 0, True), (30, 40, 40, True), (60, 900, 600, True)],
        "b-7": [(0, 0, 100, True), (60, 0, 100, True)],
    }


def test_columns_of_csv_may_have_other_names_other_orders_and_other_separators() -> None:
    assert read_by_node(DATA / "buses.csv") == {
        "line 5; early": [(0, 0, 10, True), (10, 100, 10, True)],
        "12": [(0.25, 0, 0, True), (5.5, 30, 0, False), (8, 30, 40, True)],
    }


@pytest.mark.parametrize(
    ("header", "time", "found"),
    (("time", "1.5", 1.5), ("Time_ms", "1500", 1.5), ("time_us", "1500000.5", 1.5000005), ("time_ns", "7", 7e-9)),
)
def test_the_name_of_a_time_column_gives_its_unit(header: str, time: str, found: float, tmp_path: Path) -> None:
    assert read_by_node(write_file(tmp_path, "a.csv", f"node,{header},x,y\na,{time},1,2\n"))["a"][0][0] == found


def test_times_with_a_date_count_from_the_earliest(tmp_path: Path) -> None:
    text = "node;time;x;y\na;2024-05-01T12:00:05Z;1;2\na;2024-05-01T12:00:06.25Z;2;2\nb;2024-05-01 14:00:00+02:00;3;4\n"
    reading = Reading(write_file(tmp_path, "a.csv", text))
    assert by_node(list(reading)) == {"a": [(5, 1, 2, True), (6.25, 2, 2, True)], "b": [(0, 3, 4, True)]}
    assert reading.source.done == 1


def test_a_decimal_comma_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a\.csv:2: '1,5' is not a number; write decimals with a point$"):
        read_by_node(write_file(tmp_path, "a.csv", "node;time;x;y\na;0;1,5;2\n"))


def test_longitudes_and_latitudes_of_csv_become_metres_around_the_first_point(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a.csv", "node,time,lon,lat\na,0,179.999,-40\na,1,-179.999,-40\n")
    (_, x, y, _), (_, east, north, _) = read_by_node(path)["a"]
    assert (x, y) == (0, 0)
    assert north == pytest.approx(0, abs=0.01)
    assert east == pytest.approx(170.8, abs=0.1)  # not the distance around the Earth in the other direction


def test_redundant_rows_are_omitted(tmp_path: Path) -> None:
    rows = "a,0,0,0,0\na,1,5,5,1\na,1,5,5,1\na,2,5,5,0\na,3,6,6,0\na,4,7,7,1\n"
    path = write_file(tmp_path, "a.csv", "node,time,x,y,here\n" + rows)
    assert read_by_node(path)["a"] == [(1, 5, 5, True), (2, 5, 5, False), (4, 7, 7, True)]


def test_two_positions_at_one_time_are_a_jump(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a.csv", "node,time,x,y\na,1,5,5\na,1,9,9\n")
    assert read_by_node(path)["a"] == [(1, 5, 5, True), (1, 5, 5, False), (1, 9, 9, True)]


def test_a_gpx_track_is_absent_between_segments_and_after_the_last() -> None:
    found = read_by_node(DATA / "walk.gpx")["Morning walk"]
    assert [(time, here) for time, *_, here in found] == [
        (2, True),
        (12.25, False),
        (62, True),
        (122.5, False),
        (182, True),
        (182, False),
    ]
    assert found[1][1:3] == pytest.approx((0, 111.2), abs=0.1)


def test_unnamed_and_equally_named_tracks_get_unique_names() -> None:
    found = read_by_node(DATA / "walk.gpx")
    assert list(found) == ["Morning walk", "track 2", "Morning walk (2)"]
    assert [time for time, *_ in found["track 2"]] == [0, 2]
    assert found["track 2"][0][1] == pytest.approx(716.9, abs=0.1)


def test_points_of_a_gpx_without_a_time_are_counted() -> None:
    reading = Reading(DATA / "walk.gpx")
    assert len(list(reading)) == 10
    assert reading.source.notes == ["points without a time, left out: 1"]


def test_of_two_gpx_points_in_one_second_the_later_is_used(tmp_path: Path) -> None:
    moments = ("10:00:00", "10:00:01", "10:00:01", "10:00:02")
    points = "".join(
        f'<trkpt lat="0" lon="{place}"><time>2024-05-01T{moment}Z</time></trkpt>'
        for place, moment in enumerate(moments)
    )
    (found,) = read_by_node(write_file(tmp_path, "a.gpx", f"<gpx><trk><trkseg>{points}</trkseg></trk></gpx>")).values()
    assert [(time, round(x / 111_319.5), here) for time, x, _, here in found] == [
        (0, 0, True),
        (1, 2, True),
        (2, 3, False),
    ]


def test_foreign_parquet_is_read_if_it_has_the_columns(tmp_path: Path) -> None:
    table = pa.table({"y": [1.0, 2.0], "node": [7, 7], "x": [3, 4], "time": [0, SECOND], "more": ["a", "b"]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read_by_node(tmp_path / "a.parquet") == {"7": [(0, 3, 1, True), (1, 4, 2, True)]}


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_compressed_files_and_unrecognized_names_are_read(path: Path, tmp_path: Path) -> None:
    expected = list(Reading(path))
    (tmp_path / "movement.txt").write_bytes(path.read_bytes())
    (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    shutil.copy(tmp_path / f"{path.name}.gz", tmp_path / path.name)
    for name in ("movement.txt", f"{path.name}.gz", path.name):
        assert list(Reading(tmp_path / name)) == expected


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_every_reader_yields_valid_positions(path: Path) -> None:
    for found in read_by_node(path).values():
        times, absent = [time for time, *_ in found], [not here for *_, here in found]
        assert times == sorted(times)
        assert not absent[0]
        assert not any(one and other for one, other in pairwise(absent))


def test_a_time_window_cuts_paths_at_its_ends() -> None:
    found = by_node(list(Reading(DATA / "waypoints.movements", start=3 * SECOND, end=10 * SECOND)))
    assert found["0"] == [(0, 10, 20, True), (2, 10, 20, True), (7, 60, 20, True)]
    assert found["1"] == [(0, 1, 1, True)]
    assert found["3"] == [(0, 3, 3, True), (1, 3, 3, True), (1, 3, 3, False), (1, 300, 300, True)]


def test_a_node_absent_at_the_start_of_a_window_appears_later() -> None:
    found = by_node(list(Reading(DATA / "crossing.xml", start=SECOND)))
    assert found["east.0"] == [(1, 40, 50, True)]
    assert found["north.0"] == [(0, 100, 10, True), (0.5, 100, 10, False)]


def test_the_origin_is_a_given_point_or_the_lower_left_corner() -> None:
    moved = by_node(list(Reading(DATA / "waypoints.movements", origin=(10.0, -5.0))))
    assert moved["0"][0] == (0.0, 0.0, 25.0, True)
    corner = list(Reading(DATA / "walk.gpx", origin="corner"))
    assert (min(position.x for position in corner), min(position.y for position in corner)) == (0, 0)


@given(st.integers(0, 10**17))
def test_seconds_keep_every_nanosecond(time: int) -> None:
    assert seconds(as_seconds(time)) == time

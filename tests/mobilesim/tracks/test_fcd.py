"""SUMO's FCD output: vehicles that appear, disappear and return, and units."""

from pathlib import Path

import pytest

from mobilesim.errors import UserError
from mobilesim.tracks import Reading
from tests.support.track_files import DATA, by_node, read_by_node, write_file

XML = '<?xml version="1.0"?>\n<fcd-export>\n{}\n</fcd-export>\n'


def steps(folder: Path, *named: tuple[float, str]) -> Path:
    """Write a file of time steps, in which each letter is a vehicle with its own position. Return the path."""
    lines = [
        f'<timestep time="{time:.2f}">'
        + "".join(f'<vehicle id="{name}" x="{ord(name)}" y="{time:.2f}" speed="1.00"/>' for name in names)
        + "</timestep>"
        for time, names in named
    ]
    return write_file(folder, "a.xml", XML.format("\n".join(lines)))


def test_a_vehicle_is_absent_while_time_steps_omit_it() -> None:
    assert read_by_node(DATA / "crossing.xml")["east.0"] == [
        (0, 0, 50, True),
        (0.5, 5, 50, True),
        (1, 5, 50, False),
        (2, 40, 50, True),
    ]


def test_in_an_empty_time_step_every_vehicle_is_absent() -> None:
    assert read_by_node(DATA / "crossing.xml")["north.0"][-2:] == [(1, 100, 10, True), (1.5, 100, 10, False)]


def test_persons_and_containers_move_and_may_share_an_id() -> None:
    found = read_by_node(DATA / "crossing.xml")
    assert found["0"] == [(0.5, 60, 61, True), (1, 60, 61, False)]
    assert found["vehicle:0"] == [(1, 1, 2, True), (1.5, 1, 2, False)]
    assert found["box"] == [(2, 7, 7, True)]


def test_the_order_within_a_time_step_does_not_matter(tmp_path: Path) -> None:
    there = {name: [(0, ord(name), 0, True), (1, ord(name), 1, True)] for name in "ab"}
    assert read_by_node(steps(tmp_path, (0, "ab"), (1, "ba"))) == there


def test_vehicles_present_at_the_end_stay(tmp_path: Path) -> None:
    assert read_by_node(steps(tmp_path, (0, "a"), (1, "a")))["a"][-1] == (1, 97, 1, True)


def test_omitted_empty_time_steps_mean_absence(tmp_path: Path) -> None:
    found = read_by_node(steps(tmp_path, (0, "a"), (0.5, "ab"), (3, "a"), (3.5, "a")))
    assert found["a"] == [
        (0, 97, 0, True),
        (0.5, 97, 0.5, True),
        (1, 97, 0.5, False),
        (3, 97, 3, True),
        (3.5, 97, 3.5, True),
    ]
    assert found["b"] == [(0.5, 98, 0.5, True), (1, 98, 0.5, False)]


def test_one_long_gap_does_not_change_the_treatment_of_others(tmp_path: Path) -> None:
    found = read_by_node(steps(tmp_path, (0, "a"), (1, "a"), (6, "a"), (9, "a")))
    assert [time for time, *_, here in found["a"] if not here] == [2, 7]


def test_long_time_steps_do_not_mean_absence(tmp_path: Path) -> None:
    found = read_by_node(steps(tmp_path, (0, "a"), (10, "a"), (20, "a")))
    assert [here for *_, here in found["a"]] == [True, True, True]


def test_degrees_become_metres_if_the_file_declares_degrees() -> None:
    (_, *start, _), (_, east, north, _) = read_by_node(DATA / "geo.xml")["v"]
    assert start == [0, 0]
    assert east == pytest.approx(67.9, abs=0.1)  # a thousandth of a degree at 52.5 degrees north
    assert north == pytest.approx(111.3, abs=0.1)


def test_degrees_become_metres_if_the_option_declares_degrees(tmp_path: Path) -> None:
    text = (DATA / "geo.xml").read_text()
    path = write_file(tmp_path, "plain.xml", text.replace('geo value="true"', 'geo value="false"'))
    assert read_by_node(path)["v"][1][1:3] == (13.401, 52.501)
    assert by_node(list(Reading(path, geo=True))) == read_by_node(DATA / "geo.xml")


def test_a_given_point_is_the_origin_of_degrees() -> None:
    (position, _) = Reading(DATA / "geo.xml", origin=(13.4, 52.4))
    assert position.x == pytest.approx(0, abs=1e-6)
    assert position.y == pytest.approx(11_126, abs=2)


def test_a_reference_point_affects_only_degrees() -> None:
    origin = (13.4, 52.4)
    assert list(Reading(DATA / "geo.xml", reference=origin)) == list(Reading(DATA / "geo.xml", origin=origin))
    assert list(Reading(DATA / "crossing.xml", reference=(13.4, 52.4))) == list(Reading(DATA / "crossing.xml"))


INVALID = "-1073741824.00"


@pytest.mark.parametrize(
    "place", (f'x="{INVALID}" y="{INVALID}"', f'x="{INVALID}" y="3.00"', f'x="3.00" y="{INVALID}"')
)
def test_a_vehicle_with_an_invalid_position_is_absent(place: str, tmp_path: Path) -> None:
    there, nowhere = '<vehicle id="a" x="1.00" y="2.00"/>', f'<vehicle id="a" {place}/>'
    named = [there, nowhere, nowhere, there]
    text = "\n".join(f'<timestep time="{time}.00">{one}</timestep>' for time, one in enumerate(named))
    reading = Reading(write_file(tmp_path, "a.xml", XML.format(text)))
    assert by_node(list(reading)) == {"a": [(0, 1, 2, True), (1, 1, 2, False), (3, 1, 2, True)]}
    assert reading.source.notes == ["invalid positions of SUMO, read as absence: 2"]


HEADER = (
    "timestep_time;vehicle_id;vehicle_x;vehicle_y;vehicle_angle;vehicle_type;vehicle_speed;vehicle_lane;vehicle_edge"
)


def table(folder: Path, *rows: str, header: str = HEADER, name: str = "town.csv") -> Path:
    return write_file(folder, name, "".join(f"{line}\n" for line in (header, *rows)))


def test_sumos_table_has_the_same_tracks_as_its_xml(tmp_path: Path) -> None:
    named = ((0, "ab"), (1, "b"), (2, "ab"), (3, "a"), (6, "a"))
    rows = [f"{time}.00;{name};{ord(name)}.00;{time}.00;90.00;T;1.00;e_0;" for time, names in named for name in names]
    assert read_by_node(table(tmp_path, *rows)) == read_by_node(steps(tmp_path, *named))


def test_a_table_of_sumo_is_recognized_under_any_name(tmp_path: Path) -> None:
    row = "0.00;a;1.00;2.00;90.00;T;1.00;e_0;"
    readings = [Reading(table(tmp_path, row, name=name)) for name in ("town.csv", "town.txt", "town.fcd")]
    assert [(reading.format, by_node(list(reading))) for reading in readings] == [("fcd", {"a": [(0, 1, 2, True)]})] * 3


def test_a_table_may_have_persons_empty_time_steps_and_degrees(tmp_path: Path) -> None:
    header = "person_id,person_x,person_y,timestep_time,vehicle_id,vehicle_x,vehicle_y"
    rows = (",,,0.00,a,13.4,52.5", "a,13.4,52.501,0.00,,,", ",,,1.00,,,", f",,,2.00,a,{INVALID},{INVALID}")
    car, walker, *_ = Reading(table(tmp_path, *rows, header=header), geo=True)
    assert (car.node, car.x, car.y) == ("a", 0, 0)
    assert walker.node == "person:a"
    assert walker.y == pytest.approx(111.3, abs=0.1)
    assert {name: found[-1][0] for name, found in read_by_node(tmp_path / "town.csv").items()} == {
        "a": 1,
        "person:a": 1,
    }


@pytest.mark.parametrize(
    ("header", "row", "fault"),
    (
        (HEADER.replace("vehicle_y", "vehicle_z"), "", ":1: there is no column 'vehicle_y'; let SUMO write it"),
        ("timestep_time;vehicle_speed", "", ":1: there is no column 'vehicle_id'; let SUMO write it"),
        (
            "timestep_time;vehicle_id;vehicle_x;vehicle_x;vehicle_y",
            "",
            ":1: there are two columns 'vehicle_x'; leave one",
        ),
        ("timestep_time;vehicle_id;vehicle_x;vehicle_y", "0.00;a;1.00", ":2: this row has 3 values, and the header 4"),
        ("timestep_time;vehicle_id;vehicle_x;vehicle_y", "soon;a;1;1", ":2: 'soon' is not a number"),
        ("timestep_time;vehicle_id;vehicle_x;vehicle_y", "0.00;a;;1", ":2: '' is not a number"),
        ("timestep_time;vehicle_id;vehicle_x;vehicle_y", "1;a;1;1\n0;a;1;1", ":3: the time step 0 s comes after 1 s"),
    ),
)
def test_a_mistake_in_a_table_is_reported_with_its_line(header: str, row: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"town\.csv{fault}"):
        read_by_node(table(tmp_path, row, header=header))

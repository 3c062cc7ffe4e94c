"""Movement files of ns-2: as written by setdest and by SUMO, and in other valid forms."""

from pathlib import Path

import pytest

from mobilesim.tracks.reading import Reading
from tests.support.track_files import DATA, Row, read_by_node, write_file

HOME = "$node_(0) set X_ 0\n$node_(0) set Y_ 0\n"


def positions_of(folder: Path, text: str) -> list[Row]:
    return read_by_node(write_file(folder, "a.ns_movements", text))["0"]


def test_a_node_moves_to_its_destination_and_waits_for_the_next() -> None:
    assert read_by_node(DATA / "setdest.tcl")["0"] == [
        (0, 100, 50, True),
        (2, 100, 50, True),
        (12, 130, 90, True),
        (14, 130, 90, True),
    ]


def test_a_new_destination_or_speed_0_interrupts_a_movement() -> None:
    *before, stopped = read_by_node(DATA / "setdest.tcl")["1"]
    assert before == [(0, 10, 20, True), (3, 10, 20, True), (7, 14, 20, True)]
    assert stopped == pytest.approx((9.5, 14, 25, True))


def test_an_initial_position_may_be_at_the_end_of_the_file() -> None:
    assert read_by_node(DATA / "setdest.tcl")["2"] == [(0, 7, 1, True), (20, 7, 1, True), (26, 7, 7, True)]


def test_a_node_is_absent_before_its_start_and_after_its_stop() -> None:
    found = read_by_node(DATA / "sumo.tcl")
    assert found["0"][0] == (0.0, 5.1, 98.35, True)
    assert found["0"][-1] == pytest.approx((3, 12.5, 98.35, False))
    assert found["1"] == [(1, 200, 8, True), (2, 200, 8, True), (2.5, 200, 13, False)]


def test_a_node_that_first_stops_was_present_from_the_beginning(tmp_path: Path) -> None:
    text = HOME + '$ns_ at 4 "$g(0) stop"\n$ns_ at 1 "$node_(0) setdest 10 0 1"\n$ns_ at 6 "$g(0) start"\n'
    assert positions_of(tmp_path, text) == [
        (0, 0, 0, True),
        (1, 0, 0, True),
        (4, 3, 0, False),
        (6, 5, 0, True),
        (11, 10, 0, True),
    ]


def test_an_absent_node_continues_its_movement(tmp_path: Path) -> None:
    text = HOME + '$ns_ at 1 "$g(0) stop"\n$ns_ at 2 "$node_(0) setdest 9 0 3"\n$ns_ at 8 "$g(0) start"\n'
    assert positions_of(tmp_path, text) == [(0, 0, 0, True), (1, 0, 0, False), (8, 9, 0, True)]


def test_coordinates_set_at_one_time_are_one_jump_and_end_the_movement(tmp_path: Path) -> None:
    jump = '$ns_ at 5 "$node_(0) set X_ 50"\n$ns_ at 5.0 "$node_(0) set Y_ 60"\n$ns_ at 5 "$node_(0) set Z_ 1"\n'
    text = HOME + '$ns_ at 0 "$node_(0) setdest 10 0 1"\n' + jump + '$ns_ at 7 "$node_(0) setdest 50 61 1"\n'
    assert positions_of(tmp_path, text) == [
        (0, 0, 0, True),
        (5, 5, 0, False),
        (5, 50, 60, True),
        (7, 50, 60, True),
        (8, 50, 61, True),
    ]


def test_a_movement_that_begins_at_a_jump_starts_at_the_new_position(tmp_path: Path) -> None:
    text = HOME + '$ns_ at 5 "$node_(0) set X_ 50"\n$ns_ at 5 "$node_(0) setdest 60 0 10"\n'
    assert positions_of(tmp_path, text) == [(0, 0, 0, True), (5, 0, 0, False), (5, 50, 0, True), (6, 60, 0, True)]


def test_a_node_whose_position_is_set_later_appears_then(tmp_path: Path) -> None:
    text = '$ns_ at 5 "$node_(0) set X_ 50"\n$ns_ at 5 "$node_(0) set Y_ 7"\n'
    assert positions_of(tmp_path, text) == [(5, 50, 7, True)]


def test_a_start_and_a_position_at_one_time_give_one_position(tmp_path: Path) -> None:
    text = HOME + '$ns_ at 2 "$g(0) stop"\n$ns_ at 5 "$node_(0) set X_ 50"\n$ns_ at 5 "$g(0) start"\n'
    assert positions_of(tmp_path, text) == [(0, 0, 0, True), (2, 0, 0, False), (5, 50, 0, True)]


def test_a_stop_and_a_position_at_one_time_give_absence(tmp_path: Path) -> None:
    text = HOME + '$ns_ at 5 "$node_(0) set X_ 50"\n$ns_ at 5 "$g(0) stop"\n'
    assert positions_of(tmp_path, text) == [(0, 0, 0, True), (5, 0, 0, False)]


@pytest.mark.parametrize("speed", (9.999999, 10.000001))
def test_a_node_that_misses_its_destination_by_rounding_has_arrived(speed: float, tmp_path: Path) -> None:
    text = HOME + f'$ns_ at 0 "$node_(0) setdest 10 0 {speed}"\n$ns_ at 1 "$node_(0) setdest 10 5 1"\n'
    assert positions_of(tmp_path, text) == [(0, 0, 0, True), (1, 10, 0, True), (6, 10, 5, True)]


def test_the_shortest_movement_has_a_start(tmp_path: Path) -> None:
    text = HOME + '$ns_ at 1 "$g(0) start"\n$ns_ at 1 "$node_(0) setdest 1 0 1e7"\n'
    assert positions_of(tmp_path, text) == [(1, 0, 0, True), (1.0000001, 1, 0, True)]


def test_starts_and_stops_may_be_in_any_order(tmp_path: Path) -> None:
    arguments = ((9, "stop"), (2, "start"), (4, "stop"), (6, "start"))
    text = HOME + "".join(f'$ns_ at {time} "$g(0) {word}"\n' for time, word in arguments)
    assert positions_of(tmp_path, text) == [(2, 0, 0, True), (4, 0, 0, False), (6, 0, 0, True), (9, 0, 0, False)]


def test_statements_may_be_in_any_order_of_time(tmp_path: Path) -> None:
    statements = ['$ns_ at 10 "$node_(0) setdest 0 0 1"\n', '$ns_ at 0 "$node_(0) setdest 5 0 1"\n', HOME]
    orders = [positions_of(tmp_path, "".join(order)) for order in (statements, statements[::-1])]
    assert orders[0] == orders[1] == [(0, 0, 0, True), (5, 5, 0, True), (10, 5, 0, True), (15, 0, 0, True)]


@pytest.mark.parametrize(
    "text",
    (
        '  $ns_  at  1.0e0  " $node_(0)  setdest  2.  0  +1 " ; # there\n',
        '$ns at 1 "$node(0) setdest 2 0 1"\r\n',
        '$ns_ at 1 "$node_(0) setdest 2 0 1";\n',
    ),
)
def test_spaces_and_line_ends_do_not_matter(text: str, tmp_path: Path) -> None:
    assert positions_of(tmp_path, HOME + text) == [(0, 0, 0, True), (1, 0, 0, True), (3, 2, 0, True)]


def test_names_of_nodes_need_not_be_numbers(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a.tcl", "$node_(flow.3) set X_ 1\n$node_(flow.3) set Y_ 2\n")
    assert read_by_node(path) == {"flow.3": [(0, 1, 2, True)]}


def test_a_node_without_a_position_is_omitted_and_reported(tmp_path: Path) -> None:
    reading = Reading(write_file(tmp_path, "a.tcl", HOME + "$node_(1) set X_ 1\n"))
    assert {position.node for position in reading} == {"0"}
    assert reading.source.notes == ["nodes without X_ or Y_, left out: 1"]

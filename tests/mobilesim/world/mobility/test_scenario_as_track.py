"""Hosts that follow an exported track have the same paths and cell changes as the hosts of the exported scenario."""

from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.cli.main import main
from mobilesim.scenario.loader import load
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.mobility_models import ON_PLANE
from mobilesim.tracks import Position, Reading
from mobilesim.tracks.writing import write
from mobilesim.world.mobility import host_positions, positions
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.replication import build_world
from tests.support.plane_worlds import S, at, host_path, moves, plane
from tests.support.simulations import simulate
from tests.support.track_files import SECOND, read_by_node, write_file

Output = pytest.CaptureFixture[str]

MODELS: Final = [model for model in ON_PLANE if model != "track"]
EXACT: Final = ("a.parquet", "a.csv", "a.csv.gz", "a.movements")
UNTIL: Final = 300 * S

WALK: Final = """\
name: walk
hosts: 4
duration: 300 s
replications: 2
cells: {radius: 300 m}
mobility:
  model: waypoint
  crossing: {check: 1 ns}
  waypoint: {min_speed: 9 m/s, max_speed: 10 m/s, pause: exponential 5 s}
"""
"""A scenario in which hosts check their cell continuously, so that cell changes depend only on the path."""


def following_track(scenario: Scenario, file: Path) -> Scenario:
    """Return the scenario with hosts that follow the file."""
    section = {"model": "track", "track": {"file": str(file)}, "crossing": scenario.mobility.crossing}
    return scenario.model_copy(update={"name": "again", "mobility": Mobility.model_validate(section)})


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    return write_file(tmp_path, "walk.yaml", WALK)


def exported(walk: Path, name: str, *arguments: str) -> Path:
    out = walk.parent / name
    assert main(["convert-track", str(walk), str(out), *arguments]) == 0
    return out


def crossings(scenario: Scenario) -> list[tuple[int, int, int, int, bool]]:
    found = moves(build_world(scenario, 0), UNTIL)
    return [(host, step.left, step.entered, step.target, step.disconnects) for host, step in found]


@pytest.mark.full
@pytest.mark.parametrize("name", EXACT)
def test_an_exported_track_has_cell_changes_at_the_same_nanoseconds(name: str, walk: Path) -> None:
    scenario = load(walk)
    found = [step for step in crossings(scenario) if step[2] < UNTIL]
    assert len({host for host, *_ in found}) == 4
    assert {lost for *_, lost in found} == {True, False}
    assert [step for step in crossings(following_track(scenario, exported(walk, name))) if step[2] < UNTIL] == found


def test_an_ns_2_track_has_the_same_cell_changes_within_microseconds(walk: Path) -> None:
    scenario = load(walk)
    found = [step for step in crossings(scenario) if step[2] < UNTIL]
    other = [step for step in crossings(following_track(scenario, exported(walk, "a.ns_movements"))) if step[2] < UNTIL]
    assert [(host, target, lost) for host, _, _, target, lost in other] == [
        (host, target, lost) for host, _, _, target, lost in found
    ]
    assert [(left, entered) for _, left, entered, _, _ in other] == [
        pytest.approx((left, entered), rel=0, abs=10_000) for _, left, entered, _, _ in found
    ]


def test_a_run_on_the_track_has_the_same_hand_offs(walk: Path, tmp_path: Path) -> None:
    scenario = load(walk, {"duration": "100 s"})
    track = following_track(scenario, exported(walk, "a.parquet"))
    ours, theirs = (simulate(each, tmp_path / each.name).rows("handoffs") for each in (scenario, track))
    keys = ("host", "left", "entered", "from_station", "to_station")
    found = [[tuple(row[key] for key in keys) for row in rows] for rows in (ours, theirs)]
    assert found[0] == found[1]
    assert len(found[0]) > 4


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_the_same_trajectories_as_a_track(model: str, tmp_path: Path) -> None:
    where = plane(model, hosts=3)
    file = tmp_path / "a.parquet"
    text = f"name: a\nhosts: 3\ncells: 16\nduration: 300 s\nmobility: {{model: {model}}}\n"
    assert main(["convert-track", str(write_file(tmp_path, "a.yaml", text)), str(file)]) == 0
    track = build_world(following_track(where.scenario, file), 0)
    for host in range(3):
        whole = list(takewhile(lambda segment: segment.end <= UNTIL, host_path(where, host)))
        assert list(takewhile(lambda segment: segment.end <= UNTIL, host_path(track, host)))[: len(whole)] == whole
        assert at(host_path(track, host), [UNTIL, 2 * UNTIL]) == 2 * [
            pytest.approx(at(host_path(where, host), [UNTIL])[0])
        ]


LEGS: Final = (
    Segment(2 * S, 4 * S, 0, 0, 10, 0),
    Segment(4 * S, 5 * S, 10, 0, 10, 0),
    Segment(7 * S, 9 * S, 10, 20, 10, 40),
    Segment(9 * S, 10 * S, 0, 0, 5, 5),
)
"""The node appears at 2 s, is absent from 5 s to 7 s, and jumps at 9 s."""


@pytest.mark.parametrize(
    ("until", "end"),
    (
        (2, []),
        (3, [(2, 0, 0, True), (3, 5, 0, True)]),
        (6, [(2, 0, 0, True), (4, 10, 0, True), (5, 10, 0, False)]),
        (8, [(2, 0, 0, True), (4, 10, 0, True), (5, 10, 0, False), (7, 10, 20, True), (8, 10, 30, True)]),
    ),
)
def test_a_path_is_cut_at_its_end_and_gaps_are_absence(until: int, end: list[tuple[float, ...]]) -> None:
    assert [
        (position.time / SECOND, position.x, position.y, position.here) for position in positions("a", LEGS, until * S)
    ] == end


def test_a_discontinuous_path_has_a_jump() -> None:
    assert list(positions("a", LEGS, 20 * S))[-3:] == [
        Position("a", 9 * S, 10, 40, False),
        Position("a", 9 * S, 0, 0, True),
        Position("a", 10 * S, 5, 5, False),
    ]


def test_an_exported_track_of_a_track_keeps_its_absences(tmp_path: Path) -> None:
    text = "node,time,x,y,here\nx,0,0.5,2.0,1\nx,10,9.0,2.0,0\nx,20,3.0,4.0,1\nx,30,5.0,5.0,1\ny,5,1.0,1.0,1\n"
    file = write_file(tmp_path, "in.csv", text)
    scenario = Scenario.model_validate({"hosts": 2, "mobility": {"model": "track", "track": {"file": str(file)}}})
    out: dict[str, list[Any]] = {}
    for position in host_positions(build_world(scenario, 0), 2, 30 * S):
        out.setdefault(position.node, []).append((position.time / SECOND, position.x, position.y, position.here))
    assert out == {"0": read_by_node(file)["x"], "1": [(5, 1, 1, True), (30, 1, 1, True)]}


def test_positions_among_sites_of_a_file_have_the_files_coordinates(tmp_path: Path) -> None:
    sites = write_file(tmp_path, "sites.csv", "x,y\n-5000,700\n-4800,700\n-4600,900\n")
    where = plane("waypoint", cells={"shape": "sites", "file": str(sites)})
    found = list(host_positions(where, 2, UNTIL))
    assert -5200 < min(position.x for position in found) < max(position.x for position in found) < -4400
    file = tmp_path / "a.parquet"
    write(found, file, "parquet")
    track = build_world(following_track(where.scenario, file), 0)
    times = [time * S for time in range(0, 300, 7)]
    for host in range(2):
        for one, other in zip(at(host_path(where, host), times), at(host_path(track, host), times), strict=True):
            assert one == pytest.approx(other, abs=1e-6)


def test_hosts_duration_replication_and_settings_can_be_chosen(walk: Path, capsys: Output) -> None:
    arguments = ("--hosts", "2", "--duration", "20 s", "--force", "--set", "mobility.waypoint.min_speed=10 m/s")
    out = exported(walk, "a.csv", *arguments)
    output = capsys.readouterr().out
    assert "walk: 2 of 4 hosts, waypoint, 20 s\n" in output
    assert "\nfastest    10.0 m/s, " in output
    first = list(Reading(out))
    assert {position.node for position in first} == {"0", "1"}
    assert max(position.time for position in first) == 20 * S
    assert list(Reading(exported(walk, "a.csv", *arguments, "--replication", "1"))) != first
    assert list(Reading(exported(walk, "a.csv", *arguments))) == first


def test_a_shipped_scenario_is_described_if_no_output_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mobility" / "waypoint").mkdir(parents=True)
    assert main(["convert-track", "mobility/waypoint", "--duration", "30 s"]) == 0
    title, nodes, *_ = capsys.readouterr().out.splitlines()
    assert title == "waypoint: 12 of 12 hosts, waypoint, 30 s"
    assert nodes == "nodes      12 (0 absent at the start, 0 absent at the end)"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    (
        (
            ("quickstart",),
            "quickstart: mobility.model: hosts of model 'cell-jump' have cells, but no positions; write a model ",
        ),
        (("static/overtaking",), "static/overtaking: hosts of a static network have no cells, and do not move"),
        (("mobility/waypont",), "mobility/waypont: no such file, and no bundled scenario has that name; did you mean"),
        (("mobility/waypoint", "--hosts", "0"), "--hosts 0: the scenario has 12 hosts; write 1 to 12"),
        (("mobility/waypoint", "--duration", "0 s"), "--duration: 0 s contains no movement; write more than 0 s"),
        (("mobility/waypoint", "--start", "5 s"), "--start is for movement files, but mobility/waypoint is a scenario"),
        (("mine.csv", "--hosts", "5"), "--hosts is for scenarios, but mine.csv is a movement file; leave the option"),
        (("none.yaml",), "none.yaml: no such file, and no bundled scenario has that name; "),
    ),
)
def test_a_scenario_without_trajectories_causes_one_error_line(
    arguments: tuple[str, ...], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    write_file(tmp_path, "mine.csv", "node,time,x,y\na,0,0,0\n")
    assert main(["convert-track", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"mobilesim: {expected}")


def test_hosts_that_appear_after_the_end_are_omitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    write_file(tmp_path, "late.csv", "node,time,x,y\na,25200,5,5\nb,25200,5,5\n")
    late = "name: late\nhosts: 2\nduration: 60 s\nmobility: {model: track, track: {file: late.csv}}\n"
    write_file(tmp_path, "late.yaml", late)
    for command in (["convert-track", "late.yaml", "out.csv"], ["map", "late.yaml"]):
        assert main(command) == 2
        assert capsys.readouterr().err == (
            "mobilesim: mobility.track.file: late.csv: no host is in a cell in the first 60 s; "
            "write 'start_time: 25200 s' below track, or a longer duration\n"
        )
    write_file(tmp_path, "late.csv", "node,time,x,y\na,25200,5,5\nb,0,5,5\n")
    assert main(["convert-track", "late.yaml", "out.csv", "--hosts", "1"]) == 2
    message = "late: no host is in a cell in the first 60 s; write a longer --duration"
    assert capsys.readouterr().err == f"mobilesim: {message}\n"
    assert not (tmp_path / "out.csv").exists()
    assert main(["convert-track", "late.yaml", "out.csv", "--hosts", "1", "--duration", "8h"]) == 0


def test_a_track_file_is_read_once_for_any_number_of_hosts(tmp_path: Path) -> None:
    rows = "".join(f"{node},{time},{node},{time}\n" for time in range(9) for node in range(9))
    file = write_file(tmp_path, "many.csv", f"node,time,x,y\n{rows}")
    scenario = {"hosts": 9, "mobility": {"model": "track", "track": {"file": str(file)}}}
    where = build_world(Scenario.model_validate(scenario), 0)
    moved = host_positions(where, 9, 20 * SECOND)
    first = next(moved)
    file.unlink()
    assert len([first, *moved]) == 90

"""Movement from files: nodes become hosts, positions are placed on the plane, and absence is disconnection."""

import json
from itertools import islice
from math import hypot
from pathlib import Path
from typing import Any

import pytest

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.referenced_files import record
from mobilesim.world.mobility import host_actions, mobility_warnings
from mobilesim.world.mobility.actions import Departure
from mobilesim.world.replication import World, build_world
from tests.support.plane_worlds import S, at, host_path
from tests.support.simulations import simulate

HEAD = "node,time,x,y,here\n"
STREET = {"rows": 1, "columns": 3, "spacing": "100 m"}

WALK = """\
east,0,50,50,1
east,200,250,50,1
late,60,150,50,1
still,0,50,50,1
gone,0,50,50,1
gone,100,50,50,0
gone,130,250,50,1
"""
"""`east` crosses two borders, at 50 s and at 150 s; `late` appears after a minute; `gone` is absent for half a minute.
"""


def world(file: Path, text: str = WALK, hosts: int = 4, replication: int = 0, **settings: Any) -> World:  # noqa: ANN401
    if text:
        file.write_text(HEAD + text)
    scenario = {
        "hosts": hosts,
        "cells": settings.pop("cells", STREET),
        "mobility": {"model": "track", **settings.pop("mobility", {}), "track": {"file": str(file), **settings}},
    }
    return build_world(Scenario.model_validate(scenario), replication)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "track.csv"


def departures(where: World) -> list[list[tuple[int, int, int, bool]]]:
    """Return the moves of all hosts, in seconds rounded down: (left, entered, target, disconnects)."""
    return [
        [
            (step.left // S, step.entered // S, step.target, step.disconnects)
            for step in islice(walker, 100)
            if isinstance(step, Departure) and not step.absent
        ]
        for walker in host_actions(where)
    ]


def test_nodes_become_hosts_in_the_order_of_appearance(file: Path) -> None:
    where = world(file)
    assert where.starting_cells == (0, 1, 0, 0)
    assert departures(where) == [
        [(50, 50, 1, False), (150, 150, 2, False)],
        [(0, 60, 1, True)],
        [],
        [(100, 130, 2, True)],
    ]


def test_nodes_become_hosts_in_the_order_of_names_on_request(file: Path) -> None:
    assert departures(world(file, order="name")) == [departures(world(file))[index] for index in (0, 3, 1, 2)]


def test_additional_nodes_are_ignored(file: Path) -> None:
    assert departures(world(file, hosts=2)) == departures(world(file))[:2]
    assert departures(world(file, hosts=2, order="name")) == departures(world(file, order="name"))[:2]


def test_more_hosts_than_nodes_are_refused(file: Path) -> None:
    with pytest.raises(UserError, match=r"track\.csv has 4 nodes for 5 hosts; write fewer hosts$"):
        world(file, hosts=5)


def test_a_node_that_never_returns_is_disconnected(file: Path) -> None:
    where = world(file, "a,0,50,50,1\na,100,50,50,0\nb,0,50,50,1\n", hosts=2)
    steps = host_actions(where)
    first, second = next(steps[0]), next(steps[0])
    assert isinstance(first, Departure)
    assert isinstance(second, Departure)
    assert (first.left // S, first.absent, first.target, second.absent) == (100, True, 0, True)
    assert list(steps[1]) == []


def test_disconnections_depend_on_the_replication_and_tracks_do_not(file: Path) -> None:
    assert departures(world(file)) == departures(world(file, replication=3))
    mobility = {"disconnect": {"probability": 0.5, "duration": "exponential 3 s"}}
    assert departures(world(file, mobility=mobility)) != departures(world(file, mobility=mobility, replication=3))


def test_lengths_are_scaled_and_then_shifted(file: Path) -> None:
    doubled = "".join(
        f"{node},{time},{2 * float(x) - 100},{2 * float(y) + 40},{here}\n"
        for node, time, x, y, here in (line.split(",") for line in WALK.split())
    )
    assert departures(world(file, doubled, scale=0.5, shift=["50 m", "-20 m"])) == departures(world(file, WALK))


def test_a_scenario_may_begin_within_a_track(file: Path) -> None:
    where = world(file, start_time="60 s")
    assert where.starting_cells == (1, 1, 0, 0)
    assert departures(where) == [[(90, 90, 2, False)], [], [(40, 70, 2, True)], []]


def test_the_paths_of_hosts_are_those_of_the_file(file: Path) -> None:
    where = world(file)
    assert at(host_path(where, 0), [0, 100 * S, 250 * S]) == [(50, 50), (150, 50), (250, 50)]
    assert [(segment.start, segment.end) for segment in host_path(where, 3)][:1] == [(0, 100 * S)]
    assert next(host_path(where, 1)).start == 60 * S


@pytest.mark.parametrize(("latitude", "longitude"), ((59.9, 10.7), (-33.9, 151.2), (0.1, 179.99)))
def test_a_track_in_degrees_crosses_the_stations_at_its_coordinates(
    latitude: float, longitude: float, file: Path, tmp_path: Path
) -> None:
    spots = [(latitude, longitude), (latitude + 0.4, longitude - 0.3), (latitude - 0.2, longitude + 0.005)]
    sites = tmp_path / "sites.csv"
    sites.write_text("lat,lon\n" + "".join(f"{north},{east}\n" for north, east in spots))
    rows = (f"{node},{time},{north},{east}\n" for node in "ab" for time, (north, east) in enumerate(spots))
    file.write_text("node,time,lat,lon\n" + "".join(rows))
    where = world(file, "", hosts=2, cells={"shape": "sites", "file": str(sites)})
    assert where.plane is not None
    passed = at(host_path(where, 0), [0, S, 2 * S])
    assert [hypot(x - to_x, y - to_y) for (x, y), (to_x, to_y) in zip(passed, where.plane.sites, strict=True)] == [
        pytest.approx(0, abs=1e-6)
    ] * 3


@pytest.mark.parametrize(
    ("text", "settings", "output"),
    (
        (
            "a,0,5000,-950,1\na,50,5300,-920,1\nb,0,5100,-940,1\n",
            {"shift": ["-100 m", "0 m"]},
            (
                "all hosts are between (4900 m, -950 m) and (5200 m, -920 m), off the plane, which is 300 m by 100 m; "
                "write a shift of the track, like [-5000 m, 950 m]"
            ),
        ),
        (
            "a,3600.5,50,50,1\nb,3700,50,50,1\n",
            {"start_time": "60 s"},
            "no host is in a cell in the first 60 s; write 'start_time: 3600 s' below track, or a longer duration",
        ),
        (
            "a,60,50,50,1\nb,0,50,5,1\n",
            {"cells": {**STREET, "radius": "40 m"}},
            "no host is in a cell in the first 60 s; write 'start_time: 60 s' below track, or a longer duration",
        ),
        (
            "a,0,50,5,1\nb,0,50,95,1\n",
            {"cells": {**STREET, "radius": "40 m"}},
            "no host ever comes within reach of a station; write a larger cells.radius, or a shift of the track",
        ),
    ),
)
def test_a_track_without_a_present_node_is_refused(
    text: str, settings: dict[str, Any], output: str, file: Path
) -> None:
    with pytest.raises(UserError) as refused:
        world(file, text, hosts=2, **settings)
    assert str(refused.value) == f"mobility.track.file: {file}: {output}"


def test_a_track_may_leave_the_plane_and_hosts_may_appear_later(file: Path) -> None:
    where = world(file, "a,0,-500,50,1\na,50,50,50,1\nb,59.9,150,50,1\nb,59.999,150,50,0\n", hosts=2)
    assert where.starting_cells == (0, 1)


def test_a_changed_file_is_read_again(file: Path) -> None:
    before = departures(world(file))
    after = departures(world(file, WALK.replace("200,250", "400,250")))
    assert before[0] != after[0]
    assert before[1:] == after[1:]


def test_a_malformed_file_is_refused_with_its_line(file: Path) -> None:
    with pytest.raises(UserError, match=r"track\.csv:3: "):
        world(file, "a,0,1,1,1\na,soon,1,1,1\n")


def test_a_run_follows_the_track_and_its_record_contains_the_file(file: Path, tmp_path: Path) -> None:
    where = world(file)
    scenario = where.scenario.model_copy(update={"duration": 300 * S})
    run = simulate(scenario, tmp_path / "results")
    assert run.outcome.verdict == "ok"
    assert [(row["host"], row["left"] // S, row["to_station"]) for row in run.rows("handoffs")] == [
        (0, 50, 1),
        (3, 100, 2),
        (0, 150, 2),
    ]
    assert {(row["host"], row["returned"] // S) for row in run.rows("disconnections")} == {(1, 60), (3, 130)}
    written = record(scenario)
    assert list(written.files.values()) == [file.read_bytes()]
    assert f"file: {next(iter(written.files))}" in written.text


def test_a_track_file_is_hashed_by_content_and_not_by_place(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.csv"
    one = world(file)
    copy.write_text(file.read_text())
    other = world(copy, text="")
    before = one.scenario.hash
    assert before == other.scenario.hash
    assert departures(one) == departures(other)
    assert world(file, WALK + "still,900,60,50,1\n").scenario.hash != before


def test_outside_the_plane_the_nearest_station_serves_a_track(file: Path) -> None:
    where = world(file, "a,0,-500,900,1\na,100,900,900,1\nb,0,50,50,1\n", hosts=2)
    assert [target for _, _, target, _ in departures(where)[0]] == [1, 2]
    covered = world(file, "", hosts=2, cells={**STREET, "radius": "60 m"})
    assert departures(covered) == [[], []]
    assert covered.starting_cells == (0, 0)


def test_a_track_is_shifted_together_with_the_sites_of_a_file(file: Path, tmp_path: Path) -> None:
    sites = tmp_path / "sites.csv"
    sites.write_text("x,y\n-5000,700\n-4800,700\n-4600,700\n")
    text = "a,0,-5000,710,1\na,400,-4600,710,1\nb,0,-4600,690,1\n"
    where = world(file, text, hosts=2, cells={"shape": "sites", "file": str(sites)}, mobility={"crossing": {}})
    assert where.starting_cells == (0, 2)
    assert departures(where)[0] == [(100, 100, 1, False), (300, 300, 2, False)]


def test_degrees_of_tracks_and_sites_have_the_same_projection(file: Path, tmp_path: Path) -> None:
    stations = ((59.907, 10.735), (59.899, 10.747), (59.921, 10.728), (59.912, 10.761))
    sites = tmp_path / "sites.csv"
    sites.write_text("lat,lon\n" + "".join(f"{north},{east}\n" for north, east in stations))
    file.write_text("node,time,lat,lon\n" + "".join(f"{north},0,{north},{east}\n" for north, east in stations))
    where = world(file, "", cells={"shape": "sites", "file": str(sites)})
    assert where.starting_cells == (0, 1, 2, 3)
    assert where.plane is not None
    for host, site in enumerate(where.plane.sites):
        segment = next(host_path(where, host))
        assert hypot(segment.x - site[0], segment.y - site[1]) < 1e-6


def test_metres_of_a_track_start_at_the_centre_of_sites_in_degrees(file: Path, tmp_path: Path) -> None:
    sites = tmp_path / "sites.csv"
    sites.write_text("lat,lon\n59.90,10.70\n59.92,10.80\n")
    where = world(file, "a,0,0,0,1\nb,0,9,9,1\n", hosts=2, cells={"shape": "sites", "file": str(sites)})
    assert where.plane is not None
    assert where.plane.reference is not None
    assert where.plane.reference == pytest.approx(GeoPoint(59.91, 10.75))
    ((x, y),) = at(host_path(where, 0), [0])
    projected = map(TangentPlane(where.plane.reference).project, (GeoPoint(59.90, 10.70), GeoPoint(59.92, 10.80)))
    for (east, north), site in zip(projected, where.plane.sites, strict=True):
        assert (x + east, y + north) == pytest.approx(site)


@pytest.mark.parametrize(
    ("text", "output"),
    (
        (
            "a,0,-50,50,1\na,50,50,50,1\nb,0,-20,90,1\nb,50,-150,90,1\n",
            (
                "75% of positions are off the plane of 300 m by 100 m, and count for the nearest cell at "
                "its edge; write a shift of the track, like [150 m, -50 m]"
            ),
        ),
        (
            "a,0,50,50,1\na,50,50,-100.5,1\nb,0,20,90,1\nb,50,150,90,1\n",
            (
                "25% of positions are off the plane of 300 m by 100 m, and count for the nearest cell at "
                "its edge; the track covers 130 m by 190 m: write more cells, or more distant cells"
            ),
        ),
    ),
)
def test_a_track_partly_outside_the_plane_causes_a_note(text: str, output: str, file: Path) -> None:
    assert mobility_warnings(world(file, text, hosts=2)) == [f"mobility.track: {output}"]


def test_a_track_on_the_plane_causes_no_note(file: Path) -> None:
    assert mobility_warnings(world(file)) == []
    assert mobility_warnings(world(file, "a,0,50,50,1\na,50,300,100,1\nb,0,0,0,1\nc,0,-150,90,1\n", hosts=2)) == []


def test_the_settings_proposed_by_the_note_put_the_track_on_the_plane(file: Path) -> None:
    text = "a,0,-50.5,50,1\na,50,50,10,1\nb,0,50,50,1\n"
    (output,) = mobility_warnings(world(file, text, hosts=2))
    assert output.endswith("like [51 m, -10 m]")
    assert mobility_warnings(world(file, text, hosts=2, shift=["51 m", "-10 m"])) == []


def test_run_and_validate_print_the_note_about_the_track(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(f"{HEAD}a,0,-50,50,1\na,50,50,50,1\nb,0,20,90,1\n")
    scenario = tmp_path / "half.yaml"
    track = "mobility: {model: track, track: {file: track.csv}}"
    scenario.write_text(f"hosts: 2\nduration: 5 s\nprotocols: fifo\ncells: {{rows: 1, columns: 2}}\n{track}\n")
    note = "  note: mobility.track: 33% of positions are off the plane of 1000 m by 500 m, and count"
    assert main(["validate", str(scenario)]) == 0
    ok, printed = capsys.readouterr().out.splitlines()
    assert ok.startswith("ok: half")
    assert printed.startswith(note)
    assert main(["run", str(scenario), "--no-summary", "--out", str(tmp_path / "out")]) == 0
    assert printed in capsys.readouterr().out.splitlines()
    for command in ("validate", "run"):
        more = ["--no-summary", "--out", str(tmp_path / "out")] if command == "run" else []
        assert main([command, str(scenario), "--json", *more]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found if command == "run" else found[0])["notes"] == [printed.removeprefix("  note: ")]

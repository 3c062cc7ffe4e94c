"""Stations at the sites of a file: how files are read, the errors of files, and the plane around the sites."""

from collections.abc import Callable
from itertools import combinations
from math import dist, hypot
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobilesim.errors import UserError
from mobilesim.geometry.earth import GeoPoint
from mobilesim.scenario.loader import load
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.cells import Cells
from mobilesim.world.cells import neighbours, plane_cells
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.replication import build_world

TOWN = "id,x,y\nharbour,0,0\nmarket,400,0\nstation,400,300\n"


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "sites.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def plane(file: Path, **settings: Any) -> PlaneCells:  # noqa: ANN401 - settings
    return plane_cells(Cells.model_validate({"shape": "sites", "file": file, **settings}))


def test_sites_in_metres_keep_their_distances_and_get_a_margin(written: Callable[[str], Path]) -> None:
    found = plane(written(TOWN), margin="100 m")
    assert list(found.sites) == [(100, 100), (500, 100), (500, 400)]
    assert (found.width, found.height) == (600, 500)
    assert list(found.origin) == [-100, -100]
    assert found.reference is None


def test_the_margin_around_sites_in_rows_is_half_their_spacing(written: Callable[[str], Path]) -> None:
    rows = "".join(f"{column * 70},{row * 70}\n" for row in range(4) for column in range(4))
    found = plane(written(f"x,y\n{rows}"))
    assert (found.width, found.height) == pytest.approx((280, 280))
    line = plane(written("x,y\n0,7\n30,7\n60,7\n"))
    assert (line.width, line.height) == pytest.approx((90, 30))


def test_a_single_site_has_a_margin(written: Callable[[str], Path]) -> None:
    found = plane(written("x,y\n3,4\n"))
    assert (found.sites, found.width, found.height) == (((250, 250),), 500, 500)
    assert found.neighbours == [()]


def test_sites_are_adjacent_if_their_regions_share_a_border(written: Callable[[str], Path]) -> None:
    file = written("x,y\n0,0\n100,0\n200,0\n100,10\n")
    assert (
        neighbours(Cells(shape="sites", file=file)) == plane(file).neighbours == [(1, 3), (0, 2, 3), (1, 3), (0, 1, 2)]
    )


@pytest.mark.parametrize("names", ("lat,lon", "Latitude,Longitude", "lat,lng", "LATITUDE,Long"))
def test_degrees_become_metres_around_the_centre_of_the_sites(names: str, written: Callable[[str], Path]) -> None:
    found = plane(written(f"{names}\n52.5,13.3\n52.5,13.5\n52.6,13.4\n"))
    assert found.reference == pytest.approx(GeoPoint(52.5 + 0.1 / 3, 13.4))
    west, east, north = found.sites
    assert west[1] == pytest.approx(east[1])
    assert west[0] < north[0] < east[0]
    assert north[1] > west[1]
    points = (GeoPoint(52.5, 13.3), GeoPoint(52.5, 13.5), GeoPoint(52.6, 13.4))
    for (one, point), (other, target) in combinations(zip(found.sites, points, strict=True), 2):
        assert dist(one, other) == pytest.approx(point.distance(target), rel=1e-5)


def test_stations_have_the_names_of_the_file(written: Callable[[str], Path]) -> None:
    assert plane(written("id,x,Name,y\n7,0, old\ttown ,0\n8,9,,9\n")).names == ("old town", "")
    assert plane(written("x,y,id\n0,0,7\n9,9\n")).names == ("7", "")
    assert plane(written("x,y\n0,0\n9,9\n")).names == ("", "")


def test_sites_on_both_sides_of_the_date_line_are_close(written: Callable[[str], Path]) -> None:
    (one, other) = plane(written("lat,lon\n-17,179.9\n-17,-179.9\n")).sites
    assert hypot(one[0] - other[0], one[1] - other[1]) == pytest.approx(21_297, rel=1e-3)


def test_csv_files_of_spreadsheets_are_read(written: Callable[[str], Path]) -> None:
    plain = plane(written(TOWN)).sites
    for text in (
        TOWN.replace("\n", "\r\n"),
        f"\ufeff{TOWN}",
        TOWN.replace(",", ";"),
        TOWN.replace(",", "\t"),
        TOWN.replace("x,y", ' "X" , "y" '),
        f"# a town\n\n{TOWN}\n\n",
        "y,colour,x\n0,red,0\n0,,4e2\n+300,blue,400.0\n",
    ):
        assert plane(written(text)).sites == plain


def test_graphml_has_positions_in_metres_or_in_degrees_as_in_topology_zoo(tmp_path: Path) -> None:
    file = tmp_path / "sites.graphml"
    graph: nx.Graph[str] = nx.Graph()
    graph.add_node("a", x=0, y=0.0, label="Harbour")
    graph.add_node("b", x=30, y=40)
    nx.write_graphml(graph, file)
    one, other = plane(file).sites
    assert plane(file).names == ("Harbour", "")
    assert (other[0] - one[0], other[1] - one[1]) == pytest.approx((30, 40))
    zoo: nx.MultiGraph[str] = nx.MultiGraph()
    zoo.add_node("0", label="Oslo", Latitude=59.91, Longitude=10.75, Internal=1)
    zoo.add_node("1", label="Bergen", Latitude=60.39, Longitude=5.32, Internal=1)
    zoo.add_edge("0", "1", LinkSpeedRaw=1e9)
    nx.write_graphml(zoo, file)
    one, other = plane(file).sites
    assert hypot(one[0] - other[0], one[1] - other[1]) == pytest.approx(305_000, rel=0.01)


@pytest.mark.parametrize(
    ("text", "fault"),
    (
        ("", ": line 1: there are no columns 'x' and 'y' (metres) or 'lat' and 'lon' (degrees); the columns are none"),
        (
            "# none\nx\n",
            ": line 2: there are no columns 'x' and 'y' (metres) or 'lat' and 'lon' (degrees); the columns are 'x'",
        ),
        ("x,y,x\n1,2,3\n", ": line 1: there are two columns 'x'; leave one out"),
        ("x,y\n\n", " has no stations; write at least one below the names of the columns"),
        ("x,y\n1,2\n\n3\n", ": line 4: 1 values are too few; write 2 or more"),
        ("x,y\n1,east\n", ": line 2: 'east' is not a number; write y like 12.5"),
        ("x;y\n1,5;2\n", ": line 2: '1,5' is not a number; write x like 12.5"),
        ("x,y\n1,\n", ": line 2: '' is not a number; write y like 12.5"),
        ("x,y\n1,nan\n", ": line 2: 'nan' is not a number; write y like 12.5"),
        ("x,y\n1,-1e9\n", ": line 2: y '-1e9' is out of range; write -100000000 to 100000000 m"),
        ("lat,lon\n13.4,52.5\n91,52.5\n", ": line 3: lat '91' is out of range; write -90 to 90 degrees"),
        (
            "x,y\n1,2\n3,4\n5,6\n3.0,4.0\n",
            ": line 5: this station is at the site of line 3; move it, or leave one of them out",
        ),
        ("x,y\n" + "".join(f"{x},0\n" for x in range(10_001)), " has 10001 stations; the maximum is 10000"),
    ),
)
def test_a_mistake_in_a_file_of_sites_causes_one_error_line(
    text: str, fault: str, written: Callable[[str], Path]
) -> None:
    file = written(text)
    with pytest.raises(UserError) as refused:
        plane(file)
    assert str(refused.value) == f"cells.file: {file}{fault}"


@pytest.mark.parametrize(
    ("more", "fault"),
    (
        ({}, ": its nodes have no 'x' and 'y' (metres) or 'lat' and 'lon' (degrees); write them as attributes of each"),
        (
            {"a": {"Latitude": 1.0, "Longitude": 2.0}},
            ": node 'b' (Bay): the node has no Latitude; add it, or leave the",
        ),
        (
            {"a": {"x": 1.0, "y": 2.0}, "b": {"x": 1.0, "y": 2.0}},
            ": node 'b' (Bay): this station is at the site of node 'a'; move it, or leave one of them out",
        ),
        ({"a": {"x": 1.0, "y": 2.0}, "b": {"x": "far", "y": "2"}}, ": node 'b' (Bay): 'far' is not a number; write x "),
    ),
)
def test_a_mistake_in_a_graph_of_sites_causes_one_error_line(
    more: dict[str, dict[str, Any]], fault: str, tmp_path: Path
) -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_node("a", **more.get("a", {}))
    graph.add_node("b", label="Bay", **more.get("b", {}))
    file = tmp_path / "sites.graphml"
    nx.write_graphml(graph, file)
    with pytest.raises(UserError) as refused:
        plane(file)
    assert str(refused.value).startswith(f"cells.file: {file}{fault}")
    assert "\n" not in str(refused.value)


@pytest.mark.full
@given(st.binary(max_size=60) | st.text("xylatongi,;\n\r\t\"'0159.-+eN#<\0\ufeff", max_size=60).map(str.encode))
def test_random_bytes_are_sites_or_one_error_line(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "any.csv"
        file.write_bytes(content)
        output = outcome(file)
    assert isinstance(output, PlaneCells) or (output.startswith(f"cells.file: {file}") and "\n" not in output)


def outcome(file: Path) -> PlaneCells | str:
    try:
        return plane(file)
    except UserError as error:
        return str(error)


def test_a_changed_file_is_read_again(written: Callable[[str], Path]) -> None:
    assert len(plane(written(TOWN)).sites) == 3
    assert len(plane(written(f"{TOWN}park,0,300\n")).sites) == 4


def test_a_file_removed_after_validation_is_reported(written: Callable[[str], Path]) -> None:
    file = written(TOWN)
    cells = Cells(shape="sites", file=file)
    file.unlink()
    with pytest.raises(UserError, match=rf"^cells\.file: cannot read {file}: No such file or directory$"):
        plane_cells(cells)


def test_hosts_move_among_the_sites_of_a_scenario(written: Callable[[str], Path]) -> None:
    written(TOWN)
    scenario = written(TOWN).with_name("town.yaml")
    scenario.write_text("cells: {shape: sites, file: sites.csv}\n", encoding="utf-8")
    found = build_world(load(scenario), 0)
    assert found.stations == 3
    assert found.neighbours == [(1, 2), (0, 2), (0, 1)]


def test_settings_determined_by_sites_are_refused(written: Callable[[str], Path]) -> None:
    scenario = written(TOWN).with_name("town.yaml")
    scenario.write_text("cells:\n  shape: sites\n  file: sites.csv\n  spacing: 1 km\n", encoding="utf-8")
    with pytest.raises(UserError) as refused:
        load(scenario)
    output = "cells.spacing: the sites determine this key; leave it out, or write another shape"
    assert str(refused.value) == f"{scenario}:4: {output}"


def test_sites_are_hashed_by_the_content_of_their_file(written: Callable[[str], Path]) -> None:
    def hashed(text: str, **more: object) -> str:
        return Scenario.model_validate({"cells": {"shape": "sites", "file": written(text), **more}}).hash

    assert hashed(TOWN) == hashed(TOWN, margin=None, edges=None) != hashed(TOWN, margin="100 m")
    assert hashed(TOWN) != hashed(f"{TOWN}park,0,300\n")


def test_unused_lengths_are_not_written() -> None:
    assert Scenario.model_validate({"cells": {"margin": None}}).normal_form() == {}
    assert Scenario.model_validate({"cells": {"spacing": "0.5 km"}}).hash == Scenario().hash
    assert Scenario.model_validate({"cells": {"spacing": "501 m"}}).hash != Scenario().hash

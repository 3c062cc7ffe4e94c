"""Pictures show cells, stations and the paths of hosts at the right positions."""

import re
from collections.abc import Iterator
from itertools import pairwise
from math import dist, sqrt
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobilesim.drawing.canvas import INK, PAPER, Frame, path_data
from mobilesim.drawing.host_paths import HostPath, Line, host_paths
from mobilesim.drawing.layout import cell_layout
from mobilesim.drawing.scenario_map import picture
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.cells import Cells
from mobilesim.world.mobility import host_actions
from mobilesim.world.mobility.actions import Departure
from mobilesim.world.replication import World, build_world
from tests.support.plane_worlds import host_path

SECOND: Final = 10**9
LARGE: Final = 100_000


def world(**settings: Any) -> World:  # noqa: ANN401 - settings have any type
    return build_world(Scenario.model_validate(settings), 0)


def drawing_of(there: World, hosts: int = 3, seconds: int = 60) -> str:
    return picture(there, hosts, seconds * SECOND)


def elements(text: str, name: str) -> list[ET.Element]:
    return list(ET.fromstring(text).iter(f"{{http://www.w3.org/2000/svg}}{name}"))


def found_paths(there: World, hosts: int, seconds: int) -> list[HostPath]:
    return host_paths(there, cell_layout(there.scenario.cells).stations, hosts, seconds * SECOND)


def length(lines: list[Line]) -> float:
    return sum(dist(one, other) for line in lines for one, other in pairwise(line))


PLACE: Final = st.tuples(st.floats(-900, 900), st.floats(-900, 900))


@given(st.lists(st.lists(PLACE, min_size=1, max_size=5), max_size=5))
def test_the_ends_of_a_drawn_path_are_rounded_to_a_tenth(lines: list[Line]) -> None:
    steps = re.findall(r"([Mmlh])(-?[\d.]+)(?: (-?[\d.]+))?", path_data(lines))
    here, came = (0.0, 0.0), list[tuple[str, tuple[float, float]]]()
    for letter, x, y in steps:
        if letter == "M":
            here = float(x), float(y)
        elif letter in "ml":
            here = here[0] + float(x), here[1] + float(y)
        came.append((letter, here))
    starts = [point for letter, point in came if letter in "Mm"]
    assert len(starts) == len(lines)
    for at, line in zip(starts, lines, strict=True):
        assert at == pytest.approx(line[0], abs=0.051)
    ends = [came[number][1] for number in range(len(came)) if number + 1 == len(came) or came[number + 1][0] in "Mm"]
    for at, line in zip(ends, lines, strict=True):
        assert at == pytest.approx(line[-1], abs=0.051)


def test_north_is_up() -> None:
    frame = Frame(scale=0.5, left=10, bottom=100)
    assert frame.at((0, 0)) == (10, 100)
    assert frame.at((40, 60)) == (30, 70)


def test_a_jumping_host_is_drawn_from_station_to_station() -> None:
    there = world(hosts=4, mobility={"dwell": "exponential 2 s"})
    stations = cell_layout(there.scenario.cells).stations
    for trajectory, steps, home in zip(
        found_paths(there, 4, 30), host_actions(there), there.starting_cells, strict=True
    ):
        stretches, cell = set[frozenset[int]](), home
        for step in steps:
            assert isinstance(step, Departure)
            if step.left > 30 * SECOND:
                break
            stretches.add(frozenset((cell, step.target)))
            cell = step.target
        assert (trajectory.start, trajectory.end) == (stations[home], stations[cell])
        assert {frozenset(map(stations.index, line)) for line in trajectory.connected} == stretches
        assert trajectory.disconnected == []
        assert len(stretches) > 3


def test_a_jump_while_disconnected_is_drawn_as_a_disconnection() -> None:
    there = world(hosts=4, mobility={"dwell": "1 s", "disconnect": {"probability": 1, "duration": "1 s"}})
    assert all(trajectory.disconnected and not trajectory.connected for trajectory in found_paths(there, 4, 30))


def test_a_walking_host_is_drawn_until_the_end_of_the_scenario() -> None:
    there = world(hosts=3, mobility={"model": "waypoint", "waypoint": {"max_speed": "20 m/s"}})
    for trajectory in found_paths(there, 3, 200):
        whole = list(_until(there, trajectory.host, 200))
        assert trajectory.start == (whole[0].x, whole[0].y)
        *before, last = whole
        share = (200 * SECOND - last.start) / (last.end - last.start)
        end = last.x + share * (last.to_x - last.x), last.y + share * (last.to_y - last.y)
        assert trajectory.end == pytest.approx(end)
        walked = sum(dist((segment.x, segment.y), (segment.to_x, segment.to_y)) for segment in before) + dist(
            (last.x, last.y), end
        )
        assert length(trajectory.connected) == pytest.approx(walked)
        assert trajectory.disconnected == []


def _until(there: World, host: int, seconds: int) -> Iterator[Any]:
    for segment in host_path(there, host):
        if segment.start >= seconds * SECOND:
            return
        yield segment


def test_a_cell_change_is_drawn_as_a_ring() -> None:
    settings = {"model": "waypoint", "waypoint": {"max_speed": "20 m/s"}}
    there = world(hosts=3, cells={"rows": 1, "columns": 2}, mobility=settings)
    crossings = [crossing for trajectory in found_paths(there, 3, 600) for crossing in trajectory.crossings]
    assert len(crossings) > 3
    assert all(abs(x - 500) <= 20 for x, _ in crossings)


def test_a_path_out_of_reach_is_drawn_as_a_disconnection() -> None:
    walk = {"model": "waypoint", "waypoint": {"min_speed": "9 m/s", "max_speed": "10 m/s"}}
    there = world(hosts=3, cells={"rows": 2, "columns": 2, "radius": "200 m"}, mobility=walk)
    assert there.plane is not None
    out = [
        point for trajectory in found_paths(there, 3, 600) for line in trajectory.disconnected for point in line[1:-1]
    ]
    inside = [
        point for trajectory in found_paths(there, 3, 600) for line in trajectory.connected for point in line[1:-1]
    ]
    assert out
    far = [sqrt(there.plane.squared(there.plane.nearest(*place_), *place_)) for place_ in out]
    near = [sqrt(there.plane.squared(there.plane.nearest(*place_), *place_)) for place_ in inside]
    distance_between_checks = 10.0
    assert 200 - distance_between_checks <= min(far)
    assert max(near) <= 200 + distance_between_checks


@pytest.mark.full
@pytest.mark.parametrize(
    "settings",
    (
        {},
        {"cells": {"shape": "hex", "radius": "250 m"}, "mobility": {"model": "gauss-markov"}},
        {"cells": {"shape": "graph", "edges": [[0, 1], [1, 2], [2, 0]]}, "backbone": {"topology": "ring"}},
        {"cells": {"rows": 1, "columns": 1}, "mobility": {"model": "static"}},
        {"cells": {"rows": 1, "columns": 60}},
        {"cells": {"rows": 100, "columns": 100}, "mobility": {"model": "levy"}},
    ),
    ids=str,
)
def test_a_picture_is_small_well_formed_and_reproducible(settings: dict[str, Any]) -> None:
    once, again = drawing_of(world(**settings)), drawing_of(world(**settings))
    assert once == again
    assert len(once.encode()) < LARGE
    assert [text.text for text in elements(once, "text") if text.get("font-weight")] == ["0", "1", "2"]


@pytest.mark.full
def test_a_long_path_is_simplified_to_limit_the_file_size() -> None:
    walk = {"model": "gauss-markov", "gauss_markov": {"speed": "60 m/s"}}
    assert len(drawing_of(world(hosts=12, mobility=walk), hosts=12, seconds=8_000).encode()) < LARGE


def test_stations_are_numbered_and_a_sparse_backbone_is_drawn() -> None:
    ring = drawing_of(world(backbone={"topology": "ring"}), hosts=0)
    output = [text.text for text in elements(ring, "text")]
    assert output[:9] == list("012345678")
    assert output[-1] == "backbone"
    assert "backbone" not in drawing_of(world(), hosts=0)


def test_a_long_legend_has_two_lines() -> None:
    cells = {"shape": "hex", "rows": 5, "columns": 2, "spacing": "100 m", "radius": "70 m"}
    walk = {"model": "waypoint"}
    found = drawing_of(world(cells=cells, mobility=walk, backbone={"topology": "ring"}), hosts=9, seconds=600)
    entries = [text for text in elements(found, "text") if text.get("font-size") == "12"]
    rows = {text.get("y") for text in entries if text.text in {"start", "changes its cell", "backbone"}}
    assert len(rows) == 2
    width, height = (float(size) for size in elements(found, "svg")[0].get("viewBox", "").split()[2:])
    assert max(float(text.get("y", 0)) for text in entries) < height
    assert max(float(text.get("x", 0)) + 6.6 * len(text.text or "") for text in entries) < width


def test_the_outlines_of_numbers_are_separate_elements_below_them() -> None:
    groups = [group for group in elements(drawing_of(world(), hosts=0), "g") if group.get("font-size") == "10"]
    outline, ink = ([(text.text, text.get("x"), text.get("y")) for text in group] for group in groups)
    assert outline == ink
    assert [group.get("fill") for group in groups] == [PAPER, INK]
    assert [group.get("stroke") for group in groups] == [PAPER, None]


def test_names_of_stations_are_drawn_if_they_do_not_overlap(tmp_path: Path) -> None:
    file = tmp_path / "sites.csv"
    rows = ("harbour,0,0", "<gate>,270,300", "an alley,300,300", ",600,0", "3rd\x07 & last,0,600", "far east,600,600")
    file.write_text("\n".join(("name,x,y", *rows)))
    text = drawing_of(world(cells={"shape": "sites", "file": str(file), "margin": "40 m"}), hosts=0)
    assert [text.text for text in elements(text, "text")][:6] == [
        "0 harbour",
        "1",
        "2 an alley",
        "3",
        "4 3rd & last",
        "5",
    ]


def test_the_reach_of_each_station_is_drawn_as_a_circle() -> None:
    walk = {"model": "waypoint"}
    text = drawing_of(world(cells={"rows": 1, "columns": 2, "radius": "100 m"}, mobility=walk), hosts=0)
    scale = 760 / 1000
    (one, other, *_) = elements(text, "circle")
    assert float(other.get("cx", 0)) - float(one.get("cx", 0)) == pytest.approx(500 * scale)
    assert float(one.get("r", 0)) == pytest.approx(100 * scale)


def test_cells_of_a_graph_have_the_files_positions_or_a_spring_layout(tmp_path: Path) -> None:
    file = tmp_path / "cells.graphml"
    graph: nx.Graph[int] = nx.path_graph(3)
    nx.write_graphml(graph, file)
    springs = cell_layout(Cells(shape="graph", file=file))
    assert len(set(springs.stations)) == 3
    assert cell_layout(Cells(shape="graph", file=file)) == springs
    for node, (x, y) in enumerate(((0, 0), (30, 40), (80, 40))):
        graph.add_node(node, x=x, y=y)
    nx.write_graphml(graph, file)
    one, middle, other = cell_layout(Cells(shape="graph", file=file)).stations
    assert dist(one, middle) == pytest.approx(50)
    assert dist(middle, other) == pytest.approx(50)


def test_a_name_with_markup_is_escaped() -> None:
    text = drawing_of(world(name='<b> & "c"'), hosts=0)
    assert any((text_.text or "").startswith('<b> & "c": 9 cells') for text_ in elements(text, "text"))

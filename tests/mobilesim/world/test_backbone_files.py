"""Backbones from GraphML files of the Internet Topology Zoo, which may lack positions and speeds."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.loader import loads
from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.world.backbone.topology import Topology, build_backbone
from mobilesim.world.random_streams import Streams
from mobilesim.world.replication import build_world

MS = 1_000_000

HEAD = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
"""
KEYS = """  <key attr.name="label" attr.type="string" for="edge" id="d36" />
  <key attr.name="LinkSpeed" attr.type="string" for="edge" id="d35" />
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="{speed}" />
  <key attr.name="label" attr.type="string" for="node" id="d33" />
  <key attr.name="Longitude" attr.type="double" for="node" id="{longitude}" />
  <key attr.name="Latitude" attr.type="double" for="node" id="{latitude}" />
  <key attr.name="Internal" attr.type="int" for="node" id="d31" />
"""
IDS = {"speed": "d34", "longitude": "d32", "latitude": "d29"}
OTHER_IDS = {"speed": "d29", "longitude": "d40", "latitude": "d32"}

BERN, ZURICH, GENEVA = (46.948, 7.447), (47.377, 8.541), (46.204, 6.143)
"""Zurich is about 95 km from Bern, Geneva 130 km from Bern."""

Node = tuple[str, tuple[object, object] | None]
Edge = tuple[int, int, object]


def graphml(nodes: Iterable[Node], edges: Iterable[Edge], ids: dict[str, str] | None = None) -> str:
    """Return GraphML with nodes (label, position) and edges (two ends, speed). None stands for a missing value."""
    ids = ids or IDS
    lines = [HEAD, KEYS.format(**ids), '  <graph edgedefault="undirected">\n']
    for number, (label, where) in enumerate(nodes):
        lines.append(f'    <node id="{number}"><data key="d33">{label}</data><data key="d31">1</data>')
        if where is not None:
            latitude, longitude = where
            lines.append(f'<data key="{ids["latitude"]}">{latitude}</data>')
            lines.append(f'<data key="{ids["longitude"]}">{longitude}</data>')
        lines.append("</node>\n")
    for number, (source, target, speed) in enumerate(edges):
        lines.append(f'    <edge id="e{number}" source="{source}" target="{target}"><data key="d36">fibre</data>')
        lines.append("" if speed is None else f'<data key="{ids["speed"]}">{speed}</data>')
        lines.append("</edge>\n")
    return "".join((*lines, "  </graph>\n</graphml>\n"))


SWISS: tuple[Node, ...] = (("Bern", BERN), ("Zurich", ZURICH), ("Geneva", GENEVA), ("Abroad", None))
LINES: tuple[Edge, ...] = ((0, 1, 1e10), (2, 0, 155000000.0), (1, 3, None), (1, 0, 2.5e9), (0, 0, 1e9))


@pytest.fixture(params=(IDS, OTHER_IDS), ids=("usual keys", "other keys"))
def file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "swiss.graphml"
    path.write_text(graphml(SWISS, LINES, request.param), encoding="utf-8")
    return path


def topology_of(file: Path, **settings: Any) -> Topology:  # noqa: ANN401 - settings
    backbone = Backbone.model_validate({"topology": "graphml", "file": file, "latency": "1 ms", **settings})
    return build_backbone(backbone, 4, Streams(1, 0))


def test_parallel_links_are_merged_and_loops_are_ignored(file: Path) -> None:
    assert topology_of(file).pairs == ((0, 1), (0, 2), (1, 3))


def test_speeds_and_positions_of_a_file_are_used_only_on_request(file: Path) -> None:
    assert {(wire.latency, wire.bandwidth) for wire in wires(topology_of(file))} == {(MS, 100_000_000)}


def wires(topology: Topology) -> list[Any]:
    assert topology.pairs is not None
    return [topology.wire(*pair) for pair in topology.pairs]


def test_links_have_the_speed_of_the_file_or_of_the_backbone(file: Path) -> None:
    topology = topology_of(file, speeds="file", bandwidth="7 Mbit/s")
    assert [wire.bandwidth for wire in wires(topology)] == [10**10, 155_000_000, 7_000_000]
    assert topology.wire(2, 0).bandwidth == 155_000_000


def test_settings_of_a_link_in_the_scenario_override_the_file(file: Path) -> None:
    links = ({"between": (0, 2), "bandwidth": "1 kbit/s"}, {"between": (0, 1), "latency": "5 ms"})
    topology = topology_of(file, speeds="file", links=links)
    assert topology.wire(2, 0).bandwidth == 1000
    assert (topology.wire(0, 1).bandwidth, topology.wire(0, 1).latency) == (10**10, 5 * MS)


def test_distances_are_geodesic_and_zero_if_unknown(file: Path) -> None:
    to_zurich, to_geneva, abroad = (wire.latency - MS for wire in wires(topology_of(file, propagation="distance")))
    assert to_zurich / 5000 == pytest.approx(95, abs=1)
    assert to_geneva / 5000 == pytest.approx(130, abs=1)
    assert abroad == 0


def test_without_positions_in_the_file_those_of_the_cells_are_used(tmp_path: Path) -> None:
    path = tmp_path / "bare.graphml"
    path.write_text(graphml([(name, None) for name in "abc"], [(0, 1, None), (0, 2, None)]), encoding="utf-8")
    wired = f"backbone: {{topology: graphml, file: {path}, latency: 0 s, propagation: distance}}\nname: bare\n"
    topology = build_world(loads(f"cells: {{rows: 1, columns: 3, spacing: 10 km}}\n{wired}"), 0).topology
    assert [wire.latency for wire in wires(topology)] == [50_000, 100_000]
    with pytest.raises(UserError) as refused:
        build_world(loads(f"cells: {{shape: graph, edges: [[0, 1], [1, 2]]}}\n{wired}"), 0)
    assert str(refused.value).startswith("backbone.propagation: cells of a graph have no positions; ")


@pytest.mark.parametrize(
    ("nodes", "edges", "fault"),
    (
        (SWISS, [(0, 1, None), (2, 3, None)], "no path leads from node 0 ('Bern') to node 2 ('Geneva')"),
        (SWISS[:2], [(0, 1, None)], " has 2 nodes for 4 cells; every cell has a station"),
        ((*SWISS[:3], ("Pole", (93, 8))), LINES, "node '3' (Pole): lat 93.0 is out of range; write -90 to 90 degrees"),
        (
            (*SWISS[:3], ("Nowhere", ("nan", 8))),
            LINES,
            "node '3' (Nowhere): 'nan' is not a number; write lat like 12.5",
        ),
        (SWISS, [*LINES, (2, 3, -1)], "the edge from '2' to '3': -1 bit/s is not a bandwidth"),
        (SWISS, [*LINES, (2, 3, "inf")], "the edge from '2' to '3': LinkSpeedRaw is 'inf', which is not a number"),
    ),
)
def test_an_unusable_backbone_file_causes_one_error_line(
    nodes: list[Node], edges: list[Edge], fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "zoo.graphml"
    path.write_text(graphml(nodes, edges), encoding="utf-8")
    with pytest.raises(UserError) as refused:
        topology_of(path, propagation="distance", speeds="file")
    joint = "" if fault.startswith(" ") else ": "
    assert str(refused.value) == f"backbone.file: {path}{joint}{fault}"


def test_numbers_may_be_stored_as_text(tmp_path: Path) -> None:
    path = tmp_path / "texts.graphml"
    text = graphml(SWISS, LINES).replace('"double"', '"string"').replace("10000000000.0", " 1e10 ")
    path.write_text(text, encoding="utf-8")
    assert topology_of(path, speeds="file").wire(0, 1).bandwidth == 10**10


def test_a_speed_of_zero_counts_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "empty.graphml"
    path.write_text(graphml(SWISS, [*LINES, (2, 3, 0.0)]), encoding="utf-8")
    assert topology_of(path, speeds="file").wire(2, 3).bandwidth == 100_000_000

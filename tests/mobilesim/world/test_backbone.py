"""The backbone: its links, overrides of single links, and shortest paths."""

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.scenario.values.distributions import Constant, Exponential
from mobilesim.world.backbone.topology import Topology, Wire, build_backbone
from mobilesim.world.random_streams import Streams

MS = 1_000_000


def topology_of(stations: int, **settings: Any) -> Topology:  # noqa: ANN401 - settings
    return build_backbone(Backbone.model_validate(settings), stations, Streams(1, 0))


def way(topology: Topology, source: int, target: int) -> tuple[int, ...]:
    assert topology.routes is not None
    return topology.routes[source][target]


def test_in_a_complete_network_every_pair_of_stations_has_a_link() -> None:
    mesh = topology_of(4, latency="5 ms", jitter="exponential 1 ms")
    assert mesh.routes is None
    assert mesh.wire(0, 3) == mesh.wire(2, 1) == Wire(5 * MS, 100_000_000, Exponential(MS))


def test_on_a_ring_packets_take_the_shorter_direction() -> None:
    ring = topology_of(5, topology="ring")
    assert [way(ring, 0, target) for target in range(5)] == [(), (1,), (1, 2), (4, 3), (4,)]
    assert way(ring, 3, 0) == (4, 0)


def test_a_ring_may_have_one_or_two_stations() -> None:
    assert way(topology_of(1, topology="ring"), 0, 0) == ()
    pair = topology_of(2, topology="ring")
    assert [way(pair, *ends) for ends in ((0, 0), (0, 1), (1, 0))] == [(), (1,), (0,)]


def test_in_a_star_every_packet_passes_the_hub() -> None:
    star = topology_of(4, topology="star")
    assert [way(star, 1, target) for target in range(4)] == [(0,), (), (0, 2), (0, 3)]
    assert [way(star, 0, target) for target in range(4)] == [(), (1,), (2,), (3,)]


@pytest.mark.parametrize(
    ("branching", "source", "target", "expected"),
    ((2, 3, 6, (1, 0, 2, 6)), (2, 3, 4, (1, 4)), (3, 4, 3, (1, 0, 3)), (1, 0, 3, (1, 2, 3)), (6, 5, 6, (0, 6))),
)
def test_in_a_tree_packets_climb_to_the_common_ancestor(
    branching: int, source: int, target: int, expected: tuple[int, ...]
) -> None:
    assert way(topology_of(7, topology="tree", branching=branching), source, target) == expected


def test_an_override_changes_only_its_settings_in_both_directions() -> None:
    links = ({"between": (2, 1), "latency": "50 ms"}, {"between": (0, 3), "bandwidth": "1 kbit/s", "jitter": "2 ms"})
    mesh = topology_of(4, links=links)
    standard = mesh.wire(0, 1)
    assert mesh.wire(1, 2) == mesh.wire(2, 1) == Wire(50 * MS, standard.bandwidth, standard.jitter)
    assert mesh.wire(3, 0) == mesh.wire(0, 3) == Wire(standard.latency, 1000, Constant(2 * MS))


@pytest.mark.parametrize("slow", ({"latency": "50 ms"}, {"jitter": "exponential 50 ms"}))
def test_packets_avoid_a_slow_link(slow: dict[str, str]) -> None:
    ring = topology_of(4, topology="ring", links=({"between": (0, 1), **slow},))
    assert way(ring, 0, 1) == (3, 2, 1)
    assert way(ring, 1, 0) == (2, 3, 0)


@pytest.mark.parametrize("jitter", ("pareto 0.5 1 ms", "uniform 1 ms 3 ms"))
def test_shortest_paths_use_the_mean_of_the_jitter(jitter: str) -> None:
    ring = topology_of(4, topology="ring", jitter=jitter)
    assert way(ring, 0, 1) == (1,)


def test_without_delays_the_shortest_path_has_the_fewest_links() -> None:
    assert way(topology_of(6, topology="ring", latency="0 s"), 0, 2) == (1, 2)


def test_a_backbone_file_has_its_links(tmp_path: Path) -> None:
    path = tmp_path / "backbone.graphml"
    nx.write_graphml(nx.Graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]), path)
    topology = topology_of(4, topology="graphml", file=path)
    assert [way(topology, 0, target) for target in range(4)] == [(), (1,), (1, 2), (1, 3)]


@pytest.mark.parametrize(
    ("graph", "fault"),
    (
        (nx.path_graph(3), "backbone.file: {path} has 3 nodes for 4 cells; every cell has a station"),
        (
            nx.Graph([("a", "b"), ("c", "d")]),
            "backbone.file: {path}: no path leads from node 0 ('a') to node 2 ('c')",
        ),
        (nx.Graph(), "backbone.file: {path} has no nodes"),
    ),
)
def test_a_graph_that_cannot_be_a_backbone_is_refused(graph: "nx.Graph[str]", fault: str, tmp_path: Path) -> None:
    path = tmp_path / "backbone.graphml"
    nx.write_graphml(graph, path)
    with pytest.raises(UserError) as refused:
        topology_of(4, topology="graphml", file=path)
    assert str(refused.value) == fault.format(path=path)


def test_an_override_of_a_link_that_the_file_does_not_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "backbone.graphml"
    nx.write_graphml(nx.path_graph(3), path)
    with pytest.raises(UserError) as refused:
        topology_of(3, topology="graphml", file=path, links=({"between": (2, 0), "latency": "1 s"},))
    assert str(refused.value) == "backbone.links: there is no link between stations 0 and 2"


@pytest.mark.parametrize("content", ("", "stations: 3", "<graphml/>", "<html><body/></html>", "\0"))
def test_a_file_that_is_not_graphml_causes_one_error_line(content: str, tmp_path: Path) -> None:
    path = tmp_path / "backbone.graphml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError) as refused:
        topology_of(3, topology="graphml", file=path)
    assert str(refused.value).startswith(f"backbone.file: {path} ")
    assert "\n" not in str(refused.value)

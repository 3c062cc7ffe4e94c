"""Named and random backbones: their links and probabilities."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import dist, exp
from random import Random
from statistics import fmean
from typing import Any

import networkx as nx
import pytest

from mobilesim.errors import UserError
from mobilesim.geometry.graph_shapes import SHAPES
from mobilesim.geometry.named_graphs import KINDS
from mobilesim.scenario.loader import loads
from mobilesim.scenario.sections.backbone import Backbone, link_fault
from mobilesim.world.backbone.shortest_paths import Routes, shortest_route
from mobilesim.world.backbone.topology import Topology, barabasi_albert, build_backbone, waxman
from mobilesim.world.random_streams import Streams
from mobilesim.world.replication import build_world

MS = 1_000_000


def topology_of(stations: int, replication: int = 0, **settings: Any) -> Topology:  # noqa: ANN401 - settings
    return build_backbone(Backbone.model_validate(settings), stations, Streams(1, replication))


def as_graph(stations: int, pairs: Any) -> "nx.Graph[int]":  # noqa: ANN401 - an iterable of pairs
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(stations))
    graph.add_edges_from(pairs)
    return graph


def test_the_triangle_topology_equals_the_hierarchical_triangle_of_the_clocks() -> None:
    triangle = topology_of(7, topology="triangle")
    assert triangle.pairs == ((0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (2, 5), (2, 6), (3, 4), (5, 6))
    assert {(min(pair), max(pair)) for pair in KINDS["hierarchical-triangle"](7, 2)} == set(triangle.pairs)
    assert triangle.routes is not None
    assert triangle.routes[3][6] == (1, 2, 6)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_named_link_is_accepted_exactly_if_the_topology_has_it(shape: str) -> None:
    for stations in range(1, 12):
        for branching in range(1, 5):
            pairs = list(SHAPES[shape](stations, branching))
            joined = {
                pair
                for pair in combinations(range(stations), 2)
                if link_fault(shape, pair, stations, branching) is None
            }
            assert joined == set(pairs)
            assert len(joined) == len(pairs)


@pytest.mark.parametrize("settings", ({"topology": "barabasi-albert", "attachments": 2}, {"topology": "waxman"}))
def test_paths_are_shortest_paths_with_networkx_ties(settings: dict[str, Any]) -> None:
    drawn = topology_of(40, **settings)
    assert drawn.routes is not None
    assert drawn.pairs is not None
    graph = as_graph(40, drawn.pairs)
    for source in range(40):
        found = nx.single_source_dijkstra_path(graph, source)
        assert {target: (source, *drawn.routes[source][target]) for target in range(40)} == {
            target: tuple(route) for target, route in found.items()
        }


@pytest.mark.parametrize("weights", ((1.0,), (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)), ids=("alike", "whole", "rounded"))
@pytest.mark.parametrize(
    "settings",
    ({"topology": "barabasi-albert", "attachments": 3}, {"topology": "waxman", "alpha": 0.9}, {"topology": "ring"}),
    ids=lambda settings: str(settings["topology"]),
)
def test_detours_are_shortest_remaining_paths_with_networkx_ties(
    settings: dict[str, Any], weights: tuple[float, ...]
) -> None:
    pairs, chance = list(topology_of(30, **settings).links), Random(1)
    delays = {pair: chance.choice(weights) for pair in pairs}
    around: list[list[tuple[int, float]]] = [[] for _ in range(30)]
    for one, other in pairs:
        around[one].append((other, delays[one, other]))
        around[other].append((one, delays[one, other]))
    routes = Routes(around)
    for _ in range(100):
        down, (here, target) = set(chance.sample(pairs, len(pairs) // 4)), chance.sample(range(30), 2)
        graph = as_graph(30, ())
        graph.add_weighted_edges_from((*pair, delays[pair]) for pair in pairs if pair not in down)
        found = nx.single_source_dijkstra_path(graph, here).get(target)
        expected = None if found is None else tuple(found[1:])
        assert shortest_route(around, here, target, down, routes[target].distances) == expected
        assert shortest_route(around, here, target, down) == expected


def test_a_detour_in_a_dense_backbone_visits_few_stations() -> None:
    """The search visits the stations on the detour, but not all stations at the same distance."""
    looked: list[int] = []

    class Watched(list[tuple[int, float]]):
        def __iter__(self) -> Iterator[tuple[int, float]]:
            looked.append(len(self))
            return super().__iter__()

    around = [Watched((other, 1.0) for other in range(200) if other != one) for one in range(200)]
    far = Routes(around)[199].distances
    looked.clear()
    assert shortest_route(around, 3, 199, {(3, 199)}, far) == (0, 199)
    assert len(looked) < 10


@pytest.mark.parametrize("topology", ("barabasi-albert", "waxman"))
def test_a_random_backbone_depends_on_the_seed_and_the_replication(topology: str) -> None:
    first, again, other = (topology_of(30, replication, topology=topology).pairs for replication in (0, 0, 1))
    assert first == again != other


@pytest.mark.parametrize("attachments", (1, 2, 4))
def test_every_new_station_of_barabasi_albert_has_the_configured_links(attachments: int) -> None:
    pairs = barabasi_albert(200, attachments, Random(1))
    assert len(pairs) == attachments + attachments * (200 - attachments - 1)
    older = Counter(newcomer for _, newcomer in pairs)
    assert all(older[newcomer] == attachments for newcomer in range(attachments + 1, 200))
    assert nx.is_connected(as_graph(200, pairs))


def test_degrees_of_barabasi_albert_follow_the_power_law() -> None:
    """P(k) = 2 m (m + 1) / (k (k + 1) (k + 2)), which is about 2 m^2 / k^3 for large k (Dorogovtsev et al. 2000;
    Bollobás et al. 2001).
    """
    stations, links, draws = 4000, 2, 5
    degrees: Counter[int] = Counter()
    for seed in range(draws):
        degrees.update(Counter(end for pair in barabasi_albert(stations, links, Random(seed)) for end in pair).values())
    for degree in range(links, 9):
        required = 2 * links * (links + 1) / (degree * (degree + 1) * (degree + 2))
        deviation = (required / (stations * draws)) ** 0.5
        assert degrees[degree] / (stations * draws) == pytest.approx(required, abs=5 * deviation)
    tail = sum(count for degree, count in degrees.items() if degree >= 20) / (stations * draws)
    assert tail == pytest.approx(links * (links + 1) / (20 * 21), rel=0.2)


@pytest.mark.full
def test_links_of_waxman_have_probabilities_that_depend_on_length() -> None:
    alpha, beta, draws = 0.3, 0.6, 300
    stream = Random(3)
    sites = [(stream.random(), stream.random()) for _ in range(40)]
    lengths = {(one, other): dist(sites[one], sites[other]) for one, other in combinations(range(40), 2)}
    longest = max(lengths.values())
    drawn = Counter(pair for seed in range(draws) for pair in waxman(sites, alpha, beta, Random(seed)))
    for low in range(8):
        band = [pair for pair, length in lengths.items() if low / 8 < length / longest <= (low + 1) / 8]
        required = fmean(beta * exp(-lengths[pair] / (alpha * longest)) for pair in band)
        deviation = (required * (1 - required) / (len(band) * draws)) ** 0.5
        found = sum(drawn[pair] for pair in band) / (len(band) * draws)
        # The graph is so dense that hardly any links are added to connect its components.
        assert found == pytest.approx(required, abs=5 * deviation)


def test_components_of_a_sparse_waxman_graph_are_joined_by_shortest_links() -> None:
    """Without random links, the added links form the minimum spanning tree."""
    stream = Random(4)
    sites = [(stream.random(), stream.random()) for _ in range(30)]
    pairs = waxman(sites, 1e-9, 1e-9, Random(1))
    whole = as_graph(30, ())
    whole.add_weighted_edges_from(
        (one, other, dist(sites[one], sites[other])) for one, other in combinations(range(30), 2)
    )
    assert pairs == {(min(pair), max(pair)) for pair in nx.minimum_spanning_edges(whole, data=False)}
    assert nx.is_connected(as_graph(30, waxman(sites, 0.1, 0.3, Random(2))))


def test_waxman_uses_the_positions_of_the_stations() -> None:
    """In a row of cells, with this alpha, only adjacent cells are linked."""
    scenario = loads(
        "cells: {rows: 1, columns: 8}\nbackbone: {topology: waxman, alpha: 1.0e-6, beta: 1.0}\nname: row\n"
    )
    assert build_world(scenario, 0).topology.pairs == tuple((cell, cell + 1) for cell in range(7))


@pytest.mark.parametrize(("stations", "topology"), ((1, "waxman"), (2, "waxman"), (1, "triangle"), (2, "triangle")))
def test_the_smallest_backbones_have_all_possible_links(stations: int, topology: str) -> None:
    assert topology_of(stations, topology=topology).pairs == (((0, 1),) if stations == 2 else ())


def test_distance_adds_five_microseconds_per_kilometre() -> None:
    text = "cells: {rows: 2, columns: 3, spacing: 4 km}\nbackbone: {latency: 1 ms, propagation: distance}\nname: far\n"
    topology = build_world(loads(text), 0).topology
    assert topology.wire(0, 1).latency == topology.wire(4, 1).latency == MS + 20_000
    assert topology.wire(0, 5).latency == MS + round(5 * 4000 * 5**0.5)


def test_with_distance_delays_packets_take_the_shortest_path_in_metres() -> None:
    """On a ring through a row of stations, one link is as long as all the others together."""
    text = "cells: {rows: 1, columns: 5, spacing: 4 km}\nname: row\nbackbone: {topology: ring, latency: 0 s"
    fewest, shortest_route = (
        build_world(loads(text + more), 0).topology.routes for more in ("}\n", ", propagation: distance}\n")
    )
    assert fewest is not None
    assert shortest_route is not None
    assert (fewest[0][3], shortest_route[0][3]) == ((4, 3), (1, 2, 3))


REFUSED = (
    (
        "cells: 2\nbackbone: {topology: barabasi-albert}\n",
        "2: backbone.attachments: 2 links of each added station need more than 2 stations; write fewer",
    ),
    (
        "cells: {rows: 50, columns: 50}\nbackbone: {topology: waxman}\n",
        "2: backbone.topology: 2500 stations are too many for 'waxman', which draws every pair; the maximum is 2000",
    ),
    (
        "backbone: {topology: waxman, links: [{between: [0, 1]}]}\n",
        (
            "1: backbone.links[0].between: the links of a waxman are drawn in each replication; leave this entry out, "
            "or write another topology"
        ),
    ),
    (
        "backbone:\n  topology: triangle\n  failures: {schedule: [{between: [0, 3], at: 1 s, duration: 1 s}]}\n",
        "3: backbone.failures.schedule[0].between: a triangle of 9 stations has no link between 0 and 3",
    ),
    ("backbone: {speeds: file}\n", "1: backbone.speeds: a mesh has no file; write 'topology: graphml', or 'bandwidth'"),
    (
        "cells: {shape: graph, edges: [[0, 1]]}\nbackbone: {propagation: distance}\n",
        "2: backbone.propagation: cells of a graph have no positions; write 'latency', or cells of another shape",
    ),
    (
        "backbone: {failures: {}}\n",
        "1: backbone.failures.interval: no failures; write an interval, like 'exponential 60 s', or a schedule",
    ),
    (
        "backbone: {failures: {interval: 0 s}}\n",
        "1: backbone.failures.interval: with an interval of 0 s links would never work; write more than 0 s",
    ),
    ("backbone: {topology: waxman, alpha: 0.0}\n", "1: backbone.alpha: 0.0 is too little; write more than 0"),
)


@pytest.mark.parametrize(("text", "error"), REFUSED)
def test_impossible_backbone_settings_cause_one_error_line(text: str, error: str) -> None:
    with pytest.raises(UserError) as refused:
        loads(text, "x.yaml")
    assert str(refused.value) == f"x.yaml:{error}"


def test_too_many_links_per_new_station_are_refused_with_stations_of_a_file() -> None:
    with pytest.raises(
        UserError, match=r"^backbone\.attachments: 5 links of each added station need more than 4 stations"
    ):
        topology_of(4, topology="barabasi-albert", attachments=5)


NEW = {"attachments", "alpha", "beta"}


def test_unused_settings_of_a_topology_are_not_written() -> None:
    assert not NEW & Backbone().model_dump(mode="json").keys()
    waxman = Backbone.model_validate({"topology": "waxman", "alpha": 0.5}).model_dump(mode="json")
    assert waxman.keys() & NEW == {"alpha", "beta"}

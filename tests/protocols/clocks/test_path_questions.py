"""Acyclic paths in directed graphs, compared with an enumeration, and one graph for each test of the search."""

from itertools import permutations
from random import Random

import networkx as nx

from mobilesim.protocols.clocks.known_links.allocation import allocate
from mobilesim.protocols.clocks.known_links.path_questions import DirectedPaths
from mobilesim.protocols.clocks.links import Links, bit_set, members
from tests.support.clocks import literal
from tests.support.clocks.graphs import both_ways, linked

BUDGET = 20_000


def sparse(seed: int) -> Links:
    random = Random(seed)
    size, density = random.randint(6, 9), random.choice((0.15, 0.2, 0.25))
    return linked(size, [pair for pair in permutations(range(size), 2) if random.random() < density])


def test_the_search_finds_exactly_the_paths_and_loops_of_the_graph() -> None:
    for seed in range(60):
        links = sparse(seed)
        walks, graph = DirectedPaths(links, BUDGET), literal.digraph(links)
        for source, target in permutations(range(links.size), 2):
            paths = nx.all_simple_paths(graph, source, target)
            assert walks.on_paths(source, 1 << target) == bit_set(p for path in paths for p in path)
        loops = list(nx.simple_cycles(graph))
        for gateway in range(links.size):
            assert walks.loops(gateway, 0) == bit_set(p for loop in loops if gateway in loop for p in loop)
        assert walks.exact


def test_the_search_finds_a_loop_through_three_processes_if_there_is_one() -> None:
    found = set()
    for seed in range(60):
        links = sparse(seed)
        walks, loops = DirectedPaths(links, BUDGET), list(nx.simple_cycles(literal.digraph(links)))
        for three in permutations(range(links.size), 3):
            gateway, process, other = three
            there = any(set(three) <= set(loop) for loop in loops)
            assert walks.share_a_loop(gateway, process, 1 << other, 0) == there
            found.add(there)
    assert found == {True, False}


def test_a_path_without_a_shortest_half_needs_the_search() -> None:
    s, d, a, p, t, x, xx, y, yy = range(9)
    shortcuts = [(d, a), (a, p), (a, d), (d, t)]
    links = linked(9, [(s, d), *shortcuts, (d, x), (x, xx), (xx, p), (p, a), (a, y), (y, yy), (yy, t)])
    assert DirectedPaths(links, BUDGET).on_paths(s, 1 << t) == links.all_processes


def test_a_process_behind_a_cut_vertex_is_excluded_without_a_search() -> None:
    side = 6
    grid = [(p, p + 1) for p in range(side * side) if (p + 1) % side]
    grid += [(p, p + side) for p in range(side * side - side)]
    corner, hanging, source = side * side - 1, side * side, side * side + 1
    links = linked(side * side + 2, [*both_ways([*grid, (side, hanging)]), (source, 0)])
    walks = DirectedPaths(links, BUDGET)
    assert set(members(links.all_processes & ~walks.on_paths(source, 1 << corner))) == {hanging}
    assert walks.exact


def test_a_graph_without_loops_needs_no_search() -> None:
    random = Random(7)
    links = linked(100, [(p, q) for p in range(100) for q in range(p + 1, 100) if random.random() < 0.1])
    walks = DirectedPaths(links, 0)
    graph = literal.digraph(links)
    on = [p for p in range(100) if nx.has_path(graph, 3, p) and nx.has_path(graph, p, 95)]
    assert walks.on_paths(3, 1 << 95) == bit_set(on)
    assert walks.exact


def test_most_processes_of_a_large_graph_need_no_search() -> None:
    random = Random(5)
    links = linked(50, [pair for pair in permutations(range(50), 2) if random.random() < 0.1])
    assert allocate(links, 2, budget=50_000).exact

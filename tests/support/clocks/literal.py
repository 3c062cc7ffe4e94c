"""The allocations as printed, by enumeration of every path and every loop."""

from collections.abc import Iterator
from itertools import permutations

import networkx as nx

from mobilesim.protocols.clocks.links import Links, members

Sets = list[set[int]]


def digraph(links: Links) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    for process in range(links.size):
        graph.add_node(process)
    graph.add_edges_from(links.pairs())
    return graph


def triples(links: Links) -> Iterator[tuple[int, int, int]]:
    """Yield every (p1, p2, pR)."""
    for receiver, senders in enumerate(links.before):
        for one, other in permutations(members(senders), 2):
            yield one, other, receiver


def allocation_1(links: Links) -> Sets:
    clocks: Sets = [set() for _ in range(links.size)]
    graph = digraph(links)
    for one, other, _ in triples(links):
        between = [p for p in range(links.size) if nx.has_path(graph, one, p) and nx.has_path(graph, p, other)]
        _add(clocks, between, one)
    return clocks


def allocation_2(links: Links) -> Sets:
    clocks: Sets = [set() for _ in range(links.size)]
    for one, other, _ in triples(links):
        for path in nx.all_simple_paths(digraph(links), one, other):
            _add(clocks, path, one)
    return clocks


def past_the_receivers(links: Links) -> Sets:
    """Return the clock sets after steps 1 and 2 of allocations 4 and 5."""
    clocks: Sets = [set() for _ in range(links.size)]
    for one, other, receiver in triples(links):
        for path in nx.all_simple_paths(digraph(links), one, other):
            if receiver not in path:
                _add(clocks, path, one)
    return clocks


def allocation_4(links: Links) -> Sets:
    clocks = past_the_receivers(links)
    before = [frozenset(some) for some in clocks]
    for gateway in range(links.size):
        for loop in gateway_loops(links, gateway, before):
            _add(clocks, loop, gateway)
    return clocks


def allocation_5(links: Links, kept: int) -> Sets:
    clocks = past_the_receivers(links)
    for gateway, senders in enumerate(links.before):
        loops = gateway_loops(links, gateway, [frozenset(some) for some in clocks])
        if not loops:
            continue
        with_times, without = [set(some) for some in clocks], [set(some) for some in clocks]
        for loop in loops:
            _add(with_times, loop, gateway)
        for one, other in permutations(members(senders), 2):
            for path in nx.all_simple_paths(digraph(links), one, other):
                if gateway in path:
                    _add(without, path, one)
        dearer = _size(with_times) + kept * senders.bit_count() >= _size(without)
        clocks = without if dearer else with_times
    return clocks


def gateway_loops(links: Links, gateway: int, clocks: list[frozenset[int]]) -> list[list[int]]:
    return [
        loop
        for loop in nx.simple_cycles(digraph(links))
        if gateway in loop
        and any(p not in loop and any(p not in clocks[q] for q in loop) for p in members(links.before[gateway]))
    ]


def observed(links: Links, clocks: Sets) -> Sets:
    """Return the ObsSets by step 3 of allocation 3 as printed, which requires only a path from p1 to p2."""
    obs = [set(some) for some in clocks]
    graph = digraph(links)
    for one, other, receiver in triples(links):
        if nx.has_path(graph, one, other):
            obs[receiver].add(one)
    return obs


def _add(clocks: Sets, path: list[int], process: int) -> None:
    for p in path:
        clocks[p].add(process)


def _size(clocks: Sets) -> int:
    return sum(map(len, clocks))

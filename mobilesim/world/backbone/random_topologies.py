"""Random graphs for the backbone."""

from collections.abc import Sequence
from itertools import combinations
from math import dist, exp
from random import Random

from mobilesim.geometry.graph_shapes import Pair

Site = tuple[float, float]


def barabasi_albert(stations: int, attachments: int, random: Random) -> set[Pair]:
    """Barabási and Albert (1999): a star of the first stations grows by one station at a time.

    Each has `attachments` links to different stations, drawn in proportion to the links that these have already.
    """
    pairs = {(0, leaf) for leaf in range(1, attachments + 1)}
    ends = [end for pair in sorted(pairs) for end in pair]
    for newcomer in range(attachments + 1, stations):
        chosen = set[int]()
        while len(chosen) < attachments:
            chosen.add(ends[int(random.random() * len(ends))])
        for station in sorted(chosen):
            pairs.add((station, newcomer))
            ends += station, newcomer
    return pairs


def waxman(sites: Sequence[Site], alpha: float, beta: float, random: Random) -> set[Pair]:
    """Waxman (1988): the probability of a link falls with its length.

    The shortest links that join its components make the graph connected.
    """
    lengths = {(one, other): dist(sites[one], sites[other]) for one, other in combinations(range(len(sites)), 2)}
    reach = alpha * max(lengths.values(), default=0.0) or 1.0
    drawn = {pair for pair, length in lengths.items() if random.random() < beta * exp(-length / reach)}
    return drawn | _connecting(lengths, drawn, len(sites))


def _connecting(lengths: dict[Pair, float], drawn: set[Pair], stations: int) -> set[Pair]:
    component = list(range(stations))

    def joined(pair: Pair) -> bool:
        """Join the components of the pair; return whether they were different."""
        one, other = (_root(component, station) for station in pair)
        component[max(one, other)] = min(one, other)
        return one != other

    for pair in drawn:
        joined(pair)
    return {pair for pair in sorted(lengths, key=lambda pair: (lengths[pair], pair)) if joined(pair)}


def _root(parent: list[int], station: int) -> int:
    while parent[station] != station:
        parent[station] = parent[parent[station]]
        station = parent[station]
    return station


def random_sites(stations: int, random: Random) -> list[Site]:
    """Return random positions for stations that have none."""
    return [(random.random(), random.random()) for _ in range(stations)]

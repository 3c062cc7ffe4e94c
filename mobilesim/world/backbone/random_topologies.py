"""Random graphs for the backbone."""

from collections.abc import Sequence
from itertools import combinations
from math import dist, exp
from random import Random

from mobilesim.geometry.graph_shapes import Pair
from mobilesim.geometry.voronoi import Site


def barabasi_albert(stations: int, attachments: int, random: Random) -> set[Pair]:
    """Barabási and Albert (1999): a star of the first stations grows by one station at a time.

    A new station gets `attachments` links to different stations. The probability of a station is proportional to the
    number of its links.
    """
    pairs = {(0, leaf) for leaf in range(1, attachments + 1)}
    ends = [end for pair in sorted(pairs) for end in pair]
    for new in range(attachments + 1, stations):
        chosen = set[int]()
        while len(chosen) < attachments:
            chosen.add(ends[int(random.random() * len(ends))])
        for station in sorted(chosen):
            pairs.add((station, new))
            ends += station, new
    return pairs


def waxman(sites: Sequence[Site], alpha: float, beta: float, random: Random) -> set[Pair]:
    """Waxman (1988): the probability of a link decreases with the length of the link.

    The shortest links between the components of the graph are added, so that the graph is connected.
    """
    lengths = {(one, other): dist(sites[one], sites[other]) for one, other in combinations(range(len(sites)), 2)}
    reach = alpha * max(lengths.values(), default=0.0) or 1.0
    drawn = {pair for pair, length in lengths.items() if random.random() < beta * exp(-length / reach)}
    return drawn | _connecting(lengths, drawn, len(sites))


def _connecting(lengths: dict[Pair, float], drawn: set[Pair], stations: int) -> set[Pair]:
    """Return the shortest links between components, by the algorithm of Kruskal."""
    component, added = list(range(stations)), set[Pair]()
    for pair in [*drawn, *sorted(lengths, key=lambda pair: (lengths[pair], pair))]:
        kept, joined = (component[station] for station in pair)
        if kept != joined:
            component = [kept if label == joined else label for label in component]
            added.add(pair)
    return added

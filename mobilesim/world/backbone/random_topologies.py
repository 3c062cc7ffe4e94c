"""Backbones that are drawn at random."""

from collections.abc import Sequence
from itertools import combinations
from math import dist, exp
from random import Random

from mobilesim.geometry.graph_shapes import Pair

Site = tuple[float, float]


def attached(stations: int, attachments: int, random: Random) -> set[Pair]:
    """Barabási and Albert (1999): to a star of the first stations the others come one by one, each with so many links
    to different stations, which are as likely as they have links already.
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


def near(sites: Sequence[Site], alpha: float, beta: float, random: Random) -> set[Pair]:
    """Waxman (1988): a link is the less likely, the longer it is. Parts without any between them are joined by the
    shortest ones that will do.
    """
    lengths = {(one, other): dist(sites[one], sites[other]) for one, other in combinations(range(len(sites)), 2)}
    reach = alpha * max(lengths.values(), default=0.0) or 1.0
    drawn = {pair for pair, length in lengths.items() if random.random() < beta * exp(-length / reach)}
    return drawn | _joints(lengths, drawn, len(sites))


def _joints(lengths: dict[Pair, float], drawn: set[Pair], stations: int) -> set[Pair]:
    part = list(range(stations))

    def joined(pair: Pair) -> bool:
        """Whether the pair's link joins two parts, which are one from now on."""
        one, other = (_first(part, station) for station in pair)
        part[max(one, other)] = min(one, other)
        return one != other

    for pair in drawn:
        joined(pair)
    return {pair for pair in sorted(lengths, key=lambda pair: (lengths[pair], pair)) if joined(pair)}


def _first(part: list[int], station: int) -> int:
    while part[station] != station:
        part[station] = part[part[station]]
        station = part[station]
    return station


def scattered(stations: int, random: Random) -> list[Site]:
    """Places for stations that have none of their own."""
    return [(random.random(), random.random()) for _ in range(stations)]

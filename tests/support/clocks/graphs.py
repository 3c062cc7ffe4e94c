"""Small graphs of links: graphs of the paper, and random graphs."""

from itertools import permutations
from random import Random

from mobilesim.protocols.clocks.links import Links, links_of


def linked(size: int, pairs: list[tuple[int, int]]) -> Links:
    return links_of([[q for p, q in pairs if p == process] for process in range(size)])


def both_ways(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return pairs + [(q, p) for p, q in pairs]


def star(satellites: int) -> Links:
    """Return a star whose centre is process 0."""
    return linked(satellites + 1, both_ways([(0, p) for p in range(1, satellites + 1)]))


def ring(size: int) -> Links:
    return linked(size, [(p, (p + 1) % size) for p in range(size)])


def bidirectional_ring(size: int) -> Links:
    return linked(size, both_ways([(p, (p + 1) % size) for p in range(size)]))


def triangles(*regions: tuple[int, ...]) -> Links:
    """Return a graph of regions. Each two processes of a region are linked in both directions."""
    return linked(1 + max(map(max, regions)), [pair for region in regions for pair in permutations(region, 2)])


def random_links(random: Random, least: int = 3, most: int = 6) -> Links:
    size = random.randint(least, most)
    density = random.choice((0.2, 0.35, 0.5, 0.8))
    pairs = [pair for pair in permutations(range(size), 2) if random.random() < density]
    return linked(size, both_ways(pairs) if random.random() < 0.3 else pairs)

"""Graphs by name. A graph is a sequence of links; a link is a pair of nodes in ascending order, numbered from 0."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final, TypeAlias

Pair: TypeAlias = tuple[int, int]
Pairs: TypeAlias = Iterator[Pair]


def star(size: int, _: int) -> Pairs:
    return ((0, leaf) for leaf in range(1, size))


def ring(size: int, _: int) -> Pairs:
    yield from ((node, node + 1) for node in range(size - 1))
    if size > 2:
        yield 0, size - 1


def tree(size: int, branching: int) -> Pairs:
    return (((child - 1) // branching, child) for child in range(1, size))


def triangle(size: int, branching: int) -> Pairs:
    """Return the hierarchical triangle of Meldal et al. (1991), figure 5.

    Each node is an apex: together with its `branching` base nodes, it is a clique. The last cliques may be smaller.
    """
    for apex in range(size):
        base = range(1 + branching * apex, min(size, 1 + branching * (apex + 1)))
        if not base:
            return
        yield from combinations((apex, *base), 2)


SHAPES: Final[dict[str, Callable[[int, int], Pairs]]] = {"ring": ring, "star": star, "tree": tree, "triangle": triangle}

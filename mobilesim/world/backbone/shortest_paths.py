"""Shortest paths between stations, computed on demand."""

from array import array
from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from math import inf
from typing import Final, TypeAlias

from mobilesim.geometry.graph_shapes import Pair

Route: TypeAlias = tuple[int, ...]
"""The stations on a path, in order and without the first station."""

Adjacency: TypeAlias = Sequence[Sequence[tuple[int, float]]]
"""The links of each station: their other ends, in ascending order, and their delays."""

Distances: TypeAlias = Sequence[float]
"""The delay of the shortest path to each station."""

_ROUNDED: Final = 1e-9
"""Sums of the same delays in different orders differ by less than this fraction (rounding)."""


class Routes(dict[int, "RoutesFrom"]):
    def __init__(self, adjacency: Adjacency) -> None:
        super().__init__()
        self.adjacency = adjacency

    def __missing__(self, station: int) -> "RoutesFrom":
        before, least = _dijkstra(self.adjacency, station)
        distances = array("d", (least.get(other, inf) for other in range(len(self.adjacency))))
        found = self[station] = RoutesFrom(station, before, distances)
        return found


class RoutesFrom(dict[int, Route]):
    """The routes from one station, by target. A target that cannot be reached raises a KeyError."""

    def __init__(self, station: int, before: dict[int, int], distances: Distances = ()) -> None:
        super().__init__({station: ()})
        self.station = station
        self.before = before
        self.distances = distances

    def __missing__(self, target: int) -> Route:
        backwards, station = [target], self.before[target]
        while station != self.station:
            backwards.append(station)
            station = self.before[station]
        route = self[target] = tuple(reversed(backwards))
        return route


def shortest_route(
    adjacency: Adjacency, here: int, target: int, failed: Collection[Pair], distances: Distances | None = None
) -> Route | None:
    """Return the shortest route that avoids the failed links; None if there is no route.

    `distances`: the distance of each station to the target if no link has failed. With `distances`, fewer stations are
    searched.
    """
    longest = inf
    if distances is not None:
        longest = _length(adjacency, here, target, failed, distances) * (1 + _ROUNDED)
        if longest == inf:
            return None
    before, _ = _dijkstra(adjacency, here, target, failed, (distances, longest))
    return RoutesFrom(here, before)[target] if target in before else None


def _length(adjacency: Adjacency, here: int, target: int, failed: Collection[Pair], distances: Distances) -> float:
    """Return the delay of the shortest working path by A* (Hart, Nilsson & Raphael 1968); failures shorten no path."""
    least, done = {here: 0.0}, set[int]()
    heap = [(distances[here], 0.0, here)]
    while heap:
        station = heappop(heap)[2]
        if station == target:
            return least[target]
        if station in done:
            continue
        done.add(station)
        so_far = least[station]
        for other, delay in adjacency[station]:
            total = so_far + delay
            if total >= least.get(other, inf):
                continue
            if ((station, other) if station < other else (other, station)) in failed:
                continue
            least[other] = total
            heappush(heap, (total + distances[other], -total, other))
    return inf


def _dijkstra(
    adjacency: Adjacency,
    start: int,
    end: int | None = None,
    failed: Collection[Pair] = (),
    bound: tuple[Distances | None, float] = (None, inf),
) -> tuple[dict[int, int], dict[int, float]]:
    """Return for each station the previous station and the distance from `start`, until `end` is reached.

    Of several paths with the same delay, the first one that is found is returned. `bound`: the distances to `end`, and
    the greatest delay of a path to `end`. Paths with a greater delay are skipped; this does not change the result.
    """
    distances, longest = bound
    into = 0.0 if end is None else min((delay for _, delay in adjacency[end]), default=0.0)
    least: dict[int, float] = {start: 0}
    before: dict[int, int] = {}
    done = set[int]()
    heap, ticket = [(0.0, 0, start)], 0
    while heap:
        so_far, _, station = heappop(heap)
        if end in least and so_far + into >= least[end]:
            break
        if station in done:
            continue
        done.add(station)
        for other, delay in adjacency[station]:
            total = so_far + delay
            if other in done or (other in least and total >= least[other]):
                continue
            if failed and ((station, other) if station < other else (other, station)) in failed:
                continue
            if distances is not None and total + distances[other] > longest:
                continue
            least[other], before[other] = total, station
            ticket += 1
            heappush(heap, (total, ticket, other))
    return before, least

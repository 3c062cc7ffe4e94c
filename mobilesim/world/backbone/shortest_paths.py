"""Shortest ways between stations, found when they are asked for."""

from array import array
from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from math import inf
from typing import Final, TypeAlias

from mobilesim.geometry.graph_shapes import Pair

Way: TypeAlias = tuple[int, ...]
"""The stations that a packet comes to, without the first, which it leaves."""

Around: TypeAlias = Sequence[Sequence[tuple[int, float]]]
"""Of each station: where its links lead, in ascending order, and the delay of each."""


Far: TypeAlias = Sequence[float]
"""What the shortest way takes to each station."""

_ROUNDED: Final = 1e-9
"""Sums of the same delays in another order differ by less than this part."""


class Ways(dict[int, "WaysFrom"]):
    """By station and target."""

    __slots__ = ("around",)

    def __init__(self, around: Around) -> None:
        super().__init__()
        self.around = around

    def __missing__(self, station: int) -> "WaysFrom":
        before, least = _before(self.around, station)
        far = array("d", (least.get(other, inf) for other in range(len(self.around))))
        found = self[station] = WaysFrom(station, before, far)
        return found


class WaysFrom(dict[int, Way]):
    """From one station, by target; KeyError where no way leads."""

    __slots__ = ("before", "far", "station")

    def __init__(self, station: int, before: dict[int, int], far: Far = ()) -> None:
        super().__init__({station: ()})
        self.station = station
        self.before = before
        self.far = far

    def __missing__(self, target: int) -> Way:
        backwards, place = [target], self.before[target]
        while place != self.station:
            backwards.append(place)
            place = self.before[place]
        way = self[target] = tuple(reversed(backwards))
        return way


def shortest(around: Around, here: int, target: int, without: Collection[Pair], far: Far | None = None) -> Way | None:
    """Over links that are not among those; None where no way leads. `far`: from the target, over all links."""
    most = inf
    if far is not None:
        most = _length(around, here, target, without, far) * (1 + _ROUNDED)
        if most == inf:
            return None
    before, _ = _before(around, here, target, without, (far, most))
    return WaysFrom(here, before)[target] if target in before else None


def _length(around: Around, here: int, target: int, without: Collection[Pair], far: Far) -> float:
    """Of the shortest way: towards the target first (Hart, Nilsson & Raphael 1968), as failures make nothing nearer."""
    least, seen = {here: 0.0}, set[int]()
    heap = [(far[here], 0.0, here)]
    while heap:
        place = heappop(heap)[2]
        if place == target:
            return least[target]
        if place in seen:
            continue
        seen.add(place)
        so_far = least[place]
        for other, delay in around[place]:
            total = so_far + delay
            if total >= least.get(other, inf):
                continue
            if ((place, other) if place < other else (other, place)) in without:
                continue
            least[other] = total
            heappush(heap, (total + far[other], -total, other))
    return inf


def _before(
    around: Around,
    start: int,
    end: int | None = None,
    without: Collection[Pair] = (),
    worth: tuple[Far | None, float] = (None, inf),
) -> tuple[dict[int, int], dict[int, float]]:
    """For each station that can be reached, the last one before it and how far it is, until `end` is reached.

    Of equal ways, the first found. Which that is hangs on the shortest ways alone: stations that are further from `end`
    than is `worth` a look make no difference.
    """
    far, most = worth
    into = 0.0 if end is None else min((delay for _, delay in around[end]), default=0.0)
    least: dict[int, float] = {start: 0}
    before: dict[int, int] = {}
    done = set[int]()
    heap, ticket = [(0.0, 0, start)], 0
    while heap:
        so_far, _, place = heappop(heap)
        if end in least and so_far + into >= least[end]:
            break
        if place in done:
            continue
        done.add(place)
        for other, delay in around[place]:
            total = so_far + delay
            if other in done or (other in least and total >= least[other]):
                continue
            if without and ((place, other) if place < other else (other, place)) in without:
                continue
            if far is not None and total + far[other] > most:
                continue
            least[other], before[other] = total, place
            ticket += 1
            heappush(heap, (total, ticket, other))
    return before, least

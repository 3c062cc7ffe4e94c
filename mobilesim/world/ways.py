"""Shortest ways between stations, found when they are asked for."""

from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from mobilesim.world.shapes import Pair

Way: TypeAlias = tuple[int, ...]
"""The stations that a packet comes to, without the first, which it leaves."""

Around: TypeAlias = Sequence[Sequence[tuple[int, float]]]
"""Of each station: where its links lead, in ascending order, and the delay of each."""


class Ways(dict[int, "WaysFrom"]):
    """By station and target."""

    __slots__ = ("around",)

    def __init__(self, around: Around) -> None:
        super().__init__()
        self.around = around

    def __missing__(self, station: int) -> "WaysFrom":
        found = self[station] = WaysFrom(station, _before(self.around, station))
        return found


class WaysFrom(dict[int, Way]):
    """From one station, by target; KeyError where no way leads."""

    __slots__ = ("before", "station")

    def __init__(self, station: int, before: dict[int, int]) -> None:
        super().__init__({station: ()})
        self.station = station
        self.before = before

    def __missing__(self, target: int) -> Way:
        backwards, place = [target], self.before[target]
        while place != self.station:
            backwards.append(place)
            place = self.before[place]
        way = self[target] = tuple(reversed(backwards))
        return way


def shortest(around: Around, here: int, target: int, without: Collection[Pair]) -> Way | None:
    """Over links that are not among those; None where no way leads."""
    before = _before(around, here, target, without)
    return WaysFrom(here, before)[target] if target in before else None


def _before(around: Around, start: int, end: int | None = None, without: Collection[Pair] = ()) -> dict[int, int]:
    """For each station that can be reached, the last one before it, until `end` is. Of equal ways, the first found."""
    least: dict[int, float] = {start: 0}
    before: dict[int, int] = {}
    done = set[int]()
    heap, ticket = [(0.0, 0, start)], 0
    while heap:
        so_far, _, place = heappop(heap)
        if place == end:
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
            least[other], before[other] = total, place
            ticket += 1
            heappush(heap, (total, ticket, other))
    return before

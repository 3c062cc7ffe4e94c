"""Markov trips: a host rests in a cell, draws another one, and travels there through the cells between.

The cells that it rests in are a Markov chain. On the way it draws its next cell among the neighbours that are one
nearer to where it goes, and passes each like any other visitor. If it disconnects it may lose its way, as in cell-jump,
and travels on from where it comes back.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate
from random import Random

from mobilesim.errors import UserError
from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.model import Mobility
from mobilesim.scenario.sections.mobility_models import Trips
from mobilesim.world.mobility.actions import Departure
from mobilesim.world.mobility.models.cell_jump import nearby
from mobilesim.world.random_streams import Streams, sampler

_FIELDS: int = 512
"""So many maps of distances are kept."""


class Network:
    """The cells, and how many crossings lead from each to a given one."""

    def __init__(self, cells: Neighbours, trips: Trips) -> None:
        for fault in trips.misfits(len(cells)):
            raise UserError(f"mobility.{'.'.join(map(str, fault.below))}: {fault.message}")
        self.cells = cells
        self.distances = lru_cache(_FIELDS)(self._distances)
        self.draw = _drawn(trips, len(cells))

    def _distances(self, target: int) -> list[int]:
        far = [-1] * len(self.cells)
        far[target] = 0
        queue = deque([target])
        while queue:
            cell = queue.popleft()
            for other in self.cells[cell]:
                if far[other] < 0:
                    far[other] = far[cell] + 1
                    queue.append(other)
        return far

    def nearer(self, cell: int, target: int) -> list[int]:
        """The neighbours by which the shortest ways lead."""
        far = self.distances(target)
        return [other for other in self.cells[cell] if far[other] < far[cell]]


def _drawn(trips: Trips, count: int) -> Callable[[int, Random], int]:
    """What draws where a host goes that rests in a cell."""
    if trips.preferences is None and trips.matrix is None:

        def anywhere(cell: int, stream: Random) -> int:
            other = int(stream.random() * (count - 1))
            return other + (other >= cell)

        return anywhere

    @lru_cache(_FIELDS)
    def sums(cell: int) -> tuple[float, ...]:
        row = trips.preferences if trips.matrix is None else trips.matrix[cell]
        return tuple(accumulate(0.0 if other == cell else weight for other, weight in enumerate(row or ())))

    def weighted(cell: int, stream: Random) -> int:
        row = sums(cell)
        return bisect_right(row, stream.random() * row[-1])

    return weighted


def journeys(mobility: Mobility, network: Network, streams: Streams, host: int, home: int) -> Iterator[Departure]:
    trips, stream = mobility.trips or Trips(), streams.stream("movement", host)
    random, disconnects = stream.random, mobility.disconnect.probability
    rest, passage = sampler(trips.rest, stream), sampler(trips.passage, stream)
    gap, away = sampler(mobility.gap, stream), sampler(mobility.disconnect.duration, stream)
    astray = nearby(network.cells, stream)
    now, cell, target = 0, home, home
    while True:
        arrived = cell == target
        left = now + max(1, rest() if arrived else passage())
        if arrived:
            target = network.draw(cell, stream)
        off = disconnects > 0 and random() < disconnects
        now = left + (away() if off else gap())
        ways = network.nearer(cell, target)
        cell = astray(cell, True) if off else ways[int(random() * len(ways))]
        yield Departure(left, now, cell, off)

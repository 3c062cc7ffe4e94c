"""Markov trips: a host rests in a cell, draws a target cell, and travels to the target through neighbouring cells.

The cells in which a host rests are a Markov chain. On a trip, the host draws each next cell among the neighbours that
are one crossing nearer to the target, and stays in it for the time `passage`. A host that disconnects may return in a
cell that is not on a shortest path, as in cell-jump, and continues its trip from this cell.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING

from mobilesim.errors import UserError
from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.sections.mobility_models import Trips
from mobilesim.world.mobility.actions import Action, Departure
from mobilesim.world.mobility.models.cell_jump import draw_neighbour
from mobilesim.world.random_streams import sampler

if TYPE_CHECKING:
    from mobilesim.world.replication import World

_CACHED_TARGETS: int = 512


def actions(world: "World") -> list[Iterator[Action]]:
    network = Network(world.neighbours, world.scenario.mobility.model_settings)
    return [_departures(world, network, host, cell) for host, cell in enumerate(world.starting_cells)]


class Network:
    """The cells and, for each target, the number of crossings from each cell to the target."""

    def __init__(self, cells: Neighbours, trips: Trips) -> None:
        for fault in trips.size_faults(len(cells)):
            raise UserError(f"mobility.trips.{'.'.join(map(str, fault.below))}: {fault.message}")
        self.cells = cells
        self.distances = lru_cache(_CACHED_TARGETS)(self._distances)
        self.draw = _target_drawer(trips, len(cells))

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
        """Return the neighbours of a cell that are on shortest paths to the target."""
        far = self.distances(target)
        return [other for other in self.cells[cell] if far[other] < far[cell]]


def _target_drawer(trips: Trips, count: int) -> Callable[[int, Random], int]:
    if trips.preferences is None and trips.matrix is None:

        def uniform(cell: int, stream: Random) -> int:
            other = int(stream.random() * (count - 1))
            return other + (other >= cell)

        return uniform

    @lru_cache(_CACHED_TARGETS)
    def sums(cell: int) -> tuple[float, ...]:
        row = trips.preferences if trips.matrix is None else trips.matrix[cell]
        return tuple(accumulate(0.0 if other == cell else weight for other, weight in enumerate(row or ())))

    def weighted(cell: int, stream: Random) -> int:
        row = sums(cell)
        return bisect_right(row, stream.random() * row[-1])

    return weighted


def _departures(world: "World", network: Network, host: int, home: int) -> Iterator[Departure]:
    mobility, stream = world.scenario.mobility, world.streams.stream("movement", host)
    trips, random, disconnects = mobility.trips or Trips(), stream.random, mobility.disconnect.probability
    rest, passage = sampler(trips.rest, stream), sampler(trips.passage, stream)
    gap, away = sampler(mobility.gap, stream), sampler(mobility.disconnect.duration, stream)
    draw_astray = draw_neighbour(network.cells, stream)
    now, cell, target = 0, home, home
    while True:
        arrived = cell == target
        left = now + max(1, rest() if arrived else passage())
        if arrived:
            target = network.draw(cell, stream)
        off = disconnects > 0 and random() < disconnects
        now = left + (away() if off else gap())
        nearer = network.nearer(cell, target)
        cell = draw_astray(cell, True) if off else nearer[int(random() * len(nearer))]
        yield Departure(left, now, cell, off)

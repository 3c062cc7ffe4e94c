"""Cell jump: a host dwells in a cell, leaves the cell, and enters another cell after a gap.

The next cell is drawn uniformly from the neighbouring cells or, with the setting `uniform`, from all other cells. A
host that disconnects may also return in the cell that it left, with the same probability. In a network of one cell, a
host that does not disconnect stays. Each host has its own random stream.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING

from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.world.mobility.actions import Action, Departure
from mobilesim.world.random_streams import Streams, sampler

if TYPE_CHECKING:
    from mobilesim.world.replication import World


def actions(world: "World") -> list[Iterator[Action]]:
    mobility, cells, streams = world.scenario.mobility, world.neighbours, world.streams
    return [departures(mobility, cells, streams, host, start) for host, start in enumerate(world.starting_cells)]


def departures(mobility: Mobility, cells: Neighbours, streams: Streams, host: int, start: int) -> Iterator[Departure]:
    stream = streams.stream("movement", host)
    random, disconnects = stream.random, mobility.disconnect.probability
    dwell, gap = sampler(mobility.dwell, stream), sampler(mobility.gap, stream)
    away = sampler(mobility.disconnect.duration, stream)
    draw = (draw_neighbour if mobility.next == "neighbour" else _draw_any)(cells, stream)
    now, cell = 0, start
    while True:
        left = now + max(1, dwell())
        off = disconnects > 0 and random() < disconnects
        if not off and len(cells) == 1:
            now = left
            continue
        now = left + (away() if off else gap())
        cell = draw(cell, off)
        yield Departure(left, now, cell, off)


DrawCell = Callable[[int, bool], int]
"""Draws the next cell. Arguments: the present cell, and whether the present cell may be drawn, too."""


def _draw_any(cells: Neighbours, stream: Random) -> DrawCell:
    random, count = stream.random, len(cells)

    def draw(cell: int, may_stay: bool) -> int:  # noqa: FBT001 - a DrawCell
        if may_stay:
            return int(random() * count)
        other = int(random() * (count - 1))
        return other + (other >= cell)

    return draw


def draw_neighbour(cells: Neighbours, stream: Random) -> DrawCell:
    random = stream.random

    def draw(cell: int, may_stay: bool) -> int:  # noqa: FBT001 - a DrawCell
        around = cells[cell]
        index = int(random() * (len(around) + may_stay))
        return cell if index == len(around) else around[index]

    return draw

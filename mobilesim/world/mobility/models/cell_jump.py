"""Cell-jump movement: a host dwells in a cell, leaves it, and some time later enters another one.

A host that was disconnected meanwhile may have gone nowhere: it comes back into the cell that it left or one of those
that it could have crossed to, with equal chances. Each host draws from a stream of its own, in the order of its moves.
"""

from collections.abc import Callable, Iterator
from random import Random

from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.model import Mobility
from mobilesim.world.mobility.actions import Departure
from mobilesim.world.random_streams import Streams, sampler


def jumps(mobility: Mobility, cells: Neighbours, streams: Streams, host: int, home: int) -> Iterator[Departure]:
    stream = streams.stream("movement", host)
    random, disconnects = stream.random, mobility.disconnect.probability
    dwell, gap = sampler(mobility.dwell, stream), sampler(mobility.gap, stream)
    away = sampler(mobility.disconnect.duration, stream)
    following = _chooser(mobility.next, cells, stream)
    now, cell = 0, home
    while True:
        left = now + max(1, dwell())
        off = disconnects > 0 and random() < disconnects
        now = left + (away() if off else gap())
        cell = following(cell, off)
        yield Departure(left, now, cell, off)


def _chooser(how: str, cells: Neighbours, stream: Random) -> Callable[[int, bool], int]:
    """What draws the next cell; whether the present one is among the candidates is its second argument."""
    if how == "neighbour":
        return nearby(cells, stream)
    random, count = stream.random, len(cells)

    def anywhere(cell: int, stays: bool) -> int:  # noqa: FBT001 - called by position, like `nearby`
        if stays:
            return int(random() * count)
        other = int(random() * (count - 1))
        return other + (other >= cell)

    return anywhere


def nearby(cells: Neighbours, stream: Random) -> Callable[[int, bool], int]:
    random = stream.random

    def draw(cell: int, stays: bool) -> int:  # noqa: FBT001 - as above
        around = cells[cell]
        place = int(random() * (len(around) + stays))
        return cell if place == len(around) else around[place]

    return draw

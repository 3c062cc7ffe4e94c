"""Cell-jump movement: a host dwells in a cell, leaves it, and some time later enters another one.

A host that was disconnected meanwhile may have gone nowhere: it comes back into the cell that it left or one of those
that it could have crossed to, with equal chances. Each host draws from streams of its own, in the order of its moves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from mobilesim.scenario.model import Mobility
from mobilesim.streams import Streams, sampler
from mobilesim.world.cells import Neighbours


@dataclass(frozen=True, slots=True)
class Departure:
    """A host stays `dwell` where it is, is away for `gap`, and turns up in `target`."""

    dwell: int
    gap: int
    target: int
    disconnects: bool


class Walker:
    """Where one host goes."""

    __slots__ = ("_away", "_disconnects", "_dwell", "_gap", "_next", "_random")

    def __init__(self, mobility: Mobility, cells: Neighbours, streams: Streams, host: int) -> None:
        stream = streams.stream("movement", host)
        self._random = stream.random
        self._dwell = sampler(mobility.dwell, stream)
        self._gap = sampler(mobility.gap, stream)
        self._away = sampler(mobility.disconnect.duration, stream)
        self._disconnects = mobility.disconnect.probability
        self._next = _chooser(mobility.next, cells, stream)

    def depart(self, cell: int) -> Departure:
        dwell = max(1, self._dwell())
        disconnects = self._disconnects > 0 and self._random() < self._disconnects
        gap = self._away() if disconnects else self._gap()
        return Departure(dwell, gap, self._next(cell, disconnects), disconnects)


def _chooser(how: str, cells: Neighbours, stream: Random) -> Callable[[int, bool], int]:
    """What draws the next cell; whether the present one is among the candidates is its second argument."""
    random, count = stream.random, len(cells)
    if how == "uniform":

        def anywhere(cell: int, stays: bool) -> int:  # noqa: FBT001 - called by position, like `nearby`
            if stays:
                return int(random() * count)
            other = int(random() * (count - 1))
            return other + (other >= cell)

        return anywhere

    def nearby(cell: int, stays: bool) -> int:  # noqa: FBT001 - as above
        around = cells[cell]
        place = int(random() * (len(around) + stays))
        return cell if place == len(around) else around[place]

    return nearby


def homes(mobility: Mobility, hosts: int, stations: int, streams: Streams) -> tuple[int, ...]:
    """Where each host starts; the start of one does not depend on how many others there are."""
    if mobility.start == "spread":
        return tuple(host % stations for host in range(hosts))
    return tuple(int(streams.stream("home", host).random() * stations) for host in range(hosts))

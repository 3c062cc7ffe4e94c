"""Manhattan: hosts walk along the streets of a grid, and at each crossing go straight on or turn (ETSI TR 101 112,
1998; Bai, Sadagopan & Helmy 2003). Where a way would lead out of the grid, the others share its chance.

It begins in the steady state: as many pause, speeds are those of hosts that are met under way, and of the streets
between two crossings each of an outermost one is met as often as (2 - turn) / (2 turn) of the others.
"""

from collections.abc import Iterator
from random import Random

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Manhattan
from mobilesim.world.mobility.models.waypoint_segments import is_pausing, steady_speed
from mobilesim.world.mobility.segments import Path, Segment
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams, sampler
from mobilesim.world.residual_time import residual

Crossing = tuple[int, int]
Heading = tuple[int, int]


class Streets:
    """Crossings are numbered from the south-west; the grid is in the middle of the plane."""

    def __init__(self, walk: Manhattan, plane: PlaneCells) -> None:
        self.block, self.turn = walk.block, walk.turn
        self.columns, self.rows = int(plane.width // walk.block) + 1, int(plane.height // walk.block) + 1
        if self.columns < 2 or self.rows < 2:
            size = f"{plane.width:g} m x {plane.height:g} m"
            raise UserError(f"mobility.manhattan.block: blocks of {walk.block:g} m are larger than the plane of {size}")
        self._west = (plane.width - (self.columns - 1) * walk.block) / 2
        self._south = (plane.height - (self.rows - 1) * walk.block) / 2

    def place(self, at: Crossing) -> tuple[float, float]:
        return self._west + at[0] * self.block, self._south + at[1] * self.block

    def leads(self, at: Crossing, way: Heading) -> bool:
        return 0 <= at[0] + way[0] < self.columns and 0 <= at[1] + way[1] < self.rows

    def anywhere(self, stream: Random) -> tuple[Crossing, Heading]:
        """The end of a street between two crossings that somebody starts in, and how he gets there."""
        line = stream.choices(range(self.rows + self.columns), self._lines())[0]
        if line < self.rows:
            one, way = (stream.randrange(self.columns - 1), line), (1, 0)
        else:
            one, way = (line - self.rows, stream.randrange(self.rows - 1)), (0, 1)
        if stream.random() < 0.5:
            return (one[0] + way[0], one[1] + way[1]), way
        return one, (-way[0], -way[1])

    def _lines(self) -> list[float]:
        """How often somebody is on a line of streets, rows before columns: as many leave each street as come into it.
        All who arrive at an edge turn along it; of those on it `turn` / (2 - `turn`) leave it at each crossing.
        """
        return [
            (streets - 1) * (2 - self.turn if line in {0, lines - 1} else 2 * self.turn)
            for lines, streets in ((self.rows, self.columns), (self.columns, self.rows))
            for line in range(lines)
        ]

    def turned(self, at: Crossing, way: Heading, stream: Random) -> Heading:
        left, right = (-way[1], way[0]), (way[1], -way[0])
        chances = ((way, 1 - self.turn), (left, self.turn / 2), (right, self.turn / 2))
        open_ones = [(one, chance) for one, chance in chances if self.leads(at, one)]
        if not any(chance for _, chance in open_ones):
            open_ones = [(one, 1.0) for one, _ in open_ones]
        headings, weights = zip(*open_ones, strict=True)
        drawn: Heading = stream.choices(headings, weights)[0]
        return drawn


def manhattan(walk: Manhattan, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream, streets = streams.stream("movement", host), Streets(walk, plane)
    pause, min_speed, faster = sampler(walk.pause, stream), walk.min_speed, walk.max_speed - walk.min_speed
    at, heading = streets.anywhere(stream)
    x, y = streets.place(at)
    if is_pausing(walk, walk.block, stream):
        way = Path(x, y)
        yield from way.stay(residual(walk.pause, stream))
    else:
        left = stream.random() * walk.block
        way = Path(x - left * heading[0], y - left * heading[1])
        yield way.to(x, y, steady_speed(min_speed, walk.max_speed, stream))
        yield from way.stay(pause())
    while True:
        heading = streets.turned(at, heading, stream)
        at = (at[0] + heading[0], at[1] + heading[1])
        yield way.to(*streets.place(at), min_speed + stream.random() * faster)
        yield from way.stay(pause())

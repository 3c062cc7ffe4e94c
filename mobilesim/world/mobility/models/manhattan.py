"""Manhattan: hosts walk along the streets of a grid, and at each crossing go straight on or turn (ETSI TR 101 112,
1998; Bai, Sadagopan & Helmy 2003). If a direction would leave the grid, the other directions become more probable, in
proportion to their probabilities.

A path begins in the steady state: positions, pauses and speeds have their long-run distributions. Between two
crossings, an outermost street has on average (2 - turn) / (2 turn) times as many hosts as an inner street.
"""

from collections.abc import Iterator
from random import Random

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Manhattan
from mobilesim.world.mobility.segments import Path, Point, Segment, is_pausing, steady_speed, uniform_speed
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams, residual_time, sampler

Crossing = tuple[int, int]
Heading = tuple[int, int]


class Streets:
    """The grid of streets, in the middle of the plane. Crossings are numbered from the south-western crossing."""

    def __init__(self, settings: Manhattan, plane: PlaneCells) -> None:
        self.block, self.turn = settings.block, settings.turn
        self.columns, self.rows = int(plane.width // self.block) + 1, int(plane.height // self.block) + 1
        if self.columns < 2 or self.rows < 2:
            message = f"blocks of {self.block:g} m are larger than the plane of {plane.size}"
            raise UserError(f"mobility.manhattan.block: {message}")
        self._west = (plane.width - (self.columns - 1) * self.block) / 2
        self._south = (plane.height - (self.rows - 1) * self.block) / 2

    def point(self, at: Crossing) -> Point:
        return self._west + at[0] * self.block, self._south + at[1] * self.block

    def has_street(self, at: Crossing, heading: Heading) -> bool:
        return 0 <= at[0] + heading[0] < self.columns and 0 <= at[1] + heading[1] < self.rows

    def steady_start(self, stream: Random) -> tuple[Crossing, Heading]:
        """Draw for a host at time 0 the next crossing on its way, and its heading."""
        line = stream.choices(range(self.rows + self.columns), self._line_weights())[0]
        if line < self.rows:
            one, heading = (stream.randrange(self.columns - 1), line), (1, 0)
        else:
            one, heading = (line - self.rows, stream.randrange(self.rows - 1)), (0, 1)
        if stream.random() < 0.5:
            return (one[0] + heading[0], one[1] + heading[1]), heading
        return one, (-heading[0], -heading[1])

    def _line_weights(self) -> list[float]:
        """Return the long-run weight of each line of streets, rows before columns.

        In the steady state, as many hosts enter a street as leave it. All hosts that arrive at an edge of the grid turn
        and follow the edge. At each crossing on an edge, `turn` / (2 - `turn`) of the hosts on the edge leave it.
        """
        return [
            (streets - 1) * (2 - self.turn if line in {0, lines - 1} else 2 * self.turn)
            for lines, streets in ((self.rows, self.columns), (self.columns, self.rows))
            for line in range(lines)
        ]

    def next_heading(self, at: Crossing, heading: Heading, stream: Random) -> Heading:
        left, right = (-heading[1], heading[0]), (heading[1], -heading[0])
        chances = ((heading, 1 - self.turn), (left, self.turn / 2), (right, self.turn / 2))
        possible = [(turned, chance) for turned, chance in chances if self.has_street(at, turned)]
        if not any(chance for _, chance in possible):
            possible = [(turned, 1.0) for turned, _ in possible]
        headings, weights = zip(*possible, strict=True)
        drawn: Heading = stream.choices(headings, weights)[0]
        return drawn


def segments(settings: Manhattan, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream, streets = streams.stream("movement", host), Streets(settings, plane)
    pause, speed = sampler(settings.pause, stream), uniform_speed(settings, stream)
    at, heading = streets.steady_start(stream)
    x, y = streets.point(at)
    if is_pausing(settings, settings.block, stream):
        path = Path(x, y)
        yield from path.stay(residual_time(settings.pause, stream))
    else:
        left = stream.random() * settings.block
        path = Path(x - left * heading[0], y - left * heading[1])
        yield path.to(x, y, steady_speed(settings, stream))
        yield from path.stay(pause())
    while True:
        heading = streets.next_heading(at, heading, stream)
        at = (at[0] + heading[0], at[1] + heading[1])
        yield path.to(*streets.point(at), speed())
        yield from path.stay(pause())

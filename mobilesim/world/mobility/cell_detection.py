"""From ways on a plane to the cells that a host sees, and from these to what it does.

A host looks around every `check`: it changes to the nearest station's cell when that is nearer than its own by more
than the hysteresis, or its own reaches it no more. Where no station reaches it, or its way has a hole, it is nowhere. A
look that cannot show anything new is left out: before the way leads out of the cell, or can lead out of the hysteresis
around it, and within a disc around a place that has been looked at.
"""

from collections.abc import Iterable, Iterator
from math import ceil, hypot, inf, sqrt
from random import Random
from typing import NamedTuple

from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.mobility_models import Crossing
from mobilesim.world.mobility.actions import LOOK_AHEAD, NOWHERE, Action, Departure, Idle
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import sampler

_GUARD = 1e-6
"""A look is not left out if it is less than this part of `check` away from a border, or so many metres."""

Border = tuple[float, float, float]


class CellChange(NamedTuple):
    """From `time` on a host is in `cell`, or NOWHERE; the same cell again says that nothing has happened until then."""

    time: int
    cell: int


class CellBorders:
    """The borders of each cell, as they are needed: (x, y, c), and x * at_x + y * at_y - c is how far one is beyond."""

    __slots__ = ("_borders", "plane")

    def __init__(self, plane: PlaneCells) -> None:
        self.plane = plane
        self._borders: dict[int, tuple[Border, ...]] = {}

    def borders(self, cell: int) -> tuple[Border, ...]:
        found = self._borders.get(cell)
        if found is None:
            found = self._borders[cell] = tuple(self._border(cell, other) for other in self.plane.neighbours[cell])
        return found

    def _border(self, cell: int, other: int) -> Border:
        (x, y), (to_x, to_y) = self.plane.sites[cell], self.plane.sites[other]
        apart = hypot(to_x - x, to_y - y)
        across_x, across_y = (to_x - x) / apart, (to_y - y) / apart
        return across_x, across_y, across_x * (x + to_x) / 2 + across_y * (y + to_y) / 2


class CellDetector:
    """What one host sees. `tick` is when it looks around next; all that was before has been told."""

    __slots__ = ("_check", "_hysteresis", "_map", "_plane", "_squared", "_x", "_y", "cell", "home", "tick")

    def __init__(
        self, chart: CellBorders, crossing: Crossing, phase: int, at: tuple[float, float], *, here: bool = True
    ) -> None:
        """`at`: where it is at time 0, or will be first, if it is not `here` yet."""
        self._map, self._plane = chart, chart.plane
        self._check, self._hysteresis = crossing.check, crossing.hysteresis
        self.tick = phase
        self.home = self._plane.nearest(*at)
        self.cell = self.home if here and self._plane.covers(self.home, *at) else NOWHERE
        self._x = self._y = 0.0
        self._squared = -1.0
        """Within so far, squared, of (x, y) it sees what it has seen."""

    def first(self) -> Iterator[CellChange]:
        """A host is in its first cell, and leaves it at once if it is not there."""
        if self.cell == NOWHERE:
            yield CellChange(0, NOWHERE)

    def over(self, segment: Segment) -> Iterable[CellChange]:
        """What it sees on a segment, without the end, and in the hole before it."""
        start, end, x, y, to_x, to_y = segment
        if start > self.tick:
            return self._after_hole(segment)
        if self.tick >= end:
            return ()
        width, height = self._plane.width, self._plane.height
        inside = 0 <= x <= width and 0 <= y <= height and 0 <= to_x <= width and 0 <= to_y <= height
        if inside and self._knows(x, y, to_x, to_y):
            self._pass(end)
            return ()
        return self._looks(segment, inside=inside)  # outside, cells that do not touch in the rectangle may touch

    def _after_hole(self, segment: Segment) -> Iterator[CellChange]:
        if self.cell != NOWHERE:
            self.cell = NOWHERE
            yield CellChange(self.tick, NOWHERE)
        self._squared = -1.0
        self._pass(segment.start)
        yield from self.over(segment)

    def _looks(self, segment: Segment, *, inside: bool) -> Iterator[CellChange]:
        start, end, x, y, to_x, to_y = segment
        by_x, by_y = (to_x - x) / (end - start), (to_y - y) / (end - start)
        self._squared = -1.0
        while self.tick < end:
            after = self.tick - start
            at_x, at_y = x + by_x * after, y + by_y * after
            alike = self._alike(at_x, at_y, by_x, by_y) if inside else 0.0
            if alike == 0.0 and (cell := self._look(at_x, at_y)) != self.cell:
                self.cell = cell
                yield CellChange(self.tick, cell)
                alike = self._alike(at_x, at_y, by_x, by_y) if inside else 0.0
            if alike == 0.0 and end - self.tick > self._check:  # else the next look is on another segment
                alike = self._held(at_x, at_y, by_x, by_y)
            if by_x == by_y == 0.0 or alike >= end - self.tick:
                self._pass(end)
            else:
                self.tick += max(1, ceil(alike / self._check - _GUARD)) * self._check

    def _pass(self, until: int) -> None:
        if self.tick < until:
            self.tick += -((self.tick - until) // self._check) * self._check

    def _knows(self, x: float, y: float, to_x: float, to_y: float) -> bool:
        at_x, at_y, squared = self._x, self._y, self._squared
        x, y, to_x, to_y = x - at_x, y - at_y, to_x - at_x, to_y - at_y
        return x * x + y * y < squared and to_x * to_x + to_y * to_y < squared

    def _look(self, x: float, y: float) -> int:
        plane, own = self._plane, self.cell
        nearest = plane.nearest(x, y, max(own, 0))
        if own in {NOWHERE, nearest}:
            return nearest if plane.covers(nearest, x, y) else NOWHERE
        if plane.covers(own, x, y):
            gain = sqrt(plane.squared(own, x, y)) - sqrt(plane.squared(nearest, x, y))
            return nearest if gain > self._hysteresis else own
        return nearest if plane.covers(nearest, x, y) else NOWHERE

    def _alike(self, x: float, y: float, by_x: float, by_y: float) -> float:
        """For how long it sees what it has seen, on its way; and within how far of here, which is kept. 0 if it may
        see something else already.
        """
        room, time = self._room(x, y, by_x, by_y)
        if room < _GUARD:
            self._squared = -1.0
            return 0.0
        self._x, self._y, self._squared = x, y, room * room
        return time

    def _held(self, x: float, y: float, by_x: float, by_y: float) -> float:
        """For how long the hysteresis keeps it at least, beyond a border: a gain grows by its speed twice at most."""
        plane, own, speed = self._plane, self.cell, hypot(by_x, by_y) or 1e-300
        if own == NOWHERE or not self._hysteresis:
            return 0.0
        far = sqrt(plane.squared(own, x, y))
        gain = far - sqrt(plane.squared(plane.nearest(x, y, own), x, y))
        reach = inf if plane.radius is None else plane.radius - far
        return max(0.0, min((self._hysteresis - gain) / (2 * speed), reach / speed))

    def _room(self, x: float, y: float, by_x: float, by_y: float) -> tuple[float, float]:
        """How far it is to the nearest border, none where it is crossed already, and when the first one will be."""
        plane, cell = self._plane, self.cell
        room = time = inf
        if cell != NOWHERE:
            for across_x, across_y, c in self._map.borders(cell):
                left = c - across_x * x - across_y * y
                room = min(room, left)
                towards = across_x * by_x + across_y * by_y
                if towards > 0 and left < time * towards:
                    time = left / towards
        if plane.radius is None:  # nowhere, then, was a hole
            return (0.0, 0.0) if cell == NOWHERE else (room, time)
        station = plane.nearest(x, y) if cell == NOWHERE else cell
        beyond = sqrt(plane.squared(station, x, y)) - plane.radius
        to_edge = beyond if cell == NOWHERE else -beyond
        return min(room, to_edge), min(time, to_edge / (hypot(by_x, by_y) or 1e-300))


def cell_changes(segments: Iterator[Segment], lookout: CellDetector) -> Iterator[CellChange]:
    """What a host sees on all of its segments, and now and then that it is still there."""
    told = 0
    yield from lookout.first()
    for segment in segments:
        for sighting in lookout.over(segment):
            told = sighting.time
            yield sighting
        if lookout.tick - told > LOOK_AHEAD:
            told = lookout.tick
            yield CellChange(told, lookout.cell)
    if lookout.cell != NOWHERE:
        yield CellChange(lookout.tick, NOWHERE)


class _Path:
    """Sightings, and which one holds."""

    __slots__ = ("_following", "_rest", "now")

    def __init__(self, seen: Iterator[CellChange], home: int) -> None:
        self._rest = seen
        self.now = CellChange(0, home)
        self._following = next(seen, None)

    def advance(self) -> bool:
        if self._following is None:
            return False
        self.now, self._following = self._following, next(self._rest, None)
        return True

    def found(self, moment: int, limit: int) -> CellChange | None:
        """The cell at that moment, or the first one after it; None if there is none up to the limit."""
        while self._following is not None and self._following.time <= moment:
            self.advance()
        while self.now.cell == NOWHERE:
            if self._following is None or self._following.time > limit:
                return None
            self.advance()
        return CellChange(max(moment, self.now.time), self.now.cell)


def actions(seen: Iterator[CellChange], home: int, mobility: Mobility, stream: Random) -> Iterator[Action]:
    """A host that sees another cell leaves its own, and comes back, after the gap or disconnected for longer, where its
    way has led it meanwhile. Who sees none is disconnected until it does.
    """
    path, cell, chance = _Path(seen, home), home, mobility.disconnect.probability
    gap, away = sampler(mobility.gap, stream), sampler(mobility.disconnect.duration, stream)
    while path.advance():
        if path.now.cell == cell:
            yield Idle(path.now.time)
            continue
        left, lost = path.now.time, path.now.cell == NOWHERE
        off = not lost and chance > 0 and stream.random() < chance
        moment = left + (away() if off else gap())
        while (back := path.found(moment, moment + LOOK_AHEAD)) is None:
            moment += LOOK_AHEAD
            yield Departure(left, moment, cell, lost or off, absent=True)
        cell = back.cell
        yield Departure(left, back.time, cell, lost or off)

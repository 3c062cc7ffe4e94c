"""Detect the cells of a host along its path on a plane, and turn cell changes into actions.

At every check, the distances of the host to stations are compared. The time between two checks is constant. The host
changes to the cell of the nearest station if this station is nearer than the host's present station by more than the
hysteresis, or if the present station does not cover the position. A host is in no cell (NOWHERE) while no station
covers its position, and in a gap of its path.

A check is skipped if it cannot detect a change: if the path has not left the cell, if the hysteresis cannot be exceeded
yet, or if the host is in a disc around an earlier position, and the disc is inside the cell.
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
"""Two margins for rounding errors: no check is skipped within this distance in metres from a border, or within this
fraction of the time between checks from the time at which the path reaches a border."""

Border = tuple[float, float, float]


class CellChange(NamedTuple):
    """The cell of a host from `time` on, or NOWHERE. If the cell is the same as before, the host is still in it."""

    time: int
    cell: int


class CellBorders(dict[int, tuple[Border, ...]]):
    """The borders of each cell as (x, y, c), computed on demand.

    The point (at_x, at_y) is beyond a border by the distance x * at_x + y * at_y - c.
    """

    def __init__(self, plane: PlaneCells) -> None:
        self.plane = plane

    def __missing__(self, cell: int) -> tuple[Border, ...]:
        borders = self[cell] = tuple(self._border(cell, other) for other in self.plane.neighbours[cell])
        return borders

    def _border(self, cell: int, other: int) -> Border:
        (x, y), (to_x, to_y) = self.plane.sites[cell], self.plane.sites[other]
        apart = hypot(to_x - x, to_y - y)
        across_x, across_y = (to_x - x) / apart, (to_y - y) / apart
        return across_x, across_y, across_x * (x + to_x) / 2 + across_y * (y + to_y) / 2


class CellDetector:
    """Detects the cells of one host. `tick`: the time of the next check; earlier changes have been yielded."""

    def __init__(
        self, borders: CellBorders, crossing: Crossing, phase: int, at: tuple[float, float], *, present: bool = True
    ) -> None:
        """`at`: the position at time 0 or, if the host is not `present` at time 0, its first position."""
        self._borders, self._plane = borders, borders.plane
        self._check, self._hysteresis = crossing.check, crossing.hysteresis
        self.tick = phase
        self.home = self._plane.nearest(*at)
        self.cell = self.home if present and self._plane.covers(self.home, *at) else NOWHERE
        self._x = self._y = 0.0
        self._squared = -1.0
        """The squared radius of a disc around (x, y) in which no check detects a change."""

    def first_change(self) -> Iterator[CellChange]:
        """Yield a change to NOWHERE at time 0 if the host is not yet in its first cell."""
        if self.cell == NOWHERE:
            yield CellChange(0, NOWHERE)

    def changes(self, segment: Segment) -> Iterable[CellChange]:
        """Return the changes in the gap before a segment, and on the segment without its end."""
        start, end, x, y, to_x, to_y = segment
        if start > self.tick:
            return self._after_gap(segment)
        if self.tick >= end:
            return ()
        width, height = self._plane.width, self._plane.height
        inside = 0 <= x <= width and 0 <= y <= height and 0 <= to_x <= width and 0 <= to_y <= height
        if inside and self._in_disc(x, y, to_x, to_y):
            self._skip_to(end)
            return ()
        return self._checks(segment, inside=inside)  # borders are valid only on the plane

    def _after_gap(self, segment: Segment) -> Iterator[CellChange]:
        if self.cell != NOWHERE:
            self.cell = NOWHERE
            yield CellChange(self.tick, NOWHERE)
        self._squared = -1.0
        self._skip_to(segment.start)
        yield from self.changes(segment)

    def _checks(self, segment: Segment, *, inside: bool) -> Iterator[CellChange]:
        start, end, x, y, to_x, to_y = segment
        by_x, by_y = (to_x - x) / (end - start), (to_y - y) / (end - start)
        self._squared = -1.0
        while self.tick < end:
            after = self.tick - start
            at_x, at_y = x + by_x * after, y + by_y * after
            unchanged = self._unchanged_for(at_x, at_y, by_x, by_y) if inside else 0.0
            if unchanged == 0.0 and (cell := self._detect(at_x, at_y)) != self.cell:
                self.cell = cell
                yield CellChange(self.tick, cell)
                unchanged = self._unchanged_for(at_x, at_y, by_x, by_y) if inside else 0.0
            if unchanged == 0.0 and end - self.tick > self._check:  # else, the next check is on another segment
                unchanged = self._hysteresis_time(at_x, at_y, by_x, by_y)
            if by_x == by_y == 0.0 or unchanged >= end - self.tick:
                self._skip_to(end)
            else:
                self.tick += max(1, ceil(unchanged / self._check - _GUARD)) * self._check

    def _skip_to(self, until: int) -> None:
        if self.tick < until:
            self.tick += -((self.tick - until) // self._check) * self._check

    def _in_disc(self, x: float, y: float, to_x: float, to_y: float) -> bool:
        at_x, at_y, squared = self._x, self._y, self._squared
        x, y, to_x, to_y = x - at_x, y - at_y, to_x - at_x, to_y - at_y
        return x * x + y * y < squared and to_x * to_x + to_y * to_y < squared

    def _detect(self, x: float, y: float) -> int:
        plane, present = self._plane, self.cell
        nearest = plane.nearest(x, y, max(present, 0))
        if present not in {NOWHERE, nearest} and plane.covers(present, x, y):
            gain = sqrt(plane.squared(present, x, y)) - sqrt(plane.squared(nearest, x, y))
            return nearest if gain > self._hysteresis else present
        return nearest if plane.covers(nearest, x, y) else NOWHERE

    def _unchanged_for(self, x: float, y: float, by_x: float, by_y: float) -> float:
        """Return how long no change is possible on this segment; 0 if a change is possible now. Update the disc."""
        room, time = self._clearance(x, y, by_x, by_y)
        if room < _GUARD:
            self._squared = -1.0
            return 0.0
        self._x, self._y, self._squared = x, y, room * room
        return time

    def _hysteresis_time(self, x: float, y: float, by_x: float, by_y: float) -> float:
        """Return a lower bound of the time for which a host beyond the border of its cell stays in the cell.

        The host changes its cell when the difference between its distances to the present and to the nearest station
        exceeds the hysteresis. This difference grows at most at twice the host's speed.
        """
        plane, present, speed = self._plane, self.cell, hypot(by_x, by_y) or 1e-300
        if present == NOWHERE or not self._hysteresis:
            return 0.0
        far = sqrt(plane.squared(present, x, y))
        gain = far - sqrt(plane.squared(plane.nearest(x, y, present), x, y))
        reach = inf if plane.radius is None else plane.radius - far
        return max(0.0, min((self._hysteresis - gain) / (2 * speed), reach / speed))

    def _clearance(self, x: float, y: float, by_x: float, by_y: float) -> tuple[float, float]:
        """Return the distance to the nearest border, at most 0 beyond it, and the time until the path reaches one."""
        plane, cell = self._plane, self.cell
        room = time = inf
        if cell != NOWHERE:
            for across_x, across_y, c in self._borders[cell]:
                left = c - across_x * x - across_y * y
                room = min(room, left)
                towards = across_x * by_x + across_y * by_y
                if towards > 0 and left < time * towards:
                    time = left / towards
        if plane.radius is None:  # then every position is covered
            return (0.0, 0.0) if cell == NOWHERE else (room, time)
        station = plane.nearest(x, y) if cell == NOWHERE else cell
        beyond = sqrt(plane.squared(station, x, y)) - plane.radius
        to_edge = beyond if cell == NOWHERE else -beyond
        return min(room, to_edge), min(time, to_edge / (hypot(by_x, by_y) or 1e-300))


def cell_changes(path: Iterator[Segment], detector: CellDetector) -> Iterator[CellChange]:
    """Yield all changes on a path. After a time of LOOK_AHEAD without a change, yield the present cell again."""
    reported = 0
    yield from detector.first_change()
    for segment in path:
        for change in detector.changes(segment):
            reported = change.time
            yield change
        if detector.tick - reported > LOOK_AHEAD:
            reported = detector.tick
            yield CellChange(reported, detector.cell)
    if detector.cell != NOWHERE:
        yield CellChange(detector.tick, NOWHERE)


class _CellTimeline:
    """Cell changes in the order of time. `now`: the last change up to the present time of the caller."""

    def __init__(self, changes: Iterator[CellChange], home: int) -> None:
        self._rest = changes
        self.now = CellChange(0, home)
        self._following = next(changes, None)

    def advance(self) -> bool:
        if self._following is None:
            return False
        self.now, self._following = self._following, next(self._rest, None)
        return True

    def cell_from(self, moment: int, limit: int) -> CellChange | None:
        """Return the cell at `moment`. If the host is in no cell then, return its next cell up to `limit`, or None."""
        while self._following is not None and self._following.time <= moment:
            self.advance()
        while self.now.cell == NOWHERE:
            if self._following is None or self._following.time > limit:
                return None
            self.advance()
        return CellChange(max(moment, self.now.time), self.now.cell)


def actions(changes: Iterator[CellChange], home: int, mobility: Mobility, stream: Random) -> Iterator[Action]:
    """Turn cell changes into departures.

    A host that detects another cell leaves its present cell. After the gap, or after a disconnection, it enters the
    cell at its position on the path. A host in no cell is disconnected until it detects a cell.
    """
    timeline, cell, chance = _CellTimeline(changes, home), home, mobility.disconnect.probability
    gap, away = sampler(mobility.gap, stream), sampler(mobility.disconnect.duration, stream)
    while timeline.advance():
        if timeline.now.cell == cell:
            yield Idle(timeline.now.time)
            continue
        left, lost = timeline.now.time, timeline.now.cell == NOWHERE
        off = not lost and chance > 0 and stream.random() < chance
        moment = left + (away() if off else gap())
        while (back := timeline.cell_from(moment, moment + LOOK_AHEAD)) is None:
            moment += LOOK_AHEAD
            yield Departure(left, moment, cell, lost or off, absent=True, cut_off=lost)
        cell = back.cell
        yield Departure(left, back.time, cell, lost or off, cut_off=lost)

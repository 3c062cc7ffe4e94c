"""Turns the statements of one ns-2 node, in order of time, into positions.

A setdest has a destination and a speed, and the next setdest may come before the node arrives.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from math import hypot
from operator import attrgetter
from typing import Final, NamedTuple

from mobilesim.tracks.number_parsing import Unreadable, quoted
from mobilesim.tracks.position import LATEST, Position

# Speeds are rounded in files: a node that would arrive within a microsecond of its next statement has arrived.
_NEARLY: Final = 1000
_SECOND: Final = 1e9


class SetDestination(NamedTuple):
    """From `time` on, a move straight to (x, y); with a speed of 0 the node stands."""

    time: int
    x: float
    y: float
    speed: float


class Jump(NamedTuple):
    time: int
    axis: str
    value: float


class Presence(NamedTuple):
    time: int
    here: bool


class _Leg(NamedTuple):
    start: int
    end: int
    x: float
    y: float
    to_x: float
    to_y: float

    def at(self, time: int) -> tuple[float, float]:
        share = (time - self.start) / (self.end - self.start)
        return self.x + share * (self.to_x - self.x), self.y + share * (self.to_y - self.y)


class NodeMotion:
    """The motion of a node. It is absent until its first start, unless a stop comes before that."""

    def __init__(self, node: str, coordinates: dict[str, float], presences: Iterable[Presence]) -> None:
        self._node = node
        self._coordinates = dict(coordinates)
        self._presences = deque(sorted(presences, key=attrgetter("time")))
        self._here = not self._presences or not self._presences[0].here
        self._leg: _Leg | None = None
        self._jump: tuple[int, dict[str, float]] | None = None
        self._last: Position | None = None

    @property
    def placed(self) -> bool:
        return len(self._coordinates) == 2

    def begin(self) -> Iterator[Position]:
        if self._here and self.placed:
            yield from self._position(0)

    def head(self, head: SetDestination) -> Iterator[Position]:
        yield from self._until(head.time)
        if not self.placed:
            raise Unreadable(
                f"node {quoted(self._node)} has a setdest before its coordinates; write `$node_({self._node}) set X_ "
                "0.0`, and Y_"
            )
        yield from self._move(head.time)
        if self._here:
            yield from self._position(head.time)
        self._leg = self._leg_to(head)

    def jump(self, jump: Jump) -> Iterator[Position]:
        """Collect the coordinates of one time, which are one position."""
        if self._jump is None or self._jump[0] != jump.time:
            yield from self._until(jump.time)
            self._jump = jump.time, {}
        self._jump[1][jump.axis] = jump.value

    def end(self) -> Iterator[Position]:
        yield from self._until(2 * LATEST)
        yield from self._move(2 * LATEST)

    def _leg_to(self, head: SetDestination) -> _Leg | None:
        x, y = self._coordinates["X"], self._coordinates["Y"]
        distance = hypot(head.x - x, head.y - y)
        if not distance or not head.speed:
            return None
        duration = distance / head.speed * _SECOND
        if not duration <= LATEST - head.time:
            raise Unreadable(f"at {head.speed:g} m/s node {quoted(self._node)} arrives after more than 100 years")
        return _Leg(head.time, head.time + round(duration), x, y, head.x, head.y) if round(duration) else None

    def _until(self, time: int) -> Iterator[Position]:
        """Apply starts and stops up to `time`: a stop before the jumps of the same time, a start after them."""
        while self._presences and (self._presences[0].time, self._presences[0].here) < (time, True):
            presence = self._presences.popleft()
            if self._jump is not None and self._jump[0] <= presence.time:
                yield from self._finish_jump()
            yield from self._move(presence.time)
            if presence.here != self._here:
                self._here = presence.here
                yield from self._position(presence.time) if self.placed else ()
        if self._jump is not None:
            yield from self._finish_jump()

    def _finish_jump(self) -> Iterator[Position]:
        assert self._jump is not None
        (time, coordinates), self._jump = self._jump, None
        yield from self._move(time)
        self._leg = None
        moved = self.placed and self._coordinates != {**self._coordinates, **coordinates}
        if self._here and moved:
            yield Position(self._node, time, self._coordinates["X"], self._coordinates["Y"], False)
        self._coordinates.update(coordinates)
        if self._here and self.placed:
            yield from self._position(time)

    def _move(self, time: int) -> Iterator[Position]:
        """Move the node to its coordinates at `time`, and yield an arrival before that."""
        leg = self._leg
        if leg is None or leg.start == time:
            return
        if leg.end > time + _NEARLY:
            self._coordinates["X"], self._coordinates["Y"] = leg.at(time)
            return
        self._leg = None
        self._coordinates["X"], self._coordinates["Y"] = leg.to_x, leg.to_y
        if self._here and leg.end < time - _NEARLY:
            yield from self._position(leg.end)

    def _position(self, time: int) -> Iterator[Position]:
        position = Position(self._node, time, self._coordinates["X"], self._coordinates["Y"], self._here)
        if position != self._last:
            self._last = position
            yield position

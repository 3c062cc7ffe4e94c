"""How one node of ns-2 goes: what statements say of it in order of time becomes positions.

ns-2 knows only where to go and how fast; a node may be sent elsewhere before it arrives.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from math import hypot
from typing import Final, NamedTuple

from mobilesim.tracks.number_parsing import Unreadable, quoted
from mobilesim.tracks.position import LATEST, Position

# Speeds are rounded in files: who would arrive within a microsecond of its next statement has arrived.
_NEARLY: Final = 1000
_SECOND: Final = 1e9


class Head(NamedTuple):
    """From `time` on go straight to (x, y); a speed of 0 means to stand."""

    time: int
    x: float
    y: float
    speed: float


class Jump(NamedTuple):
    """One coordinate changes at once."""

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

    def place(self, time: int) -> tuple[float, float]:
        share = (time - self.start) / (self.end - self.start)
        return self.x + share * (self.to_x - self.x), self.y + share * (self.to_y - self.y)


class Walk:
    """A node that first starts was absent before; one that first stops, or does neither, was there from 0 on."""

    def __init__(self, node: str, place: dict[str, float], presences: Iterable[Presence]) -> None:
        self._node = node
        self._place = dict(place)
        self._presences = deque(presences)
        self._here = not self._presences or not self._presences[0].here
        self._leg: _Leg | None = None
        self._jump: tuple[int, dict[str, float]] | None = None
        self._last: Position | None = None

    @property
    def placed(self) -> bool:
        return len(self._place) == 2

    def begin(self) -> Iterator[Position]:
        if self._here and self.placed:
            yield from self._say(0)

    def head(self, head: Head) -> Iterator[Position]:
        yield from self._until(head.time)
        if not self.placed:
            raise Unreadable(
                f"node {quoted(self._node)} is sent off before it is anywhere; "
                f"write `$node_({self._node}) set X_ 0.0`, and Y_"
            )
        yield from self._pass(head.time)
        if self._here:
            yield from self._say(head.time)
        self._leg = self._departing(head)

    def jump(self, jump: Jump) -> Iterator[Position]:
        """Both coordinates of one moment belong together."""
        if self._jump is None or self._jump[0] != jump.time:
            yield from self._until(jump.time)
            self._jump = jump.time, {}
        self._jump[1][jump.axis] = jump.value

    def end(self) -> Iterator[Position]:
        yield from self._until(2 * LATEST)
        yield from self._pass(2 * LATEST)

    def _departing(self, head: Head) -> _Leg | None:
        x, y = self._place["X"], self._place["Y"]
        distance = hypot(head.x - x, head.y - y)
        if not distance or not head.speed:
            return None
        duration = distance / head.speed * _SECOND
        if not duration <= LATEST - head.time:
            raise Unreadable(f"at {head.speed:g} m/s node {quoted(self._node)} arrives after more than 100 years")
        return _Leg(head.time, head.time + round(duration), x, y, head.x, head.y) if round(duration) else None

    def _until(self, time: int) -> Iterator[Position]:
        """Who starts now starts where statements of this moment put it; who stops now has not been moved by them."""
        while self._presences and (self._presences[0].time, self._presences[0].here) < (time, True):
            presence = self._presences.popleft()
            if self._jump is not None and self._jump[0] <= presence.time:
                yield from self._land()
            yield from self._pass(presence.time)
            if presence.here != self._here:
                self._here = presence.here
                yield from self._say(presence.time) if self.placed else ()
        if self._jump is not None:
            yield from self._land()

    def _land(self) -> Iterator[Position]:
        assert self._jump is not None
        (time, place), self._jump = self._jump, None
        yield from self._pass(time)
        self._leg = None
        moved = self.placed and self._place != {**self._place, **place}
        if self._here and moved:
            yield Position(self._node, time, self._place["X"], self._place["Y"], False)
        self._place.update(place)
        if self._here and self.placed:
            yield from self._say(time)

    def _pass(self, time: int) -> Iterator[Position]:
        """Be where the node is at some time; an arrival before that is a position."""
        leg = self._leg
        if leg is None or leg.start == time:
            return
        if leg.end > time + _NEARLY:
            self._place["X"], self._place["Y"] = leg.place(time)
            return
        self._leg = None
        self._place["X"], self._place["Y"] = leg.to_x, leg.to_y
        if self._here and leg.end < time - _NEARLY:
            yield from self._say(leg.end)

    def _say(self, time: int) -> Iterator[Position]:
        position = Position(self._node, time, self._place["X"], self._place["Y"], self._here)
        if position != self._last:
            self._last = position
            yield position

"""Movement files of ns-2, as setdest, BonnMotion and SUMO write them: Tcl statements of four kinds, in any order."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import hypot
from operator import attrgetter
from typing import Final, NamedTuple

from mobilesim.tracks.number_parsing import Unreadable, metres, number, quoted, seconds
from mobilesim.tracks.position import LATEST, Position
from mobilesim.tracks.text_source import Source

# Files have rounded speeds. So a node that arrives up to a microsecond after its next statement counts as arrived.
_NEARLY: Final = 1000

_NODE: Final = r"\$node_?\(([^()\s]+)\)"
_SET: Final = rf"{_NODE}\s+set\s+([XYZ])_\s+([^\s;\"]+)"
_SETDEST: Final = rf"{_NODE}\s+setdest\s+(\S+)\s+(\S+)\s+([^\s\"]+)"
_PRESENCE: Final = r"\$g_?\(([^()\s]+)\)\s+(start|stop)"
_STATEMENT: Final = re.compile(
    rf'\s*(?:{_SET}|\$ns_?\s+at\s+([^\s"]+)\s+"\s*(?:{_SETDEST}|{_SET}|{_PRESENCE})\s*")\s*(?:;\s*)?(?:#.*)?'
)
_IGNORED: Final = re.compile(r'\s*(?:#.*|\$god_\s.*|\$ns_?\s+at\s+\S+\s+"\s*\$god_\s.*"\s*|set\s.*|puts\s.*)?')
_KNOWN: Final = '`$node_(0) set X_ 1.5`, `$ns_ at 2.0 "$node_(0) setdest 3.0 4.0 1.0"` and `$ns_ at 9.0 "$g(0) stop"`'


class SetDestination(NamedTuple):
    """From `time` on, the node moves straight to (x, y). With speed 0, it stands."""

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
    """Turns the statements of a node, in order of time, into positions.

    A setdest statement has a destination and a speed. The next setdest may come before the node has arrived. A node is
    absent before its first start statement, unless there is an earlier stop statement.
    """

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
        """Record a new coordinate. All coordinates with the same time are one position."""
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
        duration = distance / head.speed * 1e9
        if not duration <= LATEST - head.time:
            raise Unreadable(f"at {head.speed:g} m/s node {quoted(self._node)} arrives after more than 100 years")
        return _Leg(head.time, head.time + round(duration), x, y, head.x, head.y) if round(duration) else None

    def _until(self, time: int) -> Iterator[Position]:
        """Apply starts and stops up to `time`. At equal times, stops are before jumps, and starts are after jumps."""
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
        """Move the node to its coordinates at `time`. If it arrives at its destination before, yield this position."""
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


class InitialCoordinate(NamedTuple):
    axis: str
    value: float


Statement = InitialCoordinate | SetDestination | Jump | Presence
Motion = tuple[int, str, SetDestination | Jump]
"""A line number, a node and its statement."""


@dataclass(slots=True)
class _Known:
    coordinates: dict[str, float] = field(default_factory=dict)
    presences: list[Presence] = field(default_factory=list)
    latest: int = -1
    in_order: bool = True

    def note(self, statement: Statement) -> None:
        match statement:
            case InitialCoordinate(axis, value):
                self.coordinates[axis] = value
            case Presence():
                self.presences.append(statement)
            case SetDestination(time=time) | Jump(time=time):
                self.in_order = self.in_order and time >= self.latest
                self.latest = time


def read(source: Source) -> Iterator[Position]:
    """Read a file twice, because initial coordinates, starts and stops may be anywhere in the file.

    If the statements of a node are not in order of time, they are kept in memory.
    """
    known: dict[str, _Known] = {}
    for _, node, statement in _statements(source):
        known.setdefault(node, _Known()).note(statement)
    walks = {node: NodeMotion(node, about.coordinates, about.presences) for node, about in known.items()}
    for walk in walks.values():
        yield from walk.begin()
    yield from _executed(source, walks, _in_order(source, known))
    for walk in walks.values():
        yield from walk.end()
    lost = sum(not walk.placed for walk in walks.values())
    if lost:
        source.notes.append(f"nodes without X_ or Y_, left out: {lost:,}")


def _in_order(source: Source, known: dict[str, _Known]) -> Iterator[Motion]:
    kept: dict[str, list[Motion]] = {}
    for line, node, statement in _statements(source):
        if isinstance(statement, SetDestination | Jump):
            if known[node].in_order:
                yield line, node, statement
            else:
                kept.setdefault(node, []).append((line, node, statement))
    for statements in kept.values():
        yield from sorted(statements, key=lambda entry: entry[2].time)


def _executed(source: Source, walks: dict[str, NodeMotion], statements: Iterator[Motion]) -> Iterator[Position]:
    for line, node, statement in statements:
        try:
            if isinstance(statement, SetDestination):
                yield from walks[node].head(statement)
            else:
                yield from walks[node].jump(statement)
        except Unreadable as fault:
            raise source.fault(line, str(fault)) from None


def _statements(source: Source) -> Iterator[tuple[int, str, Statement]]:
    for line, text in source.lines():
        found = _STATEMENT.fullmatch(text)
        if found is None:
            if _IGNORED.fullmatch(text) is None:
                raise source.fault(line, f"{quoted(text.strip())} is not a supported statement; supported: {_KNOWN}")
            continue
        try:
            statement = _KINDS[found.lastindex or 0](*filter(None, found.groups()))
        except Unreadable as fault:
            raise source.fault(line, str(fault)) from None
        if statement is not None:
            yield line, *statement


def _place(node: str, axis: str, value: str) -> tuple[str, Statement] | None:
    return (node, InitialCoordinate(axis, metres(value))) if axis != "Z" else None


def _head(time: str, node: str, x: str, y: str, speed: str) -> tuple[str, Statement]:
    if number(speed) < 0:
        raise Unreadable(f"the speed {quoted(speed)} is negative; write 0 for a node that stands")
    return node, SetDestination(seconds(time), metres(x), metres(y), number(speed))


def _jump(time: str, node: str, axis: str, value: str) -> tuple[str, Statement] | None:
    return (node, Jump(seconds(time), axis, metres(value))) if axis != "Z" else None


def _presence(time: str, node: str, what: str) -> tuple[str, Statement]:
    return node, Presence(seconds(time), what == "start")


# The kinds of statements, by the last group of `_STATEMENT` that matched
_KINDS: Final[dict[int, Callable[..., tuple[str, Statement] | None]]] = {3: _place, 8: _head, 11: _jump, 13: _presence}

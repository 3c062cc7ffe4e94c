"""Movement of ns-2, as setdest, BonnMotion and SUMO write it: Tcl statements of four kinds, in any order."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mobilesim.tracks.formats.ns2_motion import Jump, NodeMotion, Presence, SetDestination
from mobilesim.tracks.number_parsing import Unreadable, metres, number, quoted, seconds
from mobilesim.tracks.position import Position
from mobilesim.tracks.text_source import Source

_NODE: Final = r"\$node_?\(([^()\s]+)\)"
_SET: Final = rf"{_NODE}\s+set\s+([XYZ])_\s+([^\s;\"]+)"
_SETDEST: Final = rf"{_NODE}\s+setdest\s+(\S+)\s+(\S+)\s+([^\s\"]+)"
_PRESENCE: Final = r"\$g_?\(([^()\s]+)\)\s+(start|stop)"
_STATEMENT: Final = re.compile(
    rf'\s*(?:{_SET}|\$ns_?\s+at\s+([^\s"]+)\s+"\s*(?:{_SETDEST}|{_SET}|{_PRESENCE})\s*")\s*(?:;\s*)?(?:#.*)?'
)
_IGNORED: Final = re.compile(r'\s*(?:#.*|\$god_\s.*|\$ns_?\s+at\s+\S+\s+"\s*\$god_\s.*"\s*|set\s.*|puts\s.*)?')
_KNOWN: Final = '`$node_(0) set X_ 1.5`, `$ns_ at 2.0 "$node_(0) setdest 3.0 4.0 1.0"` and `$ns_ at 9.0 "$g(0) stop"`'


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
    """Read a file twice: initial coordinates may be at its end, and starts and stops at any place.

    Statements are kept in memory only for nodes whose statements are not in order of time.
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


# By the last group of `_STATEMENT` that matched.
_KINDS: Final[dict[int, Callable[..., tuple[str, Statement] | None]]] = {3: _place, 8: _head, 11: _jump, 13: _presence}

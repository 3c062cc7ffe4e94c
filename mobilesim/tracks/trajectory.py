"""Checks that the positions of each node are in order of time, drops redundant positions, and cuts tracks in time."""

from collections.abc import Iterator

from mobilesim.tracks.number_parsing import Unreadable, as_seconds, quoted
from mobilesim.tracks.position import Position


class TrajectoryFilter:
    """Keeps the last position of each node. Two positions at the same time become a jump: an absence of duration 0."""

    def __init__(self) -> None:
        self._last: dict[str, Position] = {}

    def add(self, position: Position) -> tuple[Position, ...]:
        before = self._last.get(position.node)
        if before is None or not before.here:
            if not position.here:
                return ()
        elif position.time == before.time and position.here:
            return self._jump(before, position)
        if before is not None and position.time < before.time:
            raise Unreadable(
                f"node {quoted(position.node)} is at {as_seconds(position.time)} s after {as_seconds(before.time)} s; "
                "sort the file by time"
            )
        self._last[position.node] = position
        return (position,)

    def _jump(self, before: Position, position: Position) -> tuple[Position, ...]:
        if before == position:
            return ()
        self._last[position.node] = position
        return before._replace(here=False), position


def clip(positions: Iterator[Position], start: int, end: int | None) -> Iterator[Position]:
    """Return the positions between two times. Positions at both times are interpolated; times count from `start`."""
    trajectory = TrajectoryFilter()
    for position in _within(positions, start, end):
        yield from trajectory.add(position._replace(time=position.time - start))


def _within(positions: Iterator[Position], start: int, end: int | None) -> Iterator[Position]:
    before: dict[str, Position] = {}
    for position in positions:
        last = before.get(position.node)
        before[position.node] = position
        if position.time < start or (last is not None and end is not None and last.time > end):
            continue
        if last is not None and last.here and last.time < start < position.time:
            yield _between(last, position, start)
        if end is None or position.time <= end:
            yield position
        elif last is not None and last.here:
            yield _between(last, position, end)
    for last in before.values():
        if last.here and last.time < start:
            yield last._replace(time=start)


def _between(last: Position, position: Position, time: int) -> Position:
    share = (time - last.time) / (position.time - last.time)
    x, y = last.x + share * (position.x - last.x), last.y + share * (position.y - last.y)
    return Position(position.node, time, x, y, True)

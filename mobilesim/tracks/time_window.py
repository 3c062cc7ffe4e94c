"""Cuts a track to a time window."""

from collections.abc import Iterator

from mobilesim.tracks.position import Position
from mobilesim.tracks.trajectory import TrajectoryFilter


def clip(positions: Iterator[Position], start: int, end: int | None) -> Iterator[Position]:
    """Return the positions between two times, counted from `start`; paths are interpolated at both."""
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
    return Position(
        position.node, time, last.x + share * (position.x - last.x), last.y + share * (position.y - last.y), True
    )

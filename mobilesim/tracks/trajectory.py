"""Checks that positions of each node are in order of time, and drops redundant ones."""

from mobilesim.tracks.number_parsing import Unreadable, as_seconds, quoted
from mobilesim.tracks.position import Position


class TrajectoryFilter:
    """Keeps the last position of each node. Two positions at one time are a jump, an absence without duration."""

    __slots__ = ("_last",)

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

    @property
    def empty(self) -> bool:
        return not self._last

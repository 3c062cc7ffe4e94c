"""What has been read of each node, put in order: time never runs back, and what says nothing new is left out."""

from mobilesim.tracks.number_parsing import Unreadable, as_seconds, quoted
from mobilesim.tracks.position import Position


class Paths:
    """Holds one position for each node. Two places at one moment are a jump, which is an absence without length."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: dict[str, Position] = {}

    def add(self, position: Position) -> tuple[Position, ...]:
        before = self._last.get(position.node)
        if before is None or not before.here:
            if not position.here:
                return ()
        elif position.time == before.time and position.here:
            return self._again(before, position)
        if before is not None and position.time < before.time:
            raise Unreadable(
                f"node {quoted(position.node)} is at {as_seconds(position.time)} s after {as_seconds(before.time)} s; "
                "sort the file by time"
            )
        self._last[position.node] = position
        return (position,)

    def _again(self, before: Position, position: Position) -> tuple[Position, ...]:
        if before == position:
            return ()
        self._last[position.node] = position
        return before._replace(here=False), position

    @property
    def empty(self) -> bool:
        return not self._last

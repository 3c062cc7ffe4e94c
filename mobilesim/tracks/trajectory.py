"""What has been read of each node, put in order: time never runs back, and what says nothing new is left out."""

from mobilesim.tracks.number_parsing import Unreadable, as_seconds, quoted
from mobilesim.tracks.position import Fix


class Paths:
    """Holds one fix for each node. Two places at one moment are a jump, which is an absence without length."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: dict[str, Fix] = {}

    def add(self, fix: Fix) -> tuple[Fix, ...]:
        before = self._last.get(fix.node)
        if before is None or not before.here:
            if not fix.here:
                return ()
        elif fix.time == before.time and fix.here:
            return self._again(before, fix)
        if before is not None and fix.time < before.time:
            raise Unreadable(
                f"node {quoted(fix.node)} is at {as_seconds(fix.time)} s after {as_seconds(before.time)} s; "
                "sort the file by time"
            )
        self._last[fix.node] = fix
        return (fix,)

    def _again(self, before: Fix, fix: Fix) -> tuple[Fix, ...]:
        if before == fix:
            return ()
        self._last[fix.node] = fix
        return before._replace(here=False), fix

    @property
    def empty(self) -> bool:
        return not self._last

"""Time steps that list all nodes with their coordinates. A node is absent from the first step that does not list it
until the next step that does.
"""

from typing import Final

from mobilesim.tracks.number_parsing import Unreadable, as_seconds, quoted
from mobilesim.tracks.position import Position
from mobilesim.tracks.projection import Coordinates, Origin, geographic_coordinates, plane_coordinates

KINDS: Final = ("vehicle", "person", "container")
LACKING: Final = "let SUMO write it (--fcd-output.attributes x,y and others)"
_INVALID: Final = "-1073741824"
"""The coordinate that SUMO writes for a node without a position in the simulation."""


class TimeSteps:
    """Turns time steps into positions, which it appends to `found`."""

    def __init__(self, origin: Origin, *, geo: bool) -> None:
        self.found: list[Position] = []
        self.inside = False
        self.nowhere = 0
        """The number of invalid coordinates."""
        self._coordinates: Coordinates = geographic_coordinates(origin) if geo else plane_coordinates(origin)
        self._origin = origin
        self._time = -1
        self._step = 0
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self._there: dict[str, Position] = {}
        self._seen = 0

    def in_degrees(self) -> None:
        """Read coordinates as longitude and latitude from now on."""
        self._coordinates = geographic_coordinates(self._origin)

    def begin(self, time: int) -> None:
        """Begin a step. SUMO may leave out empty steps: all nodes are absent in a gap longer than the others."""
        if time <= self._time:
            raise Unreadable(f"the time step {as_seconds(time)} s comes after {as_seconds(self._time)} s")
        gap = time - self._time if self._time >= 0 else 0
        if 0 < self._step < gap - self._step // 2:
            self._gone(time, self._time + self._step)
        if gap:
            self._step = min(self._step or gap, gap)
        self._time, self.inside, self._seen = time, True, 0

    def end(self) -> None:
        self.inside = False
        if self._seen < len(self._there):
            self._gone(self._time, self._time)

    def move(self, kind: str, known: str, x: str, y: str) -> None:
        if x.startswith(_INVALID) or y.startswith(_INVALID):
            self.nowhere += 1
            return
        name = self._names.get((kind, known)) or self._new(kind, known)
        last = self._there.get(name)
        if last is not None and last.time == self._time:
            raise Unreadable(f"the {kind} {quoted(known)} occurs twice in one time step")
        position = Position(name, self._time, *self._coordinates(x, y), True)
        self._seen += 1
        self._there[name] = position
        self.found.append(position)

    def _gone(self, now: int, since: int) -> None:
        """Keep nodes at their last position until the first time step without them."""
        for name in [name for name, last in self._there.items() if last.time < now]:
            self.found.append(self._there.pop(name)._replace(time=since, here=False))

    def _new(self, kind: str, known: str) -> str:
        """Name a node; a person with the id of a vehicle gets its kind as a prefix."""
        name = known if known not in self._taken else f"{kind}:{known}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        self._names[kind, known] = name
        return name

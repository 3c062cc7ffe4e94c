"""FCD output of SUMO: time steps with the vehicles, persons and containers in them, as XML or as a table.

A time step lists all present nodes with their coordinates. A node that a step does not list is absent, from this step
until the next step that lists the node.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mobilesim.errors import counted
from mobilesim.tracks.formats.csv import is_fcd_table, rows
from mobilesim.tracks.formats.xml_stream import XmlReader, attribute
from mobilesim.tracks.number_parsing import Unreadable, as_seconds, quoted, seconds
from mobilesim.tracks.position import Position
from mobilesim.tracks.projection import Coordinates, Origin, geographic_coordinates, plane_coordinates
from mobilesim.tracks.text_source import Source

_KINDS: Final = ("vehicle", "person", "container")
_LACKING: Final = "let SUMO write it (--fcd-output.attributes x,y and others)"
_INVALID: Final = "-1073741824"
"""The coordinate that SUMO writes for a node without a position in the simulation."""

# SUMO writes its settings as a comment at the beginning of a file.
_GEO: Final = re.compile(r"fcd-output\.geo\s+value=\"(?:true|1|on|yes|x|t)\"", re.IGNORECASE)


def read(source: Source, origin: Origin, *, geo: bool = False) -> Iterator[Position]:
    """Read a file. With `geo`, x and y are longitude and latitude, even if the file does not state this."""
    steps = _TimeSteps(origin, geo=geo)
    if is_fcd_table(source.head()):
        yield from source.parsed(rows(source), lambda header: _Columns(header, steps).add)
        steps.end()
        yield from steps.found
    else:
        yield from _Fcd(source, steps).read()
    if steps.nowhere:
        source.notes.append(f"invalid positions of SUMO, read as absence: {steps.nowhere:,}")


class _TimeSteps:
    """Turns time steps into positions, and appends these to `found`."""

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
        """Begin a step. SUMO may leave out empty steps, so nodes are absent in a gap of more than 1.5 steps."""
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
        """End the presence of nodes that step `now` does not list. They stay at their last positions until `since`."""
        for name in [name for name, last in self._there.items() if last.time < now]:
            self.found.append(self._there.pop(name)._replace(time=since, here=False))

    def _new(self, kind: str, known: str) -> str:
        """Return a unique name for a node. If, for example, a person has the id of a vehicle, its kind is a prefix."""
        name = known if known not in self._taken else f"{kind}:{known}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        self._names[kind, known] = name
        return name


class _Fcd(XmlReader):
    root = "fcd-export"

    def __init__(self, source: Source, steps: _TimeSteps) -> None:
        super().__init__(source)
        self._steps = steps
        self.found = steps.found

    def comment(self, text: str) -> None:
        if _GEO.search(text):
            self._steps.in_degrees()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _KINDS:
            self._move(tag, attributes)
        elif tag == "timestep":
            if self._steps.inside:
                raise Unreadable("a <timestep> within another one")
            self._steps.begin(seconds(attribute(attributes, "time", tag)))

    def end(self, tag: str) -> None:
        if tag == "timestep":
            self._steps.end()

    def _move(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._steps.inside:
            raise Unreadable(f"a <{tag}> outside of any <timestep>")
        known = attribute(attributes, "id", tag)
        if lacks := [name for name in "xy" if name not in attributes]:
            raise Unreadable(f"this <{tag}> has no {lacks[0]}; {_LACKING}")
        self._steps.move(tag, known, attributes["x"], attributes["y"])


class _Columns:
    """A table of SUMO. A column has the name of an element and an attribute, and is empty in rows of other elements."""

    def __init__(self, header: Sequence[str], steps: _TimeSteps) -> None:
        self._steps = steps
        names = [name.strip() for name in header]
        for name in names:
            if names.count(name) > 1:
                raise Unreadable(f"there are two columns {quoted(name)}; leave one out")
        self._width, self._time, self._now = len(names), names.index("timestep_time"), ""
        self._kinds = [(kind, _indices(kind, names)) for kind in _KINDS if f"{kind}_id" in names]
        if not self._kinds:
            raise Unreadable("there is no column 'vehicle_id'; let SUMO write it")

    def add(self, row: Sequence[str]) -> list[Position]:
        steps = self._steps
        if len(row) != self._width:
            raise Unreadable(f"this row has {counted(len(row), 'value')}, and the header {self._width}")
        if row[self._time] != self._now:
            if self._now:
                steps.end()
            self._now = row[self._time]
            steps.begin(seconds(self._now))
        for kind, (one, x, y) in self._kinds:
            if row[one]:
                steps.move(kind, row[one], row[x], row[y])
        found = steps.found.copy()
        steps.found.clear()
        return found


def _indices(kind: str, names: Sequence[str]) -> tuple[int, ...]:
    wanted = [f"{kind}_{attribute}" for attribute in ("id", "x", "y")]
    for name in wanted:
        if name not in names:
            raise Unreadable(f"there is no column {quoted(name)}; {_LACKING}")
    return tuple(map(names.index, wanted))

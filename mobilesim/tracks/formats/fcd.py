"""FCD output of SUMO: time steps with the vehicles, persons and containers in them, as XML or as a table."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mobilesim.tracks.formats.csv import is_fcd_table, rows
from mobilesim.tracks.formats.time_steps import KINDS, LACKING, TimeSteps
from mobilesim.tracks.formats.xml_stream import XmlReader, attribute
from mobilesim.tracks.number_parsing import Unreadable, quoted, seconds
from mobilesim.tracks.position import Position
from mobilesim.tracks.projection import Origin
from mobilesim.tracks.text_source import Source

_MOVERS: Final = frozenset(KINDS)
# SUMO writes its settings into a comment at the top.
_GEO: Final = re.compile(r"fcd-output\.geo\s+value=\"(?:true|1|on|yes|x|t)\"", re.IGNORECASE)


def read(source: Source, origin: Origin, *, geo: bool = False) -> Iterator[Position]:
    """Read a file; with `geo`, x and y are longitude and latitude, even without a geographic projection in the file."""
    steps = TimeSteps(origin, geo=geo)
    if is_fcd_table(source.head()):
        yield from source.parsed(rows(source), lambda header: _Columns(header, steps).add)
        steps.end()
        yield from steps.found
    else:
        yield from _Fcd(source, steps).read()
    if steps.nowhere:
        source.notes.append(f"invalid positions of SUMO, read as absence: {steps.nowhere:,}")


class _Fcd(XmlReader):
    root = "fcd-export"

    def __init__(self, source: Source, steps: TimeSteps) -> None:
        super().__init__(source)
        self._steps = steps
        self.found = steps.found

    def comment(self, text: str) -> None:
        if _GEO.search(text):
            self._steps.in_degrees()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _MOVERS:
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
            raise Unreadable(f"this <{tag}> has no {lacks[0]}; {LACKING}")
        self._steps.move(tag, known, attributes["x"], attributes["y"])


class _Columns:
    """Columns are named by element and attribute; those of other elements are empty in a row."""

    def __init__(self, header: Sequence[str], steps: TimeSteps) -> None:
        self._steps = steps
        names = [name.strip() for name in header]
        for name in names:
            if names.count(name) > 1:
                raise Unreadable(f"there are two columns {quoted(name)}; leave one out")
        self._width, self._time, self._now = len(names), names.index("timestep_time"), ""
        self._kinds = [(kind, _indices(kind, names)) for kind in KINDS if f"{kind}_id" in names]
        if not self._kinds:
            raise Unreadable("there is no column 'vehicle_id'; let SUMO write it")

    def add(self, row: Sequence[str]) -> list[Position]:
        steps = self._steps
        if len(row) != self._width:
            raise Unreadable(f"this row has {len(row)} values, and the header {self._width}")
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
            raise Unreadable(f"there is no column {quoted(name)}; {LACKING}")
    return tuple(map(names.index, wanted))

"""GPX 1.1 (and 1.0). Each track is a node, which is absent between its segments and after its last segment.

The earliest point of the file is at time 0. Routes and waypoints have no times, and are ignored.
"""

from collections.abc import Iterator
from itertools import chain, count
from typing import Final

from mobilesim.tracks.formats.xml_stream import XmlReader, attribute
from mobilesim.tracks.number_parsing import Unreadable, as_seconds, parse_timestamp, quoted
from mobilesim.tracks.position import Position
from mobilesim.tracks.projection import Coordinates, Origin, geographic_coordinates
from mobilesim.tracks.text_source import Source

_LONGEST: Final = 1000


def read(source: Source, origin: Origin) -> Iterator[Position]:
    first = min((point.time for point in _Gpx(source, geographic_coordinates(origin)).read()), default=0)
    reader = _Gpx(source, geographic_coordinates(origin))
    for point in reader.read():
        yield point._replace(time=point.time - first)
    if reader.untimed:
        source.notes.append(f"points without a time, left out: {reader.untimed:,}")


class _Gpx(XmlReader):
    """A reader that keeps the last point until it has read the next point, or the end of the segment."""

    root = "gpx"

    def __init__(self, source: Source, coordinates: Coordinates) -> None:
        super().__init__(source)
        self._coordinates = coordinates
        self._tracks = 0
        self._names: set[str] = set()
        self._path: list[str] = []
        self._text = ""
        self._node: str | None = None
        self._place: tuple[float, float] | None = None
        self._time: int | None = None
        self._latest: int | None = None
        self._kept: Position | None = None
        self._single = True
        self.untimed = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag)
        match self._path[1:]:
            case ["trk"]:
                self._tracks += 1
                self._node = self._latest = None
            case ["trk", "trkseg"]:
                self._single = True
            case ["trk", "trkseg", "trkpt"]:
                longitude, latitude = (attribute(attributes, name, tag) for name in ("lon", "lat"))
                self._place = self._coordinates(longitude, latitude)
                self._time = None
            case ["trk", "name"] | ["trk", "trkseg", "trkpt", "time"]:
                self._text = ""
                self.listen(listening=True)

    def end(self, tag: str) -> None:
        match self._path[1:]:
            case ["trk", "name"]:
                self.listen(listening=False)
                self._node = self._node or self._named(" ".join(self._text.split()))
            case ["trk", "trkseg"]:
                self._close()
            case ["trk", "trkseg", "trkpt"]:
                self._pass()
            case ["trk", "trkseg", "trkpt", "time"]:
                self.listen(listening=False)
                self._time = parse_timestamp(self._text)
        self._path.pop()

    def text(self, text: str) -> None:
        self._text += text
        if len(self._text) > _LONGEST:
            raise Unreadable(f"{quoted(self._text.strip())} is too long")

    def _named(self, name: str) -> str:
        """Return a unique name for a node. If a track has the name of an earlier track, a number is added."""
        name = name or f"track {self._tracks}"
        names = chain([name], (f"{name} ({number})" for number in count(2)))
        unique = next(each for each in names if each not in self._names)
        self._names.add(unique)
        return unique

    def _pass(self) -> None:
        if self._time is None:
            self.untimed += 1
            return
        assert self._place is not None
        if self._latest is not None and self._time < self._latest:
            back = as_seconds(self._latest - self._time)
            raise Unreadable(
                f"this point is {back} s before the point above it; write the points of a track in order of time"
            )
        if self._kept is not None and self._time > self._kept.time:
            self.found.append(self._kept)
            self._single = False
        self._latest = self._time
        self._node = self._node or self._named("")
        self._kept = Position(self._node, self._time, *self._place, True)

    def _close(self) -> None:
        if self._kept is not None:
            if self._single:
                self.found.append(self._kept)
            self.found.append(self._kept._replace(here=False))
        self._kept = None

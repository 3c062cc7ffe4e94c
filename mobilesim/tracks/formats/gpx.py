"""GPX 1.1 (and 1.0): each track is a node, absent between its segments and after its last one.

The earliest point of the file is at time 0. Routes and waypoints have no times, and are passed over.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from mobilesim.tracks.number_parsing import Unreadable, as_seconds, quoted
from mobilesim.tracks.position import Position
from mobilesim.tracks.projection import GeographicCoordinates, Origin
from mobilesim.tracks.text_source import Source
from mobilesim.tracks.timestamps import moment
from mobilesim.tracks.xml_stream import Markup, attribute

_LONGEST: Final = 1000


def read(source: Source, origin: Origin) -> Iterator[Position]:
    first = min((point.time for point in _Gpx(source, GeographicCoordinates(origin)).read()), default=0)
    untimed = _Gpx(source, GeographicCoordinates(origin))
    for point in untimed.read():
        yield Position(point.node, point.time - first, point.x, point.y, point.here)
    if untimed.untimed:
        source.notes.append(f"points without a time, left out: {untimed.untimed:,}")


class _Point(NamedTuple):
    node: str
    time: int
    x: float
    y: float
    here: bool


class _Gpx(Markup[_Point]):
    """A point is kept until it is known whether its segment ends with it."""

    root = "gpx"

    def __init__(self, source: Source, globe: GeographicCoordinates) -> None:
        super().__init__(source)
        self._globe = globe
        self._tracks = 0
        self._names: set[str] = set()
        self._path: list[str] = []
        self._words = ""
        self._node: str | None = None
        self._place: tuple[float, float] | None = None
        self._time: int | None = None
        self._latest: int | None = None
        self._kept: _Point | None = None
        self._alone = True
        self.untimed = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag)
        match self._path[1:]:
            case ["trk"]:
                self._tracks += 1
                self._node = self._latest = None
            case ["trk", "trkseg"]:
                self._alone = True
            case ["trk", "trkseg", "trkpt"]:
                longitude, latitude = (attribute(attributes, name, tag) for name in ("lon", "lat"))
                self._place = self._globe.to_metres(longitude, latitude)
                self._time = None
            case ["trk", "name"] | ["trk", "trkseg", "trkpt", "time"]:
                self._words = ""
                self.listen(listening=True)

    def end(self, tag: str) -> None:
        match self._path[1:]:
            case ["trk", "name"]:
                self.listen(listening=False)
                self._node = self._node or self._named(" ".join(self._words.split()))
            case ["trk", "trkseg"]:
                self._close()
            case ["trk", "trkseg", "trkpt"]:
                self._pass()
            case ["trk", "trkseg", "trkpt", "time"]:
                self.listen(listening=False)
                self._time = moment(self._words)
        self._path.pop()

    def text(self, text: str) -> None:
        self._words += text
        if len(self._words) > _LONGEST:
            raise Unreadable(f"{quoted(self._words.strip())} is too long")

    def _named(self, name: str) -> str:
        """Tracks of one name are several nodes."""
        name = unlike = name or f"track {self._tracks}"
        number = 1
        while unlike in self._names:
            number += 1
            unlike = f"{name} ({number})"
        self._names.add(unlike)
        return unlike

    def _pass(self) -> None:
        if self._time is None:
            self.untimed += 1
            return
        assert self._place is not None
        if self._latest is not None and self._time < self._latest:
            back = as_seconds(self._latest - self._time)
            raise Unreadable(f"this point is {back} s before the one above it; put a track's points in order of time")
        if self._kept is not None and self._time > self._kept.time:
            self.found.append(self._kept)
            self._alone = False
        self._latest = self._time
        self._node = self._node or self._named("")
        self._kept = _Point(self._node, self._time, *self._place, True)

    def _close(self) -> None:
        if self._kept is not None:
            if self._alone:
                self.found.append(self._kept)
            self.found.append(self._kept._replace(here=False))
        self._kept = None

"""Movement from a file, through `mobilesim.tracks`. Each node is a host, and does the same in every replication.

The file is read once for all hosts, and what is kept is which cells they see, and when.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from hashlib import blake2b
from math import ceil, inf
from operator import or_
from typing import Final, NamedTuple

from mobilesim.errors import UserError
from mobilesim.scenario.sections.cells import Cells
from mobilesim.scenario.sections.mobility_models import Crossing, Track
from mobilesim.scenario.values.units import TIME
from mobilesim.tracks import Position, Reading
from mobilesim.world.mobility.actions import NOWHERE
from mobilesim.world.mobility.cell_detection import CellBorders, CellChange, CellDetector
from mobilesim.world.mobility.segments import FOR_EVER, SECOND, Segment
from mobilesim.world.plane_cells import PlaneCells, plane_cells

_NOTED: Final = 0.01
"""Of all positions; fewer may be where they are."""


class Box(NamedTuple):
    """What a way stays in; how many positions it has, and how many of these are off the plane."""

    west: float
    south: float
    east: float
    north: float
    positions: int
    off: int

    def __or__(self, other: "Box") -> "Box":
        west, south = min(self.west, other.west), min(self.south, other.south)
        east, north = max(self.east, other.east), max(self.north, other.north)
        return Box(west, south, east, north, self.positions + other.positions, self.off + other.off)


@dataclass(frozen=True, slots=True)
class Seen:
    """What one node sees: its first cell, even if it is not there yet, and all from then on."""

    node: str
    home: int
    sightings: tuple[CellChange, ...]
    box: Box

    @property
    def comes(self) -> int | None:
        """When it first sees a cell; None if it never does."""
        if not self.sightings or self.sightings[0] != (0, NOWHERE):
            return 0
        return next((sighting.time for sighting in self.sightings if sighting.cell != NOWHERE), None)


def seen(walk: Track, crossing: Crossing, cells: Cells, hosts: int, until: int | None) -> list[Seen]:
    """Of the node that each host is. There has to be somebody by then."""
    assert walk.file is not None
    about = walk.file.stat()
    nodes = _seen(walk, crossing, cells, hosts, (about.st_mtime_ns, about.st_size))
    if len(nodes) < hosts:
        known = f"{len(nodes)} node{'' if len(nodes) == 1 else 's'}"
        cure = "write fewer hosts"
        if walk.start_time:
            known, cure = f"{known} from {TIME.write(walk.start_time)} on", f"{cure}, or another 'begins' below track"
        raise UserError(f"mobility.track.file: {walk.file} has {known} for {hosts} hosts; {cure}")
    if fault := _nobody(walk, nodes, until):
        raise UserError(f"mobility.track.file: {walk.file}: {fault}")
    return nodes


def _off(walk: Track, plane: PlaneCells, nodes: Sequence[Seen]) -> str:
    """Why nothing of them is on the plane, if that is so."""
    west, south, east, north, *_ = reduce(or_, (node.box for node in nodes))
    if west <= plane.width and south <= plane.height and east >= 0 and north >= 0:
        return ""
    there = f"all hosts are between ({west:.0f} m, {south:.0f} m) and ({east:.0f} m, {north:.0f} m)"
    across, up = (round(by - since) for by, since in zip(walk.shift, (west, south), strict=True))
    advice = f"write a shift of the track, like [{across} m, {up} m]"
    return f"{there}, off the plane, which is {plane.width:.0f} m by {plane.height:.0f} m; {advice}"


def stray(walk: Track, plane: PlaneCells, nodes: Sequence[Seen]) -> str:
    """What to say where a part of them is off the plane."""
    box = reduce(or_, (node.box for node in nodes))
    share, width, height = box.off / box.positions, box.east - box.west, box.north - box.south
    if share < _NOTED:
        return ""
    if width <= plane.width and height <= plane.height:
        across, up = (ceil(by - since) for by, since in zip(walk.shift, box[:2], strict=True))
        cure = f"write a shift of the track, like [{across} m, {up} m]"
    else:
        cure = f"it takes {width:.0f} m by {height:.0f} m: write more cells, or some that are farther apart"
    said = f"{share:.0%} of what hosts do is off the plane, which is {plane.width:.0f} m by {plane.height:.0f} m"
    return f"mobility.track: {said}, and counts for the nearest cell at its edge; {cure}"


def _nobody(walk: Track, nodes: Sequence[Seen], until: int | None) -> str:
    """Why there is nobody by then, if that is so."""
    first = min((node.comes for node in nodes if node.comes is not None), default=None)
    if first is None:
        return "no host ever comes within reach of a station; write a larger cells.radius, or a shift of the track"
    if until is None or first < until:
        return ""
    begins = walk.start_time + (first - first % SECOND or first)
    advice = f"write 'start_time: {TIME.write(begins)}' below track, or let it run longer"
    return f"nobody is there in the first {TIME.write(until)}; {advice}"


def tracks(walk: Track, plane: PlaneCells, nodes: Iterable[str]) -> list[Iterator[Segment]]:
    """The ways of some nodes, for who wants to see them. The file is read once, and of these nodes it is kept."""
    kept = {node: _Kept(node) for node in nodes}
    for position in _positions(walk, plane):
        if (own := kept.get(position.node)) is not None:
            own.add(position)
    return [own.segments() for own in kept.values()]


@lru_cache(2)
def _seen(walk: Track, crossing: Crossing, cells: Cells, hosts: int, _version: tuple[int, int]) -> list[Seen]:
    """The arguments say what it depends on; the last one tells a file from what it was."""
    chart = CellBorders(plane_cells(cells))
    watched: dict[str, _Watched] = {}
    for position in _positions(walk, chart.plane):
        one = watched.get(position.node)
        if one is None:
            if walk.order == "appearance" and len(watched) == hosts:
                continue
            one = watched[position.node] = _Watched(position, crossing, chart)
        one.to(position)
    names = list(watched) if walk.order == "appearance" else sorted(watched)[:hosts]
    nodes = [watched[name].seen(name) for name in names]
    if fault := _off(walk, chart.plane, nodes):
        raise UserError(f"mobility.track.file: {walk.file}: {fault}")
    return nodes


def _positions(walk: Track, plane: PlaneCells) -> Iterator[Position]:
    """On the plane."""
    assert walk.file is not None
    middle = plane.reference
    reference = None if middle is None else (middle.longitude, middle.latitude)
    reading = Reading(walk.file, geo=walk.degrees, reference=reference, start=walk.start_time)
    east, north = walk.shift[0] - plane.origin[0], walk.shift[1] - plane.origin[1]
    for position in reading:
        yield position._replace(x=position.x * walk.scale + east, y=position.y * walk.scale + north)


class _Trail:
    """Fixes of one node become segments."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: Position | None = None

    def to(self, position: Position) -> Segment | None:
        last, self._last = self._last, position
        if last is None or not last.here or position.time == last.time:
            return None
        return Segment(last.time, position.time, last.x, last.y, position.x, position.y)

    def end(self) -> Segment | None:
        """A node that is there at the end of the file stays."""
        return None if self._last is None else self.to(self._last._replace(time=FOR_EVER))


class _Kept:
    """Fixes of one node, in 25 bytes each."""

    __slots__ = ("_here", "_node", "_places", "_times")

    def __init__(self, node: str) -> None:
        self._node = node
        self._times = array("q")
        self._places = array("d")
        self._here = bytearray()

    def add(self, position: Position) -> None:
        self._times.append(position.time)
        self._places.extend((position.x, position.y))
        self._here.append(position.here)

    def segments(self) -> Iterator[Segment]:
        trail, places = _Trail(), iter(self._places)
        for time, x, y, here in zip(self._times, places, places, self._here, strict=True):
            if (segment := trail.to(Position(self._node, time, x, y, bool(here)))) is not None:
                yield segment
        if (segment := trail.end()) is not None:
            yield segment


class _Watched:
    """A node, while the file is read. When it looks around depends on its name alone."""

    __slots__ = (
        "_east",
        "_home",
        "_lookout",
        "_north",
        "_off",
        "_plane",
        "_positions",
        "_sightings",
        "_south",
        "_trail",
        "_west",
    )

    def __init__(self, first: Position, crossing: Crossing, chart: CellBorders) -> None:
        phase = int.from_bytes(blake2b(first.node.encode(), digest_size=8).digest()) % crossing.check
        self._lookout = CellDetector(chart, crossing, phase, (first.x, first.y), here=first.here and not first.time)
        self._home = self._lookout.home
        self._sightings = list(self._lookout.first())
        self._trail = _Trail()
        self._west = self._south = inf
        self._east = self._north = -inf
        self._positions = self._off = 0
        self._plane = chart.plane

    def to(self, position: Position) -> None:
        self._west, self._east = min(self._west, position.x), max(self._east, position.x)
        self._south, self._north = min(self._south, position.y), max(self._north, position.y)
        self._positions += 1
        self._off += not self._plane.holds(position.x, position.y)
        self._over(self._trail.to(position))

    def _over(self, segment: Segment | None) -> None:
        if segment is not None:
            self._sightings += self._lookout.over(segment)

    def seen(self, node: str) -> Seen:
        """After the last position."""
        self._over(self._trail.end())
        if self._lookout.cell != NOWHERE and self._lookout.tick < FOR_EVER:
            self._sightings.append(CellChange(self._lookout.tick, NOWHERE))
        box = Box(self._west, self._south, self._east, self._north, self._positions, self._off)
        return Seen(node, self._home, tuple(self._sightings), box)

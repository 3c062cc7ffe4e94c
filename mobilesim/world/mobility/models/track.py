"""Tracks from a file, which `mobilesim.tracks` reads. Each node is a host with the same track in all replications.

The file is read once for all hosts, and only the cell changes are kept.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from hashlib import blake2b
from itertools import chain, pairwise
from math import ceil, inf
from operator import or_
from typing import TYPE_CHECKING, Final, NamedTuple

from mobilesim.errors import UserError, counted
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.cells import Cells
from mobilesim.scenario.sections.mobility_models import Crossing, Track
from mobilesim.scenario.values.units import TIME
from mobilesim.tracks import Position, Reading
from mobilesim.world.cells import plane_cells
from mobilesim.world.mobility.actions import NOWHERE, Action
from mobilesim.world.mobility.cell_detection import CellBorders, CellChange, CellDetector
from mobilesim.world.mobility.cell_detection import actions as actions_of
from mobilesim.world.mobility.segments import FOR_EVER, SECOND, Segment
from mobilesim.world.plane_cells import PlaneCells

if TYPE_CHECKING:
    from mobilesim.world.replication import World

_WARN_FROM: Final = 0.01
"""If at least this share of positions is off the plane, there is a warning."""


class Extent(NamedTuple):
    """The bounding box of positions, the number of positions, and the number of positions off the plane."""

    west: float
    south: float
    east: float
    north: float
    positions: int
    off: int

    def __or__(self, other: "Extent") -> "Extent":
        west, south = min(self.west, other.west), min(self.south, other.south)
        east, north = max(self.east, other.east), max(self.north, other.north)
        return Extent(west, south, east, north, self.positions + other.positions, self.off + other.off)


@dataclass(frozen=True, slots=True)
class Node:
    """The first cell and the cell changes of a node. The node may enter its first cell after time 0."""

    name: str
    home: int
    changes: tuple[CellChange, ...]
    extent: Extent

    @property
    def first_seen(self) -> int | None:
        """The first time at which the node is in a cell; None if the node never enters a cell."""
        if not self.changes or self.changes[0] != (0, NOWHERE):
            return 0
        return next((change.time for change in self.changes if change.cell != NOWHERE), None)


def actions(world: "World") -> list[Iterator[Action]]:
    mobility = world.scenario.mobility
    return [
        actions_of(iter(node.changes), node.home, mobility, world.streams.stream("crossing", host))
        for host, node in enumerate(nodes(world.scenario))
    ]


def nodes(scenario: Scenario) -> list[Node]:
    """Return the node of each host. Raise a UserError if there are too few nodes, or if no node is ever in a cell."""
    mobility, hosts = scenario.mobility, scenario.hosts
    track: Track = mobility.model_settings
    assert track.file is not None
    about = track.file.stat()
    all_nodes = _nodes(track, mobility.cell_crossing, scenario.cells, hosts, (about.st_mtime_ns, about.st_size))
    if len(all_nodes) < hosts:
        known = counted(len(all_nodes), "node")
        remedy = "write fewer hosts"
        if track.start_time:
            known = f"{known} from {TIME.write(track.start_time)} on"
            remedy = f"{remedy}, or another 'start_time' below track"
        raise UserError(f"mobility.track.file: {track.file} has {known} for {hosts} hosts; {remedy}")
    if fault := _too_late(track, all_nodes, scenario.duration):
        raise UserError(f"mobility.track.file: {track.file}: {fault}")
    return all_nodes


def paths(world: "World", hosts: Iterable[int]) -> list[Iterator[Segment]]:
    """Return the paths of `hosts`. The file is read once, and the positions of all these hosts are kept in memory."""
    assert world.plane is not None
    all_nodes = nodes(world.scenario)
    kept = {name: _NodePositions(name) for name in (all_nodes[host].name for host in hosts)}
    for position in _positions(world.scenario.mobility.model_settings, world.plane):
        if (node := kept.get(position.node)) is not None:
            node.add(position)
    return [node.segments() for node in kept.values()]


def off_plane_warning(world: "World") -> str:
    """Return a warning if many positions of the track are off the plane, else ''."""
    assert world.plane is not None
    track: Track = world.scenario.mobility.model_settings
    plane, extent = world.plane, reduce(or_, (node.extent for node in nodes(world.scenario)))
    share, width, height = extent.off / extent.positions, extent.east - extent.west, extent.north - extent.south
    if share < _WARN_FROM:
        return ""
    if width <= plane.width and height <= plane.height:
        remedy = _shift_advice(*(ceil(by - since) for by, since in zip(track.shift, extent[:2], strict=True)))
    else:
        remedy = f"the track covers {width:.0f} m by {height:.0f} m: write more cells, or more distant cells"
    message = f"{share:.0%} of positions are off the plane of {plane.width:.0f} m by {plane.height:.0f} m"
    return f"mobility.track: {message}, and count for the nearest cell at its edge; {remedy}"


def _off_plane(track: Track, plane: PlaneCells, all_nodes: Sequence[Node]) -> str:
    """Return an error message if the plane and the area of the track do not overlap, else ''."""
    west, south, east, north, *_ = reduce(or_, (node.extent for node in all_nodes))
    if west <= plane.width and south <= plane.height and east >= 0 and north >= 0:
        return ""
    where = f"all hosts are between ({west:.0f} m, {south:.0f} m) and ({east:.0f} m, {north:.0f} m)"
    advice = _shift_advice(*(round(by - since) for by, since in zip(track.shift, (west, south), strict=True)))
    return f"{where}, off the plane, which is {plane.width:.0f} m by {plane.height:.0f} m; {advice}"


def _shift_advice(east: int, north: int) -> str:
    return f"write a shift of the track, like [{east} m, {north} m]"


def _too_late(track: Track, all_nodes: Sequence[Node], until: int | None) -> str:
    """Return an error message if no host is in a cell up to `until`, else ''."""
    first = min((node.first_seen for node in all_nodes if node.first_seen is not None), default=None)
    if first is None:
        return "no host ever comes within reach of a station; write a larger cells.radius, or a shift of the track"
    if until is None or first < until:
        return ""
    start = track.start_time + (first - first % SECOND or first)
    advice = f"write 'start_time: {TIME.write(start)}' below track, or a longer duration"
    return f"no host is in a cell in the first {TIME.write(until)}; {advice}"


@lru_cache(2)
def _nodes(track: Track, crossing: Crossing, cells: Cells, hosts: int, _version: tuple[int, int]) -> list[Node]:
    """Return the nodes. The file is read again only if an argument changes. `_version`: the file's time and size."""
    borders = CellBorders(plane_cells(cells))
    readers: dict[str, _NodeReader] = {}
    for position in _positions(track, borders.plane):
        if (reader := readers.get(position.node)) is None:
            if track.order == "appearance" and len(readers) == hosts:
                continue
            reader = readers[position.node] = _NodeReader(position, crossing, borders)
        reader.add(position)
    names = list(readers) if track.order == "appearance" else sorted(readers)[:hosts]
    result = [readers[name].finish(name) for name in names]
    if fault := _off_plane(track, borders.plane, result):
        raise UserError(f"mobility.track.file: {track.file}: {fault}")
    return result


def _positions(track: Track, plane: PlaneCells) -> Iterator[Position]:
    assert track.file is not None
    middle = plane.reference
    reference = None if middle is None else (middle.longitude, middle.latitude)
    reading = Reading(track.file, geo=track.degrees, reference=reference, start=track.start_time)
    east, north = track.shift[0] - plane.origin[0], track.shift[1] - plane.origin[1]
    for position in reading:
        yield position._replace(x=position.x * track.scale + east, y=position.y * track.scale + north)


def _between(last: Position, position: Position) -> tuple[Segment, ...]:
    """Return the segment between two consecutive positions of a node, () if the node is absent between them."""
    if not last.here or position.time == last.time:
        return ()
    return (Segment(last.time, position.time, last.x, last.y, position.x, position.y),)


class _NodePositions:
    """The positions of one node, in 25 bytes each."""

    __slots__ = ("_coordinates", "_here", "_node", "_times")

    def __init__(self, node: str) -> None:
        self._node = node
        self._times = array("q")
        self._coordinates = array("d")
        self._here = bytearray()

    def add(self, position: Position) -> None:
        self._times.append(position.time)
        self._coordinates.extend((position.x, position.y))
        self._here.append(position.here)

    def segments(self) -> Iterator[Segment]:
        coordinates = iter(self._coordinates)
        values = zip(self._times, coordinates, coordinates, self._here, strict=True)
        positions = (Position(self._node, time, x, y, bool(here)) for time, x, y, here in values)
        end = Position(self._node, FOR_EVER, self._coordinates[-2], self._coordinates[-1], here=True)
        for last, position in pairwise(chain(positions, (end,))):
            yield from _between(last, position)


class _NodeReader:
    """Detects the cells of a node while the file is read. The phase of its checks depends only on the node's name."""

    def __init__(self, first: Position, crossing: Crossing, borders: CellBorders) -> None:
        phase = int.from_bytes(blake2b(first.node.encode(), digest_size=8).digest()) % crossing.check
        here = first.here and not first.time
        self._detector = CellDetector(borders, crossing, phase, (first.x, first.y), present=here)
        self._changes = list(self._detector.first_change())
        self._last = first
        self._west = self._south = inf
        self._east = self._north = -inf
        self._positions = self._off = 0
        self._plane = borders.plane

    def add(self, position: Position) -> None:
        self._west, self._east = min(self._west, position.x), max(self._east, position.x)
        self._south, self._north = min(self._south, position.y), max(self._north, position.y)
        self._positions += 1
        self._off += not self._plane.holds(position.x, position.y)
        self._detect(position)

    def _detect(self, position: Position) -> None:
        for segment in _between(self._last, position):
            self._changes += self._detector.changes(segment)
        self._last = position

    def finish(self, name: str) -> Node:
        """Return the node. A node that is present at the end of the file stays at its last position."""
        self._detect(self._last._replace(time=FOR_EVER))
        if self._detector.cell != NOWHERE and self._detector.tick < FOR_EVER:
            self._changes.append(CellChange(self._detector.tick, NOWHERE))
        extent = Extent(self._west, self._south, self._east, self._north, self._positions, self._off)
        return Node(name, self._detector.home, tuple(self._changes), extent)

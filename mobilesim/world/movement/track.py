"""Movement from a file, through `mobilesim.tracks`. Each node is a host, and does the same in every replication.

The file is read once for all hosts, and what is kept is which cells they see, and when.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from mobilesim.errors import UserError
from mobilesim.scenario.network import Cells
from mobilesim.scenario.walks import Crossing, Track
from mobilesim.tracks import Fix, Reading
from mobilesim.world.ground import Ground, ground
from mobilesim.world.movement.crossings import Lookout, Map, Sighting
from mobilesim.world.movement.legs import FOR_EVER, Leg
from mobilesim.world.movement.steps import NOWHERE


@dataclass(frozen=True, slots=True)
class Seen:
    """What one node sees: its first cell, even if it is not there yet, and all from then on."""

    node: str
    home: int
    sightings: tuple[Sighting, ...]


def seen(walk: Track, crossing: Crossing, cells: Cells, hosts: int) -> list[Seen]:
    """Of the node that each host is."""
    assert walk.file is not None
    about = walk.file.stat()
    nodes = _seen(walk, crossing, cells, hosts, (about.st_mtime_ns, about.st_size))
    if len(nodes) < hosts:
        known = f"{len(nodes)} node{'' if len(nodes) == 1 else 's'}"
        raise UserError(f"mobility.track.file: {walk.file} has {known} for {hosts} hosts; write fewer hosts")
    return nodes


def track(walk: Track, plane: Ground, node: str) -> Iterator[Leg]:
    """The way of one node, for who wants to see it; the file is read for it alone."""
    trail = _Trail()
    for fix in _fixes(walk, plane):
        if fix.node == node and (leg := trail.to(fix)) is not None:
            yield leg
    if (leg := trail.end()) is not None:
        yield leg


@lru_cache(2)
def _seen(walk: Track, crossing: Crossing, cells: Cells, hosts: int, _version: tuple[int, int]) -> list[Seen]:
    """The arguments say what it depends on; the last one tells a file from what it was."""
    chart = Map(ground(cells))
    watched: dict[str, _Watched] = {}
    for fix in _fixes(walk, chart.ground):
        one = watched.get(fix.node)
        if one is None:
            if walk.order == "appearance" and len(watched) == hosts:
                continue
            one = watched[fix.node] = _Watched(fix, crossing, chart)
        one.to(fix)
    names = list(watched) if walk.order == "appearance" else sorted(watched)[:hosts]
    return [watched[name].seen(name) for name in names]


def _fixes(walk: Track, plane: Ground) -> Iterator[Fix]:
    """On the plane."""
    assert walk.file is not None
    middle = plane.reference
    reference = None if middle is None else (middle.longitude, middle.latitude)
    reading = Reading(walk.file, geo=walk.degrees, reference=reference, start=walk.begins)
    east, north = walk.shift[0] - plane.origin[0], walk.shift[1] - plane.origin[1]
    for fix in reading:
        yield fix._replace(x=fix.x * walk.scale + east, y=fix.y * walk.scale + north)


class _Trail:
    """Fixes of one node become legs."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: Fix | None = None

    def to(self, fix: Fix) -> Leg | None:
        last, self._last = self._last, fix
        if last is None or not last.here or fix.time == last.time:
            return None
        return Leg(last.time, fix.time, last.x, last.y, fix.x, fix.y)

    def end(self) -> Leg | None:
        """A node that is there at the end of the file stays."""
        return None if self._last is None else self.to(self._last._replace(time=FOR_EVER))


class _Watched:
    """A node, while the file is read. When it looks around depends on its name alone."""

    __slots__ = ("_home", "_lookout", "_sightings", "_trail")

    def __init__(self, first: Fix, crossing: Crossing, chart: Map) -> None:
        phase = int.from_bytes(blake2b(first.node.encode(), digest_size=8).digest()) % crossing.check
        self._lookout = Lookout(chart, crossing, phase, (first.x, first.y), here=first.here and not first.time)
        self._home = self._lookout.home
        self._sightings = list(self._lookout.first())
        self._trail = _Trail()

    def to(self, fix: Fix) -> None:
        self._over(self._trail.to(fix))

    def _over(self, leg: Leg | None) -> None:
        if leg is not None:
            self._sightings += self._lookout.over(leg)

    def seen(self, node: str) -> Seen:
        """After the last fix."""
        self._over(self._trail.end())
        if self._lookout.cell != NOWHERE and self._lookout.tick < FOR_EVER:
            self._sightings.append(Sighting(self._lookout.tick, NOWHERE))
        return Seen(node, self._home, tuple(self._sightings))

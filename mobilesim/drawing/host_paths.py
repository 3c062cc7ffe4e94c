"""The paths of hosts as lines on the plane."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from mobilesim.geometry.voronoi import Site
from mobilesim.world import mobility
from mobilesim.world.mobility.actions import Action, Departure
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.replication import World

Line: TypeAlias = list[Site]


@dataclass(slots=True)
class HostPath:
    host: int
    start: Site
    end: Site
    connected: list[Line] = field(default_factory=list)
    disconnected: list[Line] = field(default_factory=list)
    """Includes the gaps of a track."""
    crossings: list[Site] = field(default_factory=list)
    """The points at which the path enters another cell."""
    by_station: bool = False
    """Whether the path leads from station to station, so that paths may coincide."""


def host_paths(world: World, stations: Sequence[Site], hosts: int, until: int) -> list[HostPath]:
    """Return the paths of the first hosts, without hosts that are in no cell until then."""
    actions = mobility.host_actions(world)
    moves = [list(_departures(actions[host], until)) if actions else [] for host in range(hosts)]
    if world.scenario.mobility.on_plane:
        paths = mobility.host_paths(world, range(hosts))
        found = (_on_plane(host, path, own, until) for host, (path, own) in enumerate(zip(paths, moves, strict=True)))
        return [path for path in found if path is not None]
    return [_by_station(host, world.starting_cells[host], own, stations) for host, own in enumerate(moves)]


def _departures(actions: Iterator[Action], until: int) -> Iterator[Departure]:
    """Yield the departures up to `until`; a postponed departure counts once."""
    absent: Departure | None = None
    for action in actions:
        begins = action.left if isinstance(action, Departure) else action.until
        if (begins if absent is None else absent.entered) > until:
            break
        if isinstance(action, Departure):
            absent = action if action.absent else None
            if absent is None:
                yield action
    if absent is not None:
        yield absent


def _by_station(host: int, start: int, departures: Sequence[Departure], stations: Sequence[Site]) -> HostPath:
    """Return the path with each line between two stations once, for any number of moves."""
    connected, disconnected = dict[tuple[int, int], None](), dict[tuple[int, int], None]()
    cell = start
    for departure in departures:
        if cell != departure.target:
            pair = min(cell, departure.target), max(cell, departure.target)
            (disconnected if departure.disconnects else connected)[pair] = None
        cell = departure.target
    path = HostPath(host, stations[start], stations[cell], by_station=True)
    path.connected = [[stations[one], stations[other]] for one, other in connected]
    path.disconnected = [[stations[one], stations[other]] for one, other in disconnected]
    return path


def _on_plane(host: int, segments: Iterator[Segment], departures: Sequence[Departure], until: int) -> HostPath | None:
    turns = [moment for move in departures if move.disconnects for moment in (move.left, move.entered)]
    changes = [move.left for move in departures if not move.disconnects]
    path: HostPath | None = None
    last: Segment | None = None
    for segment in segments:
        if segment.start >= until:
            break
        path = path or HostPath(host, (segment.x, segment.y), (segment.x, segment.y))
        if last is not None and (last.end, last.to_x, last.to_y) != (segment.start, segment.x, segment.y):
            path.disconnected.append([path.end, (segment.x, segment.y)])
        last = segment
        path.crossings += (segment.at(moment) for moment in _within(changes, segment.start, min(segment.end, until)))
        _extend(path, segment, turns, until)
    return path


def _extend(path: HostPath, segment: Segment, turns: Sequence[int], until: int) -> None:
    """Add a segment, divided at the points where the host connects or disconnects."""
    end = min(segment.end, until)
    for one, other in pairwise((segment.start, *_within(turns, segment.start + 1, end), end)):
        lines = path.disconnected if bisect_right(turns, one) % 2 else path.connected
        start, stop = segment.at(one), segment.at(other)
        if lines and lines[-1][-1] == path.end == start:
            lines[-1].append(stop)
        else:
            lines.append([start, stop])
        path.end = stop


def _within(moments: Sequence[int], start: int, end: int) -> Sequence[int]:
    return moments[bisect_left(moments, start) : bisect_left(moments, end)]

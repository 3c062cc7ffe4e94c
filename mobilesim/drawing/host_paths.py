"""Where hosts go, as lines on the ground."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from mobilesim.geometry.voronoi import Site
from mobilesim.world import mobility
from mobilesim.world.mobility import Action, Departure, Segment, walkers
from mobilesim.world.replication import World

Line: TypeAlias = list[Site]


@dataclass(slots=True)
class Way:
    host: int
    start: Site
    end: Site
    walked: list[Line] = field(default_factory=list)
    away: list[Line] = field(default_factory=list)
    """Where it was disconnected, or not there at all."""
    crossings: list[Site] = field(default_factory=list)
    """Where it has left a cell for another one."""
    by_station: bool = False
    """It goes from station to station, as others do."""


def ways(world: World, stations: Sequence[Site], hosts: int, until: int) -> list[Way]:
    """Of the first so many hosts, without those that are nowhere by then."""
    steps = walkers(world)
    moves = [list(_departures(steps[host], until)) if steps else [] for host in range(hosts)]
    if world.scenario.mobility.on_plane:
        whole = mobility.ways(world, range(hosts))
        found = (_walk(host, way, own, until) for host, (way, own) in enumerate(zip(whole, moves, strict=True)))
        return [way for way in found if way is not None]
    return [_jumps(host, world.starting_cells[host], own, stations) for host, own in enumerate(moves)]


def _departures(steps: Iterator[Action], until: int) -> Iterator[Departure]:
    """Those that begin by then. One that is put off is one."""
    absent: Departure | None = None
    for step in steps:
        begins = step.left if isinstance(step, Departure) else step.until
        if (begins if absent is None else absent.entered) > until:
            break
        if isinstance(step, Departure):
            absent = step if step.absent else None
            if absent is None:
                yield step
    if absent is not None:
        yield absent


# From station to station


def _jumps(host: int, home: int, departures: Sequence[Departure], stations: Sequence[Site]) -> Way:
    """Each stretch once, however often the host goes there."""
    walked, away = dict[tuple[int, int], None](), dict[tuple[int, int], None]()
    cell = home
    for step in departures:
        if cell != step.target:
            pair = min(cell, step.target), max(cell, step.target)
            (away if step.disconnects else walked)[pair] = None
        cell = step.target
    way = Way(host, stations[home], stations[cell], by_station=True)
    way.walked = [[stations[one], stations[other]] for one, other in walked]
    way.away = [[stations[one], stations[other]] for one, other in away]
    return way


# On a plane


def _walk(host: int, whole: Iterator[Segment], departures: Sequence[Departure], until: int) -> Way | None:
    turns = [moment for step in departures if step.disconnects for moment in (step.left, step.entered)]
    changes = [step.left for step in departures if not step.disconnects]
    way: Way | None = None
    last: Segment | None = None
    for segment in whole:
        if segment.start >= until:
            break
        way = way or Way(host, (segment.x, segment.y), (segment.x, segment.y))
        if last is not None and (last.end, last.to_x, last.to_y) != (segment.start, segment.x, segment.y):
            way.away.append([way.end, (segment.x, segment.y)])
        last = segment
        way.crossings += (segment.at(moment) for moment in _within(changes, segment.start, min(segment.end, until)))
        _follow(way, segment, turns, until)
    return way


def _follow(way: Way, segment: Segment, turns: Sequence[int], until: int) -> None:
    """Along a segment, which is walked in one part and away in another where the host is disconnected on it."""
    end = min(segment.end, until)
    for one, other in pairwise((segment.start, *_within(turns, segment.start + 1, end), end)):
        lines = way.away if bisect_right(turns, one) % 2 else way.walked
        start, stop = segment.at(one), segment.at(other)
        if lines and lines[-1][-1] == way.end == start:
            lines[-1].append(stop)
        else:
            lines.append([start, stop])
        way.end = stop


def _within(moments: Sequence[int], start: int, end: int) -> Sequence[int]:
    return moments[bisect_left(moments, start) : bisect_left(moments, end)]

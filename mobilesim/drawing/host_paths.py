"""The paths of hosts as lines on the plane, with marks for starts, ends, changes of cell and disconnections."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import cos, dist, pi, sin
from typing import Final, TypeAlias

from mobilesim.drawing.canvas import PAPER, Canvas, Frame, path_data
from mobilesim.geometry.voronoi import Site
from mobilesim.world import mobility
from mobilesim.world.mobility.actions import Action, Departure
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.replication import World

Line: TypeAlias = list[Site]

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#a3478c", "#8a6d00", "#3f9fdf", "#7a3b00", "#444444")
"""Similar to the colours of Okabe and Ito, which people with colour vision deficiencies can distinguish."""

_MOST_STEPS: Final = 7000
"""The maximum number of line segments of all paths together. With more segments, paths are simplified."""
_RING: Final = 7.0


@dataclass(slots=True)
class HostPath:
    host: int
    start: Site
    end: Site
    connected: list[Line] = field(default_factory=list)
    disconnected: list[Line] = field(default_factory=list)
    """The parts without connection, and the gaps of a track."""
    crossings: list[Site] = field(default_factory=list)
    """The points at which the path enters another cell."""
    by_station: bool = False
    """Whether the path leads from station to station. Then several paths may have the same lines."""


def host_paths(world: World, stations: Sequence[Site], hosts: int, until: int) -> list[HostPath]:
    """Return the paths of the first hosts up to `until`, without hosts that have no position before `until`."""
    actions = mobility.host_actions(world)
    moves = [list(_departures(actions[host], until)) if actions else [] for host in range(hosts)]
    if world.scenario.mobility.on_plane:
        paths = mobility.host_paths(world, range(hosts))
        found = (_on_plane(host, path, own, until) for host, (path, own) in enumerate(zip(paths, moves, strict=True)))
        return [path for path in found if path is not None]
    return [_by_station(host, world.starting_cells[host], own, stations) for host, own in enumerate(moves)]


def _departures(actions: Iterator[Action], until: int) -> Iterator[Departure]:
    """Yield the departures up to `until`. Of several departures of an absent host, only the last is yielded."""
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
    """Return the path. It has each line between two stations once, even if the host moves there several times."""
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
    """Add a segment to a path. It is divided at the points at which the host connects or disconnects."""
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


def draw_paths(canvas: Canvas, pixel_paths: Sequence[HostPath], clip: str) -> None:
    grain = 1.0
    while sum(_steps(path, grain) for path in pixel_paths) > _MOST_STEPS:
        grain *= 2
    with canvas.group(clip_path=clip, fill="none", stroke_width=2, stroke_linejoin="round", stroke_linecap="round"):
        for path in pixel_paths:
            _draw(canvas, path, grain)


def in_pixels(frame: Frame, path: HostPath, path_count: int, shift: float) -> HostPath:
    """Return the path in pixels. Paths between stations are shifted in different directions, so all are visible."""
    turn = 2 * pi * path.host / max(path_count, 1)
    aside = (shift * cos(turn), shift * sin(turn)) if path.by_station and path_count > 1 else (0.0, 0.0)

    def at(point: Site) -> Site:
        x, y = frame.at(point)
        return x + aside[0], y + aside[1]

    return replace(
        path,
        connected=[[at(point) for point in line] for line in path.connected],
        disconnected=[[at(point) for point in line] for line in path.disconnected],
        crossings=[at(point) for point in path.crossings],
        start=at(path.start),
        end=at(path.end),
    )


def _colour(path: HostPath) -> str:
    return COLOURS[path.host % len(COLOURS)]


def _draw(canvas: Canvas, path: HostPath, grain: float) -> None:
    colour = _colour(path)
    if connected := path_data(_simplified(line, grain) for line in path.connected):
        canvas.element("path", d=connected, stroke=colour, stroke_opacity=0.8)
    if disconnected := path_data(_simplified(line, grain) for line in path.disconnected):
        canvas.element("path", d=disconnected, stroke=colour, stroke_dasharray="0.1 5")
    if crossings := path_data([crossing] for crossing in _without_overlaps(path.crossings, grain)):
        name = f"rings-{path.host}"
        with canvas.group("defs"):
            canvas.element("path", id=name, d=crossings)
        canvas.element("use", href=f"#{name}", stroke=colour, stroke_width=_RING)
        canvas.element("use", href=f"#{name}", stroke=PAPER, stroke_width=_RING - 4)


def draw_ends(canvas: Canvas, path: HostPath) -> None:
    (x, y), (end_x, end_y), colour = path.start, path.end, _colour(path)
    if (x, y) != (end_x, end_y):
        corner = {"x": end_x - 5, "y": end_y - 5, "width": 10, "height": 10}
        canvas.element("rect", **corner, fill=PAPER, stroke=colour, stroke_width=2.5)
    canvas.element("circle", cx=x, cy=y, r=8, fill=colour, stroke=PAPER, stroke_width=1.5)
    canvas.text(str(path.host), x=x, y=y + 3.5, fill=PAPER, font_size=10, font_weight="bold", text_anchor="middle")


def _steps(path: HostPath, grain: float) -> int:
    lines = (*path.connected, *path.disconnected)
    return sum(len(_simplified(line, grain)) for line in lines) + len(_without_overlaps(path.crossings, grain))


def _without_overlaps(crossings: Line, grain: float) -> Line:
    """Return the crossings without those that would cover an earlier crossing."""
    wide = _RING * grain
    kept = dict[tuple[int, int], Site]()
    for x, y in crossings:
        kept.setdefault((round(x / wide), round(y / wide)), (x, y))
    return list(kept.values())


def _simplified(line: Line, grain: float) -> Line:
    """Return the line without points that are nearer than `grain` pixels to the point before."""
    if len(line) <= 2:
        return line
    kept = [line[0]]
    for point in line[1:-1]:
        if dist(point, kept[-1]) >= grain:
            kept.append(point)
    return [*kept, line[-1]]

"""Voronoi regions in a rectangle. A region begins as the whole rectangle, and other sites cut off parts of it.

A site cuts a region only if it is nearer to a corner of the region than the region's own site. Sites are in a tree of
boxes. A box is skipped if all its points are farther from every corner than the region's own site.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

Site = tuple[float, float]
Polygon = list[tuple[float, float]]
Neighbours = list[tuple[int, ...]]

_Corner = tuple[float, float, float, int]
"""A corner: x and y from the region's site, the squared distance, and the site beyond the edge that starts here."""
_Box = tuple[float, float, float, float, "list[int] | None", "tuple[_Box, ...]"]
"""West, south, east, north, and the contents: sites, or two boxes."""

_OUTSIDE: Final = -1
_LEAF: Final = 8
_NO_BORDER: Final = 1e-9**2
"""Borders with a smaller ratio of squared length to squared distance are points: their length is due to rounding."""


@dataclass(frozen=True, slots=True)
class Regions:
    neighbours: Neighbours
    polygons: list[Polygon]
    rim: tuple[int, ...]


def regions(sites: Sequence[Site], width: float, height: float) -> Regions:
    """Return the regions of distinct sites in the rectangle from (0, 0) to (width, height)."""
    tree = _boxed(sites, list(range(len(sites))))
    found = [_region(sites, site, tree, width, height) for site in range(len(sites))]
    touching: list[set[int]] = [set() for _ in sites]
    for site, corners in enumerate(found):
        for other in _bordering(corners):
            touching[site].add(other)
            touching[other].add(site)
    pairs = zip(sites, found, strict=True)
    polygons = [[(at_x + x, at_y + y) for x, y, _, _ in corners] for (at_x, at_y), corners in pairs]
    rim = (site for site, corners in enumerate(found) if any(beyond == _OUTSIDE for _, _, _, beyond in corners))
    return Regions([tuple(sorted(around)) for around in touching], polygons, tuple(rim))


def _boxed(sites: Sequence[Site], held: list[int]) -> _Box:
    across, up = [sites[site][0] for site in held], [sites[site][1] for site in held]
    west, south, east, north = min(across), min(up), max(across), max(up)
    if len(held) <= _LEAF:
        return west, south, east, north, held, ()
    axis = itemgetter(0 if east - west > north - south else 1)
    held.sort(key=lambda site: axis(sites[site]))
    half = len(held) // 2
    return west, south, east, north, None, (_boxed(sites, held[:half]), _boxed(sites, held[half:]))


def _region(sites: Sequence[Site], site: int, tree: _Box, width: float, height: float) -> list[_Corner]:
    at_x, at_y = sites[site]
    around = ((-at_x, -at_y), (width - at_x, -at_y), (width - at_x, height - at_y), (-at_x, height - at_y))
    corners = [(x, y, x * x + y * y, _OUTSIDE) for x, y in around]
    waiting = [tree]
    while waiting:
        west, south, east, north, held, parts = waiting.pop()
        if not _may_cut(corners, west - at_x, south - at_y, east - at_x, north - at_y):
            continue
        if held is None:
            waiting.extend(sorted(parts, key=lambda part: -_squared_distance(part, at_x, at_y)))
            continue
        for other in held:
            if other != site:
                corners = _cut(corners, sites[other][0] - at_x, sites[other][1] - at_y, other)
    return corners


def _squared_distance(box: _Box, x: float, y: float) -> float:
    across, up = max(box[0] - x, 0.0, x - box[2]), max(box[1] - y, 0.0, y - box[3])
    return across * across + up * up


def _may_cut(corners: list[_Corner], west: float, south: float, east: float, north: float) -> bool:
    """Return whether a point of the box is nearer to a corner of the region than the region's site."""
    for x, y, squared, _ in corners:
        across = west - x if x < west else x - east if x > east else 0.0
        up = south - y if y < south else y - north if y > north else 0.0
        if across * across + up * up < squared:
            return True
    return False


def _cut(corners: list[_Corner], x: float, y: float, other: int) -> list[_Corner]:
    """Return the part of the region that is not nearer to the site `other`, at (x, y), than to its own site."""
    half = (x * x + y * y) / 2
    over = [corner[0] * x + corner[1] * y - half for corner in corners]
    if max(over) <= 0:
        return corners
    left = []
    for index, corner in enumerate(corners):
        here, there = over[index - 1], over[index]
        if (here > 0) != (there > 0):
            before = corners[index - 1]
            left.append(_between(before, corner, here / (here - there), other if there > 0 else before[3]))
        if there <= 0:
            left.append(corner)
    return left


def _between(one: _Corner, two: _Corner, share: float, beyond: int) -> _Corner:
    x, y = one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])
    return x, y, x * x + y * y, beyond


def _bordering(corners: list[_Corner]) -> list[int]:
    return [
        one[3]
        for one, two in zip(corners, corners[1:] + corners[:1], strict=True)
        if one[3] != _OUTSIDE and (one[0] - two[0]) ** 2 + (one[1] - two[1]) ** 2 > _NO_BORDER * max(one[2], two[2])
    ]

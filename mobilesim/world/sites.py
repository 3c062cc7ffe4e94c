"""Stations at sites from a file, as points of a rectangle with a margin around them."""

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.geometry.voronoi import Site, regions
from mobilesim.scenario.sections.cells import MOST_CELLS
from mobilesim.scenario.values.fields import digest
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.site_files import KEY, Station, read_sites

_SINGLE_CELL: Final = 500.0
"""The width of the cell of a single station, in metres."""
_SAME: Final = 1e-3
"""Stations closer than a millimetre are at the same point."""


def site_cells(file: Path, margin: float | None) -> PlaneCells:
    """Return the cells of the sites in a file, computed once for the same content and margin."""
    try:
        return _site_cells(file, digest(file), margin)
    except OSError as error:
        raise UserError(f"{KEY}: cannot read {file}: {error.strerror}") from error


@lru_cache(maxsize=8)
def _site_cells(file: Path, _content: str, margin: float | None) -> PlaneCells:
    in_degrees, stations = read_sites(file)
    if len(stations) > MOST_CELLS:
        raise UserError(f"{KEY}: {file} has {len(stations)} stations; the most is {MOST_CELLS}")
    reference = _middle(stations) if in_degrees else None
    points = _points(stations, reference)
    _check_distinct(file, stations, points)
    west, south = min(x for x, _ in points), min(y for _, y in points)
    across, up = max(x for x, _ in points) - west, max(y for _, y in points) - south
    room = _spacing(len(points), across, up) / 2 if margin is None else margin
    sites = tuple((x - west + room, y - south + room) for x, y in points)
    width, height = across + 2 * room, up + 2 * room
    names, corner = tuple(station.name for station in stations), (west - room, south - room)
    found = regions(sites, width, height)
    return PlaneCells(sites, found.neighbours, width, height, found.rim, None, corner, reference, names)


def _middle(stations: Sequence[Station]) -> GeoPoint:
    """Return the mean of all coordinates; longitudes count from the first one, because of the date line."""
    first = stations[0].second
    east = fmean((station.second - first + 180) % 360 - 180 for station in stations)
    return GeoPoint(fmean(station.first for station in stations), (first + east + 180) % 360 - 180)


def _points(stations: Sequence[Station], reference: GeoPoint | None) -> list[Site]:
    if reference is None:
        return [(station.first, station.second) for station in stations]
    plane = TangentPlane(reference)
    return [plane.project(GeoPoint(station.first, station.second)) for station in stations]


def _spacing(count: int, across: float, up: float) -> float:
    """Return the width of `count` square cells that fill the sites' rectangle and half a cell around it."""
    if count == 1:
        return _SINGLE_CELL
    both, others = across + up, count - 1
    return (both + sqrt(both * both + 4 * others * across * up)) / (2 * others)


def _check_distinct(file: Path, stations: Sequence[Station], points: Sequence[Site]) -> None:
    order = sorted(range(len(points)), key=points.__getitem__)
    for rank, one in enumerate(order):
        for other in order[rank + 1 :]:
            if points[other][0] - points[one][0] >= _SAME:
                break
            if abs(points[other][1] - points[one][1]) < _SAME:
                early, late = sorted((one, other))
                message = f"this station is where that of {stations[early].where} is; move it, or leave one of them out"
                raise UserError(f"{KEY}: {file}: {stations[late].where}: {message}")

"""The sites of stations in a file, as points of a rectangle with a margin around them."""

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.geometry.graphml import Place
from mobilesim.geometry.voronoi import Site, regions
from mobilesim.scenario.sections.cells import MOST_CELLS
from mobilesim.scenario.values.fields import digest
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.site_files import KEY, read_sites

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
    points: list[Site] = [station.position for station in stations]
    reference = _middle(points) if in_degrees else None
    if reference is not None:
        plane = TangentPlane(reference)
        points = [plane.project(GeoPoint(*point)) for point in points]
    _check_distinct(file, stations, points)
    west, south = min(x for x, _ in points), min(y for _, y in points)
    across, up = max(x for x, _ in points) - west, max(y for _, y in points) - south
    border = _spacing(len(points), across, up) / 2 if margin is None else margin
    sites = tuple((x - west + border, y - south + border) for x, y in points)
    width, height = across + 2 * border, up + 2 * border
    names, corner = tuple(station.name for station in stations), (west - border, south - border)
    cells = regions(sites, width, height)
    return PlaneCells(sites, cells.neighbours, width, height, cells.rim, None, corner, reference, names)


def _middle(points: Sequence[Site]) -> GeoPoint:
    """Return the mean of latitudes and longitudes; longitudes count from the first one, because of the date line."""
    first = points[0][1]
    east = fmean((longitude - first + 180) % 360 - 180 for _, longitude in points)
    return GeoPoint(fmean(latitude for latitude, _ in points), (first + east + 180) % 360 - 180)


def _spacing(count: int, across: float, up: float) -> float:
    """Return the width of `count` square cells that fill the sites' rectangle with half a cell around it."""
    if count == 1:
        return _SINGLE_CELL
    both = across + up
    return (both + sqrt(both * both + 4 * (count - 1) * across * up)) / (2 * (count - 1))


def _check_distinct(file: Path, stations: Sequence[Place], points: Sequence[Site]) -> None:
    order = sorted(range(len(points)), key=points.__getitem__)
    for rank, one in enumerate(order):
        for other in order[rank + 1 :]:
            if points[other][0] - points[one][0] >= _SAME:
                break
            if abs(points[other][1] - points[one][1]) < _SAME:
                early, late = sorted((one, other))
                message = f"this station is at the site of {stations[early].where}; move it, or leave one of them out"
                raise UserError(f"{KEY}: {file}: {stations[late].where}: {message}")

"""Where stations of one's own are, as places on a plane with room around them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Final

from mobilesim.errors import UserError
from mobilesim.geometry.earth import GeoPoint, TangentPlane
from mobilesim.geometry.voronoi import Regions, Site, regions
from mobilesim.scenario.sections.cells import MOST_CELLS
from mobilesim.scenario.values.fields import digest
from mobilesim.world.site_files import KEY, Station, read_sites

_ALONE: Final = 500.0
"""Of a single station: how wide its cell is."""
_SAME: Final = 1e-3
"""Stations closer than a millimetre are at one place."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Sites in the coordinates of the rectangle from (0, 0) to (width, height), and what is nearest to each."""

    sites: tuple[Site, ...]
    width: float
    height: float
    origin: Site
    reference: GeoPoint | None
    regions: Regions
    names: tuple[str, ...]


def survey(file: Path, margin: float | None) -> Survey:
    """Made once for as long as the file stays as it is."""
    try:
        return _survey(file, digest(file), margin)
    except OSError as error:
        raise UserError(f"{KEY}: cannot read {file}: {error.strerror}") from error


@lru_cache(maxsize=8)
def _survey(file: Path, _content: str, margin: float | None) -> Survey:
    in_degrees, stations = read_sites(file)
    if len(stations) > MOST_CELLS:
        raise UserError(f"{KEY}: {file} has {len(stations)} stations; the most is {MOST_CELLS}")
    reference = _middle(stations) if in_degrees else None
    places = _places(stations, reference)
    _check_apart(file, stations, places)
    west, south = min(x for x, _ in places), min(y for _, y in places)
    across, up = max(x for x, _ in places) - west, max(y for _, y in places) - south
    room = _spacing(len(places), across, up) / 2 if margin is None else margin
    sites = tuple((x - west + room, y - south + room) for x, y in places)
    width, height = across + 2 * room, up + 2 * room
    names = tuple(station.name for station in stations)
    return Survey(sites, width, height, (west - room, south - room), reference, regions(sites, width, height), names)


def _middle(stations: Sequence[Station]) -> GeoPoint:
    """The mean of all; longitudes are counted from the first, since there is a seam in the Pacific."""
    first = stations[0].second
    east = fmean((station.second - first + 180) % 360 - 180 for station in stations)
    return GeoPoint(fmean(station.first for station in stations), (first + east + 180) % 360 - 180)


def _places(stations: Sequence[Station], reference: GeoPoint | None) -> list[Site]:
    if reference is None:
        return [(station.first, station.second) for station in stations]
    plane = TangentPlane(reference)
    return [plane.project(GeoPoint(station.first, station.second)) for station in stations]


def _spacing(count: int, across: float, up: float) -> float:
    """So many square cells as wide as this would fill the sites' rectangle and half a cell around it."""
    if count == 1:
        return _ALONE
    both, others = across + up, count - 1
    return (both + sqrt(both * both + 4 * others * across * up)) / (2 * others)


def _check_apart(file: Path, stations: Sequence[Station], places: Sequence[Site]) -> None:
    order = sorted(range(len(places)), key=places.__getitem__)
    for rank, one in enumerate(order):
        for other in order[rank + 1 :]:
            if places[other][0] - places[one][0] >= _SAME:
                break
            if abs(places[other][1] - places[one][1]) < _SAME:
                early, late = sorted((one, other))
                said = f"this station is where that of {stations[early].where} is; move it, or leave one of them out"
                raise UserError(f"{KEY}: {file}: {stations[late].where}: {said}")
